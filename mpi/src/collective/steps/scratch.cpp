// SPDX-License-Identifier: Apache-2.0
#include "collective/steps/scratch.hpp"

#include <algorithm>
#include <mutex>
#include <new>
#include <vector>

#include "base/error.hpp"
#include "base/spin_lock.hpp"
#include "execution/rank_local.hpp"
#include "mpi.h"

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
    ~store() {
        for (const kept_piece &kept : kept_) {
            delete[] kept.memory;
        }
    }
    /// A piece that is long enough and not much too long, or null.
    [[nodiscard]] kept_piece take(std::size_t bytes) noexcept {
        const std::scoped_lock guard{lock_};
        const auto fits = [bytes](const kept_piece &kept) {
            return kept.bytes >= bytes && kept.bytes <= 2 * bytes;
        };
        const auto found = std::find_if(kept_.begin(), kept_.end(), fits);
        if (found == kept_.end()) {
            return {nullptr, 0};
        }
        const kept_piece taken = *found;
        kept_.erase(found);
        held_ -= taken.bytes;
        return taken;
    }
    /// False: there is enough already.
    [[nodiscard]] bool keep(const kept_piece &freed) {
        const std::scoped_lock guard{lock_};
        if (kept_.size() == most_kept_pieces || held_ + freed.bytes > most_kept_bytes) {
            return false;
        }
        kept_.push_back(freed);
        held_ += freed.bytes;
        return true;
    }

  private:
    spin_lock lock_;
    std::vector<kept_piece> kept_;
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
    if (memory_ == nullptr) {
        fail(MPI_ERR_NO_MEM, "no memory for ", bytes, " bytes of intermediate results");
    }
}

scratch::~scratch() {
    if (memory_ != nullptr && (owner_ == nullptr || !stores.of(*owner_).keep({memory_, bytes_}))) {
        delete[] memory_;
    }
}

} // namespace lisle::collective
