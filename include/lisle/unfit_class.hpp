// SPDX-License-Identifier: Apache-2.0
// Which field of a class cannot be sent, and what the compiler says about it. The field at fault stands in
// the line before the sentence, as GCC writes the address of a part of an object:
// `nobody<particle>...particle::name`.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>

#include "lisle/datatype.hpp"

namespace lisle::detail {

template <class T> inline constexpr bool always_false = false;

template <std::size_t Index, class T> constexpr auto address_of_field() {
    return std::get<Index>(
        visit_fields(nobody<T>.object, [](auto &...fields) { return std::tuple{&fields...}; }));
}

template <auto Field> consteval void refuse_field() {
    static_assert(
        always_false<decltype(Field)>,
        "A class with this field cannot be sent where it lies. Name the fields that travel with `using "
        "lisle_fields = lisle::members<...>`, or include <lisle/serialize.hpp>.");
}

template <class... Fields> consteval std::size_t first_unfit(type_list<Fields...>) {
    std::size_t index = 0;
    static_cast<void>(((is_direct<Fields>() ? (++index, true) : false) && ...));
    return index;
}
template <class... Fields> consteval std::size_t number_of(type_list<Fields...>) {
    return sizeof...(Fields);
}

/// A class whose fields are found, one of which is a bit-field.
template <class T>
concept with_bit_field = reflected<T> && !names_fields<T> && has_bit_field<T>;

/// True if the fields are known, and one of them is at fault.
template <class T> consteval bool has_unfit_field() {
    if constexpr (with_bit_field<T>)
        return false;
    else if constexpr (names_fields<T> || reflected<T>)
        return first_unfit(field_types<T>{}) < number_of(field_types<T>{});
    else
        return false;
}

/// The address of the field at fault, as an argument of refuse_field(). Clang takes no such arguments and
/// names the field's type instead.
template <class T> constexpr auto field_at_fault() {
    constexpr auto address = address_of_field<first_unfit(field_types<T>{}), T>();
#ifdef __clang__
    return std::type_identity<std::remove_pointer_t<decltype(address)>>{};
#else
    return address;
#endif
}
template <class T> using type_at_fault =
    std::remove_pointer_t<decltype(address_of_field<first_unfit(field_types<T>{}), T>())>;

} // namespace lisle::detail
