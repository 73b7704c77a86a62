// SPDX-License-Identifier: Apache-2.0
#include "rma/messages/target_side.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <new>
#include <utility>

#include "base/copy_bytes.hpp"
#include "datatype/predefined.hpp"
#include "protocol/engine.hpp"
#include "protocol/message/refuse.hpp"
#include "rma/state/order_by_peers.hpp"
#include "rma/state/store_order.hpp"

namespace lisle::rma {

namespace {

using lock_kind = lock_word::kind;

template <class T> T read_as(std::span<const std::byte> from) noexcept {
    T value;
    std::memcpy(&value, from.data(), sizeof value);
    return value;
}

/// A rank of the window in an answer: the rank plus one, or 0 for none.
std::uint64_t number_or_none(int rank) noexcept {
    return rank < 0 ? 0 : static_cast<std::uint64_t>(rank) + 1;
}

[[noreturn]] void refuse_request(const window_members &members, int origin, const char *what,
                                 std::uint64_t value) {
    protocol::refuse(members.number_of(origin), what, value);
}

} // namespace

message_target::message_target(const window_members &members)
    : pending_call{serve_again}, members_{members}, locks_{members} {}

bool message_target::idle() {
    const std::scoped_lock guard{mutex_};
    return kept_.empty() && !locks_.anyone_waits() && !retries_ && !watches_;
}

void message_target::arrived_locked(protocol::engine &home, const protocol::arrival &packet) {
    const int origin = packet.what.source;
    if (packet.payload.size() < sizeof(request_head) ||
        packet.flags >= static_cast<std::uint8_t>(request_kind::answer)) {
        protocol::refuse(packet.peer, "is no request about a window", packet.flags);
    }
    const auto what = static_cast<request_kind>(packet.flags);
    const std::scoped_lock guard{mutex_};
    const bool behind_others = kept_.contains(origin);
    if (behind_others || !serve_locked({origin, what, read_as<request_head>(packet.payload),
                                        packet.payload.subspan(sizeof(request_head))})) {
        keep_locked(origin, what, packet.payload);
    }
    try_kept_later_locked(home);
    watch_locks_locked(home);
}

void message_target::watch_locks_locked(protocol::engine &home) noexcept {
    if (locks_.anyone_waits() && !std::exchange(watches_, true)) {
        home.mover().watch_locked(*this);
    }
}

void message_target::keep_locked(int origin, request_kind what, std::span<const std::byte> payload) {
    kept_request kept{what, {payload.begin(), payload.end()}};
    const auto [place, is_first] = kept_.try_emplace(origin);
    try {
        place->second.push_back(std::move(kept));
    } catch (const std::bad_alloc &) {
        if (is_first) {
            kept_.erase(place);
        }
        throw;
    }
}

void message_target::keep_answer_locked(int origin, std::uint64_t id, int error, int failed) {
    request_head head;
    head.id = id;
    head.offset = number_or_none(failed);
    head.runs = static_cast<std::uint32_t>(error);
    keep_locked(origin, request_kind::answer, std::as_bytes(std::span{&head, 1}));
}

void message_target::try_kept_later_locked(protocol::engine &home) {
    if (!kept_.empty() && !std::exchange(retries_, true)) {
        home.out().do_later_locked(*this);
    }
}

void message_target::serve_kept_locked() {
    for (auto each = kept_.begin(); each != kept_.end();) {
        auto &[origin, queue] = *each;
        while (!queue.empty()) {
            const std::span<const std::byte> payload{queue.front().payload};
            if (!serve_locked({origin, queue.front().what, read_as<request_head>(payload),
                               payload.subspan(sizeof(request_head))})) {
                break;
            }
            queue.pop_front();
        }
        each = queue.empty() ? kept_.erase(each) : std::next(each);
    }
}

void message_target::serve_again(protocol::engine &home, protocol::pending_call &self) {
    auto &target = static_cast<message_target &>(self);
    bool more = false;
    {
        const std::scoped_lock guard{target.mutex_};
        try {
            target.serve_kept_locked();
        } catch (const std::bad_alloc &) { // the rest is tried again
        }
        more = target.retries_ = !target.kept_.empty();
    }
    if (more) {
        home.out().do_later(self);
    }
}

std::vector<memory_run> message_target::runs_of(const request &asked) const {
    if (asked.head.runs > asked.payload.size() / sizeof(memory_run)) {
        refuse_request(members_, asked.origin, "names more runs than it has", asked.head.runs);
    }
    std::vector<memory_run> runs(asked.head.runs);
    copy_bytes(runs.data(), asked.payload.data(), runs.size() * sizeof(memory_run));
    return runs;
}

std::byte *message_target::place_of(std::uint64_t address, std::size_t bytes) const {
    const member_facts &own = members_.own().facts;
    const bool inside = members_.dynamic() ? members_.attached.holds(address, bytes)
                                           : address >= own.base && bytes <= own.size &&
                                                 address - own.base <= own.size - bytes;
    return inside ? members_.reach(members_.rank(), address, bytes) : nullptr;
}

namespace {
/// How much memory elements take, gaps between them included. @param bytes of data
std::size_t memory_of(const datatype &element, std::uint64_t bytes) {
    const std::size_t elements = static_cast<std::size_t>(bytes) / static_cast<std::size_t>(element.size());
    return (elements - 1) * static_cast<std::size_t>(element.extent()) +
           static_cast<std::size_t>(element.true_extent());
}
} // namespace

void message_target::check_places(int origin, const std::vector<memory_run> &runs, const datatype &element) {
    for (const memory_run &run : runs) {
        if (place_of(run.address, memory_of(element, run.bytes)) == nullptr) {
            errors_.emplace(origin, MPI_ERR_RMA_RANGE);
            return;
        }
    }
}

// ---- serving ----

bool message_target::serve_locked(const request &asked) {
    using serve = bool (message_target::*)(const request &);
    static constexpr std::array<serve, 9> by_kind{
        &message_target::serve_put,      &message_target::serve_get,    &message_target::serve_update,
        &message_target::serve_compare,  &message_target::serve_flush,  &message_target::serve_lock,
        &message_target::serve_try_lock, &message_target::serve_unlock, &message_target::serve_answer};
    static_assert(by_kind.size() == static_cast<std::size_t>(request_kind::answer) + 1);
    note_order_by_peers(members_);
    return (this->*by_kind[static_cast<std::size_t>(asked.what)])(asked);
}

namespace {

/// The type of a request's elements. Refuses what is no predefined type.
const datatype &element_of(const window_members &members, int origin, const request_head &head) {
    const datatype *const found =
        find_datatype(reinterpret_cast<MPI_Datatype>(static_cast<std::uintptr_t>(head.element)));
    if (found == nullptr || found->size() == 0) {
        refuse_request(members, origin, "names no predefined datatype", head.element);
    }
    return *found;
}

const op &operation_of(const window_members &members, int origin, const request_head &head) {
    const op *const found = find_op(reinterpret_cast<MPI_Op>(static_cast<std::uintptr_t>(head.operation)));
    if (found == nullptr || !found->predefined()) {
        refuse_request(members, origin, "names no predefined operation", head.operation);
    }
    return *found;
}

/// The bytes of all runs. Refuses runs that are impossible.
std::size_t bytes_of(const window_members &members, int origin, const std::vector<memory_run> &runs,
                     std::size_t element_size) {
    std::size_t bytes = 0;
    for (const memory_run &run : runs) {
        if (run.bytes == 0 || run.bytes % element_size != 0 || run.bytes > SIZE_MAX / 4 - bytes) {
            refuse_request(members, origin, "names an impossible run", run.bytes);
        }
        bytes += static_cast<std::size_t>(run.bytes);
    }
    return bytes;
}

void check_wants_answer(const window_members &members, int origin, const request_head &head) {
    if (head.id == 0) {
        refuse_request(members, origin, "asks for data without saying what for", head.runs);
    }
}

} // namespace

std::optional<outgoing_packet> message_target::claim_answer(const request &asked, std::size_t bytes,
                                                            bool &unheard) {
    if (bytes > packet_room(members_, asked.origin) - sizeof(reply_head)) {
        refuse_request(members_, asked.origin, "asks for more than fits an answer", bytes);
    }
    auto answer = outgoing_packet::try_claim(members_, asked.origin, reply_packet,
                                             static_cast<std::uint8_t>(reply_kind::data),
                                             sizeof(reply_head) + bytes, unheard);
    if (answer) {
        const reply_head head{asked.head.id, asked.head.offset, 0};
        answer->write(0, &head, sizeof head);
    }
    return answer;
}

template <class Serve> bool message_target::serve_runs(const request &asked, const datatype &element,
                                                       std::size_t times, Serve serve) {
    const std::vector<memory_run> runs = runs_of(asked);
    const auto size = static_cast<std::size_t>(element.size());
    const std::size_t bytes = bytes_of(members_, asked.origin, runs, size);
    const std::span<const std::byte> data = asked.payload.subspan(runs.size() * sizeof(memory_run));
    if (data.size() != times * bytes) {
        refuse_request(members_, asked.origin, "brings another number of bytes than it names", data.size());
    }
    check_places(asked.origin, runs, element); // the last of what needs memory
    std::optional<outgoing_packet> answer;
    if (bool unheard = false; asked.head.id != 0 && !(answer = claim_answer(asked, bytes, unheard))) {
        return unheard;
    }
    std::byte *result = answer ? answer->bytes(sizeof(reply_head), bytes).data() : nullptr;
    const std::byte *brought = data.data();
    store_order::before_read(); // the serving thread may have put some of it itself
    for (const memory_run &run : runs) {
        const auto length = static_cast<std::size_t>(run.bytes);
        if (std::byte *const place = place_of(run.address, memory_of(element, run.bytes))) {
            serve(served_run{place, length / size, length, brought, result});
        } else if (result != nullptr) {
            std::memset(result, 0, length);
        }
        result = result != nullptr ? result + length : nullptr;
        brought += times * length;
    }
    note_order_by_peers(members_);
    if (answer) {
        answer->publish();
    }
    return true;
}

update_guard message_target::guard_of_own() const noexcept {
    member &own = members_.own();
    return {&own.updates, own.facts.copied};
}

bool message_target::serve_put(const request &asked) {
    return serve_runs(asked, byte_type(), 1,
                      [](const served_run &run) { copy_bytes(run.place, run.data, run.bytes); });
}

bool message_target::serve_get(const request &asked) {
    check_wants_answer(members_, asked.origin, asked.head);
    return serve_runs(asked, byte_type(), 0,
                      [](const served_run &run) { copy_bytes(run.result, run.place, run.bytes); });
}

bool message_target::serve_update(const request &asked) {
    const element_update update{operation_of(members_, asked.origin, asked.head),
                                element_of(members_, asked.origin, asked.head)};
    const bool reads_only = update.reads_only();
    return serve_runs(asked, update.element(), reads_only ? 0 : 1, [&](const served_run &run) {
        update.apply(run.place, reads_only ? nullptr : run.data, run.result, run.elements, guard_of_own());
    });
}

bool message_target::serve_compare(const request &asked) {
    check_wants_answer(members_, asked.origin, asked.head);
    const datatype &element = element_of(members_, asked.origin, asked.head);
    return serve_runs(asked, element, 2, [&](const served_run &run) {
        if (run.elements != 1) {
            refuse_request(members_, asked.origin, "compares more than one element", run.elements);
        }
        static_cast<void>(rma::compare_and_swap(element, run.place, run.data, run.data + run.bytes,
                                                run.result, guard_of_own()));
    });
}

bool message_target::serve_flush(const request &asked) {
    return report_locked(asked.origin, asked.head.id);
}

bool message_target::serve_answer(const request &asked) {
    return answer_locked(asked.origin, asked.head.id, static_cast<int>(asked.head.runs),
                         static_cast<int>(asked.head.offset) - 1);
}

bool message_target::report_locked(int origin, std::uint64_t id) {
    const auto found = errors_.find(origin);
    const int error = found != errors_.end() ? found->second : MPI_SUCCESS;
    if (!answer_locked(origin, id, error)) {
        return false;
    }
    errors_.erase(origin);
    return true;
}

bool message_target::answer_locked(int origin, std::uint64_t id, int error, int failed) {
    bool unheard = false;
    auto packet =
        outgoing_packet::try_claim(members_, origin, reply_packet,
                                   static_cast<std::uint8_t>(reply_kind::done), sizeof(reply_head), unheard);
    if (packet) {
        const reply_head head{id, number_or_none(failed), error};
        packet->write(0, &head, sizeof head);
        packet->publish();
    }
    return packet || unheard;
}

// ---- locks ----

namespace {
lock_kind wanted_by(const request_head &head) noexcept {
    return head.operation == static_cast<std::uint16_t>(lock_kind::exclusive) ? lock_kind::exclusive
                                                                              : lock_kind::shared;
}
} // namespace

bool message_target::serve_lock(const request &asked) {
    locks_.ask(asked.origin, asked.head.id, wanted_by(asked.head));
    take_locks_locked();
    return true;
}

bool message_target::serve_try_lock(const request &asked) {
    const bool taken = locks_.try_take(asked.origin, wanted_by(asked.head));
    try {
        answer_or_keep_locked(asked.origin, asked.head.id, taken ? MPI_SUCCESS : not_free, -1);
    } catch (const std::bad_alloc &) {
        if (taken) {
            locks_.give_back(asked.origin);
        }
        throw;
    }
    return true;
}

bool message_target::serve_unlock(const request &asked) {
    if (!locks_.is_held_by(asked.origin)) {
        refuse_request(members_, asked.origin, "gives a lock back that it does not hold", asked.head.id);
    }
    if (asked.head.id != 0 && !report_locked(asked.origin, asked.head.id)) {
        return false;
    }
    locks_.give_back(asked.origin);
    take_locks_locked();
    return true;
}

bool message_target::take_locks_locked() noexcept {
    bool any = false;
    try {
        while (const lock_queue::decision *const next = locks_.take()) {
            answer_or_keep_locked(next->origin, next->id,
                                  next->failed < 0 ? MPI_SUCCESS : MPIX_ERR_PROC_FAILED, next->failed);
            locks_.pop();
            any = true;
        }
    } catch (const std::bad_alloc &) { // it has the lock, and is told later
    }
    return any;
}

void message_target::answer_or_keep_locked(int origin, std::uint64_t id, int error, int failed) {
    if (kept_.contains(origin) || !answer_locked(origin, id, error, failed)) {
        keep_answer_locked(origin, id, error, failed);
    }
}

bool message_target::look_locked(protocol::engine &home, bool &any) noexcept {
    const std::scoped_lock guard{mutex_};
    any = take_locks_locked() || any;
    try_kept_later_locked(home);
    return watches_ = locks_.anyone_waits();
}

void message_target::fail_locked(protocol::engine &home, int origin) {
    const std::scoped_lock guard{mutex_};
    kept_.erase(origin);
    errors_.erase(origin);
    locks_.forget(origin);
    take_locks_locked();
    try_kept_later_locked(home);
    watch_locks_locked(home);
}

} // namespace lisle::rma
