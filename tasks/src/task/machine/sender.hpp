// SPDX-License-Identifier: Apache-2.0
// The messages to other ranks: tasks, results, requests for objects and for work.
#pragma once

#include "task/machine/rank_parts.hpp"
#include "task/wire/wire.hpp"

namespace lisle::tasks {

class sender {
  public:
    explicit sender(rank_parts &own) noexcept : own_{own} {}

    // Any thread.
    /// Sends a task to a tile of another rank, now or when that has room. Takes over the task's activation.
    void dispatch(tile &from, task &placed, int target);
    /// A task of another rank has begun: that rank may send one more. @param now tell it at once
    void credit(int rank, bool now);
    void send_result(int to, std::uint64_t address, const value &result);
    /// An operation on a cell of another rank.
    void request_cell(parcel_request what, const remote_object &away, const value &given, continuation then);

    // The rank's own thread.
    void tell_others(const parcel &header, const std::vector<std::byte> &payload = {});
    /// What a rank was to do or owes that has died is done here, or fails.
    void settle(int rank);
    /// There is room at a rank again.
    void refill(int rank);
    void fetch(const ref<remote_object> &wanted);
    void ask_for_work(int rank);
    /// Gives tasks to the ranks that have asked for some. @return whether there were any
    bool feed_hungry();

  private:
    bool take_for_others(task &taken);
    void send_task(const task &shipped, int rank, parcel header, block_pool &pool);
    std::uint64_t expect(awaited result);
    void write_task(const task &shipped, parcel &header, encoder &out);

    rank_parts &own_;
};

} // namespace lisle::tasks
