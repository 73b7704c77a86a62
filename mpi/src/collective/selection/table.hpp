// SPDX-License-Identifier: Apache-2.0
// The table of algorithms (table.cpp): for each collective, the algorithms that it has, in order of
// preference, with what each cannot do without, when it is chosen, and how it is carried out. An algorithm is
// added by one row. What LISLE_SHOW=collectives prints is made from the table.
#pragma once

#include <atomic>
#include <cstdint>
#include <new>
#include <optional>
#include <span>
#include <string>

#include "collective/selection/situation.hpp"
#include "collective/steps/schedule.hpp"

namespace lisle::collective {

inline constexpr MPI_Count any_size = INT64_MAX;
inline constexpr int any_ranks = INT32_MAX;

/// Sizes of calls, in bytes, ends included.
struct size_range {
    MPI_Count least = 0, most = any_size;
};

/// When an algorithm is chosen.
struct limits {
    MPI_Count least = 0, most = any_size; ///< bytes
    int least_ranks = 0;
    MPI_Count least_between = 0;        ///< bytes, if the ranks are in several processes
    MPI_Count most_between = 0;         ///< the same; 0: `most`
    int most_ranks_between = any_ranks; ///< for more than `most` bytes between processes
    int least_ranks_between = 0;        ///< not 0: the ranks are in several processes
    int most_ranks = any_ranks;         ///< if the ranks are in several processes
    bool only_by_setting = false;
    /// Where all that does not say it.
    size_range (*in)(const situation &given) noexcept = nullptr;
};

/// Whom an algorithm runs among.
struct parties {
    const team &ranks;
    communicator *comm;
    bool may_use_area;
};

/// How an algorithm is carried out. At least one of `write` and `at_once` is there.
struct way {
    bool (*possible)(const situation &given) noexcept; ///< what it cannot do without
    /// Writes the steps of the calling rank.
    void (*write)(schedule &plan, const parties &among, const operands &data) = nullptr;
    /// Does a blocking call without a schedule. The call has been checked. @param bytes see sizes
    void (*at_once)(communicator &comm, MPI_Count bytes, const operands &data) = nullptr;
    const char *words = "";   ///< what it cannot do without
    bool posts = false;       ///< in the collective area, which has to take that
    bool asks_places = false; ///< `possible` depends on where the ranks are
    bool sends = false;       ///< messages that are complete only when they have been awaited

    /// Counts the call and does it. A lack of memory that it throws (std::bad_alloc) comes before the call
    /// has begun: it is as if it had not been made. @pre at_once != nullptr
    void do_at_once(communicator &comm, MPI_Count bytes, const operands &data) const {
        communicator::count_one(comm.collectives);
        try {
            at_once(comm, bytes, data);
        } catch (const std::bad_alloc &) {
            // As communicator::count_one(): no two threads are here at once.
            comm.collectives.store(comm.collectives.load(std::memory_order_relaxed) - 1,
                                   std::memory_order_relaxed);
            throw;
        }
    }
};

struct row {
    operation what;
    algorithm use;
    bool (*needs)(const situation &given) noexcept; ///< besides what its way cannot do without
    limits when;
    way how;
};

/// The rows of an operation, in order of preference. The last one is always possible.
[[nodiscard]] std::span<const row> rows_of(operation what) noexcept;

[[nodiscard]] inline bool possible(const row &each, const situation &given) noexcept {
    return each.how.possible(given) && each.needs(given);
}
/// The sizes for which a row is chosen. None: `most` is less than `least`. @pre possible(each, given)
[[nodiscard]] size_range range_of(const row &each, const situation &given) noexcept;

/// Writes what some ranks of a communicator do among themselves, in messages or in their area: see
/// part_writer.
void write_part(schedule &plan, operation what, const team &ranks, const sizes &asked, const operands &data);

/// The algorithm that a setting asks for, if one does.
[[nodiscard]] std::optional<algorithm> asked_for(operation what) noexcept;

/// A line for each row, with what settings force.
[[nodiscard]] std::string describe_selection();

} // namespace lisle::collective
