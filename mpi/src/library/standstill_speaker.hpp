// SPDX-License-Identifier: Apache-2.0
// Lets the nodes of a job agree that all ranks stand still (diagnosis/standstill_vote.hpp): one process of
// each node has a thread for it, which looks ten times a second whether all ranks of its node sleep, and
// connects to the teller, on the node of process 0, when they first do. The network that carries the
// program's messages has no part in it, so no rank is woken.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "diagnosis/job_waits.hpp"
#include "diagnosis/standstill_vote.hpp"
#include "library/speaker_link.hpp"
#include "tcp/reception.hpp"
#include "tcp/socket_address.hpp"
#include "world/job.hpp"

namespace lisle {

class standstill_speaker {
  public:
    /// The speaker of the calling process; null if it needs none: another process speaks for its node, or
    /// nobody is to look. Between the fences of a process's start: the teller tells where it is.
    /// @param interface of the network; without one there is no teller @param secret of the job
    /// @param speaking lives as long as the process
    [[nodiscard]] static std::unique_ptr<standstill_speaker>
    announce(job &speaking, tcp::socket_address interface, const shared_secret &secret);
    /// Starts the thread, which runs until the process ends. After the fence; null is allowed.
    static void begin(std::unique_ptr<standstill_speaker> speaker);

  private:
    /// The ranks of this node.
    class own_ranks final : public node_ranks {
      public:
        explicit own_ranks(job &of);
        std::optional<wait_table::stillness> stillness() override { return table_.current_stillness(); }
        void ask() override { question_ = table_.ask_all(); }
        std::optional<bool> read_answers() override;
        /// What has been read.
        [[nodiscard]] const std::vector<spoken_wait> &waits() const noexcept { return waits_; }

      private:
        job &job_;
        wait_table &table_;
        std::uint32_t question_ = 0;
        std::vector<spoken_wait> waits_;
    };

    standstill_speaker(job &speaking, const tcp::greeter &self, std::unique_ptr<tcp::reception> reception);

    [[nodiscard]] bool tells() const noexcept { return vote_.has_value(); }
    /// Returns when there is nothing to say any more: the teller cannot be reached.
    void run();
    void wait_for_news();
    void hear_links();
    void hear(const speaker_link::heard &message);
    void say(const node_statement &said);
    void keep(const std::vector<spoken_wait> &waits);
    void serve_as_teller();
    [[nodiscard]] bool meet_teller();
    void add_link(tcp::greeting::side is, owned_descriptor met, const tcp::greeting &greeted);
    [[nodiscard]] static job_milliseconds now();

    job &job_;
    const int node_;
    const tcp::greeter self_;
    own_ranks ranks_;
    node_voice voice_{ranks_};
    std::vector<speaker_link>
        links_; ///< the teller's: to all others that have met it; of others: to the teller
    bool over_ = false;
    // The teller's.
    std::unique_ptr<tcp::reception> reception_;
    std::optional<standstill_vote> vote_;
    job_waits all_waits_; ///< by rank of the job
};

} // namespace lisle
