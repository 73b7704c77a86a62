// SPDX-License-Identifier: Apache-2.0
#include "rma/messages/target_side.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>

#include "base/copy_bytes.hpp"
#include "datatype/predefined.hpp"
#include "protocol/engine.hpp"
#include "protocol/message/refuse.hpp"
#include "rma/element_update.hpp"
#include "rma/messages/packets.hpp"
#include "rma/messages/registry.hpp"
#include "rma/order_by_peers.hpp"
#include "rma/window.hpp"
#include "rma/window_lock.hpp"

namespace lisle::rma {

namespace {

using lock_kind = lock_word::kind;

template <class T> T read_as(std::span<const std::byte> from) noexcept {
    T value;
    std::memcpy(&value, from.data(), sizeof value);
    return value;
}

/// A rank of the window as answers name it: plus one; 0: none.
std::uint64_t number_or_none(int rank) noexcept {
    return rank < 0 ? 0 : static_cast<std::uint64_t>(rank) + 1;
}

[[noreturn]] void refuse_request(const window &on, int origin, const char *what, std::uint64_t value) {
    protocol::refuse(on.number_of(origin), what, value);
}

} // namespace

message_target::message_target(window &on) noexcept : pending_call{serve_again}, on_{on} {}

bool message_target::idle() {
    const std::scoped_lock guard{mutex_};
    return kept_.empty() && waiting_.empty() && !retries_ && !watches_;
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
    if (!kept_.empty() && !std::exchange(retries_, true)) {
        home.out().do_later_locked(*this);
    }
    if (!waiting_.empty() && !std::exchange(watches_, true)) {
        home.mover().watch_locked(*this);
    }
}

void message_target::keep_locked(int origin, request_kind what, std::span<const std::byte> payload) {
    kept_[origin].push_back({what, {payload.begin(), payload.end()}});
}

void message_target::keep_answer_locked(int origin, std::uint64_t id, int error, int failed) {
    request_head head;
    head.id = id;
    head.offset = number_or_none(failed);
    head.runs = static_cast<std::uint32_t>(error);
    keep_locked(origin, request_kind::answer, std::as_bytes(std::span{&head, 1}));
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
        target.serve_kept_locked();
        more = target.retries_ = !target.kept_.empty();
    }
    if (more) {
        home.out().do_later(self);
    }
}

std::vector<memory_run> message_target::runs_of(const request &asked) const {
    if (asked.head.runs > asked.payload.size() / sizeof(memory_run)) {
        refuse_request(on_, asked.origin, "names more runs than it has", asked.head.runs);
    }
    std::vector<memory_run> runs(asked.head.runs);
    copy_bytes(runs.data(), asked.payload.data(), runs.size() * sizeof(memory_run));
    return runs;
}

std::byte *message_target::place_of(const request &asked, std::uint64_t address, std::size_t bytes) {
    const member_facts &own = on_.at(on_.rank()).facts;
    const bool inside =
        on_.dynamic() ? on_.attached.holds(address, bytes)
                      : address >= own.base && bytes <= own.size && address - own.base <= own.size - bytes;
    if (!inside) {
        errors_.emplace(asked.origin, MPI_ERR_RMA_RANGE);
        return nullptr;
    }
    return on_.reach(on_.rank(), address, bytes);
}

namespace {

/// What a request says of its elements, checked.
const datatype &element_of(const window &on, int origin, const request_head &head) {
    const datatype *const found =
        find_datatype(reinterpret_cast<MPI_Datatype>(static_cast<std::uintptr_t>(head.element)));
    if (found == nullptr || found->size() == 0) {
        refuse_request(on, origin, "names no predefined datatype", head.element);
    }
    return *found;
}

} // namespace

