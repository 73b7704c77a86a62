// SPDX-License-Identifier: Apache-2.0
// How C++ objects become bytes and come back, for tasks that run on other ranks: numbers (complex ones, too),
// strings, vectors, arrays, sets, maps, pairs, tuples, optionals, aggregates of these, and every class with a
// codec of its own. Needs no MPI. What is read comes from a peer: each length is checked against the bytes
// that are there.
#pragma once

#include <array>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "lisle/datatype/fields.hpp"
#include "lisle/datatype/own_functions.hpp"

namespace lisle::tasks {

/// Bytes that are being written.
class encoder {
  public:
    void bytes(const void *data, std::size_t count) {
        const auto *const from = static_cast<const std::byte *>(data);
        written_.insert(written_.end(), from, from + count);
    }
    template <class T>
    requires std::is_trivially_copyable_v<T>
    void number(T number) { bytes(&number, sizeof number); }
    void string(const std::string &content) {
        number<std::uint64_t>(content.size());
        bytes(content.data(), content.size());
    }
    [[nodiscard]] std::vector<std::byte> take() noexcept { return std::move(written_); }
    [[nodiscard]] std::vector<std::byte> &written() noexcept { return written_; }

  private:
    std::vector<std::byte> written_;
};

/// Bytes that are being read. Throws std::runtime_error where they end too early.
class decoder {
  public:
    explicit decoder(std::span<const std::byte> bytes) noexcept : left_{bytes} {}
    std::span<const std::byte> bytes(std::size_t count) {
        if (count > left_.size()) {
            throw std::runtime_error{"a parcel ends too early: " + std::to_string(count) + " bytes wanted, " +
                                     std::to_string(left_.size()) + " left"};
        }
        const auto taken = left_.first(count);
        left_ = left_.subspan(count);
        return taken;
    }
    template <class T>
    requires std::is_trivially_copyable_v<T> T number() {
        T read;
        std::memcpy(&read, bytes(sizeof read).data(), sizeof read);
        return read;
    }
    /// Reads a number of elements of at least `each` bytes. Throws if the bytes cannot hold them.
    std::size_t count(std::size_t each) {
        const auto wanted = number<std::uint64_t>();
        if (wanted > left_.size() / (each == 0 ? 1 : each)) {
            throw std::runtime_error{"a parcel promises " + std::to_string(wanted) + " elements and has " +
                                     std::to_string(left_.size()) + " bytes left"};
        }
        return static_cast<std::size_t>(wanted);
    }
    std::string string() {
        const auto content = bytes(count(1));
        return {reinterpret_cast<const char *>(content.data()), content.size()};
    }
    [[nodiscard]] std::size_t left() const noexcept { return left_.size(); }

