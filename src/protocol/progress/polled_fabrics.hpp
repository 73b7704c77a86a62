// SPDX-License-Identifier: Apache-2.0
// The fabrics of one engine that have to be asked for packets, and how often each is: in every round while
// something is pending that can come from it, or while it is active; otherwise it gets a small share of the
// time, so that one with nothing to say does not slow the others. Used under the engine's lock.
#pragma once

#include <cstdint>
#include <vector>

#include "base/settings.hpp"
#include "execution/clock.hpp"
#include "fabric/fabric.hpp"

namespace lisle::protocol {

class polled_fabrics {
  public:
    /// Of operations that any fabric may bring to an end.
    static constexpr std::uint8_t any = 0xff;

    /// @param by_thread a thread receives from it: it is not polled here
    void add(fabric::fabric &one, bool by_thread = false) { all_.push_back({&one, by_thread}); }
    [[nodiscard]] bool empty() const noexcept { return all_.empty(); }

    /// Counts an operation that this fabric has to do with. @return what to give to forget(); 0: nothing
    [[nodiscard]] std::uint8_t expect(const fabric::fabric &from) noexcept;
    /// Counts one that may come from anywhere.
    [[nodiscard]] std::uint8_t expect_anywhere() noexcept;
    void forget(std::uint8_t expected) noexcept;
    /// The next round asks all: somebody looks for something of which it is not known where it comes from.
    void ask_all_once() noexcept { ask_all_ = true; }

    /// Asks those whose turn it is for at most `most` packets each. Returns how many came.
    /// @param alone nothing else is there to be polled
    int poll(int self, fabric::sink &into, int most, job_clock &clock, bool alone);

  private:
    struct one {
        fabric::fabric *fabric;
        bool by_thread;
        unsigned expected = 0; ///< pending operations that need it
        bool active = false;   ///< the last poll brought something
        unsigned passes = 0;   ///< rounds to pass over before the clock is read again
        std::int64_t due = 0;  ///< when to ask again, in nanoseconds of the clock
    };
    [[nodiscard]] bool is_due(one &which, job_clock &clock, bool alone) noexcept;

    std::vector<one> all_;
    const bool in_turn_ = chosen_progress() == progress_manner::round_robin; ///< no round passes one over
    bool ask_all_ = false;
};

} // namespace lisle::protocol
