// SPDX-License-Identifier: Apache-2.0
// The two archives of cereal for objects that are sent as bytes. One writes to a buffer, or to a message that
// is sent meanwhile; the other reads a message that has arrived, or one that still arrives.
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

#include "lisle/datatype/transfer.hpp"
#include "lisle/serialization/pieces.hpp"

namespace lisle {

/// The archive for writing: bytes in memory, numbers in the machine's representation.
class byte_writer : public cereal::OutputArchive<byte_writer, cereal::AllowEmptyClassElision> {
  public:
    byte_writer() : OutputArchive{this} {}
    /// Writes to `elsewhere`, not into a buffer of its own.
    explicit byte_writer(detail::byte_sink &elsewhere) : OutputArchive{this}, elsewhere_{&elsewhere} {}
    void write(const void *data, std::size_t bytes) {
        if (elsewhere_ != nullptr)
            return elsewhere_->write(data, bytes);
        std::byte *const end = bytes_.extend(bytes);
        if (bytes != 0)
            std::memcpy(end, data, bytes);
    }
    /// A number of elements, and the bytes of all of them.
    void write_counted(std::size_t count, const void *data, std::size_t bytes) {
        const cereal::size_type number = count;
        if (elsewhere_ != nullptr) {
            elsewhere_->write(&number, sizeof number);
            return elsewhere_->write(data, bytes);
        }
        std::byte *const end = bytes_.extend(sizeof number + bytes);
        std::memcpy(end, &number, sizeof number);
        if (bytes != 0)
            std::memcpy(end + sizeof number, data, bytes);
    }
    /// Takes the bytes out of the archive's buffer.
    [[nodiscard]] detail::byte_buffer take() { return std::move(bytes_); }

  private:
    detail::byte_buffer bytes_;
    detail::byte_sink *elsewhere_ = nullptr;
};

/// The archive for reading. Throws if the message ends too early.
class byte_reader : public cereal::InputArchive<byte_reader, cereal::AllowEmptyClassElision> {
  public:
    explicit byte_reader(std::span<const std::byte> bytes) : InputArchive{this}, bytes_{bytes} {}
    /// @param first the bytes that have arrived @param behind number of bytes that follow from `more`
    byte_reader(std::span<const std::byte> first, std::size_t behind, detail::byte_source &more)
        : InputArchive{this}, bytes_{first}, behind_{behind}, more_{&more} {}

    void read(void *data, std::size_t bytes) {
        if (bytes > bytes_.size()) [[unlikely]]
            return read_across(static_cast<std::byte *>(data), bytes);
        if (bytes != 0)
            std::memcpy(data, bytes_.data(), bytes);
        bytes_ = bytes_.subspan(bytes);
    }
    /// Reads the number of elements of `each` bytes that follow. Throws if the message cannot hold them.
    std::size_t read_count(std::size_t each) {
        cereal::size_type count = 0;
        read(&count, sizeof count);
        require(static_cast<std::size_t>(count), each);
        return static_cast<std::size_t>(count);
    }
    /// The same; if all of them have arrived it skips them and returns their place. Null: nothing was read.
    const std::byte *read_here(std::size_t &count, std::size_t each) {
        cereal::size_type number = 0;
        if (bytes_.size() < sizeof number)
            return nullptr;
        std::memcpy(&number, bytes_.data(), sizeof number);
        if (number > (bytes_.size() - sizeof number) / each)
            return nullptr;
        count = static_cast<std::size_t>(number);
        const std::byte *const here = bytes_.data() + sizeof number;
        bytes_ = bytes_.subspan(sizeof number + count * each);
        return here;
    }
    /// Throws unless so many elements of `each` bytes can follow.
    void require(std::size_t count, std::size_t each) const {
        const std::size_t left = bytes_.size() + behind_;
        if (count > left / each) [[unlikely]]
            detail::raise(MPI_ERR_TRUNCATE, "lisle::receive",
                          {{"wanted", static_cast<long long>(count)},
                           {"bytes of each", static_cast<long long>(each)},
                           {"bytes left", static_cast<long long>(left)}},
                          "the message is too short for an object of this type");
    }

  private:
    /// Reads bytes of which only a part has arrived.
    [[gnu::noinline]] void read_across(std::byte *to, std::size_t bytes) {
        require(bytes, 1);
        while (bytes != 0) {
            if (bytes_.empty()) {
                bytes_ = more_->next();
                behind_ -= bytes_.size();
            }
            const auto part = bytes_.first(std::min(bytes, bytes_.size()));
            to = std::copy(part.begin(), part.end(), to);
            bytes_ = bytes_.subspan(part.size());
            bytes -= part.size();
        }
    }

    std::span<const std::byte> bytes_;
    std::size_t behind_ = 0;
    detail::byte_source *more_ = nullptr;
};

// Write and read the same bytes as cereal's own functions, in one step.
template <class C, class Traits, class A>
void CEREAL_SAVE_FUNCTION_NAME(byte_writer &archive, const std::basic_string<C, Traits, A> &text) {
    archive.write_counted(text.size(), text.data(), text.size() * sizeof(C));
}
namespace detail {
/// Reads a string that has not arrived completely, or is malformed.
template <class Text> [[gnu::noinline]] void read_text_across(byte_reader &archive, Text &text) {
    text.resize(archive.read_count(sizeof(text[0])));
    archive.read(text.data(), text.size() * sizeof(text[0]));
}
} // namespace detail
template <class C, class Traits, class A>
void CEREAL_LOAD_FUNCTION_NAME(byte_reader &archive, std::basic_string<C, Traits, A> &text) {
    std::size_t count = 0;
    const std::byte *const from = archive.read_here(count, sizeof(C));
    if (from == nullptr)
        return detail::read_text_across(archive, text);
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
    objects.resize(archive.read_count(sizeof(T)));
    archive.read(objects.data(), objects.size() * sizeof(T));
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
template <class T> void CEREAL_SAVE_FUNCTION_NAME(byte_writer &archive, const cereal::SizeTag<T> &size) {
    archive(size.size);
}
/// The number of elements to reserve room for. Each takes a byte at least, except for empty classes.
template <class T> void CEREAL_LOAD_FUNCTION_NAME(byte_reader &archive, cereal::SizeTag<T> &size) {
    constexpr cereal::size_type harmless = 65536;
    archive(size.size);
    if (size.size > harmless)
        archive.require(static_cast<std::size_t>(size.size), 1);
}

namespace detail {

/// An aggregate whose fields are found because it has no functions for cereal of its own.
template <class T>
concept plain_fields = (reflected<T> || names_fields<T>)&&!array_traits<T>::value &&
                       !has_own_functions<T>() && !cereal::traits::has_member_serialize<T, byte_writer>::value
                       && !cereal::traits::has_member_save<T, byte_writer>::value &&
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

CEREAL_REGISTER_ARCHIVE(lisle::byte_writer)
CEREAL_REGISTER_ARCHIVE(lisle::byte_reader)
CEREAL_SETUP_ARCHIVE_TRAITS(lisle::byte_reader, lisle::byte_writer)
