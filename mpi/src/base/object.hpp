// SPDX-License-Identifier: Apache-2.0
// The beginning of every MPI object that a handle can point to. Handles of the standard ABI are small
// constants for predefined objects and pointers for all others; `object_of` turns a pointer into a reference
// and recognises handles that are stale or never were handles.
#pragma once

#include <cstdint>

namespace lisle {

/// The values are arbitrary patterns: a stale or foreign handle is unlikely to show one.
enum class object_kind : std::uint32_t {
    freed = 0x4c00dead,
    communicator = 0x4c15001c,
    group = 0x4c150026,
    datatype = 0x4c150032,
    op = 0x4c15004a,
    errhandler = 0x4c150053,
    info = 0x4c150067,
    request = 0x4c150075,
    message = 0x4c150084,
    session = 0x4c150091,
    thread_communicator = 0x4c1500a5,
    window = 0x4c1500b3,
    file = 0x4c1500c8,
    unfinished_communicator = 0x4c1500d7, ///< of MPI_Comm_idup, whose ranks have not agreed yet
};

class object;
namespace detail {
/// The end of an object that has an integer (base/handle_integers.hpp).
[[gnu::cold]] void drop_integer(object &target) noexcept;
} // namespace detail

/// Base of all MPI objects. Not polymorphic by itself, so that the kind stands first in memory
/// (derived classes that have virtual functions put them in a member or a second base).
class object {
  public:
    explicit object(object_kind kind) noexcept : kind_{kind} {}
    object(const object &) = delete;
    object &operator=(const object &) = delete;
    [[nodiscard]] object_kind kind() const noexcept { return kind_; }

  protected:
    ~object() {
        if (integer_ != 0) [[unlikely]] {
            detail::drop_integer(*this);
        }
        retire();
    }
    /// Makes handles of this object stale without destroying it: it can be reused. It keeps its integer.
    void retire() noexcept {
        // The store must survive the end of the object's lifetime: it is how stale handles are noticed.
        *const_cast<volatile object_kind *>(&kind_) = object_kind::freed;
    }
    void revive(object_kind kind) noexcept { kind_ = kind; }

  private:
    friend class integer_table;
    object_kind kind_;
    /// The integer from MPI_Comm_toint and similar calls; 0: none yet. Lies in what would be padding.
    int integer_ = 0;
};

/// Handle values below this are the ABI's constants, never addresses.
inline constexpr std::uintptr_t first_dynamic_handle = 4096;

template <class Handle> [[nodiscard]] std::uintptr_t handle_value(Handle handle) noexcept {
    return reinterpret_cast<std::uintptr_t>(handle);
}

/// The object behind a dynamic handle, or null if the handle cannot be one of type `T` (`T::kind_of_object`
/// names its kind). The caller looks up predefined constants.
template <class T, class Handle> [[nodiscard]] T *object_of(Handle handle) noexcept {
    const auto value = handle_value(handle);
    if (value < first_dynamic_handle || value % alignof(object) != 0) {
        return nullptr;
    }
    auto *candidate = reinterpret_cast<object *>(handle);
    return candidate->kind() == T::kind_of_object ? static_cast<T *>(candidate) : nullptr;
}

/// The handle of an object: its address in the handle's type.
template <class Handle> [[nodiscard]] Handle handle_of(object &target) noexcept {
    return reinterpret_cast<Handle>(&target);
}

} // namespace lisle
