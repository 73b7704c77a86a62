// SPDX-License-Identifier: Apache-2.0
// Handles of MPICH's binary interface: integers, of which the two topmost bits say whether they are null (0),
// predefined (1) or an object's. Files are addresses. Those of Lisle's objects are numbers of
// base/handle_integers.hpp with both bits set, so they are none of the predefined.
#pragma once

#include <cstdint>
#include <iterator>

#include "abi/integers.hpp"
#include "faces/chosen/predefined.hpp"
#include "mpi.h"

namespace lisle::face {

/// Constants of the standard's binary interface are below this, addresses are not.
inline constexpr std::uintptr_t constants_end = 4096;
/// The bits of all objects that are not predefined.
inline constexpr std::uint32_t of_object = 0xc000'0000;
/// With the standard's constant: a predefined object that the interface has no integer for, which a call may
/// give nevertheless.
inline constexpr std::uint32_t of_constant = 0x4000'0000;

template <class Handle> [[nodiscard]] Handle constant(std::uintptr_t value) noexcept {
    return reinterpret_cast<Handle>(value);
}

/// A handle as programs have it.
template <class Handle> class theirs {
  public:
    [[nodiscard]] static theirs of(Handle ours) noexcept {
        const auto value = reinterpret_cast<std::uintptr_t>(ours);
        return theirs{value < constants_end ? of_standard(value)
                                            : of_object | static_cast<std::uint32_t>(abi::integer_at(ours))};
    }
    [[nodiscard]] Handle ours() const noexcept {
        if (integer_ >= of_object) {
            return static_cast<Handle>(abi::object_at(static_cast<int>(integer_ & ~of_object)));
        }
        const predefined row = predefined_of<Handle>::rows[slot_of(integer_)];
        return row.theirs == integer_ ? constant<Handle>(row.ours) : other(integer_);
    }
    theirs() = default;

  private:
    explicit theirs(std::uint32_t integer) noexcept : integer_{integer} {}

    [[nodiscard]] static std::uint32_t of_standard(std::uintptr_t value) noexcept {
        const bool known = value < std::size(integer_of_constant) && integer_of_constant[value] != 0;
        return known ? integer_of_constant[value] : of_constant | static_cast<std::uint32_t>(value);
    }
    /// What is none of the interface's handles is none of the standard's either, and refused by the call.
    [[nodiscard, gnu::cold, gnu::noinline]] static Handle other(std::uint32_t integer) noexcept {
        const bool is_constant = (integer & ~(constants_end - 1)) == of_constant;
        return constant<Handle>(is_constant ? integer & (constants_end - 1) : constants_end - 1);
    }

    std::uint32_t integer_;
};

template <> class theirs<MPI_File> {
  public:
    [[nodiscard]] static theirs of(MPI_File ours) noexcept {
        return theirs{ours == MPI_FILE_NULL ? nullptr : ours};
    }
    [[nodiscard]] MPI_File ours() const noexcept { return file_ == nullptr ? MPI_FILE_NULL : file_; }
    theirs() = default;

  private:
    explicit theirs(MPI_File file) noexcept : file_{file} {}

    MPI_File file_;
};

} // namespace lisle::face