bool message_target::serve_locked(const request &asked) {
    note_order_by_peers(on_);
    switch (asked.what) {
    case request_kind::flush: {
        const auto found = errors_.find(asked.origin);
        const int error = found != errors_.end() ? found->second : MPI_SUCCESS;
        if (!answer_locked(asked.origin, asked.head.id, error)) {
            return false;
        }
        errors_.erase(asked.origin);
        return true;
    }
    case request_kind::lock:
        take_lock_locked(asked);
        return true;
    case request_kind::try_lock:
        try_lock_locked(asked);
        return true;
    case request_kind::unlock:
        return give_lock_locked(asked);
    case request_kind::answer:
        return answer_locked(asked.origin, asked.head.id, static_cast<int>(asked.head.runs),
                             static_cast<int>(asked.head.offset) - 1);
    default:
        break;
    }

    const std::vector<memory_run> runs = runs_of(asked);
    std::span<const std::byte> data = asked.payload.subspan(runs.size() * sizeof(memory_run));
    const bool by_elements = asked.what == request_kind::update || asked.what == request_kind::compare;
    const datatype &element = by_elements ? element_of(on_, asked.origin, asked.head) : byte_type();
    const auto size = static_cast<std::size_t>(element.size());
    const op *const operation =
        asked.what == request_kind::update
            ? find_op(reinterpret_cast<MPI_Op>(static_cast<std::uintptr_t>(asked.head.operation)))
            : nullptr;
    if (asked.what == request_kind::update && (operation == nullptr || !operation->predefined())) {
        refuse_request(on_, asked.origin, "names no predefined operation", asked.head.operation);
    }
    std::size_t bytes = 0;
    for (const memory_run &run : runs) {
        if (run.bytes == 0 || run.bytes % size != 0 || run.bytes > SIZE_MAX / 4 - bytes) {
            refuse_request(on_, asked.origin, "names an impossible run", run.bytes);
        }
        bytes += static_cast<std::size_t>(run.bytes);
    }
    const bool reads_only = operation != nullptr && operation == find_op(MPI_NO_OP);
    const std::size_t brought = asked.what == request_kind::get || reads_only ? 0
                                : asked.what == request_kind::compare         ? 2 * bytes
                                                                              : bytes;
    if (data.size() != brought || (asked.what == request_kind::compare && bytes != size)) {
        refuse_request(on_, asked.origin, "brings another number of bytes than it names", data.size());
    }

    std::optional<outgoing_packet> answer;
    if (asked.head.id != 0) {
        if (bytes > packet_room(on_, asked.origin) - sizeof(reply_head)) {
            refuse_request(on_, asked.origin, "asks for more than fits an answer", bytes);
        }
        bool failed = false;
        answer = outgoing_packet::try_claim(on_, asked.origin, reply_packet,
                                            static_cast<std::uint8_t>(reply_kind::data),
                                            sizeof(reply_head) + bytes, failed);
        if (!answer) {
            return failed; // nobody is there to hear
        }
        const reply_head head{asked.head.id, asked.head.offset, 0};
        answer->write(0, &head, sizeof head);
    }
    std::byte *result = answer ? answer->bytes(sizeof(reply_head), bytes).data() : nullptr;
    member &own = on_.at(on_.rank());
    const update_guard guard{&own.updates, own.facts.copied};
    store_order::before_read(); // of what the serving thread has put itself
    for (const memory_run &run : runs) {
        const auto length = static_cast<std::size_t>(run.bytes);
        const std::size_t elements = length / size;
        const std::size_t memory = (elements - 1) * static_cast<std::size_t>(element.extent()) +
                                   static_cast<std::size_t>(element.true_extent());
        std::byte *const place = place_of(asked, run.address, memory);
        if (place == nullptr) {
            if (result != nullptr) {
                std::memset(result, 0, length);
            }
        } else if (asked.what == request_kind::put) {
            copy_bytes(place, data.data(), length);
        } else if (asked.what == request_kind::get) {
            copy_bytes(result, place, length);
        } else if (asked.what == request_kind::compare) {
            static_cast<void>(
                rma::compare_and_swap(element, place, data.data(), data.data() + size, result, guard));
        } else {
            element_update{*operation, element}.apply(place, reads_only ? nullptr : data.data(), result,
                                                      elements, guard);
        }
        result = result != nullptr ? result + length : nullptr;
        if (brought != 0 && asked.what != request_kind::compare) {
            data = data.subspan(length);
        }
    }
    note_order_by_peers(on_);
    if (answer) {
        answer->publish();
    }
    return true;
}

