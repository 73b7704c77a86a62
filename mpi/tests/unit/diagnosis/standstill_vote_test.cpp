// SPDX-License-Identifier: Apache-2.0
// The agreement of nodes that a job stands still, on a model of a job: ranks that send, receive, wait for
// something outside and fall asleep, packets and statements that take their time, all in random order. Random
// programs that end must never be said to stand still; those that cannot end must, and no earlier.
#include "diagnosis/standstill_vote.hpp"

#include <algorithm>
#include <deque>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <random>
#include <vector>

namespace {

using namespace lisle;

struct step {
    enum class kind { send, receive, outside, finalize } what;
    int peer;
};

class model {
  public:
    model(unsigned seed, bool plant)
        : random_{seed},
          nodes_(static_cast<std::size_t>(between(2, 4))), vote_{static_cast<int>(nodes_.size())} {
        for (std::size_t node = 0; node < nodes_.size(); ++node) {
            for (int i = between(1, 2); i > 0; --i) {
                nodes_[node].push_back(static_cast<int>(ranks_.size()));
                ranks_.push_back({.node = static_cast<int>(node)});
            }
        }
        write_programs(plant);
        for (std::size_t node = 0; node < nodes_.size(); ++node) {
            speakers_.push_back(std::make_unique<speaker>(*this, static_cast<int>(node)));
        }
    }

    enum class outcome { ended, said_to_stand_still, undecided };
    outcome run() {
        for (int steps = 0; steps < most_steps; ++steps) {
            now_ += job_milliseconds{between(0, 5)};
            take_a_step();
            if (all_at_end()) {
                return outcome::ended;
            }
            const teller_request request = vote_.next(now_);
            if (request == teller_request::stands_still) {
                return outcome::said_to_stand_still;
            }
            if (request != teller_request::nothing) {
                for (auto &each : speakers_) {
                    each->requests.push_back({request, vote_.round()});
                }
            }
        }
        return outcome::undecided;
    }

    /// What the vote is about, seen from above.
    [[nodiscard]] bool can_go_on() const {
        return std::ranges::any_of(ranks_, [this](const rank &each) {
            const step &next = each.program[each.at];
            switch (next.what) {
            case step::kind::send:
            case step::kind::outside:
                return true;
            case step::kind::receive:
                return each.taken.contains(next.peer) && each.taken.at(next.peer) > 0
                           ? true
                           : is_under_way(each, next.peer);
            case step::kind::finalize:
                return false;
            }
            return true;
        });
    }

  private:
    static constexpr int most_steps = 200'000, slowness = 100;

    struct rank {
        int node;
        std::vector<step> program{};
        std::size_t at = 0;
        bool asleep = false, rung = false, outside_is_over = false;
        std::deque<std::pair<int, bool>> arrived{}; ///< sender, and whether it came over the network
        std::map<int, int> taken{};                 ///< messages that no receive has matched, by sender
        std::uint32_t answered = 0;
        bool certain = false;
    };
    struct packet {
        int from, to;
        bool slow = false; ///< longer on its way than a whole vote takes
    };

    /// A node's speaker and its connection to the teller.
    struct speaker final : node_ranks {
        speaker(model &all, int node) : of{all}, number{node} {}
        std::optional<wait_table::stillness> stillness() override {
            for (const int each : of.nodes_[static_cast<std::size_t>(number)]) {
                const rank &one = of.ranks_[static_cast<std::size_t>(each)];
                if (!one.asleep || one.rung) {
                    return std::nullopt;
                }
            }
            return wait_table::stillness{wakings, sent, received};
        }
        void ask() override {
            ++question;
            for (const int each : of.nodes_[static_cast<std::size_t>(number)]) {
                rank &one = of.ranks_[static_cast<std::size_t>(each)];
                one.rung = one.rung || one.asleep;
            }
        }
        std::optional<bool> read_answers() override {
            bool certain = true;
            for (const int each : of.nodes_[static_cast<std::size_t>(number)]) {
                const rank &one = of.ranks_[static_cast<std::size_t>(each)];
                if (one.answered != question) {
                    return std::nullopt;
                }
                certain = certain && one.certain;
            }
            return certain;
        }

        model &of;
        int number;
        std::uint64_t wakings = 0, sent = 0, received = 0;
        std::uint32_t question = 0;
        node_voice voice{*this};
        std::deque<std::pair<teller_request, std::uint32_t>> requests{}; ///< on their way from the teller
        std::deque<node_statement> statements{};                         ///< on their way there
    };

