// SPDX-License-Identifier: Apache-2.0
#include "report/analysis/replay.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <utility>

#include "report/analysis/activity.hpp"
#include "report/analysis/partitioned_round.hpp"

namespace lisle::report {

namespace {

/// Tests in vain of a rank that may have waited for a message that comes later.
constexpr std::size_t most_in_vain = 64;

} // namespace

/// What is known of a message by the end of its send or of its receive, whichever is later.
struct replay::delivery {
    std::shared_ptr<timed_call> sent_in = {};         ///< the call in which the send has ended
    std::pair<int, std::uint64_t> received = {-1, 0}; ///< by which rank, in a call that began then
};

struct replay::partitioned_message {
    round_key key;
    int sender;
    partitioned_round round = {};
    delivery ends = {};
};

struct replay::operation {
    record what;
    int rank;
    std::uint32_t group; ///< in the rank's record
    std::uint64_t communicator;
    std::uint64_t begun, ideal;
    delivery ends = {};                             ///< of a send
    std::shared_ptr<meeting> with = {};             ///< of a collective
    std::shared_ptr<partitioned_message> part = {}; ///< of one of its ends
    bool signal = false;                            ///< of a window: nobody waits for its receiver
};

/// One collective call of a communicator, in all its ranks.
struct replay::meeting {
    struct arrival {
        int rank;
        std::uint64_t begun, ideal;
    };
    collective_shape shape;
    int root;
    std::vector<int> members;
    std::vector<arrival> come = {};
    std::optional<arrival> latest = {}, before_latest = {};
    std::uint64_t ideal = 0; ///< when all could have come

    void add(const arrival &one) {
        come.push_back(one);
        ideal = std::max(ideal, one.ideal);
        if (!latest || one.begun >= latest->begun) {
            before_latest = std::exchange(latest, one);
        } else if (!before_latest || one.begun >= before_latest->begun) {
            before_latest = one;
        }
    }
};

struct replay::rank_state {
    trace_reader *reader;
    int rank;
    std::int64_t begin; ///< of the run, on the clock of the records
    recorded_call call = {};
    std::uint64_t last_end = 0, ideal = 0;
    std::vector<std::uint32_t> places = {};
    std::vector<std::uint64_t> turns = {}; ///< by communicator: collectives that were begun
    std::unordered_map<std::uint64_t, std::shared_ptr<operation>> open = {};
    std::deque<std::shared_ptr<timed_call>> in_vain = {}; ///< its latest tests in vain

