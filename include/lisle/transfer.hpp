// SPDX-License-Identifier: Apache-2.0
// Which way an object travels: where it lies (direct_buffer), or serialised into bytes, for which
// <lisle/serialize.hpp> must be included. And the sentences that the compiler says about all else.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <span>
#include <type_traits>

#include "lisle/buffer.hpp"
#include "lisle/byte_buffer.hpp"
#include "lisle/unfit_class.hpp"

namespace lisle {

namespace detail {

/// What a sender may send instead of a long object's bytes to a receiver that shares its memory, and waits
/// until it has been seen to. Known by lying where it says: bytes of another message never do.
struct object_reference {
    object_reference(const void *there, const char *its_type, byte_buffer (*to_bytes)(const void *)) noexcept
        : object{there}, type{its_type}, write{to_bytes} {}
    object_reference(const object_reference &) = delete;
    object_reference &operator=(const object_reference &) = delete;

    /// The reference that a message consists of, or null.
    static const object_reference *in(std::span<const std::byte> message) noexcept {
        const void *said = nullptr;
        if (message.size() != sizeof(object_reference))
            return nullptr;
        std::memcpy(&said, message.data(), sizeof said);
        return said == message.data() ? static_cast<const object_reference *>(said) : nullptr;
    }

    const void *self = this;
    const void *object;
    const char *type;
    byte_buffer (*write)(const void *object);
};

/// Turns objects into bytes and back. The primary template knows nothing; serialize.hpp specialises it.
template <class T> struct serializer { static constexpr bool available = false; };

} // namespace detail

/// An object that travels as bytes: serialize.hpp is included, and cereal knows how to write and read it.
template <class T>
concept serialized = !direct_buffer<T> && detail::serializer<std::remove_cvref_t<T>>::available;

/// Whatever can be sent.
template <class T>
concept sendable = direct_buffer<T> || serialized<T>;

/// Whatever receive<T>() can return.
template <class T>
concept receivable = std::is_object_v<T> && !std::is_const_v<T> && !std::is_array_v<T> &&
                     (direct<T> || resizable_range<T> || serialized<T>);

namespace detail {

/// What the compiler says about a type that cannot travel; one sentence for each mistake.
template <class T> consteval void explain_not_sendable() {
    using type = std::remove_cvref_t<T>;
    if constexpr (is_wholeness<type>)
        static_assert(always_false<T>,
                      "lisle::whole() and lisle::elements() are for collectives: a message is "
                      "always the whole object.");
    else if constexpr (std::is_pointer_v<type>)
        static_assert(always_false<T>,
                      "A raw pointer cannot be sent: say how much it points to with std::span{pointer, "
                      "count}, or send the object itself with *pointer.");
    else if constexpr (std::is_pointer_v<std::decay_t<T>>)
        static_assert(always_false<T>,
                      "An array of pointers cannot be sent: addresses mean nothing to another rank.");
    else if constexpr (std::is_member_pointer_v<type> || std::is_null_pointer_v<type>)
        static_assert(always_false<T>, "A pointer cannot be sent: it means nothing to another rank.");
    else if constexpr (std::is_class_v<type> && !defined<type>)
        static_assert(always_false<T>,
                      "This class is only declared here: include the header that defines it.");
    else if constexpr (std::is_polymorphic_v<type>)
        static_assert(always_false<T>,
                      "A polymorphic object cannot be sent where it lies: include <lisle/serialize.hpp> "
                      "and send a std::unique_ptr to it.");
    else
        explain_class<type>();
}

template <class T> consteval void require_sendable() {
    if constexpr (!sendable<T>)
        explain_not_sendable<T>();
}

/// The type of the objects of a range; int for what is no range, which is refused elsewhere.
template <class R> struct objects_of { using type = int; };
template <std::ranges::sized_range R> struct objects_of<R> {
    using type = std::remove_cvref_t<std::ranges::range_reference_t<R>>;
};

template <class R> consteval void require_dealable() {
    using object = typename objects_of<R>::type;
    if constexpr (!std::ranges::sized_range<R>)
        static_assert(always_false<R>,
                      "This is no range: scatter() deals out a range with one object for each rank.");
    else if constexpr (!resizable_range<object>)
        require_sendable<object>();
}

template <class T> consteval void require_receivable() {
    if constexpr (!receivable<T>) {
        if constexpr (std::is_reference_v<T> || std::is_const_v<T>)
            static_assert(always_false<T>,
                          "receive<T>() makes a new object: T must be no reference and not const. "
                          "Use receive_into() for an object that exists.");
        else if constexpr (direct_range<T>)
            static_assert(always_false<T>,
                          "receive<T>() makes a new object, and this T only looks at memory: receive a "
                          "std::vector, or use receive_into() for memory that exists.");
        else
            explain_not_sendable<T>();
    }
}

template <class T> consteval void require_writable() {
    if constexpr (!writable_buffer<T>) {
        if constexpr (direct_buffer<T>)
            static_assert(always_false<T>, "This is const and cannot be received into.");
        else if constexpr (serialized<T>)
            static_assert(always_false<T>,
                          "This type is serialised, so there is no memory to receive into: use "
                          "receive<T>(), which returns a new object.");
        else
            explain_not_sendable<T>();
    }
}

/// For functions that change an object, wherever it lies.
template <class T> consteval void require_receivable_object() {
    if constexpr (!serialized<T>)
        require_writable<T>();
    else
        static_assert(!std::is_const_v<std::remove_reference_t<T>>,
                      "This is const and cannot be received into.");
}

/// T. Of a class that is only declared, and so has been refused, something else: it cannot be returned, and
/// the compiler would say so at length.
template <class T> struct return_type { using type = T; };
template <class T>
requires(std::is_class_v<T> && !defined<T>) struct return_type<T> {
    struct type {};
};
template <class T> using returned = typename return_type<T>::type;

/// Where a function would go on for a type that it has refused: keeps the compiler from saying more than
/// that.
template <class T> [[noreturn]] T &refused() {
    std::abort();
}

} // namespace detail

/// The parameter of functions that send: what is not sendable meets a sentence of the compiler's.
template <class T>
concept object_to_send = !detail::is_word<std::remove_cvref_t<T>> && (detail::require_sendable<T>(), true);
/// The parameter of functions that deal a range out, an object to each rank.
template <class R>
concept objects_to_deal = !detail::is_word<R> && (detail::require_dealable<R>(), true);
/// The type that functions that receive are asked for.
template <class T>
concept object_to_receive = (detail::require_receivable<T>(), true);
/// The parameter of functions that receive into memory that exists.
template <class T>
concept buffer_to_fill = !detail::is_word<std::remove_cvref_t<T>> && (detail::require_writable<T>(), true);
/// The parameter of functions that receive into an object that exists, wherever it lies.
template <class T>
concept object_to_fill =
    !detail::is_word<std::remove_cvref_t<T>> && (detail::require_receivable_object<T>(), true);

} // namespace lisle
