// SPDX-License-Identifier: Apache-2.0
#include "library/joining.hpp"

#include <algorithm>
#include <mutex>

#include "communicator/communicator.hpp"
#include "communicator/directory.hpp"
#include "library/network.hpp"
#include "protocol/engine.hpp"

namespace lisle {

using fabric::endpoint_address;
using fabric::introduced_process;
using fabric::introduction;

bool process_joining::knows(const introduced_process &process) {
    const std::scoped_lock guard{lock_};
    end_unused_locked();
    return job_.find_number({process.id.job, process.first_rank}) >= 0;
}

process_joining::opened process_joining::make(const introduction &all) {
    opened made;
    if (std::ranges::all_of(all.known, [](bool each) { return each; })) {
        return made;
    }
    made.addresses = std::make_shared<std::vector<endpoint_address>>();
    made.carrier = make_fabric_between_jobs(all, [known = made.addresses](int process) {
        const auto place = static_cast<std::size_t>(process);
        return place < known->size() ? (*known)[place] : endpoint_address{};
    });
    made.address = made.carrier->address(0);
    return made;
}

endpoint_address process_joining::open(const introduction &all) {
    const std::scoped_lock guard{lock_};
    const auto found = opened_.find(all.secret);
    return found != opened_.end() ? found->second.address
                                  : opened_.try_emplace(all.secret, make(all)).first->second.address;
}

void process_joining::give_up(const introduction &all) noexcept {
    const std::scoped_lock guard{lock_};
    opened_.erase(all.secret);
}

void process_joining::reach(const introduction &all, std::vector<endpoint_address> addresses) {
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

void process_joining::add_routes_locked(const introduction &all, opened &&made) {
    const int first_peer = job_.others().next();
    int first_own = 0;
    std::vector<int> peers, numbers_here;
    for (std::size_t place = 0; place != all.processes.size(); ++place) {
        const introduced_process &each = all.processes[place];
        const auto first = static_cast<int>(numbers_here.size());
        first_own = static_cast<int>(place) == all.self ? first : first_own;
        if (!all.known[place]) {
            made.carrier->connect(first, (*made.addresses)[place]);
        }
        for (int rank = 0; rank < each.rank_count; ++rank) {
            int number = -1;
            if (!all.known[place]) {
                number = job_.others().add({each.id.job, each.first_rank + rank}, each.id.index, each.node);
                peers.push_back(static_cast<int>(numbers_here.size()));
            }
            numbers_here.push_back(number);
        }
    }
    fabric::network::network_fabric *const carrier = made.carrier.get();
    const auto count = static_cast<int>(peers.size());
    auto reaching =
        std::make_unique<fabric::renumbered_fabric>(std::move(made.carrier), job_.first_rank(), first_own,
                                                    first_peer, std::move(peers), std::move(numbers_here));
    reached_.push_back({reaching.get(), carrier, first_peer, count});
    routes_.first().add(std::move(reaching));
    if (threads_ != nullptr) {
        threads_->serve_new_fabrics();
    }
}

// ---- ends ----

bool process_joining::is_used(const reached &by) const {
    const auto has_any = [&by](const group &members) {
        for (int rank = 0; rank != members.size(); ++rank) {
            if (const int number = members.member(rank);
                number >= by.first_peer && number < by.first_peer + by.peers) {
                return true;
            }
        }
        return false;
    };
    bool used = false;
    for (int number = job_.first_rank(); job_.here(number); ++number) {
        if (rank *const one = job_.find(number)) {
            communicators.of(*one).each([&](const communicator &comm) {
                used = used || has_any(comm.local_group()) || (comm.inter() && has_any(comm.remote_group()));
            });
        }
    }
    return used;
}

void process_joining::end_unused_locked() {
    std::erase_if(reached_, [this](const reached &each) {
        if (is_used(each)) {
            return false;
        }
        // Who meets them again finds another way, whether this one has ended by then or not.
        job_.others().forget(each.first_peer, each.peers);
        if (!each.carrier->try_to_end()) {
            return false;
        }
        end_locked(each);
        return true;
    });
}

void process_joining::end_locked(const reached &unused) {
    for (int number = job_.first_rank(); job_.here(number); ++number) {
        if (rank *const one = job_.find(number)) {
            one->engine().drop_fabric(*unused.fabric);
        }
    }
    if (threads_ != nullptr) {
        threads_->forsake(*unused.fabric);
    }
    unused.fabric->end();
}

} // namespace lisle
