// SPDX-License-Identifier: Apache-2.0
// How a process of a job comes to reach ranks of other jobs: for each introduction over a fabric of memory
// that neighbours share, and over a network fabric. A fabric ends when no communicator has any of its ranks.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "execution/staying.hpp"
#include "fabric/joining.hpp"
#include "fabric/local/neighbour_domain.hpp"
#include "fabric/network/network_fabric.hpp"
#include "fabric/renumbered_fabric.hpp"
#include "fabric/routes_by_track.hpp"
#include "protocol/device_threads.hpp"
#include "world/job.hpp"

namespace lisle {

class process_joining final : public fabric::joining {
  public:
    /// All outlive this. @param threads null: callers move messages on
    process_joining(job &own, fabric::routes_by_track &routes, protocol::device_threads *threads) noexcept
        : job_{own}, routes_{routes}, threads_{threads} {}

    [[nodiscard]] std::uint64_t machine() override;
    [[nodiscard]] std::uint64_t begin() override;
    void end(std::uint64_t begun) noexcept override;
    [[nodiscard]] bool knows(const fabric::introduced_process &process) override;
    [[nodiscard]] fabric::endpoint_address offer_memory(const fabric::introduction &all) override;
    [[nodiscard]] bool open_memory(const fabric::introduction &all,
                                   const std::vector<fabric::endpoint_address> &offers) override;
    [[nodiscard]] fabric::endpoint_address open(const fabric::introduction &all) override;
    void reach(const fabric::introduction &all, std::vector<fabric::endpoint_address> addresses) override;
    void give_up(const fabric::introduction &all) noexcept override;

  private:
    /// What has been made for an introduction, until all are reached.
    struct opened {
        std::unique_ptr<fabric::local::neighbour_domain> memory;  ///< null: there are no neighbours
        std::optional<bool> memory_opened;                        ///< none: nobody has tried
        std::unique_ptr<fabric::network::network_fabric> network; ///< null: it is not needed
        fabric::endpoint_address address;
        std::shared_ptr<std::vector<fabric::endpoint_address>> addresses; ///< of all, when they are known
    };
    /// A fabric to ranks of other jobs, which have numbers in a row.
    struct reached {
        fabric::renumbered_fabric *fabric;
        fabric::network::network_fabric *network; ///< null: it is another fabric
        int first_peer;
        int peers;
        std::uint64_t counted_on; ///< moment when an introduction has last found or made it
        [[nodiscard]] bool has(int number) const noexcept {
            return number >= first_peer && number < first_peer + peers;
        }
    };
    /// True if the calling process reaches a process in this way.
    using way = bool (fabric::introduction::*)(std::size_t, std::size_t) const;
    void add_routes_locked(const fabric::introduction &all, std::unique_ptr<fabric::fabric> carrier,
                           way there, fabric::network::network_fabric *network);
    void add_numbered_routes_locked(const fabric::introduction &all, std::unique_ptr<fabric::fabric> carrier,
                                    way there, fabric::network::network_fabric *network);
    [[nodiscard]] bool is_used(const reached &by) const;
    /// True if a rank that had begun by then has no communicator yet.
    [[nodiscard]] bool is_counted_on_locked(const reached &by) const noexcept {
        return !under_way_.empty() && *under_way_.begin() < by.counted_on;
    }
    void end_unused_locked();
    void end_locked(const reached &unused);

    job &job_;
    fabric::routes_by_track &routes_;
    protocol::device_threads *const threads_;
    staying_lock lock_;
    // Under the lock.
    std::map<shared_secret, opened> opened_; ///< by the introduction's secret
    std::vector<reached> reached_;           ///< that have not ended
    std::set<std::uint64_t> under_way_;      ///< moments when ranks have begun introductions
    std::uint64_t moment_ = 0;               ///< counts what happens here
};

} // namespace lisle
