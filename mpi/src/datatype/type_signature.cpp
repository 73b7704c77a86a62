// SPDX-License-Identifier: Apache-2.0
#include "datatype/type_signature.hpp"

#include "datatype/predefined.hpp"

namespace lisle {

namespace {

/// Any odd number whose powers are many; its last bits are 101, so they are a quarter of all numbers.
constexpr std::uint64_t base = 0x9e3779b97f4a7c15;

constexpr type_signature letter(basic_type basic) noexcept {
    // Not the small numbers themselves: their sums would be alike.
    std::uint64_t code = (static_cast<std::uint64_t>(basic) + 1) * 0xbf58476d1ce4e5b9;
    code ^= code >> 31;
    return {base, code * 0x94d049bb133111eb};
}

type_signature pair_signature(basic_type value, basic_type index) noexcept {
    return joined(letter(value), letter(index));
}

const datatype &type_of_handle(std::uintptr_t handle) noexcept {
    return *predefined_datatypes[handle - first_predefined_handle];
}

/// A part of `bytes` bytes of one element of a type, whose beginning is whole elements of other types.
struct cut {
    type_signature before;
    const datatype *part; ///< that is cut; null: none can be
    MPI_Count bytes;      ///< of it
};

cut cut_structure(const type_origin &origin, MPI_Count bytes) {
    type_signature before;
    for (std::size_t i = 0; i < origin.repetitions.size(); ++i) {
        const datatype &each = *origin.types[i];
        const MPI_Count size = each.size() * origin.repetitions[i];
        if (bytes < size) {
            return {before, &each, bytes};
        }
        before = joined(before, repeated(each.signature(), origin.repetitions[i]));
        bytes -= size;
    }
    return {before, nullptr, bytes};
}

cut cut_element(const datatype &type, MPI_Count bytes) {
    if (const predefined_facts *const facts = type.facts()) {
        const bool after_value = facts->value_type != 0 && type_of_handle(facts->value_type).size() == bytes;
        return {after_value ? type_of_handle(facts->value_type).signature() : type_signature{}, nullptr,
                after_value ? 0 : bytes};
    }
    return type.origin().repetitions.empty() ? cut{{}, type.origin().types.front(), bytes}
                                             : cut_structure(type.origin(), bytes);
}

} // namespace

type_signature joined(const type_signature &one, const type_signature &other) noexcept {
    return !one.known() || !other.known()
               ? type_signature::unknown()
               : type_signature{one.factor * other.factor, one.sum * other.factor + other.sum};
}

type_signature repeated(const type_signature &one, MPI_Count times) noexcept {
    type_signature all;
    type_signature power = one;
    for (; times > 0; times /= 2) {
        if (times % 2 != 0) {
            all = joined(all, power);
        }
        power = joined(power, power);
    }
    return all;
}

type_signature signature_of(basic_type basic) noexcept {
    switch (basic) {
    case basic_type::none:
        return {};
    case basic_type::mixed:
    case basic_type::byte:
        return type_signature::unknown();
    case basic_type::pair_float32_int32:
        return pair_signature(basic_type::float32, basic_type::int32);
    case basic_type::pair_float64_int32:
        return pair_signature(basic_type::float64, basic_type::int32);
    case basic_type::pair_int64_int32:
        return pair_signature(basic_type::int64, basic_type::int32);
    case basic_type::pair_int32_int32:
        return pair_signature(basic_type::int32, basic_type::int32);
    case basic_type::pair_int16_int32:
        return pair_signature(basic_type::int16, basic_type::int32);
    case basic_type::pair_long_double_int32:
        return pair_signature(basic_type::long_double, basic_type::int32);
    case basic_type::pair_float32_float32:
        return pair_signature(basic_type::float32, basic_type::float32);
    case basic_type::pair_float64_float64:
        return pair_signature(basic_type::float64, basic_type::float64);
    default:
        return letter(basic);
    }
}

type_signature signature_of(basic_type basic, MPI_Count bytes) noexcept {
    return repeated(signature_of(basic), bytes / size_of(basic));
}

type_signature signature_of(const type_origin &origin, MPI_Count size) noexcept {
    if (size == 0) {
        return {};
    }
    if (origin.types.empty()) { // of a layout in a file, which no message has
        return type_signature::unknown();
    }
    if (origin.repetitions.empty()) {
        const datatype &element = *origin.types.front();
        return repeated(element.signature(), size / element.size());
    }
    type_signature all;
    for (std::size_t i = 0; i < origin.repetitions.size(); ++i) {
        all = joined(all, repeated(origin.types[i]->signature(), origin.repetitions[i]));
    }
    return all;
}

std::optional<type_signature> signature_of_first(const datatype &type, MPI_Count bytes) {
    // A loop and not recursion: types may be nested deeper than the stack.
    type_signature all;
    const datatype *part = &type;
    while (bytes != 0) {
        if (part == nullptr || part->size() == 0) {
            return std::nullopt;
        }
        all = joined(all, repeated(part->signature(), bytes / part->size()));
        bytes %= part->size();
        if (bytes != 0) {
            const cut last = cut_element(*part, bytes);
            all = joined(all, last.before);
            part = last.part;
            bytes = last.bytes;
        }
    }
    return all;
}

} // namespace lisle
