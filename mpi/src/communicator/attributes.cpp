// SPDX-License-Identifier: Apache-2.0
// Keys and the rules of their callbacks. Each rank has its own table of keys; a key is destroyed with its
// last owner, which is the table (until the program frees the key) or an attribute.
#include "communicator/attributes.hpp"

#include <algorithm>
#include <cstdint>
#include <unordered_map>

#include "base/error.hpp"
#include "communicator/error_codes.hpp"
#include "execution/rank_local.hpp"

namespace lisle {

/// One key: immutable. The functions are kept under one type and called under their own.
class keyval {
  public:
    using any_function = void (*)();

    keyval(keyval_kind sort, any_function copying, any_function erasing, void *state,
           MPIX_Destructor_function *destroying) noexcept
        : kind{sort}, copy{copying}, erase{erasing}, extra_state{state}, destroy_{destroying} {}
    keyval(const keyval &) = delete;
    keyval &operator=(const keyval &) = delete;
    ~keyval() {
        if (destroy_ != nullptr) {
            destroy_(extra_state);
        }
    }

    const keyval_kind kind;
    const any_function copy;
    const any_function erase;
    void *const extra_state;

  private:
    MPIX_Destructor_function *const destroy_;
};

namespace {

/// The constant that all MPI_*_DUP_FN share; MPI_*_NULL_COPY_FN and MPI_*_NULL_DELETE_FN are null.
bool is_dup_function(keyval::any_function function) noexcept {
    return function == reinterpret_cast<keyval::any_function>(MPI_COMM_DUP_FN);
}

/// Keys of the program begin behind the standard's constants.
constexpr int first_key = 1024;

class keyval_table {
  public:
    int add(std::shared_ptr<const keyval> added) {
        const std::scoped_lock lock{mutex_};
        forget_dead_locked();
        const int key = next_++;
        entries_.emplace(key, entry{added, added});
        return key;
    }

    std::shared_ptr<const keyval> find(keyval_kind kind, int key) const {
        const std::scoped_lock lock{mutex_};
        const auto found = entries_.find(key);
        auto definition = found != entries_.end() ? found->second.definition.lock() : nullptr;
        if (definition == nullptr || definition->kind != kind) {
            fail(MPI_ERR_KEYVAL, "keyval ", key, " is not a key for ", name_of(kind));
        }
        return definition;
    }

    void free(keyval_kind kind, int key) {
        // The share keeps the entry: it cannot be swept away in between.
        const auto definition = find(kind, key);
        const std::scoped_lock lock{mutex_};
        entries_.find(key)->second.owner.reset();
    }

  private:
    struct entry {
        std::shared_ptr<const keyval> owner; ///< null when the program has freed the key
        std::weak_ptr<const keyval> definition;
    };

    static const char *name_of(keyval_kind kind) noexcept {
        static constexpr const char *names[] = {"communicators", "datatypes", "windows"};
        return names[static_cast<unsigned>(kind)];
    }

    /// Once for each doubling, so that a program that makes and frees keys for ever keeps a small table
    /// at constant cost.
    void forget_dead_locked() {
        if (entries_.size() < sweep_at_) {
            return;
        }
        std::erase_if(entries_, [](const auto &item) { return item.second.definition.expired(); });
        sweep_at_ = 2 * entries_.size() + 64;
    }

