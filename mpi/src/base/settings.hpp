// SPDX-License-Identifier: Apache-2.0
// Everything that an environment variable LISLE_* can set. Name, default, limits and meaning of each setting
// stand in one table (settings_table.cpp); each is read once, checked, and reported if it is wrong. The page
// mpi/docs/settings.md, `lislerun --help settings` and the control variables of MPI_T are made from the same
// table.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/collective_algorithms.hpp"

namespace lisle {

/// In the order of the table: numbers and words, texts from `first_text` on. Each has the name of its
/// variable, LISLE_EAGER_LIMIT is eager_limit (made by tools/generate_names.py).
enum class setting : unsigned char {
#include "base/setting_names.inc"
    /// The algorithms of the collectives, in the order of collective_operation (collective_algorithms.hpp):
    /// together they are the text of `collectives`.
    first_algorithm,
    count = first_algorithm + static_cast<unsigned char>(collective_operation::count),
};

/// The setting that forces the algorithm of this operation.
[[nodiscard]] constexpr setting algorithm_of(collective_operation what) noexcept {
    return static_cast<setting>(static_cast<unsigned char>(setting::first_algorithm) +
                                static_cast<unsigned char>(what));
}
[[nodiscard]] constexpr bool is_algorithm(setting which) noexcept {
    return which >= setting::first_algorithm;
}
[[nodiscard]] constexpr bool is_text(setting which) noexcept {
    return which >= setting::first_text && which < setting::first_algorithm;
}

/// The people that a setting is for.
enum class audience : unsigned char {
    users,
    experts,   ///< people who tune, or look for a fault
    launching, ///< read by lislerun, or for jobs that a program starts
    tiles,     ///< people who simulate a tile processor
};

/// A row of the table.
struct setting_description {
    std::string name; ///< environment variable; of an algorithm: LISLE_COLLECTIVES.bcast
    audience read_by = audience::users;
    std::int64_t default_value = 0;
    std::int64_t least = 0;
    std::int64_t most = 0;
    std::string meaning;
    /// Words that stand for the values from `least` on, separated by '|'; empty: there are none. Where `most`
    /// is greater than the last word's value, numbers may stand as well.
    std::string words;

    /// True if there is a word for each value.
    [[nodiscard]] bool is_enumeration() const noexcept;
    /// The value of such a word or number; nothing if it is neither, or outside the limits.
    [[nodiscard]] std::optional<std::int64_t> value_of(std::string_view text) const noexcept;
    /// The word or number that stands for a value.
    [[nodiscard]] std::string text_of(std::int64_t value) const;
    /// "auto|spin|yield|park", "0 to 3600", "off|auto or 0 to 1099511627776", "text".
    [[nodiscard]] std::string values() const;
};

/// Values of setting::wait: how a rank waits. From 0 on: how often it polls before it sleeps.
enum class wait_manner : std::int64_t {
    adaptive = -4, ///< chosen by the numbers of ranks and cores, and the kind of rank
    spin,          ///< never gives its core away, but to fibers of the same worker
    yield,         ///< gives its core away again and again, never sleeps
    park,          ///< sleeps at once
};

/// Values of setting::progress: the threads that make progress.
enum class progress_manner : unsigned char {
    caller,      ///< threads that are in a call
    threads,     ///< a Sender and a Receiver for each device
    shared,      ///< one thread for all devices
    round_robin, ///< the same, and each device is asked in each round
};

/// Special values of setting::cma_minimum.
inline constexpr std::int64_t cma_off = -2, cma_by_measurement = -1;

/// A variable LISLE_* that is no setting of the library.
struct other_variable {
    std::string_view name;
    std::string_view meaning; ///< empty: between Lisle's own programs
};
/// Those that compilers read, and those that ranks find in their environment.
[[nodiscard]] std::span<const other_variable> compiler_variables() noexcept;
[[nodiscard]] std::span<const other_variable> rank_variables() noexcept;

/// The table, in the order of `setting`.
[[nodiscard]] std::span<const setting_description> all_settings();
/// The row of the table.
[[nodiscard]] const setting_description &description_of(setting which);

/// The environment variable of a setting.
[[nodiscard]] inline const std::string &variable_of(setting which) {
    return description_of(which).name;
}

/// From now on wrong values are not reported in this program, since the ranks that it starts report them.
/// Before the first value is asked for.
void leave_reports_to_ranks() noexcept;

/// The value in force. A variable that is neither a word nor a number in its range is reported once on
/// standard error, and the default is used. Thread-safe. @pre !is_text(which)
[[nodiscard]] std::int64_t value_of(setting which) noexcept;
/// The text in force, empty if none is set. Thread-safe. @pre is_text(which)
[[nodiscard]] const std::string &text_of(setting which) noexcept;
/// The word for the value in force; empty if the setting has none.
[[nodiscard]] std::string word_of(setting which);

/// Where the value in force comes from.
enum class value_origin : unsigned char {
    table,       ///< nobody has said anything: the default
    environment, ///< its variable
    refused,     ///< the default, since the variable holds no value
};
/// Of a changeable setting: where its first value came from. Thread-safe.
[[nodiscard]] value_origin origin_of(setting which);

[[nodiscard]] inline progress_manner chosen_progress() noexcept {
    return static_cast<progress_manner>(value_of(setting::progress));
}
/// True if threads of the library's own move messages on.
[[nodiscard]] inline bool has_progress_threads() noexcept {
    return chosen_progress() == progress_manner::threads || chosen_progress() == progress_manner::shared;
}

/// A line for each variable LISLE_* of the environment that no part of Lisle reads, with the nearest name.
/// Names that begin with LISLE_TEST_ are for tests.
[[nodiscard]] std::string unknown_variables(const char *const *environment);

/// True if the setting is looked at again and again, so that it may change while ranks run; the others are
/// looked at once. All ranks must change it alike.
[[nodiscard]] constexpr bool changeable(setting which) noexcept {
    return is_algorithm(which);
}
/// Changes it for the process. @pre changeable(which), and the value is in the range
void change(setting which, std::int64_t value) noexcept;

namespace detail {
/// False as long as it is not known. Relaxed, as the values.
extern constinit std::atomic<bool> all_changeable_are_default;
} // namespace detail

/// True if none of the changeable settings is set, which collectives ask at each call; false: look at them.
[[nodiscard]] inline bool all_changeable_are_default() noexcept {
    return detail::all_changeable_are_default.load(std::memory_order_relaxed);
}

} // namespace lisle
