// SPDX-License-Identifier: Apache-2.0
// Why a class cannot be sent: what the compiler says about it. The field at fault stands in the line before
// the sentence, as GCC writes the address of a part of an object: `nobody<particle>...particle::name`.
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

/// The sentence for a class, or for the class of a field of it.
template <class T> consteval void explain_class() {
    if constexpr (has_unfit_field<T>()) {
        constexpr std::size_t index = first_unfit(field_types<T>{});
        using field = std::remove_pointer_t<decltype(address_of_field<index, T>())>;
        if constexpr (has_unfit_field<field>())
            explain_class<field>();
        else
            refuse_field<address_of_field<index, T>()>();
    } else if constexpr (with_bit_field<T>) {
        static_assert(always_false<T>,
                      "This class has a bit-field, which has no address: make it a whole field, or name the "
                      "others with `using lisle_fields = lisle::members<...>`, which then travel alone.");
    } else if constexpr (std::is_aggregate_v<T> && requires { T{any_base<T>{}}; }) {
        static_assert(
            always_false<T>,
            "This class has a base class, so its fields are not found: name them all, those of the base "
            "too, with `using lisle_fields = lisle::members<...>`.");
    } else if constexpr (std::is_class_v<T> && std::is_aggregate_v<T> && count_fields<T>() > most_fields) {
        static_assert(always_false<T>,
                      "This class has more than 24 fields, too many to be found: name them with `using "
                      "lisle_fields = lisle::members<...>`, of which there may be any number.");
    } else {
        static_assert(always_false<T>,
                      "This type cannot be sent: it is no arithmetic type, enum, array or aggregate of "
                      "such. Name its fields with `using lisle_fields = lisle::members<...>`, or "
                      "include <lisle/serialize.hpp> and give it a serialize() for cereal.");
    }
}

} // namespace lisle::detail
