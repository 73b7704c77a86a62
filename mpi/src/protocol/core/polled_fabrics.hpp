// SPDX-License-Identifier: Apache-2.0
// The fabrics that an engine polls for packets, and how often: in every round those that are active, and
// those that a pending operation needs while nothing comes from elsewhere; the others for a share of the
// time, so that a slow fabric does not slow the rest. Used under the engine's lock.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/settings.hpp"
#include "execution/clock.hpp"
#include "fabric/packet_source.hpp"

namespace lisle::protocol {

class polled_fabrics {
  public:
    /// Of operations that any fabric may bring to an end.
    static constexpr std::uint8_t any = 0xff;

    /// @param by_thread a thread receives from it: it is not polled here
    void add(fabric::packet_source &added, bool by_thread = false) {
        const one made{.fabric = &added, .by_thread = by_thread, .expected = expected_anywhere_};
        const auto unused = std::ranges::find_if(all_, [this](const one &each) {
            return each.fabric == nullptr && each.expected == expected_anywhere_;
        });
        if (unused != all_.end()) {
            *unused = made;
        } else {
            all_.push_back(made);
        }
    }
    /// It is not asked any more; its place stays, since numbers of others may be counted on.
    void drop(const fabric::packet_source &gone) noexcept {
        for (one &each : all_) {
            each.fabric = each.fabric == &gone ? nullptr : each.fabric;
        }
    }
    [[nodiscard]] bool empty() const noexcept { return all_.empty(); }
    [[nodiscard]] bool has(const fabric::packet_source &one) const noexcept {
        return std::ranges::any_of(all_, [&one](const auto &each) { return each.fabric == &one; });
    }
    /// Calls `function(fabric, by_thread)` for each as long as it returns true; whether it always did.
    template <class Function> bool all_of(Function function) const {
        return std::ranges::all_of(all_, [&](const one &each) {
            return each.fabric == nullptr || function(*each.fabric, each.by_thread);
        });
    }

    /// Counts an operation that this fabric has to do with. @return what to give to forget(); 0: nothing
    [[nodiscard]] std::uint8_t expect(const fabric::packet_source &from) noexcept;
    /// Counts one that may come from anywhere.
    [[nodiscard]] std::uint8_t expect_anywhere() noexcept;
    void forget(std::uint8_t expected) noexcept;
    /// The next round polls all: a caller looks for a message whose fabric is not known.
    void ask_all_once() noexcept { ask_all_ = true; }

    /// Polls those whose turn it is, for at most `most` packets each. Returns how many came.
    /// @param alone there is no mailbox besides @param before how many packets the mailbox gave in this round
    int poll(int self, fabric::sink &into, int most, job_clock &clock, bool alone, int before);

  private:
    struct one {
        fabric::packet_source *fabric; ///< null: it is over
        bool by_thread;
        unsigned expected = 0;  ///< pending operations that need it
        bool active = false;    ///< the last poll brought something
        unsigned passes = 0;    ///< rounds and packets to pass over before the clock is read again
        std::int64_t asked = 0; ///< when it was asked for last, in vain, in nanoseconds of the clock
        std::int64_t cost = 0;  ///< how long that took

        /// One part in so many of the time is for it. @param busy packets come from elsewhere
        [[nodiscard]] std::int64_t share(bool busy) const noexcept;
    };
    [[nodiscard]] bool is_due(one &which, job_clock &clock, bool alone, unsigned before) noexcept;
    [[nodiscard]] int poll_in_turn(int self, fabric::sink &into, int most, int before);

    std::vector<one> all_;
    unsigned expected_anywhere_ = 0; ///< counted in each of them
    const bool in_turn_ = chosen_progress() == progress_manner::round_robin;
    std::size_t turn_ = 0;     ///< whose turn it is; the size of all_: that of what is polled elsewhere
    unsigned busy_rounds_ = 0; ///< for so many rounds packets from elsewhere count as coming
    bool ask_all_ = false;
};

} // namespace lisle::protocol
