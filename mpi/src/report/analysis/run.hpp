// SPDX-License-Identifier: Apache-2.0
// A run as its report tells it: plain values, made by analyse(). Times are in ns since the first rank began.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "report/analysis/activity.hpp"

namespace lisle::report {

/// Why a call waits. The names are those of the field (Scalasca's patterns).
enum class wait_state : std::uint8_t {
    late_sender,
    late_receiver,
    wait_at_collective,
    late_root,
    early_root,
    in_turn,
    late_neighbour,
    wait_for_lock
};
inline constexpr std::size_t wait_states = 8;
using by_state = std::array<std::uint64_t, wait_states>;

struct call_total {
    std::uint64_t count = 0, time = 0, longest = 0, bytes = 0, wait = 0;
    by_state states{};
    std::map<int, std::uint64_t> waits_for; ///< wait, by the rank that is waited for
};

struct rank_total {
    std::uint64_t begin = 0, end = 0;
    std::uint64_t in_mpi = 0;
    by_state waits{};
    std::uint64_t messages = 0, bytes = 0;
    std::uint64_t memory = 0;                 ///< of its process, the most
    std::uint64_t unexpected = 0, stored = 0; ///< messages; of their bytes the most at a time
    bool closed = false;                      ///< it has come to MPI_Finalize
    std::uint64_t on_path = 0;                ///< of the critical path
    std::string host;
    [[nodiscard]] std::uint64_t time() const noexcept { return end - begin; }
    [[nodiscard]] std::uint64_t computing() const noexcept { return time() - in_mpi; }
};

/// Rows of the pictures: ranks, or several in a row where there are many.
struct fold {
    int ranks = 1, rows = 1, per_row = 1;
    [[nodiscard]] int row(int rank) const noexcept { return rank / per_row; }
};

/// What goes from row to row.
struct square {
    explicit square(int rows = 0)
        : rows{rows}, cells(static_cast<std::size_t>(rows) * static_cast<std::size_t>(rows)) {}
    std::uint64_t &at(int from, int to) {
        return cells[static_cast<std::size_t>(from) * static_cast<std::size_t>(rows) +
                     static_cast<std::size_t>(to)];
    }
    int rows;
    std::vector<std::uint64_t> cells;
};

/// A call that the timeline shows by itself.
struct shown_call {
    int rank;
    std::uint32_t id;
    std::uint32_t place; ///< of run::places
    std::uint64_t begin, end, wait;
    int waits_for; ///< -1: nobody
};

struct path_piece {
    int rank;
    std::uint64_t begin, end;
};

/// Efficiencies as the POP project defines them, from 0 to 1.
struct efficiencies {
    double parallel = 1, load_balance = 1, communication = 1, serialisation = 1, transfer = 1;
};

struct run {
    static constexpr int most_rows = 64;
    static constexpr int bins = 600;
    static constexpr std::size_t most_shown = 40000;

    std::uint64_t duration = 0;
    std::vector<rank_total> ranks;
    std::vector<std::string> places;                                     ///< "solver.c:212"
    std::map<std::pair<std::uint32_t, std::uint32_t>, call_total> calls; ///< by id and place
    fold rows;
    square messages, bytes, waits; ///< from sender to receiver; from who waits to who is waited for
    std::vector<std::array<float, activities>> timeline; ///< share of each activity, by row and bin
    std::vector<std::uint64_t> memory; ///< of a process, the most, by row and bin; 0: nothing is known
    std::vector<shown_call> shown;     ///< the longest
    bool all_shown = true;
    std::map<int, std::pair<std::uint64_t, std::uint64_t>>
        sizes;                       ///< messages and bytes, by the power of two from which on
    std::vector<std::uint64_t> late; ///< by rank: the longest that one other rank has waited for it
    std::vector<path_piece> path;    ///< critical
    std::map<std::pair<int, std::uint64_t>, int> phases; ///< level of MPI_Pcontrol, by rank and time
    efficiencies pop;
    std::uint64_t calls_recorded = 0;
    std::uint64_t window_bytes = 0, file_bytes = 0;
    std::uint64_t clock_error = 0; ///< by which times of different hosts may disagree; 0: there is one host
    std::map<int, std::string> programs; ///< by first rank, if there are several
    std::vector<std::string> remarks;    ///< what the record lacks
};

} // namespace lisle::report
