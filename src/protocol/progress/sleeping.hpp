// SPDX-License-Identifier: Apache-2.0
// How the threads of a rank go to sleep on its doorbell: only if no news came since they last looked, so that
// no wake-up is lost. See docs/design/waiting.md.
#pragma once

#include <array>
#include <cstdint>

#include "protocol/engine.hpp"

namespace lisle::protocol {

struct engine::sleeping {
    /// Sleep while something is to be sent that found no room: nobody tells us when there is.
    static constexpr std::uint64_t retry_nanoseconds = 100'000;
    /// Longest sleep of a rank that ranks of other jobs may wake.
    static constexpr std::uint64_t longest_for_other_jobs = 1'000'000'000;

    /// The news of all engines of a rank, by track.
    using all_news = std::array<std::uint64_t, fabric::most_tracks>;
    [[nodiscard]] static all_news news_of(engine &home);

    /// Sleeps until there may be news in any engine of the rank; returns at once if there has been any since
    /// the caller's last look, which `seen` stands for.
    /// @param at_most nanoseconds, 0: as long as it takes
    static void unless_news(engine &home, all_news &seen, std::uint64_t at_most = 0);
    /// Has the fabrics ring the doorbell at what arrives from here on. False: something has arrived.
    /// @param longest how long the rank may sleep at most; made shorter if need be
    [[nodiscard]] static bool arm_locked(engine &home, std::uint64_t &longest);

  private:
    /// How long the rank may sleep where a fabric wakes it in this way, in nanoseconds; 0: until it is woken.
    [[nodiscard]] static std::uint64_t longest(engine &home, const fabric::waking &how) noexcept;
    /// Notes that a thread of the rank is about to sleep. False: there is something to do, it must not.
    [[nodiscard]] static bool begin(engine &home, std::uint64_t &news_seen, std::uint64_t &longest);
    static void end(engine &home);
    /// Sleeps until the bell has rung since. Without a limit the rank counts as blocked (wait_table.hpp).
    static void on_bell(engine &home, std::uint32_t seen, std::uint64_t at_most);
};

} // namespace lisle::protocol
