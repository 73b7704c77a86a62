// SPDX-License-Identifier: Apache-2.0
// Statuses that a call fills, reads or changes: each class here is used for one argument of one call.
#pragma once

#include <limits>

#include "base/status_fields.hpp"
#include "faces/chosen/status.hpp"
#include "faces/constants.hpp"
#include "faces/room.hpp"

namespace lisle::face {

/// Stands in MPI_ERROR while a call is under way that may leave it as it is.
inline constexpr int untouched = std::numeric_limits<int>::min();

inline void to_ours(const their_status &from, MPI_Status &into) noexcept {
    into.MPI_SOURCE = ours_rank(from.MPI_SOURCE);
    into.MPI_TAG = ours_tag(from.MPI_TAG);
    into.MPI_ERROR = ours_error(from.MPI_ERROR);
    store_size(into, from.size());
    store_cancelled(into, from.is_cancelled());
}

inline void to_theirs(const MPI_Status &from, their_status &into) noexcept {
    into.MPI_SOURCE = theirs_rank(from.MPI_SOURCE);
    into.MPI_TAG = theirs_tag(from.MPI_TAG);
    if (from.MPI_ERROR != untouched) {
        into.MPI_ERROR = theirs_error(from.MPI_ERROR);
    }
    into.set_size(size_in(from));
    into.set_cancelled(cancelled_in(from));
}

/// A null pointer is passed on as one, which is the standard's MPI_STATUS_IGNORE.
[[nodiscard]] inline bool is_ignored(const their_status *status) noexcept {
    return status == status_ignore || status == nullptr;
}

/// A status that the call fills, if it does.
class given_status {
  public:
    explicit given_status(their_status *into) noexcept : into_{into} {
        value_.MPI_SOURCE = untouched;
        value_.MPI_ERROR = untouched;
    }
    given_status(const given_status &) = delete;
    given_status &operator=(const given_status &) = delete;
    ~given_status() {
        if (!is_ignored(into_) && value_.MPI_SOURCE != untouched) {
            to_theirs(value_, *into_);
        }
    }
    operator MPI_Status *() noexcept { return is_ignored(into_) ? MPI_STATUS_IGNORE : &value_; }

  private:
    their_status *into_;
    MPI_Status value_;
};

/// A status that the call reads.
class read_status {
  public:
    explicit read_status(const their_status *from) noexcept : given_{!is_ignored(from)} {
        if (given_) {
            to_ours(*from, value_);
        }
    }
    operator const MPI_Status *() noexcept { return given_ ? &value_ : nullptr; }

  private:
    bool given_;
    MPI_Status value_;
};

/// A status of which the call changes a part.
class changed_status {
  public:
    explicit changed_status(their_status *place) noexcept : place_{place} {
        if (!is_ignored(place)) {
            to_ours(*place, value_);
        }
    }
    changed_status(const changed_status &) = delete;
    changed_status &operator=(const changed_status &) = delete;
    ~changed_status() {
        if (!is_ignored(place_)) {
            to_theirs(value_, *place_);
        }
    }
    operator MPI_Status *() noexcept { return is_ignored(place_) ? nullptr : &value_; }

  private:
    their_status *place_;
    MPI_Status value_;
};

/// Statuses that the call fills, as many of `count` as it does.
class given_statuses {
  public:
    given_statuses(their_status *into, int count) noexcept
        : into_{into}, ignored_{into == statuses_ignore || is_ignored(into)}, all_{ignored_ ? 0 : count} {
        for (MPI_Status &status : all_) {
            status.MPI_SOURCE = untouched;
            status.MPI_ERROR = untouched;
        }
    }
    given_statuses(const given_statuses &) = delete;
    given_statuses &operator=(const given_statuses &) = delete;
    ~given_statuses() {
        their_status *next = into_;
        for (const MPI_Status &status : all_) {
            if (status.MPI_SOURCE != untouched) {
                to_theirs(status, *next);
            } else if (status.MPI_ERROR != untouched) {
                next->MPI_ERROR = theirs_error(status.MPI_ERROR);
            }
            ++next;
        }
    }
    operator MPI_Status *() noexcept { return ignored_ ? MPI_STATUSES_IGNORE : all_.data(); }

  private:
    their_status *into_;
    bool ignored_;
    room<MPI_Status> all_;
};

} // namespace lisle::face
