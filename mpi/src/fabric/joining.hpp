// SPDX-License-Identifier: Apache-2.0
// How processes of several jobs come to reach each other. They agree on the list of them all and on who knows
// whom. Strangers on one machine then share memory, if the system lets them; for others each process opens an
// endpoint of the network. All hear of all addresses, and then each can reach the ranks of the others. The
// library makes the fabrics (library/joining.cpp), since it alone names fabrics; who meets whom, and how they
// tell each other, is the communicators' business (communicator/introduction.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/shared_secret.hpp"
#include "fabric/fabric.hpp"
#include "world/process_id.hpp"

namespace lisle::fabric {

/// One process of those that are introduced. Plain bytes, for other processes read it.
struct introduced_process {
    process_id id;
    std::int32_t node;       ///< in its job
    std::int32_t first_rank; ///< of its ranks, in its job
    std::int32_t rank_count;
    std::uint64_t machine; ///< the same where processes may share memory; 0: this one shares none
};

/// What one of them knows. Processes are named by their places in the list.
struct introduction {
    shared_secret secret;                      ///< of this introduction
    std::vector<introduced_process> processes; ///< in the same order everywhere, each once
    std::size_t self;                          ///< the calling process
    std::vector<bool> knows;                   ///< by pair(): the first reaches the second from before
    std::vector<bool> in_memory; ///< by process: it shares memory with the strangers on its machine

    [[nodiscard]] std::size_t size() const noexcept { return processes.size(); }
    [[nodiscard]] std::size_t pair(std::size_t one, std::size_t other) const noexcept {
        return one * size() + other;
    }
    [[nodiscard]] bool are_acquainted(std::size_t one, std::size_t other) const {
        return one == other || (knows[pair(one, other)] && knows[pair(other, one)]);
    }
    /// Strangers that may come to share memory.
    [[nodiscard]] bool are_neighbours(std::size_t one, std::size_t other) const {
        return processes[one].machine != 0 && processes[one].machine == processes[other].machine &&
               !are_acquainted(one, other);
    }
    [[nodiscard]] bool has_neighbours(std::size_t one) const {
        return any([&](std::size_t other) { return are_neighbours(one, other); });
    }
    [[nodiscard]] bool meet_in_memory(std::size_t one, std::size_t other) const {
        return are_neighbours(one, other) && in_memory[one] && in_memory[other];
    }
    [[nodiscard]] bool meet_over_network(std::size_t one, std::size_t other) const {
        return !are_acquainted(one, other) && !meet_in_memory(one, other);
    }
    [[nodiscard]] bool uses_network(std::size_t one) const {
        return any([&](std::size_t other) { return meet_over_network(one, other); });
    }
    /// True if `question(process)` is, of one of them.
    template <class Question> [[nodiscard]] bool any(Question question) const {
        for (std::size_t each = 0; each != size(); ++each) {
            if (question(each)) {
                return true;
            }
        }
        return false;
    }
};

/// What one process does. Thread-safe: each of its ranks that takes part calls everything, and the first one
/// counts.
class joining {
  public:
    virtual ~joining() = default;

    /// Which processes may share memory with this one: introduced_process::machine.
    [[nodiscard]] virtual std::uint64_t machine() = 0;
    /// A rank of this process begins to take part in an introduction, and has its communicator at the end.
    /// What it may count on, whom it knows and whom it comes to reach, stays in between, whatever other ranks
    /// end meanwhile.
    /// @return for end(), not 0
    [[nodiscard]] virtual std::uint64_t begin() = 0;
    virtual void end(std::uint64_t begun) noexcept = 0;

    /// True if the process with this name is of the own job, or reached.
    [[nodiscard]] virtual bool knows(const introduced_process &process) = 0;

    /// Makes what neighbours need to share memory with this process, and tells where it is; empty: that is
    /// not possible. @pre the process has neighbours
    [[nodiscard]] virtual endpoint_address offer_memory(const introduction &all) = 0;
    /// Opens what the neighbours have made; false: that is not possible. @param offers by process
    [[nodiscard]] virtual bool open_memory(const introduction &all,
                                           const std::vector<endpoint_address> &offers) = 0;
    /// Makes an endpoint for all ranks of the process, and tells its address. Throws mpi_error.
    /// @pre the process uses the network
    [[nodiscard]] virtual endpoint_address open(const introduction &all) = 0;
    /// From now on the ranks of all these processes have numbers and routes.
    /// @param addresses by process, of those that have opened an endpoint
    virtual void reach(const introduction &all, std::vector<endpoint_address> addresses) = 0;
    /// The introduction has failed: drops what has been made for it.
    virtual void give_up(const introduction &all) noexcept = 0;
};

} // namespace lisle::fabric
