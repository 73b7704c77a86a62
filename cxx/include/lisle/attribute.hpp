// SPDX-License-Identifier: Apache-2.0
// Values of any type attached to communicators, and what a duplicate gets of them.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "lisle/communicator.hpp"

namespace lisle {

/// What the duplicate of a communicator gets of a value.
enum class on_dup {
    drop,  ///< nothing
    share, ///< the same object: it lives until the last communicator that has it is freed
    copy,  ///< a copy of its own
};

/// A key under which communicators hold a T. It belongs to the rank that makes it; the values live on when
/// the key is gone.
///
///     lisle::attribute<std::string> purpose{lisle::on_dup::copy};
///     purpose.set(world, "all of us");
///     if (std::string *text = purpose.get(other)) ...
template <class T> class attribute {
    struct box {
        T value;
        std::atomic<int> holders{1};
    };

  public:
    explicit attribute(on_dup policy = on_dup::drop) {
        MPI_Comm_copy_attr_function *const copy = policy == on_dup::drop    ? MPI_COMM_NULL_COPY_FN
                                                  : policy == on_dup::share ? &share_value
                                                                            : &copy_value;
        detail::check(MPI_Comm_create_keyval(copy, &drop_value, &key_, nullptr), "MPI_Comm_create_keyval");
    }
    attribute(const attribute &) = delete;
    attribute &operator=(const attribute &) = delete;
    ~attribute() {
        if (detail::running())
            MPI_Comm_free_keyval(&key_);
    }

    /// Gives the communicator a value, in place of the one that it has.
    void set(const communicator &comm, T value) const {
        auto made = std::make_unique<box>(std::move(value));
        detail::check(MPI_Comm_set_attr(comm.native(), key_, made.get()), "MPI_Comm_set_attr");
        static_cast<void>(made.release());
    }
    /// The communicator's value, or null.
    [[nodiscard]] T *get(const communicator &comm) const {
        void *found = nullptr;
        int flag = 0;
        detail::check(MPI_Comm_get_attr(comm.native(), key_, &found, &flag), "MPI_Comm_get_attr");
        return flag != 0 ? &static_cast<box *>(found)->value : nullptr;
    }
    /// Takes the value away from the communicator. Nothing happens if it has none.
    void erase(const communicator &comm) const {
        detail::check(MPI_Comm_delete_attr(comm.native(), key_), "MPI_Comm_delete_attr");
    }

  private:
    static int share_value(MPI_Comm, int, void *, void *held, void *copy, int *flag) {
        // Relaxed: counting up needs no order, since the holder that counts keeps the value alive.
        static_cast<box *>(held)->holders.fetch_add(1, std::memory_order_relaxed);
        *static_cast<void **>(copy) = held;
        *flag = 1;
        return MPI_SUCCESS;
    }
    static int copy_value(MPI_Comm, int, void *, void *held, void *copy, int *flag) noexcept {
        *static_cast<void **>(copy) = std::make_unique<box>(static_cast<box *>(held)->value).release();
        *flag = 1;
        return MPI_SUCCESS;
    }
    static int drop_value(MPI_Comm, int, void *held, void *) {
        // Release when counting down and acquire before destruction: the last one sees all uses before it.
        if (static_cast<box *>(held)->holders.fetch_sub(1, std::memory_order_acq_rel) == 1)
            delete static_cast<box *>(held);
        return MPI_SUCCESS;
    }
    int key_ = MPI_KEYVAL_INVALID;
};

} // namespace lisle