    [[nodiscard]] std::uint64_t time(std::uint64_t recorded) const {
        return static_cast<std::uint64_t>(
            std::max<std::int64_t>(reader->head().time_of(recorded) - begin, 0));
    }
    [[nodiscard]] const group_record &group(std::uint32_t number) const { return reader->groups()[number]; }
};

replay::replay(std::vector<trace_reader> &readers, tally &sums, std::int64_t begin, std::uint64_t clock_error,
               run_listener *listener)
    : sums_{sums}, clock_error_{clock_error}, listener_{listener} {
    for (trace_reader &each : readers) {
        rank_state made{&each, each.head().rank, begin};
        made.last_end = made.ideal = made.time(0);
        ranks_.push_back(std::move(made));
    }
}

replay::~replay() = default;

void replay::go() {
    for (std::size_t rank = 0; rank != ranks_.size(); ++rank) {
        read_next(rank);
    }
    while (!events_.empty()) {
        const event next = events_.top();
        events_.pop();
        rank_state &at = ranks_[next.rank];
        if (next.is_end) {
            end(at);
            read_next(next.rank);
        } else {
            begin(at);
            // What has ended a call on another host may seem to have begun later, by the clocks' error.
            events_.push({at.time(at.call.end) + clock_error_, true, next.rank});
        }
    }
}

std::uint64_t replay::ideal() const {
    std::uint64_t last = 0;
    for (const rank_state &each : ranks_) {
        const rank_total &total = sums_.rank(each.rank);
        last = std::max(last, each.ideal + (total.end - std::min(total.end, each.last_end)));
    }
    return last;
}

void replay::read_next(std::size_t rank) {
    rank_state &at = ranks_[rank];
    if (!at.reader->next(at.call)) {
        return;
    }
    for (std::size_t site = at.places.size(); site != at.reader->sites().size(); ++site) {
        at.places.push_back(sums_.place(at.reader->sites()[site]));
    }
    events_.push({at.time(at.call.begin), false, rank});
}

// ---- what a call begins ----

void replay::begin(rank_state &at) {
    const std::uint64_t now = at.time(at.call.begin);
    at.ideal += now - std::min(at.last_end, now); // computing takes what it took
    std::uint64_t number = at.reader->operations() - at.call.begun.size();
    for (const begun_operation &each : at.call.begun) {
        const auto made = std::make_shared<operation>(
            operation{each.what, at.rank, each.group, at.group(each.group).number, now, at.ideal});
        at.open.emplace(number++, made);
        if (each.what == record::send) {
            sent_[{at.rank, each.peer, at.group(each.group).number, each.tag}].push_back(made);
            made->signal = each.tag < 0;
            if (!made->signal) {
                sums_.message(at.rank, each.peer, each.bytes);
            }
        } else if (each.what == record::collective) {
            begin_collective(at, each, made);
        } else if (each.what != record::receive) {
            begin_partitioned(at, each, made);
        }
    }
    for (const partition_range &each : at.call.ready) {
        if (const auto send = at.open.find(each.operation); send != at.open.end() && send->second->part) {
            send->second->part->round.add({each.first, each.last, now, at.ideal});
        }
    }
    for (const moved_data &each : at.call.moved) {
        sums_.moved(at.rank, each.target, each.bytes);
    }
    for (const lock_use &each : at.call.locks) {
        const lock_waits::window where{at.group(each.group).number, each.window};
        if (each.step == lock_step::unlock) {
            locks_.unlocks(where, at.rank, each.target, now, at.ideal);
        } else if (each.step != lock_step::flush) {
            locks_.locks(where, at.rank, each.target, each.step == lock_step::exclusive);
        }
    }
}

void replay::begin_collective(rank_state &at, const begun_operation &what,
                              const std::shared_ptr<operation> &made) {
    at.turns.resize(std::max(at.turns.size(), std::size_t{what.group} + 1));
    const std::pair key{at.group(what.group).number, at.turns[what.group]++};
    auto &met = meetings_[key];
    if (met == nullptr) {
        met = std::make_shared<meeting>(meeting{what.shape, what.peer, at.group(what.group).members});
    }
    made->with = met;
    met->add({made->rank, made->begun, made->ideal});
    if (met->come.size() == met->members.size()) {
        meetings_.erase(key);
    }
}

void replay::begin_partitioned(rank_state &at, const begun_operation &what,
                               const std::shared_ptr<operation> &made) {
    const bool sends = what.what == record::partitioned_send;
    const channel between{sends ? at.rank : what.peer, sends ? what.peer : at.rank, made->communicator,
                          what.tag};
    const round_key key{between, what.which, what.round};
    auto &message = rounds_[key];
    if (message == nullptr) {
        message = std::make_shared<partitioned_message>(partitioned_message{key, std::get<0>(between)});
    }
    made->part = message;
    if (sends) {
        message->round.begin_send(what.partitions, what.bytes);
        sums_.message(at.rank, what.peer, what.bytes);
    } else {
        message->round.begin_receive(what.partitions);
    }
}

// ---- what a call ends ----

void replay::end(rank_state &at) {
    const recorded_call &call = at.call;
    const auto one =
        std::make_shared<timed_call>(timed_call{at.rank, call.id, at.places[call.site], at.time(call.begin),
                                                at.time(call.end), call.count, call.inside});
    for (const begun_operation &each : call.begun) { // what is received counts when it has come
        one->bytes += each.what == record::partitioned_receive ? 0 : each.bytes;
    }
    for (const moved_data &each : call.moved) {
        one->bytes += each.bytes;
    }
    sums_.call(one);
    for (const memory_state &each : call.memory) {
        sums_.memory(at.rank, at.time(each.time), each.resident, each.unexpected, each.stored);
    }
    for (const ended_operation &each : call.ended) {
        end_operation(at, each, one);
    }
    for (const found_message &each : call.found) {
        end_probe(at, each, *one);
    }
    for (const lock_use &each : call.locks) {
        end_lock(at, each, *one);
    }
    for (const partition_range &each : call.arrived) {
        end_arrival(at, each, *one);
    }
    if (call.ended.empty() && call.arrived.empty() && activity_of(call.id) == activity::completion) {
        at.in_vain.push_back(one);
        if (at.in_vain.size() > most_in_vain) {
            at.in_vain.pop_front();
        }
    }
    at.last_end = one->end;
    if (listener_ != nullptr) {
        listener_->call(*one, at.reader->sites()[call.site]);
    }
}

void replay::end_operation(rank_state &at, const ended_operation &ended,
                           const std::shared_ptr<timed_call> &in) {
    const auto found = at.open.find(ended.number);
    if (found == at.open.end()) {
        return;
    }
    const std::shared_ptr<operation> which = std::move(found->second);
    at.open.erase(found);
    if (ended.how == record::received) {
        end_receive(at, *which, ended, *in);
    } else if (which->what == record::collective) {
        end_collective(at, *which, *in);
    } else if (which->what == record::send) {
        which->ends.sent_in = in;
        note_late_receiver(which->ends);
    } else if (which->part != nullptr && ended.how == record::done) {
        end_partitioned(at, *which, in);
    }
}

void replay::end_receive(rank_state &at, const operation &ended, const ended_operation &how, timed_call &in) {
    in.bytes += how.bytes;
    const auto queue = sent_.find({how.source, at.rank, ended.communicator, how.tag});
    if (queue == sent_.end()) {
        return; // of another job, or the clocks do not agree
    }
    const std::shared_ptr<operation> sent = std::move(queue->second.front());
    queue->second.pop_front();
    if (queue->second.empty()) {
        sent_.erase(queue);
    }
    if (listener_ != nullptr) {
        listener_->message(sent->rank, sent->begun, at.rank, in.end);
    }
    waited_for_sender(at, in, ended.begun, sent->rank, sent->begun, sent->ideal);
    if (!sent->signal) {
        sent->ends.received = {at.rank, ended.begun};
        note_late_receiver(sent->ends);
    }
}

// A call has got what was posted before, and tests before it have not: a pause may have divided the tests of
// one wait.
void replay::waited_for_sender(rank_state &at, timed_call &in, std::uint64_t posted, int sender,
                               std::uint64_t sent, std::uint64_t ideal) {
    sums_.waited(in, wait_state::late_sender, sent, sender);
    const auto is_of_this = [posted](const auto &each) { return each->begin >= posted; };
    for (const auto &each : at.in_vain) {
        if (is_of_this(each)) {
            sums_.waited(*each, wait_state::late_sender, sent, sender);
        }
    }
    std::erase_if(at.in_vain, is_of_this);
    at.ideal = std::max(at.ideal, ideal);
}

// A send that ended before there was a receive has not waited.
void replay::note_late_receiver(const delivery &of) {
    const auto [receiver, begun] = of.received;
    if (of.sent_in != nullptr && receiver >= 0 && begun <= of.sent_in->end && begun > of.sent_in->begin) {
        sums_.waited(*of.sent_in, wait_state::late_receiver, begun, receiver);
    }
}

void replay::end_partitioned(rank_state &at, const operation &ended, const std::shared_ptr<timed_call> &in) {
    partitioned_message &message = *ended.part;
    if (ended.what == record::partitioned_send) {
        message.ends.sent_in = in;
    } else {
        in->bytes += message.round.bytes();
        if (const ready_partitions *const last = message.round.last()) {
            waited_for_sender(at, *in, ended.begun, message.sender, last->time, last->ideal);
            if (listener_ != nullptr) {
                listener_->message(message.sender, last->time, at.rank, in->end);
            }
        }
        message.ends.received = {at.rank, ended.begun};
    }
    note_late_receiver(message.ends);
    if (message.ends.sent_in != nullptr && message.ends.received.first >= 0) {
        rounds_.erase(message.key);
    }
}

void replay::end_arrival(rank_state &at, const partition_range &arrived, timed_call &in) {
    const auto receive = at.open.find(arrived.operation);
    if (receive == at.open.end() || receive->second->part == nullptr) {
        return;
    }
    const partitioned_message &message = *receive->second->part;
    if (const ready_partitions *const last = message.round.last_in(arrived.first)) {
        waited_for_sender(at, in, receive->second->begun, message.sender, last->time, last->ideal);
    }
}

void replay::end_collective(rank_state &at, const operation &ended, timed_call &in) {
    const meeting &met = *ended.with;
    if (met.shape == collective_shape::all_to_all) {
        const auto &other = met.latest->rank == at.rank ? met.before_latest : met.latest;
        if (other) {
            sums_.waited(in, wait_state::wait_at_collective, other->begun, other->rank);
        }
        at.ideal = std::max(at.ideal, met.ideal);
        return;
    }
    const std::vector<int> &sources = at.group(ended.group).sources;
    const auto awaits = [&](const meeting::arrival &other) {
        if (other.rank == at.rank) {
            return false;
        }
        switch (met.shape) {
        case collective_shape::all_to_all:
            break;
        case collective_shape::one_to_all:
            return other.rank == met.root;
        case collective_shape::all_to_one:
            return at.rank == met.root;
        case collective_shape::along_ranks:
            return other.rank < at.rank;
        case collective_shape::neighbours:
            return std::ranges::find(sources, other.rank) != sources.end();
        }
        return false;
    };
    constexpr std::array why{wait_state::wait_at_collective, wait_state::late_root, wait_state::early_root,
                             wait_state::in_turn, wait_state::late_neighbour};
    for (const meeting::arrival &each : met.come) {
        if (awaits(each)) {
            sums_.waited(in, why[static_cast<std::size_t>(met.shape)], each.begun, each.rank);
            at.ideal = std::max(at.ideal, each.ideal);
        }
    }
}

// The message stays where it is, and is received later.
void replay::end_probe(rank_state &at, const found_message &found, timed_call &in) {
    const auto queue = sent_.find({found.source, at.rank, at.group(found.group).number, found.tag});
    if (queue != sent_.end()) {
        const operation &sent = *queue->second.front();
        sums_.waited(in, wait_state::late_sender, sent.begun, sent.rank);
        at.ideal = std::max(at.ideal, sent.ideal);
    }
}

void replay::end_lock(rank_state &at, const lock_use &use, timed_call &in) {
    const lock_waits::window where{at.group(use.group).number, use.window};
    if (const lock_release *const other = locks_.awaited(where, at.rank, use.target, in.begin)) {
        sums_.waited(in, wait_state::wait_for_lock, other->time, other->rank);
        at.ideal = std::max(at.ideal, other->ideal);
    }
    if (use.step == lock_step::unlock) {
        locks_.forget(where, at.rank, use.target);
    }
}

} // namespace lisle::report
