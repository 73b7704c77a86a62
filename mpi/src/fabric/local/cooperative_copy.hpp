// SPDX-License-Identifier: Apache-2.0
// How two processes share the work of one long copy: both take pieces of it from one word in memory that
// they share, and move them with calls of the kernel, the receiver by reading, the sender by writing. Who
// comes late or not at all leaves the work to the other. A copy has a turn, so that a side that learns of
// it when it is over finds nothing to take; the side that ends the last piece knows that all of it is done.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace lisle::fabric {

/// Zeroed memory is a valid one. Begun by its owner only, and not before the last copy is done.
class cooperative_copy {
  public:
    struct piece {
        std::uint64_t offset;
        std::uint64_t bytes; ///< 0: there is none left
    };
    /// Longer ones cannot be shared.
    static constexpr std::uint64_t most_bytes = std::uint64_t{1} << 38;

    /// @param bytes 1 to most_bytes @return the turn, to tell the other side
    [[nodiscard]] std::uint64_t begin(std::uint64_t bytes) noexcept {
        const std::uint64_t turn = (taken_.load(std::memory_order_relaxed) >> units_bits) + 1;
        left_.store(bytes, std::memory_order_relaxed);
        refused_.store(false, std::memory_order_relaxed);
        // Release: who takes a piece of this turn sees what has been stored for it.
        taken_.store(turn << units_bits, std::memory_order_release);
        return turn & turn_mask;
    }

    /// The next piece of a copy of `bytes`, about half of what is left: two that take turns end together.
    [[nodiscard]] piece take(std::uint64_t turn, std::uint64_t bytes) noexcept {
        const std::uint64_t units = (bytes + unit - 1) / unit;
        std::uint64_t seen = taken_.load(std::memory_order_acquire); // pairs with begin
        for (;;) {
            const std::uint64_t first = seen & units_mask;
            if (seen >> units_bits != turn || first >= units) {
                return {0, 0};
            }
            const std::uint64_t some = std::clamp<std::uint64_t>((units - first) / 2, 1, most_units);
            if (taken_.compare_exchange_weak(seen, seen + some, std::memory_order_acquire)) {
                const std::uint64_t offset = first * unit;
                return {offset, std::min(bytes - offset, some * unit)};
            }
        }
    }

    /// A piece that was taken has been moved, or could not be.
    /// @return true if it was the last: only then may the copy's buffers be gone from now on
    [[nodiscard]] bool end(const piece &moved, bool succeeded) noexcept {
        if (!succeeded) {
            refused_.store(true, std::memory_order_relaxed);
        }
        // Release: what has been written is there for the side that ends the last piece, which acquires.
        return left_.fetch_sub(moved.bytes, std::memory_order_acq_rel) == moved.bytes;
    }

    /// Whether a piece could not be moved. For who knows that all have ended.
    [[nodiscard]] bool refused() const noexcept { return refused_.load(std::memory_order_relaxed); }

  private:
    // A word holds the turn and how many units have been taken.
    static constexpr unsigned units_bits = 24;
    static constexpr std::uint64_t units_mask = (std::uint64_t{1} << units_bits) - 1;
    static constexpr std::uint64_t turn_mask = ~std::uint64_t{0} >> units_bits;
    // Pieces: a call of the kernel costs as much as 16 KiB copied; long ones would end too far apart.
    static constexpr std::uint64_t unit = std::uint64_t{32} << 10;
    static constexpr std::uint64_t most_units = 32;
    static_assert(most_bytes / unit <= units_mask);

    std::atomic<std::uint64_t> taken_;
    std::atomic<std::uint64_t> left_;
    std::atomic<bool> refused_;
};

} // namespace lisle::fabric