    mutable std::mutex mutex_; ///< protects all below
    int next_ = first_key;
    std::size_t sweep_at_ = 64;
    std::unordered_map<int, entry> entries_;
};

const rank_local<keyval_table> keyvals;

template <class Handle> void call_delete(Handle owner, int key, const keyval &definition, void *value) {
    if (definition.erase == nullptr) {
        return;
    }
    using function = typename keyval_kind_of<Handle>::delete_function *;
    const int code = reinterpret_cast<function>(definition.erase)(owner, key, value, definition.extra_state);
    if (code != MPI_SUCCESS) {
        fail(code, "the delete function of keyval ", key, " failed with code ", code);
    }
}

/// True if the duplicate gets a value, which is then in `value`.
template <class Handle> bool call_copy(Handle owner, int key, const keyval &definition, void *&value) {
    if (definition.copy == nullptr) {
        return false;
    }
    if (is_dup_function(definition.copy)) {
        return true;
    }
    using function = typename keyval_kind_of<Handle>::copy_function *;
    void *copied = nullptr;
    int flag = 0;
    const int code = reinterpret_cast<function>(definition.copy)(owner, key, definition.extra_state, value,
                                                                 static_cast<void *>(&copied), &flag);
    if (code != MPI_SUCCESS) {
        fail(code, "the copy function of keyval ", key, " failed with code ", code);
    }
    value = copied;
    return flag != 0;
}

} // namespace

template <class Handle> int create_keyval(typename keyval_kind_of<Handle>::copy_function *copy,
                                          typename keyval_kind_of<Handle>::delete_function *erase,
                                          void *extra_state, MPIX_Destructor_function *destroy) {
    return keyvals->add(std::make_shared<const keyval>(
        keyval_kind_of<Handle>::value, reinterpret_cast<keyval::any_function>(copy),
        reinterpret_cast<keyval::any_function>(erase), extra_state, destroy));
}

void free_keyval(keyval_kind kind, int key) {
    keyvals->free(kind, key);
}

const attribute_set::attribute *attribute_set::find_locked(int key) const noexcept {
    const auto found =
        std::find_if(list_.begin(), list_.end(), [key](const attribute &entry) { return entry.key == key; });
    return found != list_.end() ? &*found : nullptr;
}

/// The callback first: an attribute whose delete function fails stays.
template <class Handle> void attribute_set::delete_one(Handle owner, const attribute &target) {
    call_delete(owner, target.key, *target.definition, target.value);
    const std::scoped_lock lock{mutex_};
    std::erase_if(list_, [&](const attribute &entry) { return entry.key == target.key; });
}

template <class Handle> void attribute_set::set(Handle owner, int key, void *value) {
    auto definition = keyvals->find(keyval_kind_of<Handle>::value, key);
    std::unique_lock lock{mutex_};
    if (const attribute *const present = find_locked(key)) {
        const attribute former = *present;
        lock.unlock();
        delete_one(owner, former);
        lock.lock();
    }
    list_.push_back({key, std::move(definition), value});
}

bool attribute_set::get(keyval_kind kind, int key, void **value) const {
    {
        const std::scoped_lock lock{mutex_};
        const attribute *const present = find_locked(key);
        if (present != nullptr && present->definition->kind == kind) {
            *value = present->value;
            return true;
        }
    }
    // Not there; but is it a key at all?
    static_cast<void>(keyvals->find(kind, key));
    return false;
}

template <class Handle> void attribute_set::erase(Handle owner, int key) {
    static_cast<void>(keyvals->find(keyval_kind_of<Handle>::value, key));
    std::unique_lock lock{mutex_};
    const attribute *const present = find_locked(key);
    if (present == nullptr) {
        fail(MPI_ERR_KEYVAL, "there is no attribute under keyval ", key);
    }
    const attribute target = *present;
    lock.unlock();
    delete_one(owner, target);
}

template <class Handle> void attribute_set::clear(Handle owner) {
    std::unique_lock lock{mutex_};
    // A callback may itself set or delete attributes, so each round looks again.
    while (!list_.empty()) {
        const attribute latest = list_.back();
        lock.unlock();
        delete_one(owner, latest);
        lock.lock();
    }
}

template <class Handle>
void attribute_set::copy_to(attribute_set &duplicate, Handle owner, Handle new_owner) const {
    std::vector<attribute> originals;
    {
        const std::scoped_lock lock{mutex_};
        originals = list_;
    }
    try {
        for (attribute &entry : originals) {
            if (call_copy(owner, entry.key, *entry.definition, entry.value)) {
                const std::scoped_lock lock{duplicate.mutex_};
                duplicate.list_.push_back(std::move(entry));
            }
        }
    } catch (...) {
        duplicate.clear(new_owner);
        throw;
    }
}

template int create_keyval<MPI_Comm>(MPI_Comm_copy_attr_function *, MPI_Comm_delete_attr_function *, void *,
                                     MPIX_Destructor_function *);
template int create_keyval<MPI_Datatype>(MPI_Type_copy_attr_function *, MPI_Type_delete_attr_function *,
                                         void *, MPIX_Destructor_function *);
template int create_keyval<MPI_Win>(MPI_Win_copy_attr_function *, MPI_Win_delete_attr_function *, void *,
                                    MPIX_Destructor_function *);

template void attribute_set::set(MPI_Comm, int, void *);
template void attribute_set::set(MPI_Datatype, int, void *);
template void attribute_set::set(MPI_Win, int, void *);
template void attribute_set::erase(MPI_Comm, int);
template void attribute_set::erase(MPI_Datatype, int);
template void attribute_set::erase(MPI_Win, int);
template void attribute_set::clear(MPI_Comm);
template void attribute_set::clear(MPI_Datatype);
template void attribute_set::clear(MPI_Win);
template void attribute_set::copy_to(attribute_set &, MPI_Comm, MPI_Comm) const;
template void attribute_set::copy_to(attribute_set &, MPI_Datatype, MPI_Datatype) const;
template void attribute_set::copy_to(attribute_set &, MPI_Win, MPI_Win) const;

} // namespace lisle
