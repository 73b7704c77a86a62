// SPDX-License-Identifier: Apache-2.0
// How the two groups of an inter-communicator tell each other something: their first ranks exchange it
// and pass it on within their groups.
#pragma once

#include <new>
#include <vector>

#include "base/error.hpp"
#include "communicator/agreement.hpp"
#include "communicator/communicator.hpp"
#include "communicator/shared_attempt.hpp"

namespace lisle {

/// In place of a list's length: the leader has none.
inline constexpr std::size_t no_list = ~std::size_t{0};

/// Two leaders exchange lists of different lengths. Throws at both if one cannot make its own.
/// @param most a length the peer's cannot exceed @param make returns the caller's list, or throws
template <class T, class Make> [[nodiscard]] std::vector<T>
exchange_lists(const protocol::channel &channel, int tag, int peer, std::size_t most, Make make) {
    std::vector<T> mine;
    shared_attempt own;
    own.attempt([&] { mine = make(); });
    const std::size_t length = own.failed() ? no_list : mine.size();
    std::size_t length_there = 0;
    exchange_bytes(channel, tag, peer, std::as_bytes(std::span{&length, 1}), peer,
                   std::as_writable_bytes(std::span{&length_there, 1}));
    own.check();
    if (length_there == no_list) {
        fail(MPI_ERR_NO_MEM, "the leader of the other group could not do its part of the call");
    }
    party::check_length(length_there, most);
    std::vector<T> theirs;
    if (!make_room(theirs, length_there)) {
        exchange_without_room(channel, tag, peer, std::as_bytes(std::span{mine}), peer);
        throw std::bad_alloc{};
    }
    exchange_bytes(channel, tag, peer, std::as_bytes(std::span{mine}), peer,
                   std::as_writable_bytes(std::span{theirs}));
    return theirs;
}

/// What a group's leader finds out with `ask`, told to all members. Throws at all of them if the leader's
/// attempt fails, or one has no memory for what it is told. @param most as above
template <class T, class Ask>
[[nodiscard]] std::vector<T> told_by_leader(const party &members, int leader, std::size_t most, Ask ask) {
    std::vector<T> found;
    shared_attempt own;
    if (members.self() == leader) {
        own.attempt([&] { found = ask(); });
    }
    std::size_t length = own.failed() ? no_list : found.size();
    members.broadcast(length, leader);
    if (length != no_list) {
        party::check_length(length, most);
        own.attempt([&] { members.broadcast_list(found, length, leader); });
    }
    own.settle(members);
    return found;
}

/// What the remote group's first rank gives; `make` is called at the local group's first rank.
template <class T, class Make> [[nodiscard]] std::vector<T>
exchange_with_remote(const communicator &comm, int tag, std::size_t most, Make make) {
    return told_by_leader<T>(party{comm.channel(message_space::agreement), tag}, 0, most, [&] {
        return exchange_lists<T>(comm.channel(message_space::remote_agreement), tag, 0, most, make);
    });
}

/// The context and the remote group's names, which the leader learns from the other one.
[[nodiscard]] std::vector<std::uint64_t> meet_leader(const leaders_meeting &other, const group &local);

} // namespace lisle
