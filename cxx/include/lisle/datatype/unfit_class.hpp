// SPDX-License-Identifier: Apache-2.0
// Which field of a class cannot be sent. GCC writes the address of a part of an object, and so the field at
// fault, after its sentence: `nobody<particle>...particle::name`.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>

#include "lisle/datatype/datatype.hpp"

namespace lisle::detail {

template <class... Fields> consteval std::size_t first_unfit(type_list<Fields...>) {
    std::size_t index = 0;
    static_cast<void>(((is_direct<Fields>() ? (++index, true) : false) && ...));
    return index;
}

/// A class whose fields are found, one of which is a bit-field.
template <class T>
concept with_bit_field = reflected<T> && !names_fields<T> && has_bit_field<T>;

/// True if the fields are known, and one of them is at fault.
template <class T> consteval bool has_unfit_field() {
    if constexpr (with_bit_field<T>)
        return false;
    else if constexpr (names_fields<T> || reflected<T>)
        return !all_direct(field_types<T>{});
    else
        return false;
}

template <class T> constexpr auto address_at_fault() {
    return std::get<first_unfit(field_types<T>{})>(
        visit_fields(nobody<T>.object, [](auto &...fields) { return std::tuple{&fields...}; }));
}
template <class T> using type_at_fault =
    std::remove_cv_t<std::remove_pointer_t<decltype(address_at_fault<T>())>>;
/// Names the field at fault. Clang takes no such addresses for a template and names the field's type.
#ifdef __clang__
template <class T> using field_at_fault = type_at_fault<T>;
#else
template <class T> using field_at_fault = field_at<address_at_fault<T>()>;
#endif

} // namespace lisle::detail