    int between(int least, int most) { return std::uniform_int_distribution{least, most}(random_); }
    int any_rank() { return between(0, static_cast<int>(ranks_.size()) - 1); }

    // Messages are sent before they are received in some order of the whole job, so the programs end; a
    // receive more, and the rank never does.
    void write_programs(bool plant) {
        const auto append = [this](int to, step next) {
            ranks_[static_cast<std::size_t>(to)].program.push_back(next);
        };
        for (int i = between(0, 12); i > 0; --i) {
            const int from = any_rank(), to = any_rank();
            if (between(0, 9) == 0) {
                append(from, {step::kind::outside, 0});
            }
            append(from, {step::kind::send, to});
            append(to, {step::kind::receive, from});
        }
        if (plant) {
            std::vector<step> &victim = ranks_[static_cast<std::size_t>(any_rank())].program;
            victim.insert(victim.begin() + between(0, static_cast<int>(victim.size())),
                          {step::kind::receive, any_rank()});
        }
        for (rank &each : ranks_) {
            each.program.push_back({step::kind::finalize, 0});
        }
    }

    [[nodiscard]] bool all_at_end() const {
        return std::ranges::all_of(
            ranks_, [](const rank &each) { return each.program[each.at].what == step::kind::finalize; });
    }

    [[nodiscard]] bool is_under_way(const rank &to, int from) const {
        const auto number = static_cast<int>(&to - ranks_.data());
        return std::ranges::any_of(to.arrived, [from](const auto &each) { return each.first == from; }) ||
               std::ranges::any_of(
                   flying_, [&](const packet &each) { return each.to == number && each.from == from; });
    }

    void take_a_step() {
        auto &one = *speakers_[static_cast<std::size_t>(between(0, static_cast<int>(nodes_.size()) - 1))];
        switch (between(0, 7)) {
        case 0:
            if (const auto said = one.voice.next(now_)) {
                one.statements.push_back(*said);
            }
            return;
        case 1:
            if (!one.statements.empty()) {
                vote_.hear(one.number, one.statements.front(), now_);
                one.statements.pop_front();
            }
            return;
        case 2:
            if (!one.requests.empty()) {
                one.voice.hear(one.requests.front().first, one.requests.front().second, now_);
                one.requests.pop_front();
            }
            return;
        case 3:
            land();
            return;
        default:
            go_on(ranks_[static_cast<std::size_t>(any_rank())]);
        }
    }

    /// Some packet arrives; two from one rank to another keep their order, which does not matter here.
    void land() {
        if (flying_.empty()) {
            return;
        }
        const auto which = flying_.begin() + between(0, static_cast<int>(flying_.size()) - 1);
        if (!which->slow || between(0, slowness) == 0) {
            arrive(*which, true);
            flying_.erase(which);
        }
    }

    void arrive(const packet &which, bool by_network) {
        rank &to = ranks_[static_cast<std::size_t>(which.to)];
        to.arrived.emplace_back(which.from, by_network);
        to.rung = to.rung || to.asleep;
    }

    void go_on(rank &self) {
        speaker &here = *speakers_[static_cast<std::size_t>(self.node)];
        const step &next = self.program[self.at];
        if (self.asleep) {
            if (next.what == step::kind::outside && between(0, slowness) == 0) {
                self.rung = self.outside_is_over = true;
            }
            if (self.rung) {
                self.asleep = self.rung = false;
                ++here.wakings;
            }
            return;
        }
        if (next.what == step::kind::send) {
            send({static_cast<int>(&self - ranks_.data()), next.peer});
            ++self.at;
            return;
        }
        if (self.answered != here.question && between(0, 1) == 0) {
            self.answered = here.question;
            self.certain = next.what != step::kind::outside;
            return;
        }
        if (!self.arrived.empty()) {
            ++self.taken[self.arrived.front().first];
            here.received += self.arrived.front().second ? 1 : 0;
            self.arrived.pop_front();
            return;
        }
        const bool over = (next.what == step::kind::receive && self.taken[next.peer] > 0) ||
                          (next.what == step::kind::outside && self.outside_is_over);
        if (!over) {
            self.asleep = self.answered == here.question; // else it answers first
            return;
        }
        self.taken[next.peer] -= next.what == step::kind::receive ? 1 : 0;
        self.outside_is_over = false;
        ++self.at;
        self.answered = 0; // the answer is withdrawn
    }

