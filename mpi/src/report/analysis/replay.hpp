// SPDX-License-Identifier: Apache-2.0
// Goes through the records of all ranks in the order of time, finds which operations belong together, and so
// for whom a call has waited. Beside that it keeps the time that each rank would have come to if data took no
// time: then a call ends when all it depends on has begun.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "report/analysis/listener.hpp"
#include "report/analysis/lock_waits.hpp"
#include "report/analysis/tally.hpp"
#include "report/trace/reader.hpp"

namespace lisle::report {

class replay {
  public:
    /// @param readers in any order, at their beginnings @param begin time of the machine's clock that counts
    /// as 0 @param clock_error by which times of different ranks may be wrong
    /// @param listener hears of all; null: nobody
    replay(std::vector<trace_reader> &readers, tally &sums, std::int64_t begin, std::uint64_t clock_error,
           run_listener *listener);
    ~replay();
    void go();
    /// How long the run would have taken if data took no time.
    [[nodiscard]] std::uint64_t ideal() const;

  private:
    struct delivery;
    struct operation;
    struct meeting;
    struct partitioned_message;
    struct rank_state;
    struct event {
        std::uint64_t time;
        bool is_end;
        std::size_t rank;
        [[nodiscard]] auto key() const { return std::tuple{time, is_end, rank}; }
        friend bool operator>(const event &one, const event &other) { return one.key() > other.key(); }
    };
    /// Messages of one sender to one receiver, in the order in which they were sent.
    using channel = std::tuple<int, int, std::uint64_t, int>; // sender, receiver, communicator, tag
    /// A partitioned message: which of those of the channel, and which round of it.
    using round_key = std::tuple<channel, std::uint64_t, std::uint64_t>;

    void read_next(std::size_t rank);
    void begin(rank_state &at);
    void begin_collective(rank_state &at, const begun_operation &what,
                          const std::shared_ptr<operation> &made);
    void begin_partitioned(rank_state &at, const begun_operation &what,
                           const std::shared_ptr<operation> &made);
    void end(rank_state &at);
    void end_operation(rank_state &at, const ended_operation &ended, const std::shared_ptr<timed_call> &in);
    void end_receive(rank_state &at, const operation &ended, const ended_operation &how, timed_call &in);
    void end_partitioned(rank_state &at, const operation &ended, const std::shared_ptr<timed_call> &in);
    void end_arrival(rank_state &at, const partition_range &arrived, timed_call &in);
    void waited_for_sender(rank_state &at, timed_call &in, std::uint64_t posted, int sender,
                           std::uint64_t sent, std::uint64_t ideal);
    void note_late_receiver(const delivery &of);
    void end_collective(rank_state &at, const operation &ended, timed_call &in);
    void end_probe(rank_state &at, const found_message &found, timed_call &in);
    void end_lock(rank_state &at, const lock_use &use, timed_call &in);

    tally &sums_;
    const std::uint64_t clock_error_;
    run_listener *const listener_;
    std::vector<rank_state> ranks_;
    std::priority_queue<event, std::vector<event>, std::greater<>> events_;
    std::map<channel, std::deque<std::shared_ptr<operation>>> sent_; ///< and not received yet
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::shared_ptr<meeting>>
        meetings_;                                                     ///< by communicator and turn
    std::map<round_key, std::shared_ptr<partitioned_message>> rounds_; ///< that have not ended at both ends
    lock_waits locks_;
};

} // namespace lisle::report
