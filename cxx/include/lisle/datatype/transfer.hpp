// SPDX-License-Identifier: Apache-2.0
// Which way an object travels: where it lies (direct_buffer), or serialised into bytes, for which
// <lisle/serialize.hpp> must be included. And the sentences that the compiler says about all else.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <span>
#include <type_traits>

#include "lisle/datatype/buffer.hpp"
#include "lisle/datatype/byte_buffer.hpp"
#include "lisle/datatype/unfit_class.hpp"

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

/// The compiler's sentence about a type that cannot travel, one for each mistake.
template <class T> consteval void explain_not_sendable() {
    using type = std::remove_cvref_t<T>;
    if constexpr (!std::is_same_v<T, type>)
        static_assert(always_false<T>,
                      "receive<T>() makes a new object: T must be no reference and not const. "
                      "Use receive_into() for an object that exists.");
    else if constexpr (sets_grain<type>)
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
    else if constexpr (sendable<T &>)
        static_assert(
            always_false<T>,
            "resized() and grown() are for containers of direct objects that have a resize(); receive<T>() "
            "returns such, too: receive a std::vector, or use receive_into().");
    else if constexpr (with_bit_field<type>)
        static_assert(always_false<T>,
                      "This class has a bit-field, which has no address: make it a whole field, or name the "
                      "others with `using lisle_fields = lisle::members<...>`, which then travel alone.");
    else if constexpr (has_own_functions<type>())
        static_assert(
            always_false<T>,
            "This class has its own serialize(), or save() and load(): include <lisle/serialize.hpp>, which "
            "calls them if they go both ways and know all of it, or name its fields with `using lisle_fields "
            "= lisle::members<...>`.");
    else if constexpr (has_unfit_field<type>())
        static_assert(
            always_false<field_at_fault<type>>,
            "A class with this field cannot be sent where it lies. Name the fields that travel with "
            "`using lisle_fields = lisle::members<...>`, or include <lisle/serialize.hpp>.");
    else if constexpr (std::is_aggregate_v<type> && requires { type{any_base<type>{}}; })
        static_assert(always_false<T>,
                      "This class has a base class, so its fields are not found: name them all, those of the "
                      "base too, with `using lisle_fields = lisle::members<...>`.");
    else if constexpr (std::is_class_v<type> && std::is_aggregate_v<type> &&
                       count_fields<type>() > most_fields)
        static_assert(always_false<T>,
                      "This class has more than 24 fields, too many to be found: name them with `using "
                      "lisle_fields = lisle::members<...>`, of which there may be any number.");
    else
        static_assert(always_false<T>,
                      "This type cannot be sent: it is no arithmetic type, enum, array or aggregate of such. "
                      "Name its fields with `using lisle_fields = lisle::members<...>`, or include "
                      "<lisle/serialize.hpp> and give it a serialize() for cereal.");
}

/// The type of the object within borrow(), whole() and their like, or of the argument itself.
template <class T> struct object_behind { using type = T; };
template <template <class> class Word, class T>
requires(is_wrapper<Word<T>> || sets_grain<Word<T>>) struct object_behind<Word<T>>
    : object_behind<std::remove_cvref_t<T>> {
};
template <class T> using behind = typename object_behind<std::remove_cvref_t<T>>::type;

/// What calls can take, also within these. A value and no formula: compilers take those apart to compare
/// overloads.
template <class T> inline constexpr bool is_fit = sendable<const behind<T> &> || sendable<behind<T> &>;
template <class T> inline constexpr bool is_fit<resized_t<T>> = resizable_range<T &>;
template <class T> inline constexpr bool is_fit<grown_t<T>> = resizable_range<T &>;
template <class T>
concept fit = is_fit<std::remove_cvref_t<T>>;

/// What is at fault in a range or a class: its elements, unless they could travel alone, or the class of a
/// field.
template <class T> consteval auto culprit_in() {
    if constexpr (contiguous<T>) {
        if constexpr (!sendable<const element_of<T &> &>)
            return culprit_in<element_of<T &>>();
        else
            return as_type<T>{};
    } else if constexpr (std::is_class_v<T> && defined<T>) {
        if constexpr (!std::is_polymorphic_v<T> && !has_own_functions<T>() && has_unfit_field<T>()) {
            if constexpr (has_unfit_field<type_at_fault<T>>())
                return culprit_in<type_at_fault<T>>();
            else
                return as_type<T>{};
        } else {
            return as_type<T>{};
        }
    } else {
        return as_type<T>{};
    }
}
template <class T> using culprit = typename decltype(culprit_in<behind<T>>())::type;

/// What the compiler says of a type that has no datatype of its own.
template <class T> consteval void explain_no_datatype() {
    if constexpr (fit<T>)
        static_assert(always_false<T>,
                      "This type has no datatype of its own, but its elements may have one.");
    else
        explain_not_sendable<culprit<T>>();
}

// Beside the functions that do its work each call has one, a refusal, whose parameters are of the types
// below. An object that nothing else fits converts to one of them, and that conversion makes the compiler
// say what is wrong: in one sentence, without a function body or a list of candidates after it.

