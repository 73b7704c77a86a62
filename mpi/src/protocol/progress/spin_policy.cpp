// SPDX-License-Identifier: Apache-2.0
#include "protocol/progress/spin_policy.hpp"

#include <climits>

#include "base/settings.hpp"

namespace lisle::protocol {

namespace {

// Where threads have cores of their own; other programs use cores, too, so they are offered here as well.
constexpr spin_policy alone{.before_yield = 300, .before_sleep = 1000, .among_fibers = 2};
// Where threads share cores: a rank that is awaited is perhaps not running.
constexpr spin_policy crowded{.before_yield = 50, .before_sleep = 200, .among_fibers = 2};
// Where many do: a rank that is awaited is most likely not running.
constexpr unsigned looks_in_a_throng = 2;
// Where hundreds share a core, each offer of it is a switch to one that waits as well: a sleeper costs less.
constexpr int threads_in_a_crush = 128;
constexpr unsigned looks_in_a_crush = 16;
// A turn of all others is longer the more they are. One that computes takes the core for milliseconds.
constexpr std::chrono::microseconds turn_of_each{8};
} // namespace

spin_policy spin_policy_for(int threads, int cores) noexcept {
    spin_policy chosen = threads > cores ? crowded : alone;
    if (threads > 2 * cores) {
        chosen.before_yield = looks_in_a_throng;
        chosen.long_turn += turn_of_each * (threads / cores);
    }
    if (threads / threads_in_a_crush > cores) {
        chosen.before_sleep = looks_in_a_crush;
    }
    const std::int64_t wait = value_of(setting::wait);
    if (wait >= 0) {
        chosen.before_sleep = static_cast<unsigned>(wait);
        return chosen;
    }
    switch (static_cast<wait_manner>(wait)) {
    case wait_manner::adaptive:
        return chosen;
    case wait_manner::spin:
        return {.before_yield = UINT_MAX,
                .before_sleep = UINT_MAX,
                .among_fibers = UINT_MAX,
                .long_turn = chosen.long_turn};
    case wait_manner::yield:
        return {.before_yield = 0,
                .before_sleep = UINT_MAX,
                .among_fibers = UINT_MAX,
                .long_turn = chosen.long_turn};
    case wait_manner::park:
        return {.before_yield = 0, .before_sleep = 0, .among_fibers = 0, .long_turn = chosen.long_turn};
    }
    return chosen;
}

} // namespace lisle::protocol
