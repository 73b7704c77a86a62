// SPDX-License-Identifier: Apache-2.0
// The protocol engine over the local fabric and over the toy one, with all ranks in threads of this test
// and the job cut into processes in different ways: what lies in another "process" is reached by packets
// and kernel reads only, as it would be between real ones.
#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <random>
#include <thread>

#include "datatype/predefined.hpp"
#include "fabric/local/local_fabric.hpp"
#include "protocol/engine.hpp"
#include "protocol/point_to_point.hpp"
#include "protocol/track.hpp"
#include "protocol/tracks.hpp"
#include "library/process.hpp"
#include "world/launched_bootstrap.hpp"
#include "toy_fabric.hpp"

using namespace lisle;
using namespace lisle::protocol;
using lisle::fabric::local::node_segment;

namespace {

struct setup {
    const char *name;
    std::vector<int> shape;
    bool toy;
    bool cross_memory;
    int track = 0;
    friend void PrintTo(const setup &chosen, std::ostream *out) { *out << chosen.name; }
};

/// Runs `body(rank number, channel)` in a thread for each rank of a job.
class run {
  public:
    explicit run(const setup &chosen)
        : shape_{chosen.shape}, context_{4 | static_cast<std::uint64_t>(chosen.track) << track_shift} {
        auto table = job_table::create(shape_);
        auto first = node_segment::create(shape_);
        auto shared = std::make_shared<toy::exchange>(shape_.ranks());
        const fabric_maker makers[] = {
            [&](node_segment &segment, const bootstrap &start) -> std::unique_ptr<fabric::fabric> {
                if (chosen.toy) {
                    return std::make_unique<toy::toy_fabric>(shared, segment, 500);
                }
                const auto least_read = chosen.cross_memory ? std::optional<std::size_t>{0} : std::nullopt;
                return std::make_unique<fabric::local::local_fabric>(segment, start, least_read);
            }};
        for (int index = 0; index < shape_.processes(); ++index) {
            auto start =
                std::make_unique<launched_bootstrap>(job_table::attach(dup(table.descriptor())), index);
            processes_.push_back(std::make_unique<process>(
                std::move(start), node_segment::attach(dup(first.descriptor())), makers));
        }
        std::vector<int> everybody(static_cast<std::size_t>(shape_.ranks()));
        std::iota(everybody.begin(), everybody.end(), 0);
        members_ = make_group(everybody);
    }

    template <class Body> void operator()(Body body) {
        std::vector<std::thread> threads;
        std::vector<rank *> ranks;
        for (const auto &each : processes_) {
            for (int index = 0; index < each->get_job().rank_count(); ++index) {
                ranks.push_back(&each->enter(index));
            }
        }
        for (rank *entered : ranks) {
            threads.emplace_back([&, entered] {
                become(entered);
                // Both ways in which receives start, beside each other.
                entered->engine().expect_one_thread(entered->number() % 2 == 0);
                body(entered->number(), make_channel(context_, entered->number(), *members_));
                // Nobody's state goes away while others may still speak to it.
                wait_until(*entered, [entered] { return entered->tracks().drained(); });
                become(nullptr);
            });
        }
        for (auto &thread : threads) {
            thread.join();
        }
        for (rank *ended : ranks) {
            ended->get_job().leave(*ended);
        }
    }
    [[nodiscard]] int size() const { return shape_.ranks(); }

  private:
    job_shape shape_;
    std::uint64_t context_;
    std::vector<std::unique_ptr<process>> processes_;
    group_ref members_;
};

typed_buffer bytes_of(std::vector<unsigned char> &data) {
    return {data.data(), static_cast<MPI_Count>(data.size()), *find_datatype(MPI_BYTE)};
}

std::vector<unsigned char> made_up_data(unsigned seed, std::size_t bytes) {
    std::mt19937 random{seed};
    std::vector<unsigned char> data(bytes);
    for (auto &byte : data) {
        byte = static_cast<unsigned char>(random());
    }
    return data;
}

class engine_test : public testing::TestWithParam<setup> {};

} // namespace