    void send(const packet &which) {
        const int from = ranks_[static_cast<std::size_t>(which.from)].node;
        if (ranks_[static_cast<std::size_t>(which.to)].node == from) {
            arrive(which, false);
        } else {
            ++speakers_[static_cast<std::size_t>(from)]->sent;
            flying_.push_back({which.from, which.to, between(0, 9) == 0});
        }
    }

    std::mt19937 random_;
    std::vector<std::vector<int>> nodes_; ///< the ranks of each
    std::vector<rank> ranks_;
    std::vector<packet> flying_;
    std::vector<std::unique_ptr<speaker>> speakers_;
    standstill_vote vote_;
    job_milliseconds now_{0};
};

TEST(StandstillVote, IsNeverPassedOfAJobThatGoesOn) {
    constexpr unsigned jobs = 1500;
    for (unsigned seed = 0; seed < jobs; ++seed) {
        model job{seed, false};
        EXPECT_EQ(job.run(), model::outcome::ended) << "seed " << seed;
    }
}

TEST(StandstillVote, IsPassedWhenNothingCanGoOnAndNotBefore) {
    constexpr unsigned jobs = 1500;
    for (unsigned seed = 0; seed < jobs; ++seed) {
        model job{seed, true};
        EXPECT_EQ(job.run(), model::outcome::said_to_stand_still) << "seed " << seed;
        EXPECT_FALSE(job.can_go_on()) << "seed " << seed;
    }
}

wait_table::stillness still(std::uint64_t wakings, std::uint64_t sent, std::uint64_t received) {
    return {wakings, sent, received};
}
node_statement say(node_statement::sort what, std::uint32_t round, const wait_table::stillness &found,
                   bool certain = true) {
    return {what, round, 1, certain ? std::uint8_t{1} : std::uint8_t{0}, found};
}

TEST(StandstillVote, AsksNobodyWhileAPacketIsUnderWay) {
    standstill_vote vote{2};
    const job_milliseconds now{0};
    vote.hear(0, say(node_statement::sort::word, 0, still(1, 5, 3)), now);
    vote.hear(1, say(node_statement::sort::word, 0, still(1, 3, 4)), now);
    EXPECT_EQ(vote.next(now), teller_request::nothing);
    vote.hear(1, say(node_statement::sort::word, 0, still(2, 3, 5)), now);
    EXPECT_EQ(vote.next(now), teller_request::ask_ranks);
}

TEST(StandstillVote, FailsIfANodeHasWokenUpBetweenItsAnswersAndItsLook) {
    standstill_vote vote{2};
    const job_milliseconds now{0};
    for (const int node : {0, 1}) {
        vote.hear(node, say(node_statement::sort::word, 0, still(1, 4, 4)), now);
    }
    EXPECT_EQ(vote.next(now), teller_request::ask_ranks);
    for (const int node : {0, 1}) {
        vote.hear(node, say(node_statement::sort::answers, vote.round(), still(2, 4, 4)), now);
    }
    EXPECT_EQ(vote.next(now), teller_request::look_again);
    vote.hear(0, say(node_statement::sort::look, vote.round(), still(2, 4, 4)), now);
    EXPECT_EQ(vote.next(now), teller_request::nothing);
    vote.hear(1, say(node_statement::sort::look, vote.round(), still(3, 4, 4)), now);
    EXPECT_EQ(vote.next(now), teller_request::nothing);
}

TEST(StandstillVote, FailsIfARankWaitsForSomethingElseAndPausesLongerEachTime) {
    standstill_vote vote{1};
    job_milliseconds now{0};
    job_milliseconds pause_before{0};
    vote.hear(0, say(node_statement::sort::word, 0, still(1, 0, 0)), now);
    for (int round = 0; round < 5; ++round) {
        const job_milliseconds begin = now;
        while (vote.next(now) != teller_request::ask_ranks) {
            now += job_milliseconds{10};
            ASSERT_LT(now - begin, job_milliseconds{20'000});
        }
        EXPECT_GE(now - begin, pause_before);
        pause_before = now - begin;
        vote.hear(0, say(node_statement::sort::answers, vote.round(), still(1, 0, 0), false), now);
    }
    EXPECT_GT(pause_before, job_milliseconds{1000});
}

} // namespace
