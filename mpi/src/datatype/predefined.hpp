// SPDX-License-Identifier: Apache-2.0
// The predefined datatypes, and the way from a handle to a datatype. The table of predefined types is
// generated from the standard's data; it is constant, so it serves all ranks of a process.
#pragma once

#include <cstddef>

#include "datatype/datatype.hpp"

namespace lisle {

/// One row of the table.
struct predefined_facts {
    const char *name;
    std::uintptr_t handle;
    MPI_Count size, extent, alignment;
    /// Bytes in the external32 representation.
    MPI_Count external_size;
    basic_type basic;
    type_category category;
    /// Pairs only: the handles of their two types, and where the index lies.
    std::uintptr_t value_type, index_type;
    MPI_Count index_offset;
};

/// One more than the greatest handle of a predefined datatype in its strict form, counted from
/// MPI_DATATYPE_NULL.
inline constexpr std::size_t predefined_handles = MPIX_STRICT + 236;
inline constexpr std::uintptr_t first_predefined_handle = 0x200;

/// By handle - MPI_DATATYPE_NULL; null where there is no type (MPI_DATATYPE_NULL itself included). Behind
/// MPIX_STRICT the strict forms; what has none stands there itself.
extern datatype *const predefined_datatypes[predefined_handles];

/// The datatype behind a handle; null for MPI_DATATYPE_NULL and for what is no datatype's handle.
[[nodiscard]] inline datatype *find_datatype(MPI_Datatype handle) noexcept {
    const std::uintptr_t index = handle_value(handle) - first_predefined_handle;
    if (index < predefined_handles) [[likely]] {
        return predefined_datatypes[index];
    }
    return object_of<datatype>(handle);
}

/// MPI_BYTE: the type of packed data, and of messages that carry nothing.
[[nodiscard]] inline const datatype &byte_type() noexcept {
    return *find_datatype(MPI_BYTE);
}

/// Bytes of one element of a representation, which some predefined type has.
[[nodiscard]] MPI_Count size_of(basic_type basic) noexcept;

/// The handle of a type: the standard's constant or the object's address.
[[nodiscard]] inline MPI_Datatype datatype_handle(const datatype &type) noexcept {
    if (type.facts() != nullptr && type.origin().combiner == MPI_COMBINER_NAMED) {
        return reinterpret_cast<MPI_Datatype>(type.facts()->handle);
    }
    return handle_of<MPI_Datatype>(const_cast<datatype &>(type));
}

/// The group of types that a type belongs to where reductions are concerned.
[[nodiscard]] inline type_category category_of(const datatype &type) noexcept {
    return type.facts() != nullptr ? type.facts()->category : type_category::none;
}

} // namespace lisle
