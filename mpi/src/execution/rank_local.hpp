// SPDX-License-Identifier: Apache-2.0
// State that each rank has for itself, as thread_local is state that each thread has for itself.
// Upper layers use it for what must not be shared among the ranks of one process (the world
// communicator, attached buffers, keyvals), without the runtime knowing about those layers.
#pragma once

#include <cstddef>
#include <memory>

#include "execution/rank.hpp"

namespace lisle {

/// A namespace-scope object: `inline const rank_local<T> name;`. `*name` is the calling rank's T,
/// default-constructed at the rank's first use and destroyed (in reverse order) when the rank ends.
/// Several threads of a rank may use it first at once.
template <class T> class rank_local {
  public:
    rank_local() : index_{rank::allot_slot()} {}

    [[nodiscard]] T &of(rank &owner) const {
        // Acquire: pairs with the release in make(), so the T is seen whole.
        void *const value = owner.slot(index_).value.load(std::memory_order_acquire);
        return *static_cast<T *>(value != nullptr ? value : make(owner.slot(index_)));
    }
    [[nodiscard]] T &operator*() const { return of(this_rank()); }
    [[nodiscard]] T *operator->() const { return &**this; }

  private:
    [[gnu::cold, gnu::noinline]] static void *make(rank::local_slot &slot) {
        auto made = std::make_unique<T>();
        // The same for all threads that get here; read when the rank ends, which happens after all uses.
        slot.destroy.store([](void *value) { delete static_cast<T *>(value); }, std::memory_order_relaxed);
        void *present = nullptr;
        if (slot.value.compare_exchange_strong(present, made.get(), std::memory_order_acq_rel)) {
            return made.release();
        }
        return present;
    }

    std::size_t index_;
};

} // namespace lisle
