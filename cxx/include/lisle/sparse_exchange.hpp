// SPDX-License-Identifier: Apache-2.0
// Messages to a few other ranks when no rank knows which others will send to it: the "nonblocking consensus"
// of Hoefler, Siebert and Lumsdaine (2010). The cost is the messages and one barrier, which alone grows with
// the number of ranks.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "lisle/communicator.hpp"
#include "lisle/request/request_pool.hpp"

namespace lisle {

/// One message of a sparse exchange: its destination or source, and its content.
template <class T> struct addressed {
    int rank;
    T content;
};

/// Sends each message to its rank and returns the messages for the caller, in the order of senders, and of
/// sending for one sender. Collective. T is what receive<T>() can return.
///
///     std::vector<lisle::addressed<std::vector<int>>> out{{3, {1, 2}}, {5, {7}}};
///     for (auto &[from, values] : lisle::sparse_exchange(world, out)) ...
template <class T> [[nodiscard]] std::vector<addressed<T>>
sparse_exchange(const communicator &comm, const std::vector<addressed<T>> &messages) {
    detail::shadow &own = detail::shadow::of(comm.native());
    // A rank may begin the next exchange while another still looks for messages of this one, but not the one
    // after.
    const int tag = detail::first_sparse_tag + static_cast<int>(own.rounds++ % 2);
    const communicator channel{own.comm};
    std::vector<future<>> sends;
    sends.reserve(messages.size());
    for (const addressed<T> &each : messages)
        sends.push_back(channel.issend(borrow(each.content), each.rank, tag));

    std::vector<addressed<T>> got;
    future<> others; // complete when the messages of all ranks have been matched
    bool told = false;
    for (;;) {
        while (auto message = channel.improbe(any_source, tag)) {
            const int from = message->status().source();
            got.push_back({from, message->template receive<T>()});
        }
        if (told) {
            if (others.ready())
                break;
        } else if (std::all_of(sends.begin(), sends.end(), [](future<> &send) { return send.ready(); })) {
            others = channel.ibarrier();
            told = true;
        }
    }
    std::stable_sort(got.begin(), got.end(), [](const auto &a, const auto &b) { return a.rank < b.rank; });
    return got;
}

} // namespace lisle
