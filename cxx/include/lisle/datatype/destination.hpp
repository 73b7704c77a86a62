// SPDX-License-Identifier: Apache-2.0
// Destinations of results in memory that exists: an object as it is, a container that gets the size of the
// result (resized), or one that grows if it must (grown).
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "lisle/datatype/transfer.hpp"

namespace lisle {

namespace detail {

/// The object that a destination names, and whether its size may change.
enum class size_policy { fixed, resized, grown };
template <class T> struct destination_of {
    using object = T;
    static constexpr size_policy policy = size_policy::fixed;
    static T &in(T &given) noexcept { return given; }
};
template <class T> struct destination_of<resized_t<T>> {
    using object = T;
    static constexpr size_policy policy = size_policy::resized;
    static T &in(const resized_t<T> &given) noexcept { return given.object; }
};
template <class T> struct destination_of<grown_t<T>> {
    using object = T;
    static constexpr size_policy policy = size_policy::grown;
    static T &in(const grown_t<T> &given) noexcept { return given.object; }
};
template <class T> struct destination_of<borrowed<T>> {
    using object = T;
    static constexpr size_policy policy = size_policy::fixed;
    static T &in(const borrowed<T> &given) noexcept { return given.get(); }
};
template <class Into> inline constexpr bool has_policy =
    destination_of<std::remove_cvref_t<Into>>::policy != size_policy::fixed;
template <class Into>
concept sized_place = has_policy<Into> && fit<Into>;

template <class Into> using place_object = typename destination_of<std::remove_reference_t<Into>>::object &;
template <class Into> inline constexpr bool is_place =
    sized_place<Into> || writable_buffer<place_object<Into>>;
template <class Into> consteval void require_destination() {
    if constexpr (!fit<Into>)
        explain_not_sendable<culprit<Into>>();
    else if constexpr (!has_policy<Into>)
        require_writable<place_object<Into>>();
}

/// The object that resized(), grown() or borrow() was called with; otherwise the object itself.
template <class Into> auto &object_of_destination(Into &&into) noexcept {
    if constexpr (is_wrapper<std::remove_cvref_t<Into>>)
        return destination_of<std::remove_cvref_t<Into>>::in(into);
    else
        return into;
}

/// Gives a container `size` elements, or at least as many.
template <size_policy Policy, class R> void set_size(R &range, std::size_t size) {
    if (Policy == size_policy::resized || std::ranges::size(range) < size)
        range.resize(size);
}

/// Memory for `objects` results of type T: resized or grown if the destination says so. Throws if it is too
/// small.
template <class T, class Into> void *room_for(Into &&into, std::size_t objects, const char *call) {
    auto &object = object_of_destination(into);
    using type = std::remove_cvref_t<decltype(object)>;
    if constexpr (has_policy<Into>) {
        static_assert(std::is_same_v<element_of<type &>, std::remove_cv_t<T>>,
                      "The container's elements must be of the type that is sent.");
        set_size<destination_of<std::remove_cvref_t<Into>>::policy>(object, objects);
        return std::ranges::data(object);
    } else {
        const auto room = as_buffer(object);
        const MPI_Count needed = static_cast<MPI_Count>(objects) * wire<std::remove_cv_t<T>>::count;
        if (room.type == wire<std::remove_cv_t<T>>::type() && room.count < needed) [[unlikely]]
            raise_final(MPI_ERR_TRUNCATE, call, {{"elements", needed}, {"room", room.count}},
                        "the memory to receive into is too small: lisle::resized() and lisle::grown() let a "
                        "container grow");
        return room.writable();
    }
}

/// The type of which an object that is sent consists.
template <class T> auto sent_type() {
    if constexpr (direct_range<const T &>)
        return as_type<element_of<const T &>>{};
    else
        return as_type<T>{};
}
template <class T> using sent_element = typename decltype(sent_type<T>())::type;
template <class T> std::size_t sent_objects(const T &object) noexcept {
    if constexpr (direct_range<const T &>)
        return std::ranges::size(object);
    else
        return 1;
}

} // namespace detail

/// The parameter of functions that put their results into memory that exists: a buffer, or
/// resized(container), or grown(container).
template <class Into>
concept place_to_fill = detail::is_place<Into>;

/// The same for operations that go on after the call: borrow(buffer), resized(container), grown(container),
/// which the caller keeps alive.
template <class Into>
concept lent_place_to_fill = detail::is_wrapper<std::remove_cvref_t<Into>> &&
    (detail::require_destination<Into>(), true);

/// The objects whose results can go into memory that exists: those of direct types, and ranges of them.
template <class T>
concept object_in_memory =
    !detail::is_wrapper<std::remove_cvref_t<T>> && (direct<T> || direct_range<const T &>);

namespace detail {

// Parameters of the refusals of functions with a place to fill. Either may be at fault; its constructor
// explains.

struct from_memory {
    template <class T> from_memory(const T &object) {
        if constexpr (!object_in_memory<T>)
            not_in_memory{object};
    }
};
struct from_range {
    template <class T> from_range(const T &object) {
        if constexpr (!direct_range<const T &>)
            no_range{object};
    }
};
struct any_place {
    template <class T> any_place(T &&) { require_destination<T>(); }
};

} // namespace detail

} // namespace lisle
