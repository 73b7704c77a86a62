// SPDX-License-Identifier: Apache-2.0
#include "abi/told_orders.hpp"

#include <functional>
#include <mutex>
#include <string_view>
#include <unordered_map>

#include "base/thread_order.hpp"
#include "communicator/communicator_local.hpp"
#include "execution/rank_local.hpp"
#include "protocol/message/request.hpp"
#include "rma/races/watch.hpp"
#include "world/job.hpp"

namespace lisle::abi {

namespace {

using thread_order::maker;
using thread_order::place;

/// Where orders are told all calls are watched, from the time that the library is loaded.
const bool calls_are_watched = [] {
    if (thread_order::told()) {
        rma::call_among_ranks::watch_all();
    }
    return thread_order::told();
}();

/// Collectives that a member has called. Relaxed: the program orders those of one communicator.
struct call_count {
    std::atomic<std::uint64_t> calls{0};
};
const communicator_local<call_count> counted_calls;

/// So many calls have places of their own, which are then used again: a rank that runs ahead by more than
/// that tells more than there is.
constexpr std::uint64_t calls_apart = 64;

/// The orders that a rank's requests make when they are complete.
struct order_of_requests {
    struct entry {
        collective_order order;
        bool persistent;
    };
    std::mutex mutex; ///< protects the other
    std::unordered_map<const protocol::request *, entry> orders;
};
const rank_local<order_of_requests> of_requests;

} // namespace

collective_order::collective_order(const communicator &comm, order_between how, int root)
    : context_{comm.context()}, call_{counted_calls.of(comm)->calls.fetch_add(1, std::memory_order_relaxed) %
                                      calls_apart},
      how_{comm.inter() ? order_between::everyone : how},
      leaves_process_{comm.inter() || this_rank().get_job().places().processes() > 1}, self_{comm.rank()},
      root_{root} {}

collective_order collective_order::of_meeting(const char *name) {
    return of_meeting(std::hash<std::string_view>{}(name));
}

collective_order collective_order::of_meeting(std::uint64_t number) {
    return {number, order_between::everyone};
}

void collective_order::enter() const {
    const bool tells = (how_ != order_between::from_root || self_ == root_) &&
                       (how_ != order_between::to_root || self_ != root_);
    if (!tells) {
        return;
    }
    const auto rank = static_cast<std::uint64_t>(how_ == order_between::prefix ? self_ : 0);
    place{met_ ? maker::meeting : maker::collective, context_, call_, rank}.release();
    if (leaves_process_) {
        place{maker::other_processes}.release();
    }
}

void collective_order::leave() const {
    const bool hears = (how_ != order_between::from_root || self_ != root_) &&
                       (how_ != order_between::to_root || self_ == root_);
    if (!hears) {
        return;
    }
    for (int rank = 0; rank == 0 || (how_ == order_between::prefix && rank < self_); ++rank) {
        place{met_ ? maker::meeting : maker::collective, context_, call_, static_cast<std::uint64_t>(rank)}
            .acquire();
    }
    place{maker::other_processes}.acquire();
}

void leave_with(const MPI_Request *request, const collective_order &order, bool persistent) {
    const auto *const made = object_of<protocol::request>(*request);
    if (made != nullptr && made->ending == protocol::disposal::nothing) {
        order.leave(); // complete already, and nobody hears of it again
    } else if (made != nullptr) {
        order_of_requests &own = *of_requests;
        const std::scoped_lock guard{own.mutex};
        own.orders.insert_or_assign(made, order_of_requests::entry{order, persistent});
    }
}

void tell_start(const protocol::request &started) {
    if (!thread_order::told()) {
        return;
    }
    order_of_requests &own = *of_requests;
    const std::scoped_lock guard{own.mutex};
    if (const auto found = own.orders.find(&started); found != own.orders.end()) {
        found->second.order.start_again();
        found->second.order.enter();
    }
}

void hear_request(const protocol::request &finished, bool given_back) {
    if (!thread_order::told()) {
        return;
    }
    finished.hear();
    order_of_requests &own = *of_requests;
    const std::scoped_lock guard{own.mutex};
    if (const auto found = own.orders.find(&finished); found != own.orders.end()) {
        found->second.order.leave();
        if (given_back && !found->second.persistent) {
            own.orders.erase(found);
        }
    }
}

} // namespace lisle::abi
