// SPDX-License-Identifier: Apache-2.0
// The argument of a collective: is it one object, or as many objects as a range has elements? A range in
// memory counts as its elements and everything else as one object, a std::string too, unless the program
// says lisle::whole(x) or lisle::elements(x). And how is it sent: as it lies in memory, or serialised?
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

/// How the program asks for a range to be treated.
enum class grain { by_type, whole, elements };

/// The object in an argument without borrow(), whole() and elements(), and which of the latter two was given.
template <class T> struct given {
    using object = std::remove_cvref_t<T>;
    static constexpr grain chosen = grain::by_type;
};
template <class T> struct given<borrowed<T>> : given<T> {};
template <class T> struct given<whole_t<T>> {
    using object = typename given<std::remove_cvref_t<T>>::object;
    static constexpr grain chosen = grain::whole;
};
template <class T> struct given<elements_t<T>> {
    using object = typename given<std::remove_cvref_t<T>>::object;
    static constexpr grain chosen = grain::elements;
};

/// The object in an argument.
template <class T> auto &object_in(T &given_object) noexcept {
    if constexpr (sets_grain<std::remove_const_t<T>>)
        return object_in(given_object.object);
    else if constexpr (is_wrapper<std::remove_const_t<T>>)
        return given_object.get(); // lent
    else
        return given_object;
}

/// The owning type for a view T: a string for characters, a vector for other elements.
template <class T> auto owning() {
    if constexpr (std::is_same_v<T, std::string_view> || std::is_array_v<T>)
        return as_type<std::string>{};
    else if constexpr (direct_range<const T &> && !resizable_range<T &>)
        return as_type<std::vector<element_of<const T &>>>{};
    else
        return as_type<T>{};
}

/// How a collective treats an argument of type T.
template <class T> struct taken {
    using object = typename given<std::remove_cvref_t<T>>::object;
    static constexpr grain chosen = given<std::remove_cvref_t<T>>::chosen;
    static constexpr bool text = is_text<object>;

    /// The elements of a range in memory; all ranks have the same number.
    static constexpr bool range = [] {
        if constexpr (chosen == grain::elements && contiguous<const object>)
            return direct<element_of<const object &>>;
        else
            return chosen == grain::by_type && direct_range<const object &> && !text;
    }();
    /// One object, of the same size everywhere.
    static constexpr bool fixed = !range && direct<object> && !text;
    /// One call of MPI does it, with the memory as it lies.
    static constexpr bool in_memory = range || fixed;
    /// One object that lies in memory and has a length of its own.
    static constexpr bool sized = !in_memory && (text || direct_range<const object &>);
    /// The elements of a range that is serialised.
    static constexpr bool written_elements =
        chosen == grain::elements && !range && serialized<object> && std::ranges::sized_range<const object>;
    /// One object that is serialised.
    static constexpr bool written = !written_elements && serialized<object>;

    static auto value_type() {
        if constexpr (text || direct_range<const object &>)
            return owning<object>();
        else
            return as_type<object>{};
    }
    /// The type of a copy that owns its elements.
    using value = typename decltype(value_type())::type;

    static auto element_type() {
        if constexpr (range || written_elements)
            return as_type<std::remove_cvref_t<std::ranges::range_reference_t<const object &>>>{};
        else
            return as_type<value>{};
    }
    /// The element type of a gather's result.
    using element = typename decltype(element_type())::type;

    /// How many of them this object contributes. @pre in_memory
    static std::size_t count(const object &taken_object) noexcept {
        if constexpr (range)
            return std::ranges::size(taken_object);
        else
            return 1;
    }
};

/// A copy of an argument's object that owns its elements; moved out of an rvalue.
template <class T> auto own(T &&given_object) {
    using type = std::remove_cvref_t<T>;
    using value = typename taken<type>::value;
    if constexpr (given<type>::chosen != grain::by_type)
        return own(std::forward<decltype(given_object.object)>(given_object.object));
    else if constexpr (is_wrapper<type>)
        return own(given_object.get()); // lent
    else if constexpr (std::is_same_v<type, value>)
        return value(std::forward<T>(given_object));
    else if constexpr (std::is_array_v<type>)
        return value(given_object);
    else
        return value(std::ranges::begin(object_in(given_object)), std::ranges::end(object_in(given_object)));
}

/// borrow(object), also within whole() or elements().
template <class T> inline constexpr bool is_lent = false;
template <class T> inline constexpr bool is_lent<borrowed<T>> = true;
template <class T> inline constexpr bool is_lent<whole_t<T>> = is_lent<std::remove_cvref_t<T>>;
template <class T> inline constexpr bool is_lent<elements_t<T>> = is_lent<std::remove_cvref_t<T>>;
template <class T>
concept lent_object = is_lent<T> && fit<T>;

