// SPDX-License-Identifier: Apache-2.0
// Objects that do not lie in one piece of memory: strings in containers, maps, variants, optionals, pointers
// to polymorphic objects, and any class with a serialize() for cereal. Including this file lets them be sent
// and received like all others, each as one message of bytes. Aggregates need no serialize(): their fields
// are found. Needs cereal (Debian: libcereal-dev).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstring>
#include <new>
#include <span>
#include <vector>

#include "lisle/parallel.hpp"
#include "lisle/serialization/archive.hpp"

namespace lisle::detail {

/// The class that a member function belongs to.
template <class Function> struct member_owner;
template <class Result, class Owner, class... Arguments>
struct member_owner<Result (Owner::*)(Arguments...)> {
    using type = Owner;
};
template <class Result, class Owner, class... Arguments>
struct member_owner<Result (Owner::*)(Arguments...) const> {
    using type = Owner;
};
template <class T, class Function>
inline constexpr bool leaves_fields_out = sizeof(T) != sizeof(typename member_owner<Function>::type);
/// A class with fields of its own and the functions of a base class, which know nothing of them.
template <class T>
concept written_as_base = requires {
    requires leaves_fields_out<T, decltype(&T::template serialize<byte_writer>)>;
}
|| requires {
    requires leaves_fields_out<T, decltype(&T::template save<byte_writer>)>;
};

template <class T> consteval bool can_serialize();
template <class... Fields> consteval bool all_serialize(type_list<Fields...>) {
    return (can_serialize<Fields>() && ...);
}
/// What an object of a class holds that cereal takes whatever that is, and finds out too late.
template <class T> struct held_by : std::false_type {};
template <class T> struct held_by<std::optional<T>> : std::true_type { using types = type_list<T>; };
template <class... T> struct held_by<std::variant<T...>> : std::true_type { using types = type_list<T...>; };
/// Asks cereal only about types for which the question compiles.
template <class T> consteval bool can_serialize() {
    if constexpr (std::is_pointer_v<T> || std::is_reference_v<T> || std::is_void_v<T> ||
                  std::is_function_v<T> || std::is_union_v<T>)
        return false;
    else if constexpr (std::is_class_v<T> && plain_fields<T>)
        return all_serialize(field_types<T>{});
    else if constexpr (held_by<T>::value)
        return all_serialize(typename held_by<T>::types{});
    else if constexpr (std::is_array_v<T>)
        return can_serialize<std::remove_cv_t<std::remove_extent_t<T>>>();
    else if constexpr (written_as_base<T>)
        return false;
    else if constexpr (requires {
                           typename T::value_type;
                           typename T::const_iterator;
                       })
        return can_serialize<std::remove_cv_t<typename T::value_type>>() &&
               cereal::traits::is_output_serializable<T, byte_writer>::value;
    else
        return cereal::traits::is_output_serializable<T, byte_writer>::value &&
               cereal::traits::is_input_serializable<T, byte_reader>::value;
}

/// Objects that a copy and a journey as bytes make alike: values of the standard library all the way down,
/// and no serialize() that might think otherwise.
template <class T> struct copied_as_value;
template <class... Parts> using all_copied = std::bool_constant<(copied_as_value<Parts>::value && ...)>;
template <class... Fields> consteval bool fields_copied(type_list<Fields...>) {
    return all_copied<Fields...>::value;
}
template <class T> consteval bool copies() {
    if constexpr (basic<T>)
        return true;
    else if constexpr (std::is_class_v<T> && plain_fields<T>)
        return fields_copied(field_types<T>{});
    else
        return false;
}
template <class T> struct copied_as_value : std::bool_constant<copies<T>()> {};
template <class C> struct copied_as_value<std::basic_string<C>> : copied_as_value<C> {};
template <class T> struct copied_as_value<std::vector<T>> : copied_as_value<T> {};
template <class T> struct copied_as_value<std::deque<T>> : copied_as_value<T> {};
template <class T> struct copied_as_value<std::list<T>> : copied_as_value<T> {};
template <class T> struct copied_as_value<std::set<T>> : copied_as_value<T> {};
template <class T> struct copied_as_value<std::unordered_set<T>> : copied_as_value<T> {};
template <class K, class T> struct copied_as_value<std::map<K, T>> : all_copied<K, T> {};
template <class K, class T> struct copied_as_value<std::unordered_map<K, T>> : all_copied<K, T> {};
template <class T> struct copied_as_value<std::optional<T>> : copied_as_value<T> {};
template <class T, std::size_t N> struct copied_as_value<std::array<T, N>> : copied_as_value<T> {};
template <class A, class B> struct copied_as_value<std::pair<A, B>> : all_copied<std::remove_cv_t<A>, B> {};
template <class... T> struct copied_as_value<std::tuple<T...>> : all_copied<T...> {};

/// Adds up the bytes that an object holds, up to `limit`.
template <class T> std::size_t bytes_up_to(std::size_t limit, const T &object) {
    if constexpr (direct_range<const T &>) {
        return std::ranges::size(object) * sizeof(element_of<const T &>);
    } else if constexpr (std::ranges::range<const T &>) {
        std::size_t sum = 0;
        for (const auto &each : object)
            if ((sum += bytes_up_to(limit, each)) >= limit)
                break;
        return sum;
    } else if constexpr (direct<T>) {
        return sizeof(T);
    } else if constexpr (requires { object.has_value(); }) {
        return object.has_value() ? bytes_up_to(limit, *object) : 0;
    } else {
        return visit_fields(object, [limit](const auto &...fields) {
            return (std::size_t{0} + ... + bytes_up_to(limit, fields));
        });
    }
}

/// Copies an object, the elements of a vector on several threads if ranks of the process wait.
template <class T> void copy_in_parts(const T &from, T &to) {
    to = from;
}
template <class T>
requires(!std::is_same_v<T, bool>) // bits share bytes
    void copy_in_parts(const std::vector<T> &from, std::vector<T> &to) {
    constexpr std::size_t parts = 16;
    to.resize(from.size());
    std::atomic<bool> out_of_memory = false; // relaxed: read after the end of all parts
    parallel_for(static_cast<MPI_Count>(from.size()), static_cast<MPI_Count>(from.size() / parts + 1),
                 [&](MPI_Count index) {
                     const auto i = static_cast<std::size_t>(index);
                     try {
                         to[i] = from[i];
                     } catch (const std::bad_alloc &) {
                         out_of_memory.store(true, std::memory_order_relaxed);
                     }
                 });
    if (out_of_memory.load(std::memory_order_relaxed))
        throw std::bad_alloc{};
}

template <class T>
requires(can_serialize<T>() && std::is_default_constructible_v<T>) struct serializer<T> {
    static constexpr bool available = true;
    static byte_buffer write(const T &object) {
        byte_writer archive;
        archive(object);
        return archive.take();
    }
    static T read(std::span<const std::byte> bytes) {
        T object{};
        read_into(bytes, object);
        return object;
    }
    /// Strings and vectors reuse their memory.
    static void read_into(std::span<const std::byte> bytes, T &object) {
        byte_reader archive{bytes};
        archive(object);
    }

    /// True for a long object of values, which had better be copied by a receiver in the sender's process,
    /// and otherwise be read while it is still being written.
    static bool long_values([[maybe_unused]] const T &object) {
        constexpr std::size_t least = 32768; // shorter objects do not wait for their receiver
        if constexpr (copied_as_value<T>::value)
            return bytes_up_to(least, object) >= least;
        else
            return false;
    }
    /// Reads a message where it lies, or copies the object that it refers to. Calls nothing of MPI.
    static void read_message(std::span<const std::byte> bytes, T &object) {
        if (const object_reference *const reference = object_reference::in(bytes))
            copy_from(*reference, object, copying::alone);
        else
            read_into(bytes, object);
    }

#if LISLE_USE_EXTENSIONS
    /// The object stays where it is until the receiver, in the same memory, has copied it. To others it is
    /// sent as it is written. @pre long_values(object)
    static void send_long(const T &object, const char *call, int dest, int tag, MPI_Comm comm) {
        int here = 0;
        check(MPIX_Comm_shares_memory(comm, dest, &here), call, named_value{"dest", dest},
              named_value{"tag", tag});
        if (here != 0) {
            const object_reference reference{&object, type_name(), [](const void *there) {
                                                 return write(*static_cast<const T *>(there));
                                             }};
            check(MPI_Ssend_c(&reference, MPI_Count{sizeof reference}, MPI_BYTE, dest, tag, comm), call,
                  named_value{"dest", dest}, named_value{"tag", tag});
        } else {
            byte_counter counter;
            write_to(counter, object);
            outgoing_pieces message{counter.count, dest, tag, comm};
            write_to(message, object);
            message.finish();
        }
    }
    /// Reads what a matched probe has taken while it comes. The sender of a reference waits meanwhile, so it
    /// helps.
    static void read_matched(MPI_Message matched, const MPI_Status &found, T &object) {
        incoming_pieces message{matched};
        MPI_Count bytes = 0;
        check(MPI_Get_count_c(&found, MPI_BYTE, &bytes), "MPI_Get_count");
        if (found.MPI_SOURCE == MPI_PROC_NULL)
            return;
        const auto first = message.next();
        const auto behind = static_cast<std::size_t>(bytes) - first.size();
        if (const object_reference *const reference = behind == 0 ? object_reference::in(first) : nullptr) {
            copy_from(*reference, object, copying::with_help);
        } else {
            byte_reader archive{first, behind, message};
            archive(object);
        }
    }
#endif

  private:
    static void write_to(byte_sink &to, const T &object) {
        byte_writer archive{to};
        archive(object);
    }
    enum class copying : bool { alone, with_help };
    static void copy_from(const object_reference &reference, T &object, [[maybe_unused]] copying how) {
        if constexpr (copied_as_value<T>::value)
            if (std::strcmp(reference.type, type_name()) == 0) {
                byte_buffer::expect_long_objects();
                if (how == copying::with_help)
                    copy_in_parts(*static_cast<const T *>(reference.object), object);
                else
                    object = *static_cast<const T *>(reference.object);
                return;
            }
        read_into(reference.write(reference.object), object); // the receiver's type is another one
    }
    static const char *type_name() noexcept {
        return __PRETTY_FUNCTION__;
    }
};

} // namespace lisle::detail
