// SPDX-License-Identifier: Apache-2.0
#include "exploration/run.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <mutex>
#include <unistd.h>
#include <utility>

#include "abi/call_address.hpp"
#include "abi/mistakes.hpp"
#include "base/error.hpp"
#include "communicator/communicator.hpp"
#include "communicator/directory.hpp"
#include "protocol/engine.hpp"
#include "protocol/tracks.hpp"
#include "protocol/wait.hpp"
#include "world/job.hpp"

namespace lisle::exploration {

using choice::kind;
using protocol::engine;
using protocol::engine_core;
using protocol::receive_operation;
using protocol::unexpected_message;

namespace {

// A program that polls so often in a row while nothing happens polls for ever.
constexpr unsigned most_fruitless = 10'000;
// And while the run waits for what its orders name, this many say that it does not come.
constexpr unsigned most_fruitless_while_waiting = 200;

int rank_of(engine &of) noexcept {
    return of.core().self.number;
}

bool contains(const std::vector<int> &all, int what) noexcept {
    return std::ranges::find(all, what) != all.end();
}

} // namespace

int number_in_job(rank &owner, std::uint64_t context, int source) {
    int found = source;
    communicators.of(owner).with(
        context, [&](const communicator &comm) { found = comm.point_to_point.peers->member(source); });
    return found;
}

run::run(job &own, const choice::orders &given, const std::string &folder)
    : job_{own}, orders_{given}, account_{open_account(folder)}, random_{given.seed.value_or(0)} {
    for (const choice::decision &each : given.follow) {
        if (each.at.what == kind::look) {
            looks_[each.at.rank].add(each.at.number, each.taken);
        } else {
            follow_[each.at] = each.taken;
        }
    }
}

void run::end(const std::string &line) {
    write(line);
    std::fflush(nullptr);
    _exit(EXIT_FAILURE);
}

bool run::buffers_send(int rank, std::int64_t bytes) {
    if (const int size = choice::size_class(bytes); sizes_.insert(size).second) {
        write(choice::text_of_sends(size));
    }
    if (!orders_.sends.each_chosen) {
        return bytes <= orders_.sends.most_bytes;
    }
    constexpr int waits = 0, is_buffered = 1; // which is usual
    choice::decision made{.at = {kind::send, rank, ++numbers_[{kind::send, rank}]}, .taken = is_buffered};
    if (const auto ordered = follow_.find(made.at); ordered != follow_.end()) {
        made.taken = ordered->second;
    } else if (orders_.seed) {
        made.taken = static_cast<int>(random_.below(2));
    }
    made.departs = made.taken != is_buffered;
    made.others = {made.departs ? is_buffered : waits};
    if (orders_.tells) {
        made.told = abi::in_words(abi::current_address());
    }
    write(choice::text_of(made));
    ++decisions_;
    return made.taken == is_buffered;
}

void run::end_refused() {
    end(choice::text_of_refused(
        sentence("rank ", this_rank().number(), ": ", abi::in_words(abi::current_address()))));
}

int run::ask(open_choice &call, const protocol::awaited &what) {
    engine &about = call.about();
    const abi::call_address here = abi::current_address();
    question asked{.of = call, .number = ++numbers_[{call.what(), rank_of(about)}], .site = here.site};
    if (orders_.tells) {
        asked.told = abi::in_words(here);
    }
    calls_.push_back(&asked);
    try {
        protocol::wait_until(
            about, [&asked] { return asked.taken.has_value(); }, &what);
    } catch (...) {
        std::erase(calls_, &asked);
        throw;
    }
    std::erase(calls_, &asked);
    return *asked.taken;
}

void run::let_others_go_on(int rank) {
    class any_poll final : public open_choice {
      public:
        using open_choice::open_choice;
        [[nodiscard]] std::vector<int> could_take() override { return {}; }
    };
    any_poll poll{kind::test, job_.find(rank)->engine()};
    static_cast<void>(ask(poll, protocol::awaited_ranks{}));
}

void run::answer(question &call, int what) {
    call.taken = what;
    if (call.of.what() == kind::poll) {
        looks_[rank_of(call.of.about())].note(what);
    }
    engine_core &core = call.of.about().core();
    const std::scoped_lock guard{core};
    core.note_news_locked();
}

// ---- what is posted and what has come ----

template <class Action> void run::each_engine(Action action) {
    for (int number = job_.first_rank(); job_.here(number); ++number) {
        if (rank *const owner = job_.find(number)) {
            owner->tracks().each(action);
        }
    }
}

run::tables run::read(engine &of) {
    tables found{.of = &of, .posted = {}, .stored = {}, .patterns = {}, .messages = {}};
    const std::scoped_lock guard{of.core().bare_lock()};
    found.posted = of.receives().tables().posted_in_order();
    for (const receive_operation *const each : found.posted) {
        found.patterns.push_back(each->pattern);
    }
    for (auto *each = of.receives().tables().oldest(); each != nullptr; each = each->newer) {
        found.stored.push_back(each);
        found.messages.push_back(each->what);
    }
    return found;
}

bool run::join_what_is_sure() {
    bool any = false;
    each_engine([&](engine &of) {
        const tables here = read(of);
        note_arrivals(here);
        pairing found = pair_up(here.patterns, here.messages);
        for (const auto &[receive, messages] : found.left_open) {
            if (!communicator_directory::is_users(here.patterns[receive].context) && !messages.empty()) {
                found.sure.push_back({receive, messages.front()});
            }
        }
        if (found.sure.empty()) {
            return;
        }
        any = true;
        {
            const std::scoped_lock guard{of.core()};
            for (const auto &[receive, message] : found.sure) {
                of.receives().join_locked(*here.posted[receive], *here.stored[message]);
            }
        }
        of.mover().move();
    });
    fruitless_ = any ? 0 : fruitless_;
    return any;
}

unsigned run::number_of(const receive_operation &receive, int rank) {
    const auto [found, is_new] = receives_.try_emplace(&receive, 0);
    if (is_new) {
        found->second = ++numbers_[{kind::receive, rank}];
    }
    return found->second;
}

void run::add_receives(const tables &here, std::vector<candidate> &all) {
    const int self = rank_of(*here.of);
    for (const auto &[receive, messages] : pair_up(here.patterns, here.messages).left_open) {
        receive_operation &posted = *here.posted[receive];
        candidate added{.at = {kind::receive, self, number_of(posted, self)},
                        .could_take = {},
                        .receive = &posted,
                        .of = here.of};
        for (const std::size_t message : messages) {
            const auto &what = here.messages[message];
            added.could_take.push_back(number_in_job(here.of->core().self.owner, what.context, what.source));
            added.messages.push_back(here.stored[message]);
        }
        all.push_back(std::move(added));
    }
}

void run::add_calls(std::vector<candidate> &all) {
    for (question *const each : calls_) {
        if (each->of.turn() != nullptr) {
            add_turn(*each, all);
        } else if (!each->taken) {
            all.push_back({.at = {each->of.what(), rank_of(each->of.about()), each->number},
                           .could_take = each->of.could_take(),
                           .call = each,
                           .of = &each->of.about()});
            if (each->of.what() == kind::poll) {
                keep_to_record(all.back());
            }
        }
    }
}

void run::keep_to_record(candidate &look) {
    if (const auto wanted = looks_[look.at.rank].next()) {
        std::erase_if(look.could_take, [&wanted](int each) { return each != *wanted; });
    }
}

// ---- turns ----

void run::ask_for_turn(engine &about, const turn_place &at) {
    class asked_turn final : public open_choice {
      public:
        asked_turn(engine &of, const turn_place &place) : open_choice{kind::turn, of}, place_{place} {}
        [[nodiscard]] std::vector<int> could_take() override { return {}; }
        [[nodiscard]] const turn_place *turn() const override { return &place_; }

      private:
        const turn_place place_;
    };
    asked_turn wanted{about, at};
    static_cast<void>(ask(wanted, protocol::awaited_ranks{}));
}

/// Those that wait, in the order in which they have come.
std::vector<run::question *> run::askers(const turn_place &at) const {
    std::vector<question *> found;
    std::ranges::copy_if(calls_, std::back_inserter(found), [&at](const question *each) {
        return !each->taken && each->of.turn() != nullptr && *each->of.turn() == at;
    });
    return found;
}

void run::add_turn(question &call, std::vector<candidate> &all) {
    const turn_place &at = *call.of.turn();
    const auto waiting = askers(at);
    if (call.taken || waiting.front() != &call) {
        return; // one candidate for all of them
    }
    candidate added{.at = {kind::turn, at.target, turns_.number_of(at)},
                    .could_take = {},
                    .call = &call,
                    .of = &call.of.about()};
    if (!turns_.is_kept(at)) {
        const auto add = [&](bool all_of_them) {
            for (const question *const each : waiting) {
                const int rank = rank_of(each->of.about());
                if (all_of_them || turns_.may_have(at, {rank, each->site})) {
                    added.could_take.push_back(rank);
                }
            }
        };
        add(false);
        if (added.could_take.empty()) {
            add(true);
        }
    }
    all.push_back(std::move(added));
}

void run::give_turn(const turn_place &at, int rank) {
    const auto waiting = askers(at);
    for (question *const each : waiting) {
        if (rank_of(each->of.about()) == rank) {
            turns_.give(at, {rank, each->site}, waiting.size() > 1);
            answer(*each, rank);
            return;
        }
    }
}

// ---- choices ----

bool run::choose() {
    std::vector<tables> everything;
    each_engine([&](engine &of) { everything.push_back(read(of)); });
    note_askers();
    std::erase_if(receives_, [&](const auto &known) {
        return std::ranges::none_of(everything, [&](const tables &each) {
            return std::ranges::find(each.posted, known.first) != each.posted.end();
        });
    });
    std::vector<candidate> all;
    for (const tables &each : everything) {
        add_receives(each, all);
    }
    add_calls(all);
    for (candidate &each : all) {
        each.waits = waiting_.contains(each.at);
    }
    if (meet_waiting(all)) {
        return true;
    }
    if (candidate *const next = next_of(all)) {
        const auto could_go_on = [next](const candidate &other) {
            return &other != next && !other.waits &&
                   (!other.could_take.empty() ||
                    (other.call != nullptr && other.call->of.may_take_nothing()));
        };
        decide(*next, std::ranges::any_of(all, could_go_on));
        return true;
    }
    const auto poll = std::ranges::find_if(
        all, [](const candidate &each) { return each.call != nullptr && each.call->of.may_take_nothing(); });
    if (poll != all.end()) {
        find_nothing(*poll);
        return true;
    }
    if (!waiting_.empty()) {
        end(choice::text_of_impossible());
    }
    return false;
}

/// Something that can be taken; what need not take anything comes last.
run::candidate *run::next_of(std::vector<candidate> &all) {
    std::vector<candidate *> ready, polls;
    for (candidate &each : all) {
        if (!each.waits && !each.could_take.empty()) {
            const bool is_poll = each.call != nullptr && each.call->of.may_take_nothing();
            (is_poll ? polls : ready).push_back(&each);
        }
    }
    const auto &best = ready.empty() ? polls : ready;
    return best.empty() ? nullptr : best[orders_.seed ? random_.below(best.size()) : 0];
}

bool run::meet_waiting(std::vector<candidate> &all) {
    for (candidate &each : all) {
        if (each.waits && contains(each.could_take, waiting_.at(each.at))) {
            take(each, waiting_.at(each.at));
            return true;
        }
    }
    return false;
}

void run::find_nothing(candidate &poll) {
    ++fruitless_;
    if (!waiting_.empty() && fruitless_ > most_fruitless_while_waiting) {
        end(choice::text_of_impossible());
    }
    if (fruitless_ > most_fruitless) {
        const std::string call = sentence("rank ", poll.at.rank, ": ", poll.call->told);
        end(choice::text_of_endless(poll.call->told.empty() ? sentence("rank ", poll.at.rank) : call));
    }
    answer(*poll.call, choice::nothing);
}

void run::decide(candidate &chosen, bool others_open) {
    std::vector<int> choices = chosen.could_take;
    const bool may_refuse = chosen.call != nullptr && chosen.call->of.may_take_nothing() &&
                            !refused_.contains({chosen.at.rank, chosen.call->site});
    if (may_refuse) {
        choices.push_back(choice::nothing);
    }
    const unsigned posting = chosen.receive != nullptr ? chosen.receive->posting : 0;
    auto ordered = follow_.find(chosen.at);
    if (ordered == follow_.end() && posting != 0) { // of a run that was recorded
        ordered = follow_.find({kind::posted, chosen.at.rank, posting});
    }
    const std::size_t usual = orders_.seed ? random_.below(choices.size()) : 0;
    choice::decision made{.at = chosen.at,
                          .taken = ordered != follow_.end() ? ordered->second : choices[usual]};
    made.posting = posting;
    made.waits = !contains(choices, made.taken);
    made.departs = made.taken != choices.front();
    if (choices.size() > 1 || others_open || ordered != follow_.end()) {
        std::ranges::copy_if(choices, std::back_inserter(made.others),
                             [&](int each) { return each != made.taken; });
        if (orders_.tells) {
            made.told = words_of(chosen, made.taken);
        }
        write(choice::text_of(made));
        if (others_open) {
            watch(chosen);
        }
        ++decisions_;
    }
    if (made.waits) {
        waiting_[made.at] = made.taken;
    } else {
        take(chosen, made.taken);
    }
}

/// The call that takes it.
std::string run::words_of(const candidate &chosen, int taken) const {
    if (chosen.call == nullptr) {
        return words_of_receive(chosen.of->core().self.owner, chosen.receive->posting);
    }
    if (chosen.at.what == kind::turn) {
        for (const question *const each : askers(*chosen.call->of.turn())) {
            if (rank_of(each->of.about()) == taken) {
                return each->told;
            }
        }
        return {};
    }
    return chosen.call->told;
}

void run::take(candidate &chosen, int what) {
    fruitless_ = 0;
    waiting_.erase(chosen.at);
    if (chosen.at.what == kind::turn) {
        give_turn(*chosen.call->of.turn(), what);
        return;
    }
    if (chosen.call != nullptr) {
        const std::pair<int, const void *> place{chosen.at.rank, chosen.call->site};
        if (what == choice::nothing) {
            refused_.insert(place);
        } else {
            refused_.erase(place);
        }
        answer(*chosen.call, what);
        return;
    }
    const auto which = std::ranges::find(chosen.could_take, what) - chosen.could_take.begin();
    receives_.erase(chosen.receive);
    {
        const std::scoped_lock guard{chosen.of->core()};
        chosen.of->receives().join_locked(*chosen.receive, *chosen.messages[static_cast<std::size_t>(which)]);
    }
    chosen.of->mover().move();
}

} // namespace lisle::exploration
