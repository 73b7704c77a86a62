// SPDX-License-Identifier: Apache-2.0
// The vote by which the nodes of a job find out that all ranks are deadlocked. One node counts the votes; the
// others tell it what they see. Ranks at work are not disturbed, and messages of the program carry nothing
// for it.
//
//   1. A node whose ranks have slept from one look to the next says so of its own accord, and takes it back
//      when one has woken up: word.
//   2. All have, and as many packets have been taken from the network as were sent: the teller has each node
//      ask its ranks what they wait for. When they have answered and sleep again the node says so: answers.
//   3. All nodes still do, and the counts are still equal: the teller has each of them look once more.
//      If each finds what it said in step 2, all ranks have slept from the last of these answers to the
//      first of these looks. At that moment nothing was under way within a node or between nodes, and all
//      ranks waited for nothing but other ranks. So it stays.
//
// No part sends, waits or reads a clock: the caller does (library/standstill_speaker.cpp). Used by one
// thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "execution/wait_table.hpp"

namespace lisle {

using job_milliseconds = std::chrono::milliseconds;

/// What a node says to the teller.
struct node_statement {
    enum class sort : std::uint32_t {
        word,    ///< of its own accord
        answers, ///< the ranks have been asked
        look,    ///< it has looked once more
    };
    sort what = sort::word;
    std::uint32_t round = 0;  ///< the teller's, of the question that this answers
    std::uint8_t still = 0;   ///< `found` holds something
    std::uint8_t certain = 0; ///< all ranks have said that only other ranks can end their waits
    wait_table::stillness found{};

    [[nodiscard]] bool says_still() const noexcept { return still != 0; }
};

/// What the teller asks the nodes to do.
enum class teller_request : std::uint32_t { nothing, ask_ranks, look_again, stands_still };

/// The teller's side.
class standstill_vote {
  public:
    explicit standstill_vote(int nodes)
        : words_(static_cast<std::size_t>(nodes)), round_statements_(words_.size()) {}

    void hear(int node, const node_statement &said, job_milliseconds now);
    /// What is to be asked of all nodes next, once: `nothing` most of the time. `stands_still`: the job does,
    /// as the latest answers say.
    [[nodiscard]] teller_request next(job_milliseconds now);
    /// Goes with each request.
    [[nodiscard]] std::uint32_t round() const noexcept { return round_; }

  private:
    using statements = std::vector<std::optional<node_statement>>; ///< by node; nothing: not heard yet
    enum class phase : std::uint8_t { listening, asking, looking };

    [[nodiscard]] static bool all_still(const statements &all) noexcept;
    void hear_in_round(int node, const node_statement &said);
    void fail(job_milliseconds now);

    statements words_;            ///< the latest of each node
    statements round_statements_; ///< of this round
    phase phase_ = phase::listening;
    std::uint32_t round_ = 0;
    std::size_t missing_ = 0; ///< nodes whose statement of this phase has not come
    bool failed_ = false;     ///< one of them was not what it has to be
    unsigned in_vain_ = 0;
    job_milliseconds not_before_{0};
};

/// A node's ranks as its speaker sees and questions them.
class node_ranks {
  public:
    virtual ~node_ranks() = default;
    [[nodiscard]] virtual std::optional<wait_table::stillness> stillness() = 0;
    /// Has all ranks answer what they wait for.
    virtual void ask() = 0;
    /// Reads the answers to the latest question. Nothing: some have not come. @return whether all are certain
    [[nodiscard]] virtual std::optional<bool> read_answers() = 0;
};

/// A node's side.
class node_voice {
  public:
    explicit node_voice(node_ranks &ranks) : ranks_{ranks} {}

    /// The teller has asked for something; `next` has the reply.
    void hear(teller_request request, std::uint32_t round, job_milliseconds now);
    /// What the node has to say now.
    [[nodiscard]] std::optional<node_statement> next(job_milliseconds now);
    /// True while ranks have been asked and have not answered: time to look often.
    [[nodiscard]] bool awaits_answers() const noexcept { return asked_ != 0; }

  private:
    [[nodiscard]] std::optional<node_statement> answers(job_milliseconds now);
    [[nodiscard]] static node_statement statement(node_statement::sort what, std::uint32_t round,
                                                  const std::optional<wait_table::stillness> &found);

    node_ranks &ranks_;
    std::optional<wait_table::stillness> before_; ///< at the last look
    std::optional<wait_table::stillness> said_;   ///< in the last word
    std::uint32_t asked_ = 0;                     ///< the round whose answers are to be told; 0: none
    std::uint32_t look_ = 0;                      ///< the round in which a look was asked for; 0: none
    job_milliseconds give_up_at_{0};
};

} // namespace lisle
