// SPDX-License-Identifier: Apache-2.0
// Every number and switch that a user can set: name, default, limits and meaning stand in one table
// (settings.cpp); each is read once from the environment variable of its name.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/collective_algorithms.hpp"

namespace lisle {

enum class setting : unsigned char {
    eager_limit,
    cross_memory,
    cross_memory_minimum,
    shared_heap,
    unexpected_limit,
    spin,
    wait,
    progress,
    tracks,
    check,
    deadlock,
    watchdog,
    nodes,
    network_silence,
    recovery,
    show,
    initial_errhandler,
    universe_size,
    /// The algorithms of the collectives, in the order of collective_operation (collective_algorithms.hpp).
    first_algorithm,
    count = first_algorithm + static_cast<unsigned char>(collective_operation::count),
};

/// What forces the algorithm of this operation.
[[nodiscard]] constexpr setting algorithm_of(collective_operation what) noexcept {
    return static_cast<setting>(static_cast<unsigned char>(setting::first_algorithm) +
                                static_cast<unsigned char>(what));
}

struct setting_description {
    const char *variable; ///< environment variable
    std::int64_t default_value;
    std::int64_t least;
    std::int64_t most;
    const char *meaning;
    /// Words that may stand for the values from `least` on, separated by '|'; null: numbers only.
    const char *words = nullptr;
};

/// Values of setting::wait: what a rank does that waits.
enum class wait_manner : unsigned char {
    adaptive, ///< what ranks, cores and fibers make best
    spin,     ///< never gives its core away, but to fibers of the same worker
    yield,    ///< gives its core away again and again, never sleeps
    park,     ///< sleeps at once
};

/// Values of setting::progress: who moves messages on.
enum class progress_manner : unsigned char {
    caller,      ///< threads that are in a call
    threads,     ///< a Sender and a Receiver for each device
    shared,      ///< one thread for all devices
    round_robin, ///< the same, and each device is asked in each round
};

/// The table, in the order of `setting`.
[[nodiscard]] std::span<const setting_description> all_settings() noexcept;

/// The value in force. A variable that is neither a word nor a number in its range is reported once on
/// standard error and the default is used. Thread-safe.
[[nodiscard]] std::int64_t value_of(setting which) noexcept;
[[nodiscard]] inline progress_manner chosen_progress() noexcept {
    return static_cast<progress_manner>(value_of(setting::progress));
}
/// True if threads of the library's own move messages on.
[[nodiscard]] inline bool has_progress_threads() noexcept {
    return chosen_progress() == progress_manner::threads || chosen_progress() == progress_manner::shared;
}
/// True if the setting is looked at again and again, so that it may change while ranks run; the others are
/// looked at once. All ranks must change it alike.
[[nodiscard]] bool changeable(setting which) noexcept;
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
/// The row of the table.
[[nodiscard]] const setting_description &description_of(setting which) noexcept;
/// The word for the value in force; empty if the setting has none.
[[nodiscard]] std::string_view word_of(setting which) noexcept;

} // namespace lisle
