// SPDX-License-Identifier: Apache-2.0
// State that each rank has for itself, as thread_local is state that each thread has for itself.
// Upper layers use it for what must not be shared among the ranks of one process (the world
// communicator, attached buffers, keyvals), without the runtime knowing about those layers.
#pragma once

#include <cstddef>
#include <memory>

#include "runtime/rank.hpp"

namespace lisle {

/// A namespace-scope object: `inline const rank_local<T> name;`. `*name` is the calling rank's T,
/// default-constructed at the rank's first use and destroyed (in reverse order) when the rank ends.
template <class T> class rank_local {
  public:
    rank_local() : index_{rank::allot_slot()} {}

    [[nodiscard]] T &of(rank &owner) const {
        auto &slot = owner.slot(index_);
        if (!slot) [[unlikely]] {
            slot = std::shared_ptr<void>{std::make_shared<T>()};
        }
        return *static_cast<T *>(slot.get());
    }
    [[nodiscard]] T &operator*() const { return of(this_rank()); }
    [[nodiscard]] T *operator->() const { return &**this; }

  private:
    std::size_t index_;
};

} // namespace lisle
