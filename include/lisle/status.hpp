// SPDX-License-Identifier: Apache-2.0
// Who sent a message, with which tag, and how long it was; and the wildcards, which are types of their own
// so that no rank or tag can be taken for one.
#pragma once

#include <cstddef>

#include "lisle/datatype.hpp"
#include "lisle/error.hpp"

namespace lisle {

struct any_source_t {};
struct any_tag_t {};
/// Any rank: `world.receive<int>(any_source)`.
inline constexpr any_source_t any_source{};
/// Whatever the tag.
inline constexpr any_tag_t any_tag{};
/// Sending to nobody, receiving nothing: the end of a row of ranks.
inline constexpr int no_rank = MPI_PROC_NULL;

/// A rank to receive from, or any_source.
class source_rank {
  public:
    constexpr source_rank(int rank) noexcept : value_{rank} {}
    constexpr source_rank(any_source_t) noexcept : value_{MPI_ANY_SOURCE} {}
    [[nodiscard]] constexpr int value() const noexcept { return value_; }

  private:
    int value_;
};

/// A tag to receive, or any_tag.
class receive_tag {
  public:
    constexpr receive_tag(int tag) noexcept : value_{tag} {}
    constexpr receive_tag(any_tag_t) noexcept : value_{MPI_ANY_TAG} {}
    [[nodiscard]] constexpr int value() const noexcept { return value_; }

  private:
    int value_;
};

/// What is known of a message that was received or probed.
///
///     lisle::status s = world.probe(lisle::any_source);
///     std::vector<double> values(s.count<double>());
class status {
  public:
    status() noexcept : value_{} {}
    explicit status(const MPI_Status &value) noexcept : value_{value} {}

    [[nodiscard]] int source() const noexcept { return value_.MPI_SOURCE; }
    [[nodiscard]] int tag() const noexcept { return value_.MPI_TAG; }
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
    [[nodiscard]] MPI_Count bytes() const {
        MPI_Count result = 0;
        detail::check(MPI_Get_elements_c(&value_, MPI_BYTE, &result), "MPI_Get_elements");
        return result;
    }
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
