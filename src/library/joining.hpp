// SPDX-License-Identifier: Apache-2.0
// How a process of a job comes to reach ranks of other jobs: over a network fabric for each introduction,
// also on one node, for jobs share no memory. A fabric ends when no communicator has any of its ranks.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "execution/staying.hpp"
#include "fabric/joining.hpp"
#include "fabric/network/network_fabric.hpp"
#include "fabric/renumbered_fabric.hpp"
#include "fabric/routes_by_track.hpp"
#include "protocol/progress/device_threads.hpp"
#include "world/job.hpp"

namespace lisle {

class process_joining final : public fabric::joining {
  public:
    /// All outlive this. @param threads null: callers move messages on
    process_joining(job &own, fabric::routes_by_track &routes, protocol::device_threads *threads) noexcept
        : job_{own}, routes_{routes}, threads_{threads} {}

    [[nodiscard]] bool knows(const fabric::introduced_process &process) override;
    [[nodiscard]] fabric::endpoint_address open(const fabric::introduction &all) override;
    void reach(const fabric::introduction &all, std::vector<fabric::endpoint_address> addresses) override;
    void give_up(const fabric::introduction &all) noexcept override;

  private:
    /// What has been opened for an introduction, until it is reached.
    struct opened {
        std::unique_ptr<fabric::network::network_fabric> carrier; ///< null: nobody is new
        fabric::endpoint_address address;
        std::shared_ptr<std::vector<fabric::endpoint_address>> addresses; ///< of all, when they are known
    };
    /// A fabric to ranks of other jobs, which have numbers in a row.
    struct reached {
        fabric::renumbered_fabric *fabric;
        fabric::network::network_fabric *carrier;
        int first_peer;
        int peers;
    };
    [[nodiscard]] static opened make(const fabric::introduction &all);
    void add_routes_locked(const fabric::introduction &all, opened &&made);
    [[nodiscard]] bool is_used(const reached &by) const;
    void end_unused_locked();
    void end_locked(const reached &unused);

    job &job_;
    fabric::routes_by_track &routes_;
    protocol::device_threads *const threads_;
    staying_lock lock_;
    // Under the lock.
    std::map<std::uint64_t, opened> opened_; ///< by the introduction's secret
    std::vector<reached> reached_;           ///< that have not ended
};

} // namespace lisle
