// SPDX-License-Identifier: Apache-2.0
#include "library/joining.hpp"

#include <algorithm>
#include <functional>
#include <mutex>
#include <string>
#include <unistd.h>

#include "base/error.hpp"
#include "base/settings.hpp"
#include "communicator/communicator.hpp"
#include "communicator/directory.hpp"
#include "fabric/local/local_fabric.hpp"
#include "library/fabrics_in_use.hpp"
#include "library/logged_fabric.hpp"
#include "library/network.hpp"
#include "protocol/engine.hpp"
#include "world/this_machine.hpp"

namespace lisle {

using fabric::endpoint_address;
using fabric::introduced_process;
using fabric::introduction;

std::uint64_t process_joining::begin() {
    const std::scoped_lock guard{lock_};
    return *under_way_.insert(++moment_).first;
}

void process_joining::end(std::uint64_t begun) noexcept {
    const std::scoped_lock guard{lock_};
    under_way_.erase(begun);
}

bool process_joining::knows(const introduced_process &process) {
    const std::scoped_lock guard{lock_};
    end_unused_locked();
    const int number = job_.find_number({process.id.job, process.first_rank});
    const auto by =
        std::ranges::find_if(reached_, [number](const reached &each) { return each.has(number); });
    if (by != reached_.end()) {
        by->counted_on = ++moment_;
    }
    return number >= 0;
}

std::uint64_t process_joining::machine() {
    // Ranks that may fail alone share no memory, nor do those that are to count as being on several nodes.
    if (value_of(setting::recovery) != 0 || value_of(setting::nodes) != 0) {
        return 0;
    }
    const std::string name = sentence(name_of_this_machine(), "-", geteuid());
    return std::max<std::uint64_t>(std::hash<std::string>{}(name), 1);
}

endpoint_address process_joining::offer_memory(const introduction &all) {
    const std::scoped_lock guard{lock_};
    opened &made = opened_[all.secret];
    if (made.memory == nullptr && !made.memory_opened) {
        try {
            made.memory = std::make_unique<fabric::local::neighbour_domain>(all, reads_of_other_processes());
        } catch (const mpi_error &) {
            made.memory_opened = false; // the network is left
        }
    }
    return made.memory != nullptr ? made.memory->offer() : endpoint_address{};
}

bool process_joining::open_memory(const introduction &all, const std::vector<endpoint_address> &offers) {
    const std::scoped_lock guard{lock_};
    opened &made = opened_[all.secret];
    if (!made.memory_opened) {
        try {
            made.memory_opened = made.memory != nullptr && made.memory->open(offers);
        } catch (const mpi_error &) {
            made.memory_opened = false;
        }
    }
    return *made.memory_opened;
}

endpoint_address process_joining::open(const introduction &all) {
    const std::scoped_lock guard{lock_};
    opened &made = opened_[all.secret];
    if (made.network == nullptr) {
        made.addresses = std::make_shared<std::vector<endpoint_address>>();
        made.network = make_fabric_between_jobs(all, [known = made.addresses](int process) {
            const auto place = static_cast<std::size_t>(process);
            return place < known->size() ? (*known)[place] : endpoint_address{};
        });
        made.address = made.network->address(0);
    }
    return made.address;
}

void process_joining::give_up(const introduction &all) noexcept {
    const std::scoped_lock guard{lock_};
    opened_.erase(all.secret);
}

void process_joining::reach(const introduction &all, std::vector<endpoint_address> addresses) {
    const std::scoped_lock guard{lock_};
    const auto found = opened_.find(all.secret);
    if (found == opened_.end()) {
        return; // another rank of this process has done it, or nobody is new
    }
    opened made = std::move(found->second);
    opened_.erase(found);
    if (made.memory != nullptr && all.in_memory[all.self]) {
        made.memory->close();
        add_routes_locked(all, std::make_unique<fabric::local::local_fabric>(std::move(made.memory)),
                          &introduction::meet_in_memory, nullptr);
    }
    if (made.network != nullptr) {
        *made.addresses = std::move(addresses);
        int first_rank = 0;
        for (std::size_t place = 0; place != all.size(); ++place) {
            if (all.meet_over_network(all.self, place)) {
                made.network->connect(first_rank, (*made.addresses)[place]);
            }
            first_rank += all.processes[place].rank_count;
        }
        fabric::network::network_fabric *const network = made.network.get();
        add_routes_locked(all, std::move(made.network), &introduction::meet_over_network, network);
    }
    if (threads_ != nullptr) {
        threads_->serve_new_fabrics();
    }
}

void process_joining::add_routes_locked(const introduction &all, std::unique_ptr<fabric::fabric> carrier,
                                        way there, fabric::network::network_fabric *network) {
    reached_.reserve(reached_.size() + 1);
    const int first_peer = job_.others().next();
    try {
        add_numbered_routes_locked(all, std::move(carrier), there, network);
    } catch (...) {
        job_.others().forget(first_peer, job_.others().next() - first_peer);
        throw;
    }
}

void process_joining::add_numbered_routes_locked(const introduction &all,
                                                 std::unique_ptr<fabric::fabric> carrier, way there,
                                                 fabric::network::network_fabric *network) {
    const int first_peer = job_.others().next();
    int first_own = 0;
    std::vector<int> peers, numbers_here;
    for (std::size_t place = 0; place != all.size(); ++place) {
        const introduced_process &each = all.processes[place];
        const bool reached = (all.*there)(all.self, place);
        first_own = place == all.self ? static_cast<int>(numbers_here.size()) : first_own;
        for (int rank = 0; rank < each.rank_count; ++rank) {
            int number = -1;
            if (reached) {
                number = job_.others().add({each.id.job, each.first_rank + rank}, each.id.index, each.node);
                peers.push_back(static_cast<int>(numbers_here.size()));
            }
            numbers_here.push_back(number);
        }
    }
    const auto count = static_cast<int>(peers.size());
    traffic_count &traffic = job_.waits().traffic_of(job_.places().index_on_node(job_.first_rank()));
    // Copies over a network are not counted, nor what threads of the library's own still hold.
    const bool is_counted = network == nullptr && threads_ == nullptr && job_.places().nodes() == 1;
    traffic.not_counted.fetch_or(is_counted ? 0 : 1, std::memory_order_relaxed);
    auto reaching = std::make_unique<fabric::renumbered_fabric>(
        std::move(carrier), job_.first_rank(), first_own, first_peer, std::move(peers),
        std::move(numbers_here), is_counted ? &traffic : nullptr);
    const reached made{reaching.get(), network, first_peer, count, ++moment_};
    routes_.first().add(logged(std::move(reaching)));
    reached_.push_back(made); // there is room
}

// ---- ends ----

bool process_joining::is_used(const reached &by) const {
    const auto has_any = [&by](const group &members) {
        for (int rank = 0; rank != members.size(); ++rank) {
            if (by.has(members.member(rank))) {
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
        if (is_counted_on_locked(each) || is_used(each)) {
            return false;
        }
        // Who meets them again finds another way, whether this one has ended by then or not.
        job_.others().forget(each.first_peer, each.peers);
        if (each.network != nullptr && !each.network->try_to_end()) {
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
