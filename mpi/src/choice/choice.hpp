// SPDX-License-Identifier: Apache-2.0
// What a run decides where MPI leaves it open: which message a receive from any source takes, and the like. A
// run follows choices that it is given and writes down those that it makes, as lines of a file that the
// launcher reads (mpi/docs/design/exploration.md).
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace lisle::choice {

enum class kind : std::uint8_t {
    receive,    ///< which source a receive from any source takes a message of
    probe,      ///< the same of a blocking probe
    poll,       ///< what a probe that does not block finds: a source, or `nothing`
    completion, ///< which of several requests a call finds complete first, by its place
    test,       ///< what a test finds complete, by its place, or `nothing`
    posted,     ///< as `receive`, of a run that was recorded: by the number of all receives that were posted
    turn,       ///< which rank has the next turn at the part of a window that the point's rank has
    look,       ///< as `poll`, of a run that was recorded: of several in vain the first one
    send,       ///< whether a send of the standard mode is buffered (1), or waits for its receive (0)
};

/// What was taken where the answer is "not yet".
inline constexpr int nothing = -1;

/// The n-th choice of this kind that this rank has to make, from 1 on: the same in each run in which the rank
/// has come to it in the same way.
struct point {
    kind what;
    int rank;
    unsigned number;
    friend auto operator<=>(const point &, const point &) = default;
};

struct decision {
    point at;
    int taken;
    std::vector<int> others{}; ///< what could have been taken instead, then; the usual first
    bool departs = false;      ///< from what is usual
    unsigned posting = 0;      ///< of a receive: its number among all that the rank has posted, if known
    bool waits = false;        ///< what is to be taken was not there yet
    std::vector<int> later{};  ///< what has come since, and could perhaps have been waited for
    std::string told{};        ///< the call and its line, where that was asked for
};

/// How a run is made.
enum class manner : std::uint8_t {
    explored, ///< nothing is chosen before no rank can go on
    recorded, ///< as always; what receives from any source take is written down, or as ordered
};

/// Which sends of the standard mode are buffered. The others wait for their receives.
struct buffering {
    static constexpr std::int64_t everything = std::numeric_limits<std::int64_t>::max(), nothing = -1;
    std::int64_t most_bytes = everything; ///< messages up to this
    bool each_chosen = false;             ///< each is a choice of its own
    friend bool operator==(const buffering &, const buffering &) = default;
};

/// What a run is told.
struct orders {
    manner how = manner::explored;
    std::vector<decision> follow{};      ///< by point: their order does not matter
    std::optional<std::uint64_t> seed{}; ///< all else by chance; without it, what comes first is taken first
    buffering sends{};
    bool tells = false; ///< say of each decision which call it is in
};

/// What a run has written.
struct account {
    std::vector<decision> decisions{}; ///< in the order in which they were made
    bool impossible = false;           ///< something waited for has never come: there is no such run
    std::string endless{};             ///< the call that finds nothing for ever, if the run ended for that
    std::string refused{};             ///< the call after which nothing is explored any more
    std::set<int> sizes{};             ///< of messages of the standard mode, as size_class()
};

/// Messages of one class have from 2^(class - 1) to 2^class - 1 bytes; those of class 0 are empty.
[[nodiscard]] int size_class(std::int64_t bytes) noexcept;
[[nodiscard]] std::int64_t most_bytes_of(int size_class) noexcept;

/// Of a folder that the launcher and the process have in common.
inline constexpr const char *orders_file = "orders";
inline constexpr const char *account_file = "account";

[[nodiscard]] std::string_view name_of(kind what) noexcept;
[[nodiscard]] std::string text_of(const decision &made);
[[nodiscard]] std::string text_of(const orders &given);
/// Throws mpi_error (MPI_ERR_FILE) with the line that makes no sense. Lines that begin with '#' are passed
/// over.
[[nodiscard]] orders read_orders(std::string_view text);
[[nodiscard]] account read_account(std::string_view text);

// Lines of an account besides decisions.
[[nodiscard]] std::string text_of_later(std::size_t decision, int could_take);
[[nodiscard]] std::string text_of_impossible();
[[nodiscard]] std::string text_of_endless(const std::string &call);
[[nodiscard]] std::string text_of_refused(const std::string &call);
[[nodiscard]] std::string text_of_sends(int size_class);

} // namespace lisle::choice
