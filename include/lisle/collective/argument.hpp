// SPDX-License-Identifier: Apache-2.0
// What a collective is given: one object, or as many as a range has elements. Ranges that lie in memory are
// their elements, and everything else is one object, a std::string too; lisle::whole(x) and
// lisle::elements(x) say otherwise. And whether it is copied, moved in or serialised.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "lisle/datatype/transfer.hpp"
#include "lisle/point_to_point/sending.hpp"

namespace lisle::detail {

template <class T> inline constexpr bool is_text = false;
template <class C, class Traits, class A> inline constexpr bool is_text<std::basic_string<C, Traits, A>> =
    true;
template <class C, class Traits> inline constexpr bool is_text<std::basic_string_view<C, Traits>> = true;
template <std::size_t N> inline constexpr bool is_text<char[N]> = true; // as as_buffer() sees what is const

/// What a program says of a range, or does not.
enum class said { nothing, whole, elements };

/// The object in what a collective is given, and the word that was said of it.
template <class T> struct given {
    using object = std::remove_cvref_t<T>;
    static constexpr said word = said::nothing;
};
template <class T> struct given<borrowed<T>> : given<T> {};
template <class T> struct given<whole_t<T>> {
    using object = typename given<std::remove_cvref_t<T>>::object;
    static constexpr said word = said::whole;
};
template <class T> struct given<elements_t<T>> {
    using object = typename given<std::remove_cvref_t<T>>::object;
    static constexpr said word = said::elements;
};

/// The object that is given, without the word.
template <class T> auto &object_in(T &given_object) noexcept {
    if constexpr (is_wholeness<std::remove_const_t<T>>)
        return object_in(given_object.object);
    else if constexpr (is_word<std::remove_const_t<T>>)
        return given_object.get(); // lent
    else
        return given_object;
}

/// The type that owns what T shows: a string for a view of characters, a vector for other views.
template <class T> auto owning() {
    if constexpr (std::is_same_v<T, std::string_view> || std::is_array_v<T>)
        return as_type<std::string>{};
    else if constexpr (direct_range<const T &> && !resizable_range<T &>)
        return as_type<std::vector<element_of<const T &>>>{};
    else
        return as_type<T>{};
}

/// How a collective takes what it is given, which is a T or a word with one.
template <class T> struct taken {
    using object = typename given<std::remove_cvref_t<T>>::object;
    static constexpr said word = given<std::remove_cvref_t<T>>::word;
    static constexpr bool text = is_text<object>;

    /// The elements of a range in memory, of which all ranks have as many.
    static constexpr bool range = [] {
        if constexpr (word == said::elements && contiguous<const object>)
            return direct<element_of<const object &>>;
        else
            return word == said::nothing && direct_range<const object &> && !text;
    }();
    /// One object, of the same size everywhere.
    static constexpr bool fixed = !range && direct<object> && !text;
    /// One call of MPI does it, with the memory as it lies.
    static constexpr bool in_memory = range || fixed;
    /// One object that lies in memory and has a length of its own.
    static constexpr bool sized = !in_memory && (text || direct_range<const object &>);
    /// The elements of a range that is serialised.
    static constexpr bool written_elements =
        word == said::elements && !range && serialized<object> && std::ranges::sized_range<const object>;
    /// One object that is serialised.
    static constexpr bool written = !written_elements && serialized<object>;

    static auto value_type() {
        if constexpr (text || direct_range<const object &>)
            return owning<object>();
        else
            return as_type<object>{};
    }
    /// What it is as an object of its own.
    using value = typename decltype(value_type())::type;

    static auto element_type() {
        if constexpr (range || written_elements)
            return as_type<std::remove_cvref_t<std::ranges::range_reference_t<const object &>>>{};
        else
            return as_type<value>{};
    }
    /// What the results of a gather consist of.
    using element = typename decltype(element_type())::type;

    /// How many of them `taken_object` gives. @pre in_memory
    static std::size_t count(const object &taken_object) noexcept {
        if constexpr (range)
            return std::ranges::size(taken_object);
        else
            return 1;
    }
};

/// An object of its own, of what may be a view, lent, or said something of; moved out of what is an rvalue.
template <class T> auto own(T &&given_object) {
    using type = std::remove_cvref_t<T>;
    using value = typename taken<type>::value;
    if constexpr (given<type>::word != said::nothing)
        return own(std::forward<decltype(given_object.object)>(given_object.object));
    else if constexpr (is_word<type>)
        return own(given_object.get()); // lent
    else if constexpr (std::is_same_v<type, value>)
        return value(std::forward<T>(given_object));
    else if constexpr (std::is_array_v<type>)
        return value(given_object);
    else
        return value(std::ranges::begin(object_in(given_object)), std::ranges::end(object_in(given_object)));
}

/// borrow(object), or a word with that.
template <class T> inline constexpr bool is_lent = false;
template <class T> inline constexpr bool is_lent<borrowed<T>> = true;
template <class T> inline constexpr bool is_lent<whole_t<T>> = is_lent<std::remove_cvref_t<T>>;
template <class T> inline constexpr bool is_lent<elements_t<T>> = is_lent<std::remove_cvref_t<T>>;
template <class T>
concept lent_object = is_lent<T> && fit<T>;

/// True for one object that lies in memory and can be given another length.
template <class T> inline constexpr bool grows =
    taken<T>::sized &&resizable_range<typename taken<T>::object &>;

/// Without the word, and movable if it is an rvalue.
template <class T> struct without_word { using type = T; };
template <class T> struct without_word<whole_t<T>> : without_word<T> {};
template <class T> struct without_word<elements_t<T>> : without_word<T> {};
template <class T> using inner = typename without_word<std::remove_const_t<T>>::type;

/// Says of an object what T says of its own.
template <class T, class Object> decltype(auto) say_as(Object &object) noexcept {
    if constexpr (given<T>::word == said::whole)
        return whole(object);
    else if constexpr (given<T>::word == said::elements)
        return elements(object);
    else
        return (object);
}

/// A text as the range of its characters; other ranges are such already.
template <class T> decltype(auto) as_range(const T &object) noexcept {
    if constexpr (std::is_array_v<T>)
        return std::string_view{object};
    else
        return (object);
}

/// The size of what a collective's result consists of: the elements of a range, otherwise objects.
template <class T> constexpr std::size_t element_size() noexcept {
    return sizeof(typename taken<T>::element);
}

/// What the compiler says of what a collective cannot take.
template <class T> consteval void require_collectable() {
    using object = typename taken<T>::object;
    if constexpr (taken<T>::word == said::elements && !std::ranges::sized_range<const object>)
        static_assert(always_false<T>, "lisle::elements(x) is for ranges, and this x is none.");
    else if constexpr (!taken<T>::in_memory && !taken<T>::sized && !taken<T>::written &&
                       !taken<T>::written_elements)
        static_assert(always_false<T>,
                      "This object says where it lies, but not how to make a new one of its kind: use the "
                      "functions that end in _into, or point-to-point messages.");
}

} // namespace lisle::detail