bool message_target::answer_locked(int origin, std::uint64_t id, int error, int failed) {
    bool unheard = false;
    auto packet = outgoing_packet::try_claim(
        on_, origin, reply_packet, static_cast<std::uint8_t>(reply_kind::done), sizeof(reply_head), unheard);
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

void message_target::take_lock_locked(const request &asked) {
    waiting_.push_back({asked.origin, asked.head.id, wanted_by(asked.head)});
    grant_locks_locked();
}

void message_target::try_lock_locked(const request &asked) {
    const lock_kind wanted = wanted_by(asked.head);
    const bool taken =
        waiting_.empty() && on_.at(on_.rank()).lock.try_lock(wanted, false, lock_word::origin::far);
    if (taken) {
        note_holder_locked(asked.origin, wanted);
    }
    answer_or_keep_locked(asked.origin, asked.head.id, taken ? MPI_SUCCESS : not_free, -1);
}

void message_target::note_holder_locked(int origin, lock_kind kind) {
    held_[origin] = kind;
    if (kind == lock_kind::exclusive) {
        on_.at(on_.rank()).holder.store(on_.number_of(origin) + 1, std::memory_order_relaxed);
    }
}

void message_target::answer_or_keep_locked(int origin, std::uint64_t id, int error, int failed) {
    if (kept_.contains(origin) || !answer_locked(origin, id, error, failed)) {
        keep_answer_locked(origin, id, error, failed);
    }
}

void message_target::end_waiting_locked() {
    awaited_.reset();
    on_.at(on_.rank()).awaits.drop();
}

bool message_target::grant_locks_locked() {
    member &own = on_.at(on_.rank());
    bool any = false;
    while (!waiting_.empty()) {
        const lock_request first = waiting_.front();
        bool taken = own.lock.try_lock(first.kind, awaited_.has_value(), lock_word::origin::far);
        const int failed = taken ? -1 : lock_breaker(on_, on_.rank());
        if (!taken && failed < 0 && !awaited_) {
            // In this order: see window_lock.cpp.
            own.awaits.add(on_.rank(), first.kind);
            own.lock.register_waiter(first.kind);
            awaited_ = first.kind;
            taken = own.lock.try_lock(first.kind, true, lock_word::origin::far);
        }
        if (!taken && failed < 0) {
            break;
        }
        if (awaited_) {
            if (!taken) {
                own.lock.withdraw_waiter(first.kind);
            }
            end_waiting_locked();
        }
        if (taken) {
            note_holder_locked(first.origin, first.kind);
        }
        waiting_.pop_front();
        answer_or_keep_locked(first.origin, first.id, taken ? MPI_SUCCESS : MPIX_ERR_PROC_FAILED, failed);
        any = true;
    }
    return any;
}

bool message_target::give_lock_locked(const request &asked) {
    const auto found = held_.find(asked.origin);
    if (found == held_.end()) {
        refuse_request(on_, asked.origin, "gives a lock back that it does not hold", asked.head.id);
    }
    if (asked.head.id != 0) {
        const auto errors = errors_.find(asked.origin);
        const int error = errors != errors_.end() ? errors->second : MPI_SUCCESS;
        if (!answer_locked(asked.origin, asked.head.id, error)) {
            return false;
        }
        errors_.erase(asked.origin);
    }
    const lock_kind held = found->second;
    held_.erase(found);
    give_lock_of_far(on_, held, awaited_);
    grant_locks_locked();
    return true;
}

bool message_target::look_locked(protocol::engine &home, bool &any) {
    const std::scoped_lock guard{mutex_};
    any = grant_locks_locked() || any;
    if (!kept_.empty() && !std::exchange(retries_, true)) {
        home.out().do_later_locked(*this);
    }
    return watches_ = !waiting_.empty();
}

void message_target::fail_locked(protocol::engine &, int origin) {
    const std::scoped_lock guard{mutex_};
    kept_.erase(origin);
    errors_.erase(origin);
    if (held_.contains(origin)) {
        break_lock(on_, origin);
    }
    std::erase_if(waiting_, [origin](const lock_request &each) { return each.origin == origin; });
    if (awaited_) { // who is first now may want another kind
        on_.at(on_.rank()).lock.withdraw_waiter(*awaited_);
        end_waiting_locked();
    }
    grant_locks_locked();
}

} // namespace lisle::rma
