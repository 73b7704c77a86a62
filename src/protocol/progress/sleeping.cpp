// SPDX-License-Identifier: Apache-2.0
#include "protocol/progress/sleeping.hpp"

#include <algorithm>
#include <mutex>

#include "execution/fiber_worker.hpp"
#include "execution/shared_task.hpp"
#include "protocol/progress/descriptor_watch.hpp"
#include "protocol/tracks.hpp"

namespace lisle::protocol {

engine::sleeping::all_news engine::sleeping::news_of(engine &home) {
    all_news all{};
    home.owner_.tracks().each([&all](engine &each) {
        const std::scoped_lock guard{each.lock_};
        all[static_cast<std::size_t>(each.track_)] = each.news_;
    });
    return all;
}

std::uint64_t engine::sleeping::longest(engine &home, const fabric::waking &how) noexcept {
    switch (how.how) {
    case fabric::waking::by::doorbell:
        return 0;
    case fabric::waking::by::descriptor:
        // From here on the doorbell rings at an arrival, also at one that has come since it was armed.
        if (!descriptor_watch::ring_when_readable(how.descriptor, home.bell_)) {
            return retry_nanoseconds;
        }
        // A sleep with an end does not count as one that only ranks of this job can end.
        return how.from_other_jobs ? longest_for_other_jobs : 0;
    case fabric::waking::by::polling:
        return how.nanoseconds;
    }
    return retry_nanoseconds;
}

bool engine::sleeping::arm_locked(engine &home, std::uint64_t &longest) {
    const auto arm = [&](fabric::fabric &fabric, bool by_thread = false) {
        if (by_thread) {
            return true;
        }
        if (!fabric.arm(home.number_)) {
            home.others_.ask_all_once();
            // Another thread of the rank that finds it armed must have looked since then.
            ++home.news_;
            return false;
        }
        if (const std::uint64_t interval = sleeping::longest(home, fabric.wakes(home.number_));
            interval != 0) {
            longest = longest == 0 ? interval : std::min(longest, interval);
            home.others_.ask_all_once(); // after the sleep
        }
        return true;
    };
    return (home.inbox_carrier_ == nullptr || arm(*home.inbox_carrier_)) && home.others_.all_of(arm);
}

bool engine::sleeping::begin(engine &home, std::uint64_t &news_seen, std::uint64_t &longest) {
    const std::scoped_lock guard{home.lock_};
    home.enter_started_locked();
    // Anything that came since the caller last looked may be what it waits for: one more round.
    if (std::exchange(news_seen, home.news_) != home.news_ || home.transfers_ != nullptr) {
        return false;
    }
    if (!arm_locked(home, longest) || home.look_out_locked()) {
        news_seen = home.news_;
        return false;
    }
    // A fabric with a clock of its own rings when there is room: looking by the machine's time would make
    // every run another one. A Sender thread is called.
    if (!home.outbox_.empty() && !home.clock_.simulated() && home.served_by_ == nullptr) {
        longest = retry_nanoseconds;
    }
    ++home.sleepers_;
    return true;
}

void engine::sleeping::end(engine &home) {
    const std::scoped_lock guard{home.lock_};
    --home.sleepers_;
}

void engine::sleeping::on_bell(engine &home, std::uint32_t seen, std::uint64_t at_most) {
    fiber_worker *const worker = fiber_worker::current();
    if (worker != nullptr && at_most != 0) {
        worker->park_for(home.bell_, seen, at_most);
    } else if (worker != nullptr) {
        home.job_.waits().park(home.on_node_, seen);
        worker->park_for_others(home.bell_, seen);
        home.job_.waits().unpark(home.on_node_);
    } else if (at_most != 0) {
        home.bell_.sleep(seen, at_most);
    } else {
        home.job_.waits().sleep(home.on_node_, seen);
    }
}

void engine::sleeping::unless_news(engine &home, all_news &seen, std::uint64_t at_most) {
    // The order matters: the bell's value first, then the last look for news, then sleep. News ring the
    // bell if they find sleepers_ set under the lock; packets do if they find the fabric armed.
    const std::uint32_t bell_seen = home.bell_.value();
    if (help_wanted()) [[unlikely]] {
        return;
    }
    std::uint64_t longest = at_most;
    std::array<engine *, fabric::most_tracks> asleep{};
    bool may_sleep = true;
    home.owner_.tracks().each([&](engine &each) {
        const auto track = static_cast<std::size_t>(each.track_);
        may_sleep = may_sleep && begin(each, seen[track], longest);
        asleep[track] = may_sleep ? &each : nullptr;
    });
    if (may_sleep) {
        home.counts_.add(counted::sleeps);
        on_bell(home, bell_seen, longest);
        home.clock_.program_pauses();
    }
    for (engine *const each : asleep) {
        if (each != nullptr) {
            end(*each);
        }
    }
}

} // namespace lisle::protocol
