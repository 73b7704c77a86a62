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
    void write(const void *data, std::size_t bytes) { bytes_.append(data, bytes); }
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
        if (bytes > bytes_.size())
            detail::raise(MPI_ERR_TRUNCATE, "lisle::receive",
                          {{"bytes wanted", static_cast<long long>(bytes)},
                           {"bytes left", static_cast<long long>(bytes_.size())}},
                          "the message is too short for an object of this type");
        if (bytes != 0)
            std::memcpy(data, bytes_.data(), bytes);
        bytes_ = bytes_.subspan(bytes);
    }

  private:
    std::span<const std::byte> bytes_;
};

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
        byte_reader archive{bytes};
        archive(object);
        return object;
    }
};

} // namespace lisle::detail

CEREAL_REGISTER_ARCHIVE(lisle::byte_writer)
CEREAL_REGISTER_ARCHIVE(lisle::byte_reader)
CEREAL_SETUP_ARCHIVE_TRAITS(lisle::byte_reader, lisle::byte_writer)
