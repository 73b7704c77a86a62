// SPDX-License-Identifier: Apache-2.0
// Objects that do not lie in one piece of memory: strings in containers, maps, variants, optionals, pointers
// to polymorphic objects, and any class with a serialize() for cereal. Including this file lets them be sent
// and received like all others, each as one message of bytes. Aggregates need no serialize(): their fields
// are found. Needs cereal (Debian: libcereal-dev).
#pragma once

#if !__has_include(<cereal/cereal.hpp>)
#error "lisle/serialize.hpp needs cereal: install libcereal-dev, or add cereal's include directory."
#endif

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include <cereal/cereal.hpp>
#include <cereal/types/array.hpp>
#include <cereal/types/complex.hpp>
#include <cereal/types/deque.hpp>
#include <cereal/types/list.hpp>
#include <cereal/types/map.hpp>
#include <cereal/types/memory.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/polymorphic.hpp>
#include <cereal/types/set.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/tuple.hpp>
#include <cereal/types/unordered_map.hpp>
#include <cereal/types/unordered_set.hpp>
#include <cereal/types/utility.hpp>
#include <cereal/types/variant.hpp>
#include <cereal/types/vector.hpp>

#include "lisle/transfer.hpp"

namespace lisle {

/// The archive that objects are written into: bytes in memory, numbers as the machine has them.
class byte_writer : public cereal::OutputArchive<byte_writer, cereal::AllowEmptyClassElision> {
  public:
    byte_writer() : OutputArchive{this} {}
    void write(const void *data, std::size_t bytes) {
        std::byte *const end = bytes_.extend(bytes);
        if (bytes != 0)
            std::memcpy(end, data, bytes);
    }
    /// A number of things, and the bytes of them all, in one step.
    void write_counted(std::size_t count, const void *data, std::size_t bytes) {
        const cereal::size_type number = count;
        std::byte *const end = bytes_.extend(sizeof number + bytes);
        std::memcpy(end, &number, sizeof number);
        if (bytes != 0)
            std::memcpy(end + sizeof number, data, bytes);
    }
    /// Everything that was written; the archive is empty then.
    [[nodiscard]] detail::byte_buffer take() { return std::move(bytes_); }

  private:
    detail::byte_buffer bytes_;
};

/// The archive that they are read from. Throws if the message ends too early.
class byte_reader : public cereal::InputArchive<byte_reader, cereal::AllowEmptyClassElision> {
  public:
    explicit byte_reader(std::span<const std::byte> bytes) : InputArchive{this}, bytes_{bytes} {}
    void read(void *data, std::size_t bytes) {
        const std::byte *const from = next(1, bytes);
        if (bytes != 0)
            std::memcpy(data, from, bytes);
    }
    /// Reads a number of things of `each` bytes and goes past them: where they lie is returned.
    const std::byte *read_counted(std::size_t &count, std::size_t each) {
        cereal::size_type number = 0;
        read(&number, sizeof number);
        count = static_cast<std::size_t>(number);
        return next(count, each);
    }

  private:
    const std::byte *next(std::size_t count, std::size_t each) {
        if (each != 0 && count > bytes_.size() / each) [[unlikely]]
            detail::raise(MPI_ERR_TRUNCATE, "lisle::receive",
                          {{"bytes wanted", static_cast<long long>(count * each)},
                           {"bytes left", static_cast<long long>(bytes_.size())}},
                          "the message is too short for an object of this type");
        const std::byte *const here = bytes_.data();
        bytes_ = bytes_.subspan(count * each);
        return here;
    }

