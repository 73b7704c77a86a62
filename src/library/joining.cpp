// SPDX-License-Identifier: Apache-2.0
#include "library/joining.hpp"

#include <algorithm>
#include <mutex>

#include "base/error.hpp"
#include "fabric/renumbered_fabric.hpp"
#include "library/network.hpp"
#include "mpi.h"

namespace lisle {

using fabric::endpoint_address;
using fabric::meeting;
using fabric::meeting_process;

namespace {

int index_of(const meeting &all, const process_id &id) {
    const auto found = std::ranges::find(all.processes, id, &meeting_process::id);
    if (found == all.processes.end()) {
        fail(MPI_ERR_INTERN, "this process is none of those that meet");
    }
    return static_cast<int>(found - all.processes.begin());
}

} // namespace

bool process_joining::knows_all(const meeting &all) const {
    return std::ranges::all_of(all.processes, [this](const meeting_process &each) {
        return job_.find_number({each.id.job, each.first_rank}) >= 0;
    });
}

process_joining::opened process_joining::make(const meeting &all) const {
    opened made;
    if (knows_all(all)) {
        return made;
    }
    made.addresses = std::make_shared<std::vector<endpoint_address>>();
    const int self = index_of(all, job_.start().self());
    made.carrier = make_meeting_fabric(all, self, [known = made.addresses](int process) {
        const auto place = static_cast<std::size_t>(process);
        return place < known->size() ? (*known)[place] : endpoint_address{};
    });
    made.address = made.carrier->address(0);
    return made;
}

endpoint_address process_joining::open(const meeting &all) {
    const std::scoped_lock guard{lock_};
    const auto found = opened_.find(all.secret);
    return found != opened_.end() ? found->second.address
                                  : opened_.try_emplace(all.secret, make(all)).first->second.address;
}

void process_joining::give_up(const meeting &all) noexcept {
    const std::scoped_lock guard{lock_};
    opened_.erase(all.secret);
}

void process_joining::reach(const meeting &all, std::vector<endpoint_address> addresses) {
    const std::scoped_lock guard{lock_};
    const auto found = opened_.find(all.secret);
    if (found == opened_.end()) {
        return; // another rank of this process has done it
    }
    opened made = std::move(found->second);
    opened_.erase(found);
    if (made.carrier != nullptr) {
        *made.addresses = std::move(addresses);
        add_routes_locked(all, std::move(made));
    }
}

void process_joining::add_routes_locked(const meeting &all, opened &&made) {
    const process_id own = job_.start().self();
    const int first_peer = job_.others().next();
    int first_own = 0;
    std::vector<int> peers, numbers_here;
    for (const meeting_process &each : all.processes) {
        const bool is_new = job_.find_number({each.id.job, each.first_rank}) < 0;
        const auto first = static_cast<int>(numbers_here.size());
        first_own = each.id == own ? first : first_own;
        if (is_new) {
            made.carrier->connect(first,
                                  (*made.addresses)[static_cast<std::size_t>(&each - all.processes.data())]);
        }
        for (int rank = 0; rank < each.rank_count; ++rank) {
            int number = -1;
            if (is_new) {
                number = job_.others().add({each.id.job, each.first_rank + rank}, each.id.index, each.node);
                peers.push_back(static_cast<int>(numbers_here.size()));
            }
            numbers_here.push_back(number);
        }
    }
    routes_.first().add(
        std::make_unique<fabric::renumbered_fabric>(std::move(made.carrier), job_.first_rank(), first_own,
                                                    first_peer, std::move(peers), std::move(numbers_here)));
    if (threads_ != nullptr) {
        threads_->serve_new_fabrics();
    }
}

} // namespace lisle