/// An object that no call can take.
struct unfit {
    template <class T>
    requires(!fit<T>) unfit(const T &) { explain_not_sendable<culprit<T>>(); }
};
template <class T> consteval void explain_no_range() {
    if constexpr (fit<T> || std::ranges::sized_range<culprit<T>>)
        static_assert(always_false<T>,
                      "This is no range that can be joined or dealt out: gatherv(), alltoall() and "
                      "their like join, and scatterv() deals out a range of direct objects that lie one "
                      "after the other, with <lisle/serialize.hpp> some also of others; scatter() deals "
                      "out any objects, gather() and allgather() take any object whole.");
    else
        explain_not_sendable<culprit<T>>();
}
/// An object that calls about ranges cannot take.
struct no_range {
    template <class T>
    requires(!direct_range<const T &> && !(is_wrapper<T> && fit<T>)) no_range(const T &) {
        explain_no_range<T>();
    }
};
/// An object that calls which use memory where it lies cannot take.
struct not_in_memory {
    template <class T>
    requires(!direct_buffer<const behind<T> &>) not_in_memory(const T &) {
        if constexpr (fit<T>)
            static_assert(always_false<T>, "This function uses memory where it lies, and this type is "
                                           "serialised: those without _into and _init take it.");
        else
            explain_not_sendable<culprit<T>>();
    }
};
/// Any other argument of a refusal.
struct anything {
    template <class T> anything(T &&);
};
/// The result of a refusal: converts to anything, so that the compiler says no more.
struct refusal {
    template <class T> operator T() const;
    [[nodiscard]] refusal wait() const;
};

/// An object that calls cannot take by a rule of theirs, which says what it `takes` and can `explain` the
/// rest. (Not by an assertion within a constraint, of which Clang tells each step.)
template <class Rule> struct not_taken_by {
    template <class T>
    requires(is_wrapper<std::remove_cvref_t<T>> ? !fit<T> : !Rule::template takes<T>) not_taken_by(T &&) {
        if constexpr (!fit<T>)
            explain_not_sendable<culprit<T>>();
        else
            Rule::template explain<T>();
    }
};

/// That of messages.
struct sending {
    template <class T> static constexpr bool takes = fit<T> &&sendable<std::remove_cvref_t<T>>;
    template <class T> static consteval void explain() { explain_not_sendable<std::remove_cvref_t<T>>(); }
};

/// The type of the objects of a range; int for what is no range, which is refused elsewhere.
template <class R> struct objects_of { using type = int; };
template <std::ranges::sized_range R> struct objects_of<R> {
    using type = std::remove_cvref_t<std::ranges::range_reference_t<R>>;
};

/// What is explained of a T that receive<T>() cannot make.
template <class T> using unreceived =
    std::conditional_t<std::is_reference_v<T> || std::is_const_v<T>, T, culprit<T>>;

template <class T> consteval void require_writable() {
    if constexpr (!writable_buffer<T>) {
        if constexpr (direct_buffer<T> || std::is_const_v<std::remove_reference_t<T>>)
            static_assert(always_false<T>, "This is const and cannot be received into.");
        else if constexpr (serialized<T>)
            static_assert(always_false<T>,
                          "This type is serialised, so there is no memory to receive into: use "
                          "receive<T>(), which returns a new object.");
        else
            explain_not_sendable<culprit<T>>();
    }
}

/// For functions that change an object, wherever it lies.
template <class T>
inline constexpr bool changeable = writable_buffer<T> ||
                                   (serialized<T> && !std::is_const_v<std::remove_reference_t<T>>);
template <class T> consteval void require_changeable() {
    if constexpr (!changeable<T>)
        require_writable<T>();
}

/// An object that those functions cannot receive into.
struct unchangeable {
    template <class T>
    requires(!(is_wrapper<std::remove_cvref_t<T>> ? fit<T> : changeable<T>)) unchangeable(T &&) {
        if constexpr (!fit<T>)
            explain_not_sendable<culprit<T>>();
        else
            require_writable<T>();
    }
};

/// T. Of a class that is only declared, and so has been refused, something else: it cannot be returned, and
/// the compiler would say so at length.
template <class T> struct return_type { using type = T; };
template <class T>
requires(std::is_class_v<T> && !defined<T>) struct return_type<T> {
    struct type {};
};
template <class T> using returned = typename return_type<T>::type;

/// The result of a function for a type that it has refused: keeps the compiler from saying more.
template <class T> [[noreturn]] T &refused() {
    std::abort();
}

} // namespace detail

/// The parameter of functions that send.
template <class T>
concept object_to_send = !detail::is_wrapper<std::remove_cvref_t<T>> && detail::sending::takes<T>;
/// The parameter of functions that deal a range out, an object to each rank.
template <class R>
concept objects_to_deal =
    !detail::is_wrapper<R> && std::ranges::sized_range<R> &&
    (resizable_range<typename detail::objects_of<R>::type> || sendable<typename detail::objects_of<R>::type>);
/// The parameter of functions that receive into memory that exists.
template <class T>
concept buffer_to_fill =
    !detail::is_wrapper<std::remove_cvref_t<T>> && detail::fit<T> && (detail::require_writable<T>(), true);
/// The parameter of functions that receive into an object that exists, wherever it lies.
template <class T>
concept object_to_fill = !detail::is_wrapper<std::remove_cvref_t<T>> && detail::changeable<T>;

/// Of what has none, after the compiler has said so.
template <class T>
requires(!direct<T>) MPI_Datatype datatype_of() {
    detail::explain_no_datatype<T>();
    return MPI_DATATYPE_NULL;
}

/// What lies nowhere, after the compiler has said so.
template <class T>
requires(!direct_buffer<T>) buffer as_buffer(T &&object) {
    detail::not_in_memory{object};
    return {};
}

} // namespace lisle
