// SPDX-License-Identifier: Apache-2.0
// Binomial broadcast, Bruck's allgather and the dissemination barrier on bytes: all take log2(size) steps for
// any size.
#include "communicator/agreement.hpp"

#include <algorithm>

#include "base/binomial_tree.hpp"
#include "base/error.hpp"
#include "base/rounds.hpp"
#include "datatype/predefined.hpp"
#include "protocol/engine.hpp"
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
    const int size = channel.peers->size();
    const typed_buffer nothing{nullptr, 0, *find_datatype(MPI_BYTE)};
    each_doubling(size, [&](std::int64_t distance) {
        check_arrived(protocol::send_receive(nothing, along_ring(channel.self, distance, size), tag, nothing,
                                             along_ring(channel.self, -distance, size), tag, channel));
    });
}

void exchange_bytes(const protocol::channel &channel, int tag, int dest, std::span<const std::byte> sent,
                    int source, std::span<std::byte> received) {
    check_received(
        protocol::send_receive(buffer_of(sent), dest, tag, buffer_of(received), source, tag, channel),
        received.size());
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

void party::finish(protocol::request *receive, std::size_t expected) const {
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
    check_received(result, expected);
}

void party::check_length(std::size_t length, std::size_t most) {
    if (length > most) {
        fail(MPI_ERR_OTHER, "a peer announced a list of ", length, " members, but there can be at most ",
             most);
    }
}

void party::broadcast_bytes(std::span<std::byte> data, int root) const {
    refuse_lost_one();
    const auto rank_at = [&](int number) { return rank_of(rank_in_tree(number, root, size_)); };
    const auto here = binomial_node::at(self_, root, size_);
    if (!here.is_root()) {
        finish(protocol::start_receive(buffer_of(data), channel_, rank_at(here.parent()), tag_), data.size());
    }
    here.each_child_downwards([&](const binomial_node &child) {
        protocol::send(buffer_of(data), channel_, rank_at(child.number()), tag_);
    });
}

void party::allgather_bytes(std::span<const std::size_t> sizes, std::span<std::byte> all) const {
    refuse_lost_one();
    // After each round the first places hold the values of self, self + 1, ...: begin[k] is where that of
    // self + k is.
    std::vector<std::size_t> begin{0};
    for (int k = 0; k < size_; ++k) {
        begin.push_back(begin.back() + sizes[static_cast<std::size_t>(along_ring(self_, k, size_))]);
    }
    each_doubling(size_, [&](std::int64_t distance) {
        const auto have = static_cast<std::size_t>(distance);
        const std::size_t count = std::min(have, static_cast<std::size_t>(size_) - have);
        const auto theirs = all.subspan(begin[have], begin[have + count] - begin[have]);
        protocol::scoped_request sending{protocol::start_send(buffer_of(all.first(begin[count])), channel_,
                                                              rank_of(along_ring(self_, -distance, size_)),
                                                              tag_)};
        finish(protocol::start_receive(buffer_of(theirs), channel_,
                                       rank_of(along_ring(self_, distance, size_)), tag_),
               theirs.size());
        static_cast<void>(sending.wait());
    });
    const auto shift = static_cast<std::ptrdiff_t>(begin[static_cast<std::size_t>(size_ - self_)]);
    std::rotate(all.begin(), all.begin() + shift % std::max<std::ptrdiff_t>(1, std::ssize(all)), all.end());
}

} // namespace lisle