TEST_P(engine_test, carries_messages_of_every_size_and_mode) {
    run job{GetParam()};
    job([&](int self, const channel &channel) {
        const int peer = self ^ 1;
        if (peer >= job.size()) {
            return;
        }
        unsigned seed = 0;
        for (const std::size_t bytes :
             {0U, 1U, 31U, 32U, 33U, 500U, 4096U, 4097U, 16384U, 16385U, 100000U, 1000000U}) {
            for (const auto mode : {send_mode::standard, send_mode::synchronous, send_mode::ready}) {
                auto data = made_up_data(++seed, bytes);
                std::vector<unsigned char> got(bytes + 8, 0xee);
                typed_buffer room = bytes_of(got);
                room.count -= 8;
                if (self % 2 == 0) {
                    auto *const receiving = start_receive(room, channel, peer, 9);
                    send(bytes_of(data), channel, peer, 8, mode);
                    protocol::wait(*receiving);
                    ASSERT_EQ(receiving->result.bytes, static_cast<MPI_Count>(bytes));
                    receiving->free();
                } else {
                    auto *const sending = start_send(bytes_of(data), channel, peer, 9, mode);
                    const outcome ended = receive(room, channel, peer, 8);
                    ASSERT_EQ(ended.bytes, static_cast<MPI_Count>(bytes));
                    protocol::wait(*sending);
                    sending->free();
                }
                ASSERT_TRUE(std::equal(data.begin(), data.end(), got.begin()));
                ASSERT_EQ(got[bytes], 0xee);
            }
        }
    });
}

TEST_P(engine_test, keeps_order_and_contents_of_random_traffic_with_wildcards) {
    run job{GetParam()};
    constexpr int each = 600;
    job([&](int self, const channel &channel) {
        std::mt19937 random{static_cast<unsigned>(self)};
        std::vector<request *> sending;
        std::vector<std::vector<unsigned char>> kept;
        for (int number = 0; number < each; ++number) {
            for (int dest = 0; dest < job.size(); ++dest) {
                const std::size_t bytes = 8 + (random() % 8 == 0 ? random() % 40000 : random() % 64);
                kept.push_back(made_up_data(static_cast<unsigned>(number), bytes));
                std::memcpy(kept.back().data(), &number, sizeof number);
                sending.push_back(start_send(bytes_of(kept.back()), channel, dest, number % 3));
            }
        }
        std::map<std::pair<int, int>, int> last;
        std::vector<unsigned char> room(50000);
        for (int received = 0; received < each * job.size(); ++received) {
            const outcome ended = receive(bytes_of(room), channel, MPI_ANY_SOURCE, MPI_ANY_TAG);
            int number = 0;
            std::memcpy(&number, room.data(), sizeof number);
            auto expected =
                made_up_data(static_cast<unsigned>(number), static_cast<std::size_t>(ended.bytes));
            std::memcpy(expected.data(), &number, sizeof number);
            ASSERT_EQ(ended.tag, number % 3);
            ASSERT_EQ(std::memcmp(expected.data(), room.data(), expected.size()), 0);
            auto [place, fresh] = last.try_emplace({ended.source, 0}, -1);
            ASSERT_EQ(number, place->second + 1) << "overtaken";
            place->second = number;
        }
        for (auto *const started : sending) {
            protocol::wait(*started);
            started->free();
        }
    });
}

TEST_P(engine_test, reports_truncation_and_stores_what_fits) {
    run job{GetParam()};
    job([&](int self, const channel &channel) {
        for (const std::size_t bytes : {20U, 3000U, 50000U}) {
            auto data = made_up_data(1, bytes);
            if (self == 0) {
                send(bytes_of(data), channel, 1, 0);
            } else if (self == 1) {
                std::vector<unsigned char> got(bytes / 2);
                const outcome ended = receive(bytes_of(got), channel, 0, 0);
                ASSERT_EQ(ended.error, MPI_ERR_TRUNCATE);
                ASSERT_EQ(ended.bytes, static_cast<MPI_Count>(got.size()));
                ASSERT_EQ(std::memcmp(got.data(), data.data(), got.size()), 0);
            }
        }
    });
}