  private:
    std::span<const std::byte> left_;
};

/// Specialise it for a class of yours: `write(const T &, encoder &)`, `T read(decoder &)` and
/// `std::size_t size(const T &)`, about as many bytes as it takes.
template <class T> struct codec;

namespace detail {
template <class T> inline constexpr bool is_complex = false;
template <std::floating_point T> inline constexpr bool is_complex<std::complex<T>> = true;
template <class T>
concept plain_number = std::is_arithmetic_v<T> || std::is_enum_v<T> || is_complex<T>;
/// Sets, maps, deques, lists: what is filled element by element.
template <class T>
concept filled_container = std::ranges::sized_range<const T> && std::default_initializable<T> &&
    requires(T all, typename T::value_type item) {
    all.insert(all.end(), std::move(item));
};
template <class T>
concept is_map = requires {
    typename T::mapped_type;
};
} // namespace detail

template <detail::plain_number T> struct codec<T> {
    static void write(const T &number, encoder &out) { out.number(number); }
    static T read(decoder &in) {
        if constexpr (std::is_same_v<T, bool>) {
            return in.number<unsigned char>() != 0;
        } else {
            return in.number<T>();
        }
    }
    static std::size_t size(const T &) noexcept { return sizeof(T); }
};

template <> struct codec<std::string> {
    static void write(const std::string &content, encoder &out) { out.string(content); }
    static std::string read(decoder &in) { return in.string(); }
    static std::size_t size(const std::string &content) noexcept { return 8 + content.size(); }
};

template <class T> struct codec<std::vector<T>> {
    static constexpr bool in_one_piece = detail::plain_number<T> && !std::is_same_v<T, bool>;
    static void write(const std::vector<T> &items, encoder &out) {
        out.number<std::uint64_t>(items.size());
        if constexpr (in_one_piece) {
            out.bytes(items.data(), items.size() * sizeof(T));
        } else {
            for (const auto &item : items) {
                codec<T>::write(item, out);
            }
        }
    }
    static std::vector<T> read(decoder &in) {
        if constexpr (in_one_piece) {
            std::vector<T> items(in.count(sizeof(T)));
            const auto from = in.bytes(items.size() * sizeof(T));
            if (!from.empty()) {
                std::memcpy(items.data(), from.data(), from.size());
            }
            return items;
        } else {
            const std::size_t count = in.count(1);
            std::vector<T> items;
            items.reserve(count);
            for (std::size_t i = 0; i < count; ++i) {
                items.push_back(codec<T>::read(in));
            }
            return items;
        }
    }
    static std::size_t size(const std::vector<T> &items) {
        if constexpr (in_one_piece) {
            return 8 + items.size() * sizeof(T);
        } else {
            std::size_t sum = 8;
            for (const auto &item : items) {
                sum += codec<T>::size(item);
            }
            return sum;
        }
    }
};

template <detail::filled_container T>
requires(!std::is_same_v<T, std::string>) struct codec<T> {
    using element = typename T::value_type;
    static void write(const T &items, encoder &out) {
        out.number<std::uint64_t>(std::ranges::size(items));
        for (const auto &item : items) {
            if constexpr (detail::is_map<T>) {
                codec<typename T::key_type>::write(item.first, out);
                codec<typename T::mapped_type>::write(item.second, out);
            } else {
                codec<element>::write(item, out);
            }
        }
    }
    static T read(decoder &in) {
        T items;
        for (std::size_t left = in.count(1); left != 0; --left) {
            if constexpr (detail::is_map<T>) {
                auto key = codec<typename T::key_type>::read(in);
                items.insert(items.end(), {std::move(key), codec<typename T::mapped_type>::read(in)});
            } else {
                items.insert(items.end(), codec<element>::read(in));
            }
        }
        return items;
    }
    static std::size_t size(const T &items) {
        std::size_t sum = 8;
        for (const auto &item : items) {
            if constexpr (detail::is_map<T>) {
                sum += codec<typename T::key_type>::size(item.first) +
                       codec<typename T::mapped_type>::size(item.second);
            } else {
                sum += codec<element>::size(item);
            }
        }
        return sum;
    }
};

template <class T> struct codec<std::optional<T>> {
    static void write(const std::optional<T> &maybe, encoder &out) {
        out.number<unsigned char>(maybe ? 1 : 0);
        if (maybe) {
            codec<T>::write(*maybe, out);
        }
    }
    static std::optional<T> read(decoder &in) {
        if (in.number<unsigned char>() == 0) {
            return std::nullopt;
        }
        return codec<T>::read(in);
    }
    static std::size_t size(const std::optional<T> &maybe) {
        return 1 + (maybe ? codec<T>::size(*maybe) : 0);
    }
};

template <class T, std::size_t N> struct codec<std::array<T, N>> {
    static void write(const std::array<T, N> &items, encoder &out) {
        for (const T &item : items) {
            codec<T>::write(item, out);
        }
    }
    static std::array<T, N> read(decoder &in) {
        std::array<T, N> items;
        for (T &item : items) {
            item = codec<T>::read(in);
        }
        return items;
    }
    static std::size_t size(const std::array<T, N> &items) {
        std::size_t sum = 0;
        for (const T &item : items) {
            sum += codec<T>::size(item);
        }
        return sum;
    }
};

/// Pairs, tuples, classes that name their fields, and aggregates unless they have a serialize() or the like,
/// which says that they are something else than their fields.
template <class T>
requires(lisle::detail::names_fields<T> ||
         (lisle::detail::reflected<T> && !lisle::detail::has_own_functions<T>())) struct codec<T> {
    static void write(const T &object, encoder &out) {
        lisle::detail::visit_fields(object, [&](const auto &...fields) {
            (codec<std::remove_cvref_t<decltype(fields)>>::write(fields, out), ...);
        });
    }
    static T read(decoder &in) {
        T object{};
        lisle::detail::visit_fields(object, [&](auto &...fields) {
            ((fields = codec<std::remove_cvref_t<decltype(fields)>>::read(in)), ...);
        });
        return object;
    }
    static std::size_t size(const T &object) {
        return lisle::detail::visit_fields(object, [](const auto &...fields) {
            return (std::size_t{0} + ... + codec<std::remove_cvref_t<decltype(fields)>>::size(fields));
        });
    }
};

/// Types whose objects can be sent to tiles of other ranks.
template <class T>
concept encodable = requires(const T &object, encoder &out, decoder &in) {
    codec<T>::write(object, out);
    { codec<T>::read(in) } -> std::same_as<T>;
    { codec<T>::size(object) } -> std::convertible_to<std::size_t>;
};

} // namespace lisle::tasks
