// SPDX-License-Identifier: Apache-2.0
// Binomial broadcast and Bruck's allgather on bytes: both take log2(size) steps for any size.
#include "communicator/agreement.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "datatype/predefined.hpp"
#include "protocol/point_to_point.hpp"

namespace lisle {

namespace {

typed_buffer buffer_of(std::span<const std::byte> data) {
    return {data.data(), static_cast<MPI_Count>(data.size()), *find_datatype(MPI_BYTE)};
}

void check_received(const protocol::outcome &result, std::size_t expected) {
    if (result.error != MPI_SUCCESS || result.bytes != static_cast<MPI_Count>(expected)) {
        fail(MPI_ERR_OTHER, "rank ", result.source, " sent ", result.bytes, " bytes where ", expected,
             " were expected: the ranks disagree about the communicator that they create");
    }
}

} // namespace

// Dissemination: Hensgen, Finkel and Manber 1988.
void meet_all(const protocol::channel &channel, int tag) {
    const int size = channel.peers->size();
    const typed_buffer nothing{nullptr, 0, *find_datatype(MPI_BYTE)};
    const auto unless_failed = [](auto step) {
        try {
            step();
        } catch (const mpi_error &error) {
            if (error.code() != MPIX_ERR_PROC_FAILED) {
                throw;
            }
        }
    };
    for (int distance = 1; distance < size; distance *= 2) {
        const int dest = (channel.self + distance) % size;
        const int source = (channel.self - distance % size + size) % size;
        protocol::scoped_request receiving{protocol::start_receive(nothing, channel, source, tag)};
        unless_failed([&] { protocol::send(nothing, channel, dest, tag); });
        unless_failed([&] { static_cast<void>(receiving.wait()); });
    }
}

void send_bytes(const protocol::channel &channel, int dest, int tag, std::span<const std::byte> data) {
    protocol::send(buffer_of(data), channel, dest, tag);
}

void receive_bytes(const protocol::channel &channel, int source, int tag, std::span<std::byte> data) {
    check_received(protocol::receive(buffer_of(data), channel, source, tag), data.size());
}

void exchange_bytes(const protocol::channel &channel, int tag, int dest, std::span<const std::byte> sent,
                    int source, std::span<std::byte> received) {
    check_received(
        protocol::send_receive(buffer_of(sent), dest, tag, buffer_of(received), source, tag, channel),
        received.size());
}

tree_place place_in_tree(int self, int size, int root) {
    tree_place place{-1, {}};
    const int relative = (self - root + size) % size;
    int distance = 1;
    while (distance < size && (relative & distance) == 0) {
        distance <<= 1;
    }
    if (relative != 0) {
        place.parent = (self - distance + size) % size;
    }
    // The child with the largest subtree first.
    for (distance >>= 1; distance > 0; distance >>= 1) {
        if (relative + distance < size) {
            place.children.push_back((self + distance) % size);
        }
    }
    return place;
}

void party::check_length(std::size_t length, std::size_t most) {
    if (length > most) {
        fail(MPI_ERR_OTHER, "a peer announced a list of ", length, " members, but there can be at most ",
             most);
    }
}

void party::broadcast_bytes(std::span<std::byte> data, int root) const {
    const tree_place place = place_in_tree(self_, size_, root);
    if (place.parent >= 0) {
        receive_bytes(channel_, rank_of(place.parent), tag_, data);
    }
    for (const int child : place.children) {
        send_bytes(channel_, rank_of(child), tag_, data);
    }
}

void party::allgather_bytes(std::span<std::byte> all, std::size_t each) const {
    // After each step the first `have` places hold the values of self, self + 1, ...
    for (int have = 1; have < size_; have *= 2) {
        const auto bytes = static_cast<std::size_t>(std::min(have, size_ - have)) * each;
        exchange_bytes(channel_, tag_, rank_of((self_ - have + size_) % size_), all.first(bytes),
                       rank_of((self_ + have) % size_),
                       all.subspan(static_cast<std::size_t>(have) * each, bytes));
    }
    const auto shift = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(size_ - self_) * each);
    std::rotate(all.begin(), all.begin() + shift % static_cast<std::ptrdiff_t>(all.size()), all.end());
}

void party::allgather_bytes(std::span<const std::byte> own, std::span<const std::size_t> sizes,
                            std::span<std::byte> all) const {
    // As above, in an array that begins with the caller's own value: begin[k] is where index self + k is.
    std::vector<std::size_t> begin{0};
    for (int k = 0; k < size_; ++k) {
        begin.push_back(begin.back() + sizes[static_cast<std::size_t>((self_ + k) % size_)]);
    }
    std::copy(own.begin(), own.end(), all.begin());
    for (int have = 1; have < size_; have *= 2) {
        const auto first = static_cast<std::size_t>(have);
        const auto count = static_cast<std::size_t>(std::min(have, size_ - have));
        exchange_bytes(channel_, tag_, rank_of((self_ - have + size_) % size_), all.first(begin[count]),
                       rank_of((self_ + have) % size_),
                       all.subspan(begin[first], begin[first + count] - begin[first]));
    }
    const auto shift = static_cast<std::ptrdiff_t>(begin[static_cast<std::size_t>(size_ - self_)]);
    std::rotate(all.begin(), all.begin() + shift % std::max<std::ptrdiff_t>(1, std::ssize(all)), all.end());
}

} // namespace lisle
