// SPDX-License-Identifier: Apache-2.0
// What comes after a choice, and could perhaps have been waited for: messages, and ranks that ask for turns.
#include <algorithm>
#include <optional>
#include <utility>

#include "exploration/run.hpp"
#include "protocol/engine.hpp"

namespace lisle::exploration {

using choice::kind;
using protocol::unexpected_message;

/// What could be taken by a choice that waits while others are made: messages show when they come.
void run::watch(const candidate &chosen) {
    if (chosen.at.what == kind::turn) {
        watched_turns_.push_back({.decision = decisions_, .at = *chosen.call->of.turn(), .known = {}});
        for (const question *const each : askers(watched_turns_.back().at)) {
            watched_turns_.back().known.insert(each->of.about().core().self.number);
        }
        return;
    }
    if (const auto pattern =
            chosen.receive != nullptr ? std::optional{chosen.receive->pattern} : chosen.call->of.awaits()) {
        watched added{.decision = decisions_,
                      .of = chosen.of,
                      .pattern = *pattern,
                      .known = {chosen.could_take.begin(), chosen.could_take.end()}};
        // What is there and belongs to an earlier receive may be left over by it.
        for (const auto &message : read(*chosen.of).messages) {
            note_arrival(added, message);
        }
        watched_.push_back(std::move(added));
        return;
    }
    for (const int each : chosen.call->of.could_take_later()) {
        write(choice::text_of_later(decisions_, each));
    }
}

/// A receive that could wait for a message is not the only one that can take it: another one may be about to.
void run::note_arrivals(const tables &here) {
    for (unexpected_message *const each : here.stored) {
        if (!std::exchange(each->noted, true)) {
            for (watched &one : watched_) {
                if (one.of == here.of) {
                    note_arrival(one, each->what);
                }
            }
        }
    }
}

void run::note_arrival(watched &by, const protocol::envelope &message) {
    if (by.pattern.accepts(message)) {
        const int source = number_in_job(by.of->core().self.owner, message.context, message.source);
        if (by.known.insert(source).second) {
            write(choice::text_of_later(by.decision, source));
        }
    }
}

void run::note_askers() {
    for (watched_turn &each : watched_turns_) {
        for (const question *const call : askers(each.at)) {
            if (const int rank = call->of.about().core().self.number; each.known.insert(rank).second) {
                write(choice::text_of_later(each.decision, rank));
            }
        }
    }
}

} // namespace lisle::exploration
