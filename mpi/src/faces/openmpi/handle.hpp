// SPDX-License-Identifier: Apache-2.0
// Handles of Open MPI's binary interface: addresses of objects. A predefined object is a symbol that programs
// may have copied into themselves, so what it stands for is said by its content; any other handle is Lisle's
// own.
#pragma once

#include <cstdint>

#include "mpi.h"

namespace lisle::face {

/// How each predefined object begins. The mark differs from all values of object_kind, with which Lisle's
/// objects begin (base/object.hpp).
struct predefined {
    static constexpr std::uint64_t right_mark = 0x6563'6166'4c15'face;
    std::uint64_t mark;
    std::uint64_t ours;   ///< the constant of the standard's binary interface
    std::int64_t integer; ///< of Fortran; -1: none
};

/// The address of the predefined object that stands for a constant of the standard's binary interface.
[[nodiscard]] const void *predefined_object(std::uintptr_t ours) noexcept;
/// The predefined object with an integer of Fortran, or null. @param sort the type of its handle, such as
/// "MPI_Comm"
[[nodiscard]] const predefined *object_with_integer(const char *sort, int integer) noexcept;

/// Constants of the standard's binary interface are below this, addresses are not.
inline constexpr std::uintptr_t constants_end = 4096;

/// A handle as programs have it.
template <class Handle> class theirs {
  public:
    [[nodiscard]] static theirs of(Handle ours) noexcept {
        const auto value = reinterpret_cast<std::uintptr_t>(ours);
        return theirs{value < constants_end ? predefined_object(value) : static_cast<const void *>(ours)};
    }
    [[nodiscard]] Handle ours() const noexcept {
        const auto *const object = as_predefined();
        return object != nullptr ? reinterpret_cast<Handle>(object->ours)
                                 : static_cast<Handle>(const_cast<void *>(address_));
    }
    /// Null if the handle is one of Lisle's own, or none.
    [[nodiscard]] const predefined *as_predefined() const noexcept {
        const auto *const object = static_cast<const predefined *>(address_);
        const bool is_address = reinterpret_cast<std::uintptr_t>(address_) >= constants_end;
        return is_address && object->mark == predefined::right_mark ? object : nullptr;
    }
    theirs() = default;
    explicit theirs(const void *address) noexcept : address_{address} {}

  private:
    const void *address_;
};

} // namespace lisle::face
