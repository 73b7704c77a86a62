// SPDX-License-Identifier: Apache-2.0
#include "datatype/external32.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "base/error.hpp"
#include "base/real_types.hpp"
#include "datatype/copy.hpp"
#include "datatype/elements.hpp"

namespace lisle {

namespace {

static_assert(std::endian::native == std::endian::little, "the conversions below swap bytes");

void reverse(std::byte *to, const std::byte *from, std::size_t size) {
    std::reverse_copy(from, from + size, to);
}

// Integers whose external form has fewer bytes; `Wide` tells whether they have a sign.
template <class Narrow, class Wide> void narrow(std::byte *to, const std::byte *from, const char *name) {
    Wide value;
    std::memcpy(&value, from, sizeof value);
    const auto kept = static_cast<Narrow>(value);
    if (static_cast<Wide>(kept) != value) {
        fail(MPI_ERR_CONVERSION, name, " ", value, " does not fit into the ", sizeof kept,
             " bytes that external32 has for it");
    }
    reverse(to, reinterpret_cast<const std::byte *>(&kept), sizeof kept);
}

template <class Narrow, class Wide> void widen(std::byte *to, const std::byte *from) {
    Narrow kept;
    reverse(reinterpret_cast<std::byte *>(&kept), from, sizeof kept);
    const auto value = static_cast<Wide>(kept);
    std::memcpy(to, &value, sizeof value);
}

// The one type whose bits may differ from external32's by more than their order.
void long_double_out(std::byte *to, const std::byte *from) {
    long double value;
    std::memcpy(&value, from, sizeof value);
    const auto external = static_cast<binary_128>(value);
    reverse(to, reinterpret_cast<const std::byte *>(&external), sizeof external);
}

void long_double_in(std::byte *to, const std::byte *from) {
    binary_128 external;
    reverse(reinterpret_cast<std::byte *>(&external), from, sizeof external);
    const auto value = static_cast<long double>(external);
    // Bytes that the number does not use would otherwise be whatever the stack had.
    std::memset(to, 0, sizeof value);
    std::memcpy(to, &value, sizeof value);
}

const predefined_facts &facts_of(std::uintptr_t handle) {
    return *predefined_datatypes[handle - first_predefined_handle]->facts();
}

std::size_t parts_of(basic_type basic) {
    switch (basic) {
    case basic_type::complex_float16:
    case basic_type::complex_float32:
    case basic_type::complex_float64:
    case basic_type::complex_long_double:
    case basic_type::complex_float128:
        return 2;
    default:
        return 1;
    }
}

// Converts one element between its packed native form and external32.
template <bool Out> void convert(const predefined_facts &facts, std::byte *to, const std::byte *from) {
    if (facts.category == type_category::pair) {
        const predefined_facts &value = facts_of(facts.value_type), &index = facts_of(facts.index_type);
        convert<Out>(value, to, from);
        return convert<Out>(index, to + (Out ? value.external_size : value.size),
                            from + (Out ? value.size : value.external_size));
    }
    if (facts.size != facts.external_size) {
        switch (facts.basic) {
        case basic_type::int64:
            return Out ? narrow<std::int32_t, std::int64_t>(to, from, facts.name)
                       : widen<std::int32_t, std::int64_t>(to, from);
        case basic_type::uint64:
            return Out ? narrow<std::uint32_t, std::uint64_t>(to, from, facts.name)
                       : widen<std::uint32_t, std::uint64_t>(to, from);
        default: // MPI_WCHAR
            return Out ? narrow<std::uint16_t, std::uint32_t>(to, from, facts.name)
                       : widen<std::uint16_t, std::uint32_t>(to, from);
        }
    }
    const std::size_t parts = parts_of(facts.basic), size = static_cast<std::size_t>(facts.size) / parts;
    for (std::size_t at = 0; at < parts * size; at += size) {
        if (facts.basic == basic_type::long_double || facts.basic == basic_type::complex_long_double) {
            Out ? long_double_out(to + at, from + at) : long_double_in(to + at, from + at);
        } else {
            reverse(to + at, from + at, size);
        }
    }
}

// Both directions: the typed side is reached through a small buffer of packed native elements. Ends where
// `room` bytes of the external side are used up. Returns the bytes of typed data.
template <bool Out, class Byte>
MPI_Count convert_all(const typed_buffer &typed, Byte *external, std::size_t room) {
    std::array<std::byte, 4096> native;
    element_walk walk{*typed.type, typed.count};
    MPI_Count offset = 0;
    for (auto step = walk.next(); step.facts != nullptr; step = walk.next()) {
        const predefined_facts &facts = *step.facts;
        while (step.count > 0) {
            const MPI_Count count = std::min({step.count, static_cast<MPI_Count>(native.size()) / facts.size,
                                              static_cast<MPI_Count>(room) / facts.external_size});
            if (count == 0) {
                return offset;
            }
            const std::span<std::byte> chunk{native.data(), static_cast<std::size_t>(count * facts.size)};
            if constexpr (Out) {
                pack(typed, offset, chunk);
            }
            for (MPI_Count i = 0; i < count; ++i, external += facts.external_size) {
                std::byte *const element = native.data() + i * facts.size;
                if constexpr (Out) {
                    convert<true>(facts, external, element);
                } else {
                    convert<false>(facts, element, external);
                }
            }
            if constexpr (!Out) {
                unpack(typed, offset, chunk);
            }
            offset += count * facts.size;
            room -= static_cast<std::size_t>(count * facts.external_size);
            step.count -= count;
        }
    }
    return offset;
}

} // namespace

void pack_external32(const typed_buffer &from, std::span<std::byte> to) {
    static_cast<void>(convert_all<true>(from, to.data(), to.size()));
}

MPI_Count unpack_external32(const typed_buffer &to, std::span<const std::byte> from) {
    return convert_all<false>(to, from.data(), from.size());
}

} // namespace lisle
