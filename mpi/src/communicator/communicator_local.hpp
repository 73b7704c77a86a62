// SPDX-License-Identifier: Apache-2.0
// State that a module keeps for each communicator, as rank_local (execution/rank_local.hpp) is state for each
// rank. The layers above hang theirs on a communicator in this way, which does not know of them.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

#include "communicator/communicator.hpp"

namespace lisle {

/// A namespace-scope object: `inline const communicator_local<T> name;`. `name.of(comm)` is the
/// communicator's T, made at the first request, found in constant time without a lock, and destroyed with the
/// communicator. Several threads of a rank may ask first at once.
template <class T, class Free = std::default_delete<T>> class communicator_local {
  public:
    using owner = std::unique_ptr<T, Free>;

    communicator_local() : communicator_local{[](const communicator &) { return owner{new T{}}; }} {}
    /// @param make a communicator's T; null: it has none, and is not asked again
    explicit communicator_local(owner (*make)(const communicator &))
        : index_{communicator::allot_slot([](void *value) { Free{}(static_cast<T *>(value)); })}, make_{
                                                                                                      make} {}

    [[nodiscard]] T *of(const communicator &comm) const {
        // Acquire: pairs with the release in make(), so the T is seen whole.
        void *const value = comm.local(index_).load(std::memory_order_acquire);
        return value != communicator::not_sought() ? static_cast<T *>(value) : make(comm);
    }
    /// The same if it has been asked for before, else null.
    [[nodiscard]] T *found(const communicator &comm) const noexcept {
        void *const value = comm.local(index_).load(std::memory_order_acquire); // as in of()
        return value != communicator::not_sought() ? static_cast<T *>(value) : nullptr;
    }
    /// Replaces the communicator's T. @pre nobody uses the one before
    void set(const communicator &comm, owner value) const {
        // Release: pairs with the acquire in of().
        void *const before = comm.local(index_).exchange(value.release(), std::memory_order_acq_rel);
        if (before != communicator::not_sought()) {
            owner{static_cast<T *>(before)};
        }
    }

  private:
    [[gnu::cold, gnu::noinline]] T *make(const communicator &comm) const {
        owner made = make_(comm);
        void *present = communicator::not_sought();
        if (comm.local(index_).compare_exchange_strong(present, made.get(), std::memory_order_acq_rel)) {
            return made.release();
        }
        return static_cast<T *>(present);
    }

    std::size_t index_;
    owner (*make_)(const communicator &);
};

} // namespace lisle
