// SPDX-License-Identifier: Apache-2.0
// Binomial broadcast, Bruck's allgather and dissemination on bytes: all take log2(size) steps for any size.
#include "communicator/agreement.hpp"

#include <algorithm>
#include <array>

#include "base/binomial_tree.hpp"
#include "base/error.hpp"
#include "base/rounds.hpp"
#include "datatype/predefined.hpp"
#include "protocol/engine.hpp"
#include "protocol/once_there_is_memory.hpp"
#include "protocol/point_to_point.hpp"
#include "protocol/wait.hpp"

namespace lisle {

namespace {

typed_buffer buffer_of(std::span<const std::byte> data) {
    return {data.data(), static_cast<MPI_Count>(data.size()), *find_datatype(MPI_BYTE)};
}

constexpr const char *lost_one = "a rank that has to take part in this call has failed";

void check_arrived(const protocol::outcome &result) {
    if (result.error == MPIX_ERR_PROC_FAILED) {
        fail(result.error, lost_one);
    }
    if (result.error == MPIX_ERR_REVOKED) {
        fail(result.error, "the communicator has been revoked (MPIX_Comm_revoke)");
    }
}

} // namespace

void check_received(const protocol::outcome &result, std::size_t expected) {
    check_arrived(result);
    if (result.error != MPI_SUCCESS || result.bytes != static_cast<MPI_Count>(expected)) {
        fail(MPI_ERR_OTHER, "rank ", result.source, " sent ", result.bytes, " bytes where ", expected,
             " were expected: the ranks disagree about the communicator that they create");
    }
}

void meet_all(const protocol::channel &channel, int tag) {
    party{channel, tag}.meet();
}

namespace {

void send_for_certain(const protocol::channel &channel, int tag, int dest, std::span<const std::byte> data) {
    protocol::once_there_is_memory(*channel.home,
                                   [&] { protocol::send(buffer_of(data), channel, dest, tag); });
}

protocol::request *begin_receive(const protocol::channel &channel, int tag, int source,
                                 std::span<std::byte> room) {
    return protocol::once_there_is_memory(
        *channel.home, [&] { return protocol::start_receive(buffer_of(room), channel, source, tag); });
}

/// Begins to receive, and sends. Each of the two alone waits for memory: what has come is not to be received
/// again because there was none to send. The receive begins first: where all send first and messages wait for
/// their receivers, none would go on.
protocol::request *send_while_receiving(const protocol::channel &channel, int tag, int dest,
                                        std::span<const std::byte> sent, int source,
                                        std::span<std::byte> received) {
    protocol::request *const receive = begin_receive(channel, tag, source, received);
    try {
        send_for_certain(channel, tag, dest, sent);
    } catch (...) {
        receive->cancel();
        protocol::wait(*receive);
        receive->free();
        throw;
    }
    return receive;
}

protocol::outcome exchange(const protocol::channel &channel, int tag, int dest,
                           std::span<const std::byte> sent, int source, std::span<std::byte> received) {
    protocol::request *const receive = send_while_receiving(channel, tag, dest, sent, source, received);
    protocol::wait(*receive);
    const protocol::outcome result = receive->result;
    receive->free();
    return result;
}

} // namespace

void exchange_bytes(const protocol::channel &channel, int tag, int dest, std::span<const std::byte> sent,
                    int source, std::span<std::byte> received) {
    check_received(exchange(channel, tag, dest, sent, source, received), received.size());
}

void exchange_without_room(const protocol::channel &channel, int tag, int dest,
                           std::span<const std::byte> sent, int source) {
    check_arrived(exchange(channel, tag, dest, sent, source, {}));
}

bool party::has_lost_one() const {
    protocol::failures &known = channel_.home->failures();
    if (!known.any()) {
        return false;
    }
    for (int index = 0; index != size_; ++index) {
        if (known.failed(channel_.peers->member(rank_of(index)))) {
            return true;
        }
    }
    return false;
}

void party::refuse_lost_one() const {
    if (has_lost_one()) {
        fail(MPIX_ERR_PROC_FAILED, lost_one);
    }
}

protocol::outcome party::finish(protocol::request *receive) const {
    // Acquire: pairs with the release store of the thread that completes the request.
    const auto is_over = [&] { return receive->complete.load(std::memory_order_acquire) || has_lost_one(); };
    const protocol::awaited_request what{*receive};
    if (!is_over() && !channel_.home->look_for(*receive)) {
        protocol::wait_until(*channel_.home, is_over, &what);
    }
    receive->cancel(); // unless it is complete
    protocol::wait(*receive);
    protocol::outcome result = receive->result;
    receive->free();
    if (result.cancelled) {
        result.error = MPIX_ERR_PROC_FAILED;
    }
    check_arrived(result);
    return result;
}

namespace {

/// The size of a refusal, which is that of no data where so many bytes are expected.
constexpr std::size_t refusal_size(std::size_t expected) noexcept {
    return expected == 1 ? 2 : 1;
}
constexpr std::array<std::byte, 2> refusal{};

/// What is sent instead of so many bytes.
std::span<const std::byte> refusal_of(std::size_t expected) noexcept {
    return std::span{refusal}.first(refusal_size(expected));
}

[[noreturn]] void fail_for_memory() {
    fail(MPI_ERR_NO_MEM, "a rank that takes part in this call has no memory for what the others tell it");
}

} // namespace

protocol::request *party::begin_to_take(int index, std::span<std::byte> room) const {
    return begin_receive(channel_, tag_, rank_of(index), room);
}

bool party::is_taken(const protocol::outcome &result, std::size_t expected) {
    if (result.error == MPI_SUCCESS && result.bytes == static_cast<MPI_Count>(refusal_size(expected))) {
        return false;
    }
    check_received(result, expected);
    return true;
}

bool party::take(int index, std::span<std::byte> into) const {
    std::array<std::byte, refusal.size()> least;
    const bool is_short = into.size() < least.size();
    const std::span<std::byte> room = is_short ? std::span<std::byte>{least} : into;
    if (!is_taken(finish(begin_to_take(index, room)), into.size())) {
        return false;
    }
    if (is_short) {
        std::copy_n(least.begin(), into.size(), into.begin());
    }
    return true;
}

void party::drop(int index) const {
    std::array<std::byte, refusal.size()> least; // most is cut off
    static_cast<void>(finish(begin_to_take(index, least)));
}

protocol::outcome party::swap(int to, std::span<const std::byte> data, int from,
                              std::span<std::byte> room) const {
    return finish(send_while_receiving(channel_, tag_, rank_of(to), data, rank_of(from), room));
}

void party::send(int index, std::span<const std::byte> data) const {
    send_for_certain(channel_, tag_, rank_of(index), data);
}

void party::check_length(std::size_t length, std::size_t most) {
    if (length > most) {
        fail(MPI_ERR_OTHER, "a peer announced a list of ", length, " members, but there can be at most ",
             most);
    }
}

void party::meet() const {
    each_doubling(size_, [&](std::int64_t distance) {
        check_arrived(swap(along_ring(self_, distance, size_), {}, along_ring(self_, -distance, size_), {}));
    });
}

void party::agree(shared_result &common) const {
    refuse_lost_one();
    each_doubling(size_, [&](std::int64_t distance) {
        const shared_result mine = common;
        shared_result theirs;
        const auto room = std::as_writable_bytes(std::span{&theirs, 1});
        const protocol::outcome taken =
            swap(along_ring(self_, distance, size_), std::as_bytes(std::span{&mine, 1}),
                 along_ring(self_, -distance, size_), room);
        if (!is_taken(taken, room.size())) {
            fail_for_memory();
        }
        common.include(theirs);
    });
}

void party::broadcast_bytes(std::span<std::byte> data, int root, const room &here) const {
    refuse_lost_one();
    const auto index_at = [&](int number) { return rank_in_tree(number, root, size_); };
    const auto place = binomial_node::at(self_, root, size_);
    bool has_data = here.is_there;
    if (!place.is_root()) {
        if (has_data) {
            has_data = take(index_at(place.parent()), data);
        } else {
            drop(index_at(place.parent()));
        }
    }
    place.each_child_downwards([&](const binomial_node &child) {
        if (has_data) {
            send(index_at(child.number()), data);
        } else {
            send(index_at(child.number()), refusal_of(here.bytes));
        }
    });
    if (!has_data) {
        fail_for_memory();
    }
}

std::size_t party::block_sizes::sum(int first, std::size_t count, int size) const noexcept {
    if (lengths.empty()) {
        return count * unit;
    }
    std::size_t total = 0;
    for (std::size_t i = 0; i < count; ++i) {
        total += lengths[static_cast<std::size_t>(along_ring(first, static_cast<std::int64_t>(i), size))];
    }
    return total * unit;
}

void party::allgather_bytes(const block_sizes &sizes, std::span<std::byte> all, bool has_room) const {
    refuse_lost_one();
    // After each round the first places hold the values of self, self + 1, ... A refusal travels like a
    // value: all members have it after the last round.
    std::size_t filled = sizes.sum(self_, 1, size_);
    each_doubling(size_, [&](std::int64_t distance) {
        const auto have = static_cast<std::size_t>(distance);
        const std::size_t count = std::min(have, static_cast<std::size_t>(size_) - have);
        const std::size_t sent = sizes.sum(self_, count, size_);
        const std::size_t expected = sizes.sum(along_ring(self_, distance, size_), count, size_);
        const int to = along_ring(self_, -distance, size_);
        const int from = along_ring(self_, distance, size_);
        if (has_room) {
            protocol::scoped_request sending{protocol::once_there_is_memory(*channel_.home, [&] {
                return protocol::start_send(buffer_of(all.first(sent)), channel_, rank_of(to), tag_);
            })};
            has_room = take(from, all.subspan(filled, expected));
            static_cast<void>(sending.wait());
        } else {
            std::array<std::byte, refusal.size()> least; // most is cut off
            static_cast<void>(swap(to, refusal_of(sent), from, least));
        }
        filled += expected;
    });
    if (!has_room) {
        fail_for_memory();
    }
    const auto shift =
        static_cast<std::ptrdiff_t>(sizes.sum(self_, static_cast<std::size_t>(size_ - self_), size_));
    std::rotate(all.begin(), all.begin() + shift % std::max<std::ptrdiff_t>(1, std::ssize(all)), all.end());
}

} // namespace lisle
