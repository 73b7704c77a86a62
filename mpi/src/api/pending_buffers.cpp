// SPDX-License-Identifier: Apache-2.0
#include "api/pending_buffers.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "abi/mistakes.hpp"
#include "api/active_requests.hpp"
#include "api/explored.hpp"
#include "api/host_variables.hpp"
#include "api/touched_memory.hpp"
#include "base/error.hpp"
#include "communicator/directory.hpp"
#include "exploration/run.hpp"
#include "protocol/checking/early_messages.hpp"
#include "protocol/checking/type_notes.hpp"
#include "protocol/checking/wildcard_races.hpp"
#include "protocol/message/operation.hpp"
#include "protocol/once_there_is_memory.hpp"
#include "protocol/progressed_request.hpp"
#include "rma/races/watch.hpp"

namespace lisle::abi {

namespace {

using use = watched_memory::use;

/// What is done to watch a call that other ranks count on, which does not fail for that: waits for memory. A
/// report that was made before memory ran out may come again.
/// @param action gives way while it waits, so it takes the lock itself
template <class Action> decltype(auto) for_certain(Action action) {
    return protocol::once_there_is_memory(this_rank().engine(), action);
}

/// The receive that a request is, or has as a part; null: it has none.
const protocol::receive_operation *receive_of(const protocol::request &made) {
    const auto *const both = dynamic_cast<const protocol::send_receive_request *>(&made);
    return both != nullptr ? &both->receiving() : dynamic_cast<const protocol::receive_operation *>(&made);
}

/// The rank in MPI_COMM_WORLD of a rank of a communicator.
int in_world(std::uint64_t context, int rank) {
    int found = rank;
    communicators->with(context,
                        [&](const communicator &comm) { found = comm.point_to_point.peers->member(rank); });
    return found;
}

/// What reports say of an operation that has just been begun.
wait_note::operation about(const protocol::request &made) {
    wait_note note{};
    made.describe(note);
    wait_note::operation found = note.operations[0];
    found.what = note.operation_count != 0 ? found.what : wait_note::sort::other;
    if (found.what == wait_note::sort::receive && found.peer >= 0) {
        found.peer = in_world(found.context, found.peer);
    }
    return found;
}

/// What a call does to memory of the rank's windows.
void note_in_windows(const watched_memory &used, const call_address &place) {
    const auto what = used.how() == use::reads ? rma::access_kind::load : rma::access_kind::store;
    for (const access_filter::range &each : used.ranges()) {
        rma::race_watch::note_local(
            this_rank(), {reinterpret_cast<const void *>(each.begin), each.end - each.begin, what,
                          place.words != nullptr ? place.words : place.site, [&]() -> rma::access_site {
                              const call_place known = place_of(place);
                              return {std::string{known.call}, known.site.file, known.site.offsets};
                          }});
    }
}

} // namespace

void pending_buffers::lose(operation &under_way, const char *why) {
    under_way.gone = true;
    report_loss(under_way.place, why);
}

void pending_buffers::look_for_lost_buffers_locked() {
    under_way_.take_lost([](operation &each) {
        if (!each.gone) {
            lose(each, function_has_returned);
        }
    });
}

void pending_buffers::look(watched_list &used) {
    for_certain([&] {
        const std::scoped_lock guard{mutex_};
        look_for_lost_buffers_locked();
        end_adopted_locked();
        look_locked(used, nullptr);
    });
    for_certain([&] { look_at_variables(used); });
}

void pending_buffers::begin(watched_list &used) {
    look(used);
    for (watched_memory &each : used.all()) {
        for_certain([&] { each.begin(); });
    }
}

void pending_buffers::look_locked(const watched_list &used, const operation *except) {
    const auto all = used.all();
    for (auto one = all.begin(); one != all.end(); ++one) {
        if (one->how() == use::writes && one->repeats_bytes()) {
            report_mistake(
                sentence(in_words(current_address()), " names bytes that it writes more than once"));
        }
        for (auto other = one + 1; other != all.end(); ++other) {
            if (one->collides_with(*other)) {
                report_mistake(sentence(in_words(current_address()), ": the buffers of this call overlap"));
            }
        }
        note_in_windows(*one, current_address());
        accesses.look(*one);
        under_way_.each_about(extent_of(*one), one->how() == use::writes,
                              [&](const operation &each, const watched_memory &theirs) {
                                  if (&each == except) {
                                      return;
                                  }
                                  if (const auto address = one->collides_with(theirs)) {
                                      report_collision(one->how(), {each.place, theirs.how()}, *address);
                                  }
                              });
    }
}

void pending_buffers::add(protocol::request &made, watched_list used) {
    if (made.ending == protocol::disposal::nothing) {
        for (watched_memory &each : used.all()) { // no message: complete at once
            each.end(0);
        }
        return;
    }
    made.ending = protocol::disposal::general; // which asks for the end
    const auto holder = for_certain([&] { return holder_of(used); });
    const auto known = for_certain([&] { return about(made); });
    for_certain([&] {
        const std::scoped_lock guard{mutex_};
        operation &entry = operations_[&made];
        if (entry.under_way) { // of a request that could not be begun, whose place this one has
            unwatch_locked(entry);
        }
        entry = {.used = std::move(used),
                 .place = current_address(),
                 .about = known,
                 .holder = holder,
                 .under_way = made.active,
                 .number = begun_++};
    });
    for_certain([&] {
        const std::scoped_lock guard{mutex_};
        watch_locked(operations_.at(&made));
    });
}

void pending_buffers::watch_locked(operation &begun) {
    if (!begun.under_way) {
        return;
    }
    under_way_.add(begun);
    watch_accesses(begun.used, begun.place);
}

void pending_buffers::unwatch_locked(operation &ended) {
    under_way_.remove(ended);
    unwatch_accesses(ended.used);
}

bool pending_buffers::touched(access_filter::range memory, memory_access how, const void *code) {
    const bool writes = how != memory_access::load;
    bool found = false;
    const auto name = [&](const buffer_use &before) {
        found = true;
        if (accesses_named_.insert({code, before.place.site}).second) {
            report_access(code, how, before);
        }
    };
    const std::scoped_lock guard{mutex_};
    under_way_.each_about(memory, writes, [&](const operation &each, const watched_memory &theirs) {
        if (theirs.meets(memory, writes)) {
            name({each.place, theirs.how()});
        }
    });
    accesses.find(memory, writes, name);
    return found;
}

void pending_buffers::begin_part(const protocol::request &whole, const typed_buffer &part) {
    {
        const std::scoped_lock guard{mutex_};
        if (!operations_.contains(&whole)) {
            return; // to MPI_PROC_NULL
        }
    }
    watched_list used;
    used.reads(part);
    begin(used);
    operation *added = nullptr;
    for_certain([&] {
        const std::scoped_lock guard{mutex_};
        const call_address place = operations_.at(&whole).place;
        added = &parts_[&whole].emplace_back();
        *added = {.used = std::move(used), .place = place, .holder = {}, .under_way = true};
    });
    for_certain([&] {
        const std::scoped_lock guard{mutex_};
        watch_locked(*added);
    });
}

void pending_buffers::end_parts_locked(const protocol::request &complete) {
    const auto found = parts_.find(&complete);
    if (found == parts_.end()) {
        return;
    }
    for (operation &each : found->second) {
        const watched_memory &memory = each.used.all().front();
        if (!memory.exists()) {
            lose(each, "its memory has been given back");
        } else if (memory.changed()) {
            report_change({each.place, memory.how()});
        }
        unwatch_locked(each);
    }
    parts_.erase(found);
}

void pending_buffers::start_receive(protocol::receive_operation &receive) {
    if (receive.captures || !communicator_directory::is_users(receive.pattern.context)) {
        return;
    }
    watched_list used;
    receive.buffer = used.writes(receive.buffer);
    begin(used);
    receive.posting = number_receive();
    receive.pattern.source =
        exploration::told_source(receive.pattern.context, receive.pattern.source, receive.posting);
    add(receive, std::move(used));
}

std::uint32_t pending_buffers::number_receive() {
    return for_certain([&] {
        const std::scoped_lock guard{mutex_};
        return number_locked(current_address());
    });
}

std::uint32_t pending_buffers::number_locked(const call_address &place) {
    places_.resize(most_places);
    ++receives_;
    places_[receives_ % most_places] = place;
    return receives_;
}

void pending_buffers::report_wildcards() {
    for_certain([&] {
        const std::scoped_lock guard{mutex_};
        report_wildcards_locked();
    });
}

std::string pending_buffers::call_of_receive(std::uint32_t posting) {
    const std::scoped_lock guard{mutex_};
    return call_of_receive_locked(posting);
}

std::string pending_buffers::call_of_receive_locked(std::uint32_t posting) const {
    const bool known = posting != 0 && receives_ - posting < most_places;
    return known ? in_words(places_[posting % most_places]) : "a receive";
}

void pending_buffers::report_early_locked() {
    const auto found = protocol::rank_early_messages->take();
    if (api::explored() != nullptr) {
        return; // messages are held back until it is chosen which receive takes which
    }
    for (const auto &each : found) {
        report_mistake(sentence(each.call, " of rank ", in_world(each.context, each.source), " with tag ",
                                each.tag, " has sent before ", call_of_receive_locked(each.posting),
                                " was there to take it, which a send in the ready mode must not"));
    }
}

void pending_buffers::report_wildcards_locked() {
    report_early_locked();
    if (api::explored() != nullptr || api::is_recorded()) {
        return; // they are tried, or kept as they are
    }
    for (const auto &each : protocol::rank_wildcards->take_findings()) {
        const std::string call = call_of_receive_locked(each.posting);
        if (!wildcards_named_.insert(call).second) {
            continue;
        }
        const auto [taken, other] =
            std::pair{in_world(each.context, each.taken.source), in_world(each.context, each.other.source)};
        report_mistake(sentence("note: ", call, " took a message from rank ", taken, " with tag ",
                                each.taken.tag, "; one from rank ", other, " with tag ", each.other.tag,
                                " could have come first: which one it takes is a matter of chance"));
    }
}

void pending_buffers::start(protocol::request &started) {
    for_certain([&] {
        const std::scoped_lock guard{mutex_};
        start_locked(started);
    });
}

void pending_buffers::start_locked(protocol::request &started) {
    end_adopted_locked();
    const auto found = operations_.find(&started);
    if (found == operations_.end()) {
        return;
    }
    look_locked(found->second.used, &found->second);
    for (watched_memory &each : found->second.used.all()) {
        each.begin();
    }
    found->second.under_way = true;
    found->second.number = begun_++;
    watch_locked(found->second);
    if (auto *const receive = dynamic_cast<protocol::receive_operation *>(&started)) {
        receive->posting = number_locked(found->second.place);
        if (found->second.about.peer == wait_note::anybody) { // again: the last time it may have been told
            receive->pattern.source =
                exploration::told_source(receive->pattern.context, MPI_ANY_SOURCE, receive->posting);
        }
    }
}

void pending_buffers::end(const protocol::request &complete) {
    for_certain([&] {
        const std::scoped_lock guard{mutex_};
        look_for_lost_buffers_locked();
        find_and_end_locked(complete);
        end_adopted_locked();
        report_wildcards_locked();
    });
}

void pending_buffers::find_and_end_locked(const protocol::request &complete) {
    end_parts_locked(complete);
    const auto found = operations_.find(&complete);
    if (found != operations_.end() && found->second.under_way) {
        end_buffers_locked(found->second, complete);
        if (const auto *const receive = receive_of(complete);
            receive != nullptr && !receive->result.cancelled) {
            api::note_source(receive->pattern.context, receive->pattern.source, receive->result.source,
                             receive->posting);
        }
        unwatch_locked(found->second);
        found->second.under_way = false;
        if (!complete.persistent) {
            operations_.erase(found);
        }
    }
}

void pending_buffers::end_buffers_locked(operation &ended, const protocol::request &complete) {
    if (!ended.gone && !std::ranges::all_of(ended.used.all(), &watched_memory::exists)) {
        lose(ended, "its memory has been given back");
    }
    if (ended.gone) {
        return; // nowhere to look, nor to bring data to
    }
    for (watched_memory &each : ended.used.all()) {
        if (each.changed()) {
            report_change({ended.place, each.how()});
        }
        // Of a receive, so many bytes; of a collective, which has no count, all.
        const auto *const receive = dynamic_cast<const protocol::receive_operation *>(&complete);
        if (each.how() == use::writes && !complete.result.cancelled) {
            note_in_windows(each, ended.place);
        }
        each.end(complete.result.cancelled ? 0
                 : receive != nullptr      ? complete.result.bytes
                                           : std::numeric_limits<MPI_Count>::max());
    }
}

std::vector<pending_buffers::begun_operation> pending_buffers::begun() {
    const std::scoped_lock guard{mutex_};
    std::vector<const operation *> found;
    for (const auto &[made, each] : operations_) {
        if (each.under_way && std::ranges::find(adopted_, made) == adopted_.end()) {
            found.push_back(&each);
        }
    }
    std::ranges::sort(found, {}, &operation::number);
    std::vector<begun_operation> all;
    all.reserve(found.size());
    for (const operation *const each : found) {
        all.push_back({place_of(each->place), each->about});
    }
    return all;
}

std::string pending_buffers::call_of(const protocol::request &begun) {
    const std::scoped_lock guard{mutex_};
    const auto found = operations_.find(&begun);
    return found != operations_.end() ? in_words(found->second.place) : std::string{};
}

bool pending_buffers::adopt(protocol::request &freed) {
    const std::scoped_lock guard{mutex_};
    const auto found = operations_.find(&freed);
    if (found == operations_.end()) {
        return false;
    }
    end_parts_locked(freed);
    const bool writes = std::ranges::any_of(
        found->second.used.all(), [](const watched_memory &each) { return each.how() == use::writes; });
    if (!writes || !freed.active || freed.is_complete()) {
        unwatch_locked(found->second);
        operations_.erase(found);
        return false;
    }
    adopted_.push_back(&freed);
    return true;
}

bool pending_buffers::adopted_complete(const communicator &about) {
    return for_certain([&] {
        const std::scoped_lock guard{mutex_};
        end_adopted_locked();
        return std::ranges::none_of(adopted_,
                                    [&](const protocol::request *each) { return each->comm == &about; });
    });
}

void pending_buffers::end_adopted_locked() {
    std::erase_if(adopted_, [this](protocol::request *each) {
        if (!each->is_complete()) {
            return false;
        }
        const auto found = operations_.find(each);
        for (watched_memory &memory : found->second.used.all()) {
            memory.end(each->result.cancelled || found->second.gone ? 0
                                                                    : std::numeric_limits<MPI_Count>::max());
        }
        unwatch_locked(found->second);
        operations_.erase(found);
        static_cast<void>(api::dispose(*each));
        return true;
    });
}

namespace {

/// A sum: of different calls different, but for a rare chance.
std::uint64_t number_of(const call_address &call) noexcept {
    constexpr std::uint64_t factor = 0x9e3779b97f4a7c15;
    auto sum = reinterpret_cast<std::uintptr_t>(call.call.data());
    sum = sum * factor + reinterpret_cast<std::uintptr_t>(call.site);
    sum = sum * factor + reinterpret_cast<std::uintptr_t>(call.words);
    for (const std::uint64_t offset : call.offsets) {
        sum = sum * factor + offset;
    }
    return sum | 1;
}

struct receive_watch {
    receive_watch() noexcept {
        protocol::message_checks::watch_receive = [](protocol::receive_operation &receive) {
            const rma::call_among_ranks posts{rma::hearing::nothing};
            if (pending_buffers::watched()) {
                pending->start_receive(receive);
            }
        };
        exploration::run::words_of_receive = [](rank &owner, std::uint32_t posting) {
            return pending.of(owner).call_of_receive(posting);
        };
        protocol::type_notes::name_call = [] {
            const call_address here = current_address();
            return here.call.empty() ? std::string{} : in_words(here);
        };
        protocol::type_notes::find_call = [] {
            const call_address here = current_address();
            return here.call.empty() ? std::uint64_t{0} : number_of(here);
        };
    }
};
const receive_watch from_load_on;

} // namespace

} // namespace lisle::abi
