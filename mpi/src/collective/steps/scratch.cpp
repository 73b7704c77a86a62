// SPDX-License-Identifier: Apache-2.0
#include "collective/steps/scratch.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <new>

#include "base/no_room.hpp"
#include "base/spin_lock.hpp"
#include "execution/rank_local.hpp"

namespace lisle::collective {

namespace {

// Shorter pieces come from the heap's own caches.
constexpr std::size_t least_kept = 65536;
constexpr std::size_t most_kept_bytes = std::size_t{64} << 20;
constexpr std::size_t most_kept_pieces = 8;

struct kept_piece {
    std::byte *memory;
    std::size_t bytes;
};

/// What a rank keeps. The lock is for threads of the rank, and for those that end a request of it.
class store {
  public:
    ~store() { clear(); }
    /// Gives all back.
    void clear() noexcept {
        const std::scoped_lock guard{lock_};
        while (pieces_ > 0) {
            delete[] kept_[--pieces_].memory;
        }
        held_ = 0;
    }
    /// A piece that is long enough and not much too long, or null.
    [[nodiscard]] kept_piece take(std::size_t bytes) noexcept {
        const std::scoped_lock guard{lock_};
        const auto fits = [bytes](const kept_piece &kept) {
            return kept.bytes >= bytes && kept.bytes <= 2 * bytes;
        };
        auto *const end = kept_.data() + pieces_;
        auto *const found = std::find_if(kept_.data(), end, fits);
        if (found == end) {
            return {nullptr, 0};
        }
        const kept_piece taken = *found;
        std::move(found + 1, end, found);
        --pieces_;
        held_ -= taken.bytes;
        return taken;
    }
    /// False: there is enough already.
    [[nodiscard]] bool keep(const kept_piece &freed) noexcept {
        const std::scoped_lock guard{lock_};
        if (pieces_ == most_kept_pieces || held_ + freed.bytes > most_kept_bytes) {
            return false;
        }
        kept_[pieces_++] = freed;
        held_ += freed.bytes;
        return true;
    }

  private:
    spin_lock lock_;
    std::array<kept_piece, most_kept_pieces> kept_{}; ///< the first `pieces_`
    std::size_t pieces_ = 0;
    std::size_t held_ = 0;
};

const rank_local<store> stores;

} // namespace

scratch::scratch(std::size_t bytes) : bytes_{bytes} {
    if (bytes >= least_kept) {
        owner_ = &this_rank();
        const kept_piece kept = stores.of(*owner_).take(bytes);
        memory_ = kept.memory;
        bytes_ = std::max(bytes, kept.bytes);
    }
    if (memory_ == nullptr) {
        memory_ = new (std::nothrow) std::byte[bytes];
    }
    if (memory_ == nullptr) { // what is kept may be in the way
        stores.of(this_rank()).clear();
        memory_ = new (std::nothrow) std::byte[bytes];
    }
    if (memory_ == nullptr) {
        throw no_room{bytes, "intermediate results"};
    }
}

scratch::~scratch() {
    if (memory_ != nullptr && (owner_ == nullptr || !stores.of(*owner_).keep({memory_, bytes_}))) {
        delete[] memory_;
    }
}

} // namespace lisle::collective
