// SPDX-License-Identifier: Apache-2.0
// Attributes: values that the program attaches to communicators, datatypes and windows, under keys with
// callbacks for the object's duplication and end. A key that the program has freed lives on until the
// last value under it is gone. No lock is held while a callback runs.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "mpi.h"

namespace lisle {

/// The sort of object that a key is for.
enum class keyval_kind : unsigned char { comm, type, win };

class keyval;

/// The objects' handle types.
template <class Handle> struct keyval_kind_of;
template <> struct keyval_kind_of<MPI_Comm> {
    static constexpr keyval_kind value = keyval_kind::comm;
    using copy_function = MPI_Comm_copy_attr_function;
    using delete_function = MPI_Comm_delete_attr_function;
};
template <> struct keyval_kind_of<MPI_Datatype> {
    static constexpr keyval_kind value = keyval_kind::type;
    using copy_function = MPI_Type_copy_attr_function;
    using delete_function = MPI_Type_delete_attr_function;
};
template <> struct keyval_kind_of<MPI_Win> {
    static constexpr keyval_kind value = keyval_kind::win;
    using copy_function = MPI_Win_copy_attr_function;
    using delete_function = MPI_Win_delete_attr_function;
};

/// Makes a key for objects with handles of type `Handle`; keys belong to the calling rank. The
/// functions may be the constants MPI_COMM_NULL_COPY_FN, MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN etc.
/// @param destroy called with the state when nothing has the key any more; null: nothing is
template <class Handle>
[[nodiscard]] int create_keyval(typename keyval_kind_of<Handle>::copy_function *copy,
                                typename keyval_kind_of<Handle>::delete_function *erase, void *extra_state,
                                MPIX_Destructor_function *destroy = nullptr);
/// Gives a key up; allowed again and again while attributes keep the key alive. Throws MPI_ERR_KEYVAL if
/// it is not one of this sort.
void free_keyval(keyval_kind kind, int key);

/// The attributes of one object, in the order in which they were set. `Handle` arguments are the handle
/// of the object that has the attributes: what callbacks are given. All throw MPI_ERR_KEYVAL if `key` is
/// no key of the sort, and what a callback fails with as code of the error.
class attribute_set {
  public:
    attribute_set() = default;
    attribute_set(const attribute_set &) = delete;
    attribute_set &operator=(const attribute_set &) = delete;

    /// Attaches; a value that is there already is deleted first.
    template <class Handle> void set(Handle owner, int key, void *value);
    /// False if there is no such attribute.
    [[nodiscard]] bool get(keyval_kind kind, int key, void **value) const;
    /// Deletes. Throws MPI_ERR_KEYVAL also if there is no such attribute.
    template <class Handle> void erase(Handle owner, int key);
    /// Deletes all, latest first. If a callback fails, that attribute and the earlier ones stay.
    template <class Handle> void clear(Handle owner);
    /// Asks every key's copy function which values the duplicate gets. If one fails, the copies made so
    /// far are deleted again. @pre the duplicate is empty and nobody else knows it yet
    template <class Handle> void copy_to(attribute_set &duplicate, Handle owner, Handle new_owner) const;

  private:
    struct attribute {
        int key;
        std::shared_ptr<const keyval> definition;
        void *value;
    };
    [[nodiscard]] const attribute *find_locked(int key) const noexcept;
    template <class Handle> void delete_one(Handle owner, const attribute &target);

    mutable std::mutex mutex_; ///< protects list_
    std::vector<attribute> list_;
};

} // namespace lisle
