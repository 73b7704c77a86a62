// SPDX-License-Identifier: Apache-2.0
// How the two groups of an inter-communicator tell each other something: their first ranks exchange it
// and pass it on within their groups.
#pragma once

#include <algorithm>
#include <exception>
#include <vector>

#include "base/error.hpp"
#include "communicator/agreement.hpp"
#include "communicator/communicator.hpp"

namespace lisle {

/// Two leaders exchange lists of different lengths. @param most a length the peer's cannot exceed
template <class T> [[nodiscard]] std::vector<T> exchange_lists(const protocol::channel &channel, int tag,
                                                               int peer, const std::vector<T> &mine,
                                                               std::size_t most) {
    const std::size_t length = mine.size();
    std::size_t length_there = 0;
    exchange_bytes(channel, tag, peer, std::as_bytes(std::span{&length, 1}), peer,
                   std::as_writable_bytes(std::span{&length_there, 1}));
    party::check_length(length_there, most);
    std::vector<T> theirs(length_there);
    exchange_bytes(channel, tag, peer, std::as_bytes(std::span{mine}), peer,
                   std::as_writable_bytes(std::span{theirs}));
    return theirs;
}

/// What a group's leader finds out with `ask`, told to all members, for whom it is in vain if the leader's
/// attempt fails: then it throws at all of them, at the leader what `ask` threw. @param most as above
template <class T, class Ask>
[[nodiscard]] std::vector<T> told_by_leader(const party &members, int leader, std::size_t most, Ask ask) {
    std::vector<T> found;
    int code = MPI_SUCCESS;
    std::exception_ptr failure;
    if (members.self() == leader) {
        try {
            found = ask();
        } catch (const std::exception &caught) {
            // The others wait for the leader: they must learn of it.
            code = error_of(caught).code();
            failure = std::current_exception();
        }
    }
    members.broadcast(code, leader);
    if (failure) {
        std::rethrow_exception(failure);
    }
    if (code != MPI_SUCCESS) {
        fail(code, "the local leader, rank ", leader, " of the local group, could not connect the groups");
    }
    members.broadcast_list(found, most, leader);
    return found;
}

/// The list that the remote group's first rank has; `mine` counts at the local group's first rank.
template <class T> [[nodiscard]] std::vector<T>
exchange_with_remote(const communicator &comm, int tag, const std::vector<T> &mine, std::size_t most) {
    std::vector<T> theirs;
    if (comm.rank() == 0) {
        theirs = exchange_lists(comm.channel(message_space::remote_agreement), tag, 0, mine, most);
    }
    party{comm.channel(message_space::agreement), tag}.broadcast_list(theirs, most);
    return theirs;
}

} // namespace lisle
