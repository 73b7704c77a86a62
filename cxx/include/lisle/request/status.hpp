// SPDX-License-Identifier: Apache-2.0
// The status of a message: its source, tag and length. And the wildcards, which are types of their own so
// that no rank or tag is mistaken for one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "lisle/datatype/datatype.hpp"
#include "lisle/detail/attempt.hpp"
#include "lisle/detail/error.hpp"

namespace lisle {

/// What any_source is.
struct any_source_t {};
/// What any_tag is.
struct any_tag_t {};
/// Any rank: `world.receive<int>(any_source)`.
inline constexpr any_source_t any_source{};
/// Any tag.
inline constexpr any_tag_t any_tag{};
/// No rank: a message to it is dropped, one from it is empty. The neighbour beyond the end of a row of
/// ranks.
inline constexpr int no_rank = MPI_PROC_NULL;

/// A rank to receive from, or any_source.
class source_rank {
  public:
    constexpr source_rank(int rank) noexcept : value_{rank} {}
    constexpr source_rank(any_source_t) noexcept : value_{MPI_ANY_SOURCE} {}
    /// The rank as a number; MPI_ANY_SOURCE for any_source.
    [[nodiscard]] constexpr int value() const noexcept { return value_; }

  private:
    int value_;
};

/// A tag: a number, or an enumerator of a scoped enum of the program's.
///
///     enum class news { position, end };
///     world.send(p, 1, news::position);
class message_tag {
  public:
    constexpr message_tag(int tag) noexcept : value_{tag} {}
    message_tag(any_tag_t) = delete; // for receives only: a send has a tag
    template <class Enum>
    requires(std::is_enum_v<Enum>) constexpr message_tag(Enum tag) noexcept : value_{static_cast<int>(tag)} {}
    /// The tag as a number.
    [[nodiscard]] constexpr int value() const noexcept { return value_; }

  private:
    int value_;
};

/// A tag to receive, or any_tag.
class receive_tag {
  public:
    constexpr receive_tag(message_tag tag) noexcept : value_{tag.value()} {}
    constexpr receive_tag(int tag) noexcept : value_{tag} {}
    template <class Enum>
    requires(std::is_enum_v<Enum>) constexpr receive_tag(Enum tag) noexcept : value_{static_cast<int>(tag)} {}
    constexpr receive_tag(any_tag_t) noexcept : value_{MPI_ANY_TAG} {}
    /// The tag as a number; MPI_ANY_TAG for any_tag.
    [[nodiscard]] constexpr int value() const noexcept { return value_; }

  private:
    int value_;
};

namespace detail {

/// Bytes of the message that a status is about. Lisle's statuses have them in their first two internal words,
/// low half first, which is part of its binary interface: every receive of one object asks, so it is no call.
inline MPI_Count bytes_of(const MPI_Status &ended) {
#if LISLE_USE_EXTENSIONS
    return static_cast<MPI_Count>(
        static_cast<std::uint64_t>(static_cast<std::uint32_t>(ended.MPI_internal[1])) << 32 |
        static_cast<std::uint32_t>(ended.MPI_internal[0]));
#else
    MPI_Count bytes = 0;
    check(MPI_Get_elements_c(&ended, MPI_BYTE, &bytes), "MPI_Get_elements");
    return bytes;
#endif
}

/// The rank of a message; no_rank if it was to come from there. Open MPI tells MPI_ANY_SOURCE instead then.
inline int source_of(const MPI_Status &ended) noexcept {
#if !LISLE_USE_EXTENSIONS
    if (ended.MPI_SOURCE == MPI_ANY_SOURCE)
        return no_rank;
#endif
    return ended.MPI_SOURCE;
}

/// Throws unless the message was a whole T, or came from no_rank.
template <direct T> void require_whole(const MPI_Status &ended) {
    constexpr auto wanted = static_cast<MPI_Count>(bytes_on_wire<T>());
    const MPI_Count bytes = bytes_of(ended);
    if (bytes != wanted && source_of(ended) != no_rank) [[unlikely]]
        raise(MPI_ERR_TRUNCATE, "lisle::receive",
              {{"source", ended.MPI_SOURCE},
               {"tag", ended.MPI_TAG},
               {"bytes", bytes},
               {"bytes of an object", wanted}},
              "the message is shorter than the object that is received");
}

} // namespace detail

/// The status of a message that was received or probed.
///
///     lisle::status s = world.probe(lisle::any_source);
///     std::vector<double> values(s.count<double>());
class status {
  public:
    status() noexcept : value_{} {}
    explicit status(const MPI_Status &value) noexcept : value_{value} {}

    /// The rank that has sent the message.
    [[nodiscard]] int source() const noexcept { return detail::source_of(value_); }
    [[nodiscard]] int tag() const noexcept { return value_.MPI_TAG; }
    /// The tag as an enumerator: `s.tag<news>()`.
    template <class Enum>
    requires(std::is_enum_v<Enum>) [[nodiscard]] Enum tag() const noexcept {
        return static_cast<Enum>(value_.MPI_TAG);
    }
    /// Number of objects of type T; throws if the message does not consist of whole ones.
    template <direct T> [[nodiscard]] std::size_t count() const {
        MPI_Count elements = 0;
        detail::check(MPI_Get_count_c(&value_, detail::wire<T>::type(), &elements), "MPI_Get_count");
        if (elements == MPI_UNDEFINED || elements % detail::wire<T>::count != 0) [[unlikely]]
            detail::raise(MPI_ERR_TRUNCATE, "MPI_Get_count",
                          {{"bytes", bytes()}, {"object size", static_cast<long long>(sizeof(T))}},
                          "the message does not consist of whole objects of this type");
        return static_cast<std::size_t>(elements / detail::wire<T>::count);
    }
    /// The length of the message.
    [[nodiscard]] MPI_Count bytes() const { return detail::bytes_of(value_); }
    /// True if the operation was cancelled before it was matched (MPI_Test_cancelled).
    [[nodiscard]] bool cancelled() const {
        int flag = 0;
        detail::check(MPI_Test_cancelled(&value_, &flag), "MPI_Test_cancelled");
        return flag != 0;
    }
    /// For calls of C that fill it.
    [[nodiscard]] MPI_Status *native() noexcept { return &value_; }
    [[nodiscard]] const MPI_Status *native() const noexcept { return &value_; }

  private:
    MPI_Status value_;
};

} // namespace lisle
