// SPDX-License-Identifier: Apache-2.0
// Sending an object by any of MPI's functions for it: where it lies, or serialised; borrowed, copied or moved
// in if the operation goes on after the call.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include "lisle/datatype/transfer.hpp"
#include "lisle/point_to_point/message.hpp"
#include "lisle/request/request.hpp"

namespace lisle {

namespace detail {

template <class T> struct is_borrowed : std::false_type {};
template <class T> struct is_borrowed<borrowed<T>> : std::true_type { using object = T; };

/// Non-blocking operations copy direct objects of up to so many bytes and do not return them.
inline constexpr std::size_t most_copied = 64;

/// The bytes of an object that is serialised; otherwise nothing, and the object is used where it lies.
template <object_to_send T> auto to_bytes(const T &object) {
    return serializer<std::remove_cvref_t<T>>::write(object);
}

/// True for what refers to memory that is another object's.
template <class T> inline constexpr bool is_view = [] {
    using type = std::remove_cvref_t<T>;
    if constexpr (adapted<type>)
        return only_looks<type>;
    else
        return !direct<type> && !resizable_range<T> && (direct_range<T> || multidimensional_view<type>);
}();

/// The rule of non-blocking calls, which use an object after they have returned.
struct keeping {
    template <class T> static constexpr bool copied = direct<std::remove_cvref_t<T>> &&
                                                      sizeof(std::remove_cvref_t<T>) <= most_copied;
    template <class T> static constexpr bool takes =
        fit<T> && !sets_grain<std::remove_cvref_t<T>> &&
        (is_borrowed<std::remove_cvref_t<T>>::value ||
         ((!std::is_lvalue_reference_v<T> || copied<T>)&&!is_view<T>));
    template <class T> static consteval void explain() {
        if constexpr (sets_grain<std::remove_cvref_t<T>>)
            explain_not_sendable<std::remove_cvref_t<T>>();
        else if constexpr (std::is_lvalue_reference_v<T> && !copied<T>)
            static_assert(always_false<T>, "A non-blocking operation uses this object after the call: say "
                                           "lisle::borrow(object) and keep it "
                                           "alive until the operation is complete, or std::move(object) and "
                                           "get it back from the future.");
        else
            static_assert(always_false<T>,
                          "This view does not own its memory: say lisle::borrow(view) on a named one.");
    }
};

} // namespace detail

/// What non-blocking operations may read: an object that is moved in (or a small one, copied), or borrow(it).
template <class T>
concept object_to_keep = detail::keeping::takes<T>;

namespace detail {

template <class Send, class T>
void send_object(Send function, const char *call, const T &object, int dest, int tag, MPI_Comm comm) {
    if constexpr (direct_buffer<const T &>) {
        const auto data = message_buffer(object);
        check(function(data.address, data.count, data.type, dest, tag, comm), call,
              named_value{"count", data.count}, named_value{"dest", dest}, named_value{"tag", tag});
    } else if constexpr (serialized<const T &>) {
#if LISLE_USE_EXTENSIONS
        if (dest >= 0 && serializer<T>::long_values(object))
            return serializer<T>::send_long(object, call, dest, tag, comm);
#endif
        send_object(function, call, to_bytes(object), dest, tag, comm);
    }
}

template <class Send, class T>
auto start_to_send(Send function, const char *call, T &&object, int dest, int tag, MPI_Comm comm) {
    using type = std::remove_cvref_t<T>;
    MPI_Request request = MPI_REQUEST_NULL;
    const auto start = [&](const auto &data) {
        check(function(data.address, data.count, data.type, dest, tag, comm, &request), call,
              named_value{"count", data.count}, named_value{"dest", dest}, named_value{"tag", tag});
    };
    if constexpr (is_borrowed<type>::value) {
        if constexpr (direct_buffer<typename is_borrowed<type>::object &>) {
            start(message_buffer(object.get()));
            return future<>{request};
        } else {
            auto owner = std::make_unique<used_object<byte_buffer>>(to_bytes(object.get()));
            start(message_buffer(owner->object));
            return future<>{request, std::move(owner)};
        }
    } else if constexpr (resizable_range<T>) {
        auto owner = std::make_unique<kept_object<type>>(std::move(object));
        start(message_buffer(owner->object));
        return future<type>{request, std::move(owner)};
    } else if constexpr (direct<type> && sizeof(type) <= most_copied) {
        auto owner = std::make_unique<used_object<type>>(type{object});
        start(message_buffer(owner->object));
        return future<>{request, std::move(owner)};
    } else if constexpr (direct<type>) {
        auto owner = std::make_unique<kept_object<type>>(std::move(object));
        start(message_buffer(owner->object));
        return future<type>{request, std::move(owner)};
    } else if constexpr (serialized<T>) {
        auto owner = std::make_unique<written_object<type>>(std::move(object));
        start(message_buffer(owner->bytes));
        return future<type>{request, std::move(owner)};
    } else if constexpr (adapted<type>) {
        auto owner = std::make_unique<kept_object<type>>(std::forward<T>(object));
        start(message_buffer(owner->object));
        return future<type>{request, std::move(owner)};
    } else {
        refused<T>(); // the compiler has said why
        return future<>{request};
    }
}

} // namespace detail

} // namespace lisle