namespace lisle {

/// The parameter of collectives: an object, or whole(object), or elements(range).
template <class T>
concept object_to_collect =
    !detail::is_word<std::remove_cvref_t<T>> && detail::fit<T> && (detail::require_collectable<T>(), true);

/// What non-blocking collectives take as one object of any size: serialised or copied at once, so it may be
/// an object that is not moved in.
template <class T>
concept object_to_pack = !detail::is_word<std::remove_cvref_t<T>> && detail::fit<T> &&
                         (detail::taken<T>::sized || detail::taken<T>::written);
/// The elements of what is serialised.
template <class T>
concept elements_to_pack = detail::fit<T> && detail::taken<T>::written_elements;
/// What they read where it lies: an object that is moved in, or a small one that is copied.
template <class T>
concept object_to_own = !detail::is_word<std::remove_cvref_t<T>> && detail::fit<T> && !object_to_pack<T> &&
                        !elements_to_pack<T> && object_to_keep<detail::inner<T>> &&
                        (detail::require_collectable<T>(), detail::taken<T>::in_memory);
/// The same for functions that are about ranges only.
template <class T>
concept range_to_own = !detail::is_word<std::remove_cvref_t<T>> && !serialized<std::remove_cvref_t<T>> &&
                       object_to_keep<T> && direct_buffer<std::remove_cvref_t<T>>;
/// What non-blocking collectives take: any of these.
template <class T>
concept object_to_combine = object_to_pack<T> || elements_to_pack<T> || object_to_own<T>;

} // namespace lisle