    std::span<const std::byte> bytes_;
};

// The same bytes as cereal's own functions would write and read, without the steps between.
template <class C, class Traits, class A>
void CEREAL_SAVE_FUNCTION_NAME(byte_writer &archive, const std::basic_string<C, Traits, A> &text) {
    archive.write_counted(text.size(), text.data(), text.size() * sizeof(C));
}
template <class C, class Traits, class A>
void CEREAL_LOAD_FUNCTION_NAME(byte_reader &archive, std::basic_string<C, Traits, A> &text) {
    std::size_t count = 0;
    const std::byte *const from = archive.read_counted(count, sizeof(C));
    // Grown without being filled with zeros first, if it has to grow.
    if constexpr (sizeof(C) == 1) {
        text.assign(reinterpret_cast<const C *>(from), count);
    } else {
        text.resize(count);
        std::memcpy(text.data(), from, count * sizeof(C));
    }
}

namespace detail {
/// Structs without padding whose fields are numbers of one kind: their bytes are those of their fields.
template <class T> consteval bool is_plain_struct() {
    if constexpr (std::is_class_v<T> && direct<T>)
        return wire<T>::uniform_type && !send_as_bytes<T>;
    else
        return false;
}
} // namespace detail

template <class T, class A>
requires(detail::is_plain_struct<T>()) void CEREAL_SAVE_FUNCTION_NAME(byte_writer &archive,
                                                                      const std::vector<T, A> &objects) {
    archive.write_counted(objects.size(), objects.data(), objects.size() * sizeof(T));
}
template <class T, class A>
requires(detail::is_plain_struct<T>()) void CEREAL_LOAD_FUNCTION_NAME(byte_reader &archive,
                                                                      std::vector<T, A> &objects) {
    std::size_t count = 0;
    const std::byte *const from = archive.read_counted(count, sizeof(T));
    objects.resize(count);
    if (count != 0)
        std::memcpy(static_cast<void *>(objects.data()), from, count * sizeof(T));
}

template <class T>
requires std::is_arithmetic_v<T>
void CEREAL_SAVE_FUNCTION_NAME(byte_writer &archive, const T &value) {
    archive.write(&value, sizeof value);
}
template <class T>
requires std::is_arithmetic_v<T>
void CEREAL_LOAD_FUNCTION_NAME(byte_reader &archive, T &value) {
    archive.read(&value, sizeof value);
}
template <class T> void CEREAL_SAVE_FUNCTION_NAME(byte_writer &archive, const cereal::BinaryData<T> &data) {
    archive.write(data.data, static_cast<std::size_t>(data.size));
}
template <class T> void CEREAL_LOAD_FUNCTION_NAME(byte_reader &archive, cereal::BinaryData<T> &data) {
    archive.read(data.data, static_cast<std::size_t>(data.size));
}
template <class Archive, class T>
requires std::is_same_v<Archive, byte_writer> || std::is_same_v<Archive, byte_reader>
void CEREAL_SERIALIZE_FUNCTION_NAME(Archive &archive, cereal::NameValuePair<T> &pair) {
    archive(pair.value);
}
template <class Archive, class T>
requires std::is_same_v<Archive, byte_writer> || std::is_same_v<Archive, byte_reader>
void CEREAL_SERIALIZE_FUNCTION_NAME(Archive &archive, cereal::SizeTag<T> &size) {
    archive(size.size);
}

namespace detail {

/// An aggregate whose fields are found because it has no functions for cereal of its own.
template <class T>
concept plain_fields = (reflected<T> || names_fields<T>)&&!array_traits<T>::value &&
                       !cereal::traits::has_member_serialize<T, byte_writer>::value &&
                       !cereal::traits::has_member_save<T, byte_writer>::value &&
                       !cereal::traits::has_non_member_save<T, byte_writer>::value;

} // namespace detail

} // namespace lisle

namespace cereal {

template <class Archive, class T>
requires(std::is_same_v<Archive, lisle::byte_writer> || std::is_same_v<Archive, lisle::byte_reader>) &&
    lisle::detail::plain_fields<T> void CEREAL_SERIALIZE_FUNCTION_NAME(Archive &archive, T &object) {
    lisle::detail::visit_fields(object, [&archive](auto &...fields) { archive(fields...); });
}

} // namespace cereal

namespace lisle::detail {

template <class T> consteval bool can_serialize();
template <class... Fields> consteval bool all_serialize(type_list<Fields...>) {
    return (can_serialize<Fields>() && ...);
}
/// Asks cereal only where it answers without an error.
template <class T> consteval bool can_serialize() {
    if constexpr (std::is_pointer_v<T> || std::is_reference_v<T> || std::is_void_v<T> ||
                  std::is_function_v<T> || std::is_union_v<T>)
        return false;
    else if constexpr (std::is_class_v<T> && plain_fields<T>)
        return all_serialize(field_types<T>{});
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

/// Adds up what an object holds, but no further than `limit`.
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
    /// Strings and vectors use the memory that they have.
    static void read_into(std::span<const std::byte> bytes, T &object) {
        byte_reader archive{bytes};
        archive(object);
    }

    /// True if a receiver in the sender's process had better copy the object itself than read its bytes.
    static bool better_copied([[maybe_unused]] const T &object) {
        constexpr std::size_t least = 32768; // shorter ones do not wait for their receiver
        if constexpr (copied_as_value<T>::value)
            return bytes_up_to(least, object) >= least;
        else
            return false;
    }
    static object_reference refer_to(const T &object) {
        return {&object, type_name(),
                [](const void *there) { return write(*static_cast<const T *>(there)); }};
    }
    /// Reads a message where it lies, or copies the object that it refers to.
    static void read_message(std::span<const std::byte> bytes, T &object) {
        const object_reference *const reference = object_reference::in(bytes);
        if (reference == nullptr)
            return read_into(bytes, object);
        if constexpr (copied_as_value<T>::value)
            if (std::strcmp(reference->type, type_name()) == 0) {
                byte_buffer::expect_long_objects();
                object = *static_cast<const T *>(reference->object);
                return;
            }
        read_into(reference->write(reference->object), object); // the receiver wants another type
    }

  private:
    static const char *type_name() noexcept { return __PRETTY_FUNCTION__; }
};

} // namespace lisle::detail

CEREAL_REGISTER_ARCHIVE(lisle::byte_writer)
CEREAL_REGISTER_ARCHIVE(lisle::byte_reader)
CEREAL_SETUP_ARCHIVE_TRAITS(lisle::byte_reader, lisle::byte_writer)