TEST_P(engine_test, cancels_receives_and_announced_sends) {
    run job{GetParam()};
    job([&](int self, const channel &channel) {
        std::vector<unsigned char> data(100000);
        if (self == 0) {
            auto *const receiving = start_receive(bytes_of(data), channel, 1, 77);
            receiving->cancel();
            protocol::wait(*receiving);
            EXPECT_TRUE(receiving->result.cancelled);
            receiving->free();
            auto *const sending = start_send(bytes_of(data), channel, 1, 78);
            sending->cancel();
            send(bytes_of(data), channel, 1, 79, send_mode::synchronous);
            protocol::wait(*sending);
            EXPECT_TRUE(sending->result.cancelled);
            sending->free();
        } else if (self == 1) {
            receive(bytes_of(data), channel, 0, 79);
            outcome found;
            EXPECT_EQ(channel.home->probe({channel.context, 0, 78}, false, found), nullptr);
        }
    });
}

TEST_P(engine_test, frees_requests_that_are_still_active) {
    run job{GetParam()};
    job([&](int self, const channel &channel) {
        static std::vector<unsigned char> data(60000); // outlives the send that nobody waits for
        if (self == 0) {
            start_send(bytes_of(data), channel, 1, 1)->free();
            std::vector<unsigned char> nothing;
            receive(bytes_of(nothing), channel, 1, 2);
        } else if (self == 1) {
            std::vector<unsigned char> got(60000);
            receive(bytes_of(got), channel, 0, 1);
            std::vector<unsigned char> nothing;
            send(bytes_of(nothing), channel, 0, 2, send_mode::synchronous);
        }
    });
}

TEST_P(engine_test, meets_messages_that_come_while_receives_are_started) {
    run job{GetParam()};
    job([&](int self, const channel &channel) {
        if (self > 1) {
            return;
        }
        std::mt19937 random{7}; // the same in both
        constexpr int windows = 300;
        constexpr std::size_t most = 150; // more than there are slots for
        std::vector<int> in(most);
        std::vector<int> out(most);
        std::vector<request *> requests;
        int number = 0;
        for (int window = 0; window < windows; ++window) {
            const std::size_t count = 1 + random() % most;
            const auto mode = random() % 2 == 0 ? send_mode::standard : send_mode::synchronous;
            const bool any = random() % 2 == 0;
            for (std::size_t i = 0; i < count; ++i) {
                if (self == 1) {
                    out[i] = number + static_cast<int>(i);
                    requests.push_back(start_send({&out[i], 1, *find_datatype(MPI_INT)}, channel, 0,
                                                  static_cast<int>(i % 2), mode));
                } else {
                    requests.push_back(start_receive({&in[i], 1, *find_datatype(MPI_INT)}, channel,
                                                     any ? MPI_ANY_SOURCE : 1, static_cast<int>(i % 2)));
                }
            }
            for (request *const started : requests) {
                protocol::wait(*started);
                started->free();
            }
            requests.clear();
            for (std::size_t i = 0; self == 0 && i < count; ++i) {
                ASSERT_EQ(in[i], number + static_cast<int>(i));
            }
            number += static_cast<int>(count);
        }
    });
}

INSTANTIATE_TEST_SUITE_P(fabrics, engine_test,
                         testing::Values(setup{"local_threads", {3}, false, true},
                                         setup{"local_processes", {1, 1, 1}, false, true},
                                         setup{"local_processes_without_reads", {1, 1}, false, false},
                                         setup{"local_mixed", {2, 2}, false, true},
                                         setup{"local_threads_on_another_track", {3}, false, true, 1},
                                         setup{"local_processes_on_another_track", {1, 1, 1}, false, true, 2},
                                         setup{"local_mixed_on_another_track", {2, 2}, false, true, 3},
                                         setup{"toy_threads", {3}, true, false},
                                         setup{"toy_processes", {1, 1, 1}, true, false},
                                         setup{"toy_mixed", {2, 1}, true, false}),
                         [](const auto &chosen) { return std::string{chosen.param.name}; });
