// SPDX-License-Identifier: Apache-2.0
// What a rank has attached to a dynamic window, as the ranks of other processes of its node read it: so they
// reach the memory without its help.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace lisle::rma {

/// Lies in a shared heap; zeroed memory is a valid one, which says that nothing is attached. Written by one
/// thread at a time; a reader that meets a change reads again.
class attached_table {
  public:
    struct region {
        std::uint64_t address;
        std::uint64_t bytes;
    };
    enum class answer : std::uint8_t {
        attached,
        not_attached,
        unknown, ///< there are more regions than the table has places: only the rank itself knows
    };

    /// @param regions sorted by address, none overlaps with another
    void write(std::span<const region> regions) noexcept {
        const bool complete = regions.size() <= places_.size();
        // Odd while the table changes. Release: what comes behind is not seen without it, see read_once().
        const std::uint64_t version = version_.load(std::memory_order_relaxed);
        version_.store(version + 1, std::memory_order_relaxed);
        std::atomic_thread_fence(std::memory_order_release);
        count_.store(complete ? regions.size() : too_many, std::memory_order_relaxed);
        for (std::size_t i = 0; complete && i < regions.size(); ++i) {
            places_[i].address.store(regions[i].address, std::memory_order_relaxed);
            places_[i].bytes.store(regions[i].bytes, std::memory_order_relaxed);
        }
        version_.store(version + 2, std::memory_order_release);
    }

    /// Whether all of the bytes are attached. Memory that was attached in several parts may be accessed as
    /// one.
    [[nodiscard]] answer find(std::uint64_t address, std::size_t bytes) const noexcept {
        constexpr int most_tries = 1000; // the writer may have been killed
        answer found = answer::unknown;
        for (int tries = 0; tries < most_tries; ++tries) {
            if (read_once(address, bytes, found)) {
                return found;
            }
        }
        return answer::unknown;
    }

  private:
    static constexpr std::uint64_t too_many = UINT64_MAX;
    struct place {
        std::atomic<std::uint64_t> address, bytes;
    };

    /// False: the table has changed during the call.
    [[nodiscard]] bool read_once(std::uint64_t address, std::size_t bytes, answer &found) const noexcept {
        // Acquire: pairs with the release that ends a change.
        const std::uint64_t version = version_.load(std::memory_order_acquire);
        const std::uint64_t count = count_.load(std::memory_order_relaxed);
        found = count > places_.size() ? answer::unknown : answer::not_attached;
        for (std::size_t i = 0; found == answer::not_attached && i < count; ++i) {
            const std::uint64_t offset = address - places_[i].address.load(std::memory_order_relaxed);
            const std::uint64_t length = places_[i].bytes.load(std::memory_order_relaxed);
            if (offset < length) { // what is left may be in the next region
                const std::size_t here = length - offset < bytes ? length - offset : bytes;
                address += here;
                bytes -= here;
            }
            found = bytes == 0 ? answer::attached : answer::not_attached;
        }
        // Pairs with the fence of a change: a reader that has seen part of it sees another version, too.
        std::atomic_thread_fence(std::memory_order_acquire);
        return version % 2 == 0 && version_.load(std::memory_order_relaxed) == version;
    }

    std::atomic<std::uint64_t> version_{0};
    std::atomic<std::uint64_t> count_{0};
    std::array<place, 255> places_{};
};
static_assert(sizeof(attached_table) == 4096);

} // namespace lisle::rma
