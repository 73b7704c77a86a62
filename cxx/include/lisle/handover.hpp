// SPDX-License-Identifier: Apache-2.0
// A moved object changes owner: between ranks of one address space no byte of what it holds is copied,
// whatever its size; between processes the same calls copy. Messages of hand_over() are met by take_over()
// only.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "lisle/communicator.hpp"

namespace lisle {

namespace detail {

/// Objects whose memory is all on the heap that the ranks of a process share. Pointers to polymorphic objects
/// and callables are not: they refer to code of the rank that made them, of which another rank may have its
/// own copy.
template <class T> struct holds_values;
template <class... Fields> consteval bool all_hold_values(type_list<Fields...>) {
    return (holds_values<std::remove_cv_t<Fields>>::value && ...);
}
template <class T> consteval bool fields_hold_values() {
    if constexpr (direct<T>)
        return true;
    else if constexpr (std::is_class_v<T> && !std::is_polymorphic_v<T> &&
                       (reflected<T> || names_fields<T>)&&!has_own_functions<T>())
        return all_hold_values(field_types<T>{});
    else
        return false;
}
template <class... Parts> using hold_values = std::bool_constant<(holds_values<Parts>::value && ...)>;

template <class T> struct holds_values : std::bool_constant<fields_hold_values<T>()> {};
template <class C> struct holds_values<std::basic_string<C>> : std::true_type {};
template <class T> struct holds_values<std::vector<T>> : hold_values<T> {};
template <class T> struct holds_values<std::deque<T>> : hold_values<T> {};
template <class T> struct holds_values<std::list<T>> : hold_values<T> {};
template <class T> struct holds_values<std::set<T>> : hold_values<T> {};
template <class T> struct holds_values<std::unordered_set<T>> : hold_values<T> {};
template <class K, class T> struct holds_values<std::map<K, T>> : hold_values<K, T> {};
template <class K, class T> struct holds_values<std::unordered_map<K, T>> : hold_values<K, T> {};
template <class T> struct holds_values<std::optional<T>> : hold_values<T> {};
template <class T> struct holds_values<std::unique_ptr<T>> : hold_values<T> {};
template <class T, std::size_t N> struct holds_values<std::array<T, N>> : hold_values<T> {};
template <class A, class B> struct holds_values<std::pair<A, B>> : hold_values<A, B> {};
template <class... T> struct holds_values<std::tuple<T...>> : hold_values<T...> {};
template <class... T> struct holds_values<std::variant<T...>> : hold_values<T...> {};

/// Vectors that can be sent from where they are: their elements have no padding.
template <class V>
concept plain_vector = resizable_range<V> && wire<element_of<V &>>::uniform_type &&
    std::is_same_v<V, std::vector<element_of<V &>>>;

} // namespace detail

/// What can change owner: vectors of elements without padding, and with <lisle/serialize.hpp> all containers
/// of the standard library and aggregates of such, as long as they hold nothing but values.
template <class T>
concept transferable = detail::plain_vector<T> ||(serialized<T> &&detail::holds_values<T>::value);

/// Gives an object away. It is empty afterwards, wherever the other rank lives.
///
///     lisle::hand_over(world, std::move(values), 1);
template <transferable T>
requires(!std::is_reference_v<T>) void hand_over(const communicator &comm, T &&object, int dest,
                                                 int tag = 0) {
    T mine = std::exchange(object, T{});
#if LISLE_USE_EXTENSIONS
    const auto give = [&](auto owner, void *data, std::size_t bytes) {
        using owned = typename decltype(owner)::element_type;
        const auto count = static_cast<MPI_Count>(bytes);
        detail::check(MPIX_Send_owned(
                          data, count,
                          [](void *, MPI_Count, void *given) { delete static_cast<owned *>(given); },
                          owner.get(), dest, tag, comm.native()),
                      "MPIX_Send_owned", named_value{"bytes", count}, named_value{"dest", dest},
                      named_value{"tag", tag});
        static_cast<void>(owner.release());
    };
    if constexpr (detail::plain_vector<T>) {
        auto owner = std::make_unique<T>(std::move(mine));
        void *const data = owner->data();
        const std::size_t bytes = owner->size() * sizeof(typename T::value_type);
        give(std::move(owner), data, bytes);
    } else if (dest == no_rank || comm.shares_memory(dest)) {
        auto owner = std::make_unique<T>(std::move(mine));
        void *const data = owner.get();
        give(std::move(owner), data, sizeof(T));
    } else {
        auto owner = std::make_unique<detail::byte_buffer>(detail::to_bytes(mine));
        void *const data = owner->data();
        const std::size_t bytes = owner->size();
        give(std::move(owner), data, bytes);
    }
#else
    comm.send(mine, dest, tag);
#endif
}

/// Takes over an object of the same type.
///
///     auto values = lisle::take_over<std::vector<double>>(world, 0);
template <transferable T>
[[nodiscard]] T take_over(const communicator &comm, source_rank source, receive_tag tag = any_tag) {
#if LISLE_USE_EXTENSIONS
    struct deed {
        void *data = nullptr;
        MPI_Count bytes = 0;
        MPIX_Free_function *release = nullptr;
        void *given = nullptr;
        deed() = default;
        deed(const deed &) = delete;
        deed &operator=(const deed &) = delete;
        ~deed() {
            if (release != nullptr)
                release(data, bytes, given);
        }
    } mine;
    status ended;
    detail::check(MPIX_Recv_owned(&mine.data, &mine.bytes, &mine.release, &mine.given, source.value(),
                                  tag.value(), comm.native(), ended.native()),
                  "MPIX_Recv_owned", named_value{"source", source.value()}, named_value{"tag", tag.value()});
    if (ended.source() == no_rank)
        return T{};
    if (comm.shares_memory(ended.source()))
        return std::move(*static_cast<T *>(mine.given));
    const std::span bytes{static_cast<const std::byte *>(mine.data), static_cast<std::size_t>(mine.bytes)};
    if constexpr (detail::plain_vector<T>) {
        T values(bytes.size() / sizeof(typename T::value_type));
        if (!values.empty())
            std::memcpy(values.data(), bytes.data(), bytes.size());
        return values;
    } else {
        return detail::serializer<T>::read(bytes);
    }
#else
    return comm.receive<T>(source, tag);
#endif
}

} // namespace lisle