/// True for one object that lies in memory and can be given another length.
template <class T> inline constexpr bool grows =
    taken<T>::sized &&resizable_range<typename taken<T>::object &>;

/// T without whole() or elements(), an rvalue if it was one.
template <class T> struct without_grain { using type = T; };
template <class T> struct without_grain<whole_t<T>> : without_grain<T> {};
template <class T> struct without_grain<elements_t<T>> : without_grain<T> {};
template <class T> using ungrained = typename without_grain<std::remove_const_t<T>>::type;

/// whole(object) or elements(object) if T is such, otherwise the object.
template <class T, class Object> decltype(auto) with_grain_of(Object &object) noexcept {
    if constexpr (given<T>::chosen == grain::whole)
        return whole(object);
    else if constexpr (given<T>::chosen == grain::elements)
        return elements(object);
    else
        return (object);
}

/// A text as the range of its characters; other ranges as they are.
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

/// The rule of collectives that return new objects.
struct collecting {
    template <class T> static constexpr bool no_elements =
        taken<T>::chosen == grain::elements && !std::ranges::sized_range<const typename taken<T>::object>;
    template <class T> static consteval bool fits() {
        if constexpr (!fit<T>)
            return false;
        else
            return !no_elements<T> && (taken<T>::in_memory || taken<T>::sized || taken<T>::written ||
                                       taken<T>::written_elements);
    }
    template <class T> static constexpr bool takes = fits<std::remove_cvref_t<T>>();
    template <class T> static consteval void explain() {
        if constexpr (no_elements<std::remove_cvref_t<T>>)
            static_assert(always_false<T>, "lisle::elements(x) is for ranges, and this x is none.");
        else
            static_assert(
                always_false<T>,
                "This object says where it lies, but not how to make a new one of its kind: use the "
                "functions that end in _into, or point-to-point messages.");
    }
};

} // namespace lisle::detail

namespace lisle {

/// The parameter of collectives: an object, or whole(object), or elements(range).
template <class T>
concept object_to_collect = !detail::is_wrapper<std::remove_cvref_t<T>> && detail::collecting::takes<T>;

/// What non-blocking collectives take as one object of any size: serialised or copied at once, so it may be
/// an object that is not moved in.
template <class T>
concept object_to_pack = !detail::is_wrapper<std::remove_cvref_t<T>> && detail::fit<T> &&
                         (detail::taken<T>::sized || detail::taken<T>::written);
/// The elements of what is serialised.
template <class T>
concept elements_to_pack = detail::fit<T> && detail::taken<T>::written_elements;
/// What they read where it lies: an object that is moved in, or a small one that is copied.
template <class T>
concept object_to_own = !detail::is_wrapper<std::remove_cvref_t<T>> && detail::fit<T> && !object_to_pack<T> &&
                        !elements_to_pack<T> && object_to_keep<detail::ungrained<T>> &&
                        detail::collecting::takes<T> && detail::taken<T>::in_memory;
/// The same for functions that are about ranges only.
template <class T>
concept range_to_own = !detail::is_wrapper<std::remove_cvref_t<T>> && !serialized<std::remove_cvref_t<T>> &&
                       object_to_keep<T> && direct_buffer<std::remove_cvref_t<T>>;
/// What non-blocking collectives take: any of these.
template <class T>
concept object_to_combine = object_to_pack<T> || elements_to_pack<T> || object_to_own<T>;

namespace detail {

template <class T> consteval void explain_not_owned() {
    static_assert(
        always_false<T>,
        "A non-blocking collective uses this object after the call: move it in with std::move(object), or "
        "lend it with lisle::borrow(object) to the function of the same name that ends in _into.");
}
/// The rule of non-blocking collectives.
struct combining {
    template <class T> static constexpr bool takes = object_to_combine<T>;
    template <class T> static consteval void explain() {
        if constexpr (!collecting::takes<T>)
            collecting::explain<T>();
        else
            explain_not_owned<T>();
    }
};
/// The rule of those about ranges.
struct joining_later {
    template <class T> static constexpr bool takes = range_to_own<T>;
    template <class T> static consteval void explain() {
        if constexpr (direct_range<const std::remove_cvref_t<T> &> && !keeping::takes<T>)
            explain_not_owned<T>();
        else
            explain_no_range<std::remove_cvref_t<T>>();
    }
};

using not_to_collect = not_taken_by<collecting>;
using not_to_combine = not_taken_by<combining>;
using no_range_to_own = not_taken_by<joining_later>;

} // namespace detail

} // namespace lisle
