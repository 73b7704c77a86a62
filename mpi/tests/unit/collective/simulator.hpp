// SPDX-License-Identifier: Apache-2.0
// Runs the schedules of all ranks of a collective in one thread, in an order drawn at random. Messages are
// either taken from the send buffer at once or only when they are delivered, which may be much later: a
// schedule that changes a buffer too early, or reads one too early, gives wrong results here.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <random>
#include <tuple>
#include <vector>

#include "collective/steps/schedule.hpp"
#include "datatype/copy.hpp"

namespace lisle::collective {

/// When a message leaves its buffer.
enum class delivery { immediate, late };

class simulator {
  public:
    simulator(std::vector<schedule> plans, delivery mode, unsigned seed)
        : plans_{std::move(plans)}, mode_{mode}, random_{seed}, next_(plans_.size(), 0),
          settled_(plans_.size()) {
        for (std::size_t rank = 0; rank < plans_.size(); ++rank) {
            settled_[rank].resize(plans_[rank].steps().size(), true);
        }
    }

    /// Runs to the end; reports a deadlock or messages that nobody receives as a failure of the test.
    void run() {
        for (;;) {
            std::vector<std::size_t> ready;
            for (std::size_t rank = 0; rank < plans_.size(); ++rank) {
                if (may_go_on(rank)) {
                    ready.push_back(rank);
                }
            }
            std::vector<key> deliverable;
            for (const auto &[where, queue] : queues_) {
                if (!queue.sends.empty() && !queue.receives.empty()) {
                    deliverable.push_back(where);
                }
            }
            const std::size_t choices = ready.size() + deliverable.size();
            if (choices == 0) {
                break;
            }
            const std::size_t choice = std::uniform_int_distribution<std::size_t>{0, choices - 1}(random_);
            if (choice < ready.size()) {
                take_step(ready[choice]);
            } else {
                deliver(queues_[deliverable[choice - ready.size()]]);
            }
        }
        for (std::size_t rank = 0; rank < plans_.size(); ++rank) {
            ASSERT_EQ(next_[rank], plans_[rank].steps().size()) << "rank " << rank << " is stuck";
        }
        for (const auto &[where, queue] : queues_) {
            ASSERT_TRUE(queue.sends.empty())
                << "rank " << std::get<1>(where) << " has sent a message to rank " << std::get<2>(where)
                << " that is not received";
            ASSERT_TRUE(queue.receives.empty());
        }
    }

  private:
    using key = std::tuple<std::uint64_t, int, int>; // context, number of the sender, of the receiver

    struct pending {
        std::size_t rank;
        step_index step;
        typed_buffer buffer;
        std::vector<std::byte> data; // immediate_steps: the message
    };
    struct queue {
        std::deque<pending> sends, receives;
    };

    bool settled_up_to(std::size_t rank, step_index end) const {
        for (step_index i = 0; i < end; ++i) {
            if (!settled_[rank][i]) {
                return false;
            }
        }
        return true;
    }

    bool may_go_on(std::size_t rank) const {
        const auto steps = plans_[rank].steps();
        if (next_[rank] == steps.size()) {
            return false;
        }
        const step &next = steps[next_[rank]];
        if (const auto *await = std::get_if<await_step>(&next)) {
            return settled_[rank][await->awaited];
        }
        return !std::holds_alternative<await_all_step>(next) || settled_up_to(rank, next_[rank]);
    }

    void take_step(std::size_t rank) {
        const step_index index = next_[rank]++;
        const step &taken = plans_[rank].steps()[index];
        if (const auto *send = std::get_if<send_step>(&taken)) {
            pending message{rank, index, send->buffer, {}};
            if (mode_ == delivery::immediate) {
                message.data.resize(static_cast<std::size_t>(send->buffer.bytes()));
                pack(send->buffer, 0, message.data);
            } else {
                settled_[rank][index] = false;
            }
            const int to = send->channel->peers->member(send->peer);
            queues_[{send->channel->context, static_cast<int>(rank), to}].sends.push_back(std::move(message));
        } else if (const auto *receive = std::get_if<receive_step>(&taken)) {
            settled_[rank][index] = false;
            const int from = receive->channel->peers->member(receive->peer);
            queues_[{receive->channel->context, from, static_cast<int>(rank)}].receives.push_back(
                {rank, index, receive->buffer, {}});
        } else if (const auto *copied = std::get_if<copy_step>(&taken)) {
            lisle::copy(copied->from, copied->to, 0, copied->from.bytes());
        } else if (const auto *reduced = std::get_if<reduce_step>(&taken)) {
            reduced->operation->apply(reduced->in.address, reduced->inout.address, reduced->inout.count,
                                      *reduced->inout.type);
        }
    }

    void deliver(queue &at) {
        pending &send = at.sends.front();
        const pending &receive = at.receives.front();
        if (mode_ == delivery::late) {
            send.data.resize(static_cast<std::size_t>(send.buffer.bytes()));
            pack(send.buffer, 0, send.data);
            settled_[send.rank][send.step] = true;
        }
        EXPECT_EQ(static_cast<MPI_Count>(send.data.size()), receive.buffer.bytes())
            << "a message from rank " << send.rank << " to rank " << receive.rank;
        if (static_cast<MPI_Count>(send.data.size()) <= receive.buffer.bytes()) {
            unpack(receive.buffer, 0, send.data);
        }
        settled_[receive.rank][receive.step] = true;
        at.sends.pop_front();
        at.receives.pop_front();
    }

    std::vector<schedule> plans_;
    delivery mode_;
    std::mt19937 random_;
    std::vector<step_index> next_;
    std::vector<std::vector<bool>> settled_;
    std::map<key, queue> queues_;
};

} // namespace lisle::collective
