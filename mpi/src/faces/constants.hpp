// SPDX-License-Identifier: Apache-2.0
// Constants that need more than a table, and arguments that are constants or arrays of them.
#pragma once

#include "faces/chosen/constants.hpp"
#include "faces/room.hpp"
#include "mpi.h"

namespace lisle::face {

/// Codes and classes that a program or a library makes come after the predefined ones.
[[nodiscard]] constexpr int theirs_error(int ours) noexcept {
    if (ours == MPI_SUCCESS) [[likely]] {
        return ours;
    }
    return ours > MPI_ERR_LASTCODE ? ours - MPI_ERR_LASTCODE - 1 + their_first_dynamic_error
                                   : theirs_error_class(ours);
}
[[nodiscard]] constexpr int ours_error(int theirs) noexcept {
    return theirs >= their_first_dynamic_error ? theirs - their_first_dynamic_error + MPI_ERR_LASTCODE + 1
                                               : ours_error_class(theirs);
}

/// A choice buffer, which may be MPI_BOTTOM or MPI_IN_PLACE.
template <class Pointer> [[nodiscard]] Pointer choice_buffer(Pointer given) noexcept {
    if constexpr (their_bottom == 0 && their_in_place == 1) { // as in the standard's interface
        return given;
    } else {
        const auto value = reinterpret_cast<std::intptr_t>(given);
        return value == their_in_place ? static_cast<Pointer>(MPI_IN_PLACE)
               : value == their_bottom ? static_cast<Pointer>(MPI_BOTTOM)
                                       : given;
    }
}

[[nodiscard]] inline const int *edge_weights(const int *given) noexcept {
    const auto value = reinterpret_cast<std::intptr_t>(given);
    return value == their_unweighted      ? MPI_UNWEIGHTED
           : value == their_weights_empty ? MPI_WEIGHTS_EMPTY
                                          : given;
}

[[nodiscard]] inline MPI_T_pvar_handle tool_handle(MPI_T_pvar_handle given) noexcept {
    return reinterpret_cast<std::intptr_t>(given) == their_t_pvar_all_handles ? MPI_T_PVAR_ALL_HANDLES
                                                                              : given;
}

/// A result that is a constant; null is passed on, for Lisle's own check to refuse.
template <auto Theirs> class given_value {
  public:
    explicit given_value(int *into) noexcept : into_{into} {}
    given_value(const given_value &) = delete;
    given_value &operator=(const given_value &) = delete;
    ~given_value() {
        if (into_ != nullptr && value_ != untouched_value) {
            *into_ = Theirs(value_);
        }
    }
    operator int *() noexcept { return into_ == nullptr ? nullptr : &value_; }

  private:
    static constexpr int untouched_value = -0x7fff'ffff;
    int *into_;
    int value_ = untouched_value;
};

template <auto Ours, auto Theirs> class changed_value {
  public:
    explicit changed_value(int *place) noexcept
        : place_{place}, value_{place != nullptr ? Ours(*place) : 0} {}
    changed_value(const changed_value &) = delete;
    changed_value &operator=(const changed_value &) = delete;
    ~changed_value() {
        if (place_ != nullptr) {
            *place_ = Theirs(value_);
        }
    }
    operator int *() noexcept { return place_ == nullptr ? nullptr : &value_; }

  private:
    int *place_;
    int value_;
};

/// An array of which entries may be constants, and which the call reads.
template <auto Ours> class translated {
  public:
    translated(const int *given, int count) noexcept
        : given_{given != nullptr}, all_{given == nullptr ? 0 : count} {
        for (int &value : all_) {
            value = Ours(*given++);
        }
    }
    operator const int *() noexcept { return given_ ? all_.data() : nullptr; }

  private:
    bool given_;
    room<int> all_;
};

/// An array that the call fills, and that is translated in place.
template <auto Theirs> class given_values {
  public:
    given_values(int *into, int count) noexcept : into_{into}, count_{count} {}
    given_values(const given_values &) = delete;
    given_values &operator=(const given_values &) = delete;
    ~given_values() {
        for (int i = 0; into_ != nullptr && i < count_; ++i) {
            into_[i] = Theirs(into_[i]);
        }
    }
    operator int *() noexcept { return into_; }

  private:
    int *into_;
    int count_;
};

} // namespace lisle::face
