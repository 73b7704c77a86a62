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

#include "../../fabrics/toy_fabric.hpp"
#include "base/error.hpp"
#include "datatype/predefined.hpp"
#include "fabric/local/local_fabric.hpp"
#include "fabric/local/node_domain.hpp"
#include "library/process.hpp"
#include "mpi.h"
#include "protocol/engine.hpp"
#include "protocol/message/track.hpp"
#include "protocol/point_to_point.hpp"
#include "protocol/tracks.hpp"
#include "protocol/wait.hpp"
#include "world/launched_bootstrap.hpp"

using namespace lisle;
using namespace lisle::protocol;
using lisle::fabric::local::node_segment;

namespace {

struct setup {
    const char *name;
    std::vector<int> shape;
    /// Which fabrics: the local one, a toy one, two toy ones each for every other rank, or a toy one for the
    /// odd ranks beside the local one.
    enum fabrics : unsigned char { local, toy, two_toys, toy_beside_local } over;
    bool cross_memory;
    int track = 0;
    friend void PrintTo(const setup &chosen, std::ostream *out) { *out << chosen.name; }
};

/// Runs `body(rank number, channel)` in a thread for each rank of a job.
class run {
  public:
    explicit run(const setup &chosen)
        : shape_{chosen.shape}, segment_{node_segment::create(shape_)},
          context_{4 | static_cast<std::uint64_t>(chosen.track) << track_shift} {
        auto table = job_table::create(shape_);
        const node_segment &first = segment_;
        const std::vector<fabric_maker> makers = makers_of(chosen);
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
    /// Those of the toy fabrics, in the order in which they are asked.
    [[nodiscard]] toy::exchange &exchange(std::size_t which) const { return *exchanges_[which]; }
    /// Makes a rank fail, on all toy fabrics.
    void kill(int rank) {
        for (const auto &each : exchanges_) {
            each->kill(rank, segment_);
        }
    }

  private:
    std::vector<fabric_maker> makers_of(const setup &chosen) {
        using by = fabric::waking::by;
        const auto even = [](int rank) { return rank % 2 == 0; };
        const auto odd = [](int rank) { return rank % 2 != 0; };
        switch (chosen.over) {
        case setup::toy:
            return {toy_maker({})};
        case setup::two_toys:
            return {toy_maker({.largest_payload = 500,
                               .eager = 300,
                               .reads = true,
                               .wakes = by::polling,
                               .serves = even}),
                    toy_maker({.largest_payload = 1200, .wakes = by::descriptor, .serves = odd})};
        case setup::toy_beside_local:
            return {
                toy_maker({.largest_payload = 700, .reads = true, .wakes = by::descriptor, .serves = odd}),
                local_maker(chosen.cross_memory)};
        case setup::local:
            break;
        }
        return {local_maker(chosen.cross_memory)};
    }
    static fabric_maker local_maker(bool cross_memory) {
        return
            [cross_memory](node_segment &segment, const bootstrap &start) -> std::unique_ptr<fabric::fabric> {
                using namespace fabric::local;
                const read_thresholds reads = cross_memory ? read_thresholds{.least = 0} : read_thresholds{};
                return std::make_unique<local_fabric>(std::make_unique<node_domain>(segment, start, reads));
            };
    }
    fabric_maker toy_maker(const toy::character &nature) {
        exchanges_.push_back(std::make_shared<toy::exchange>(shape_.ranks()));
        return [shared = exchanges_.back(), nature](node_segment &segment,
                                                    const bootstrap &) -> std::unique_ptr<fabric::fabric> {
            return std::make_unique<toy::toy_fabric>(shared, segment, nature);
        };
    }

    std::vector<std::shared_ptr<toy::exchange>> exchanges_;
    job_shape shape_;
    node_segment segment_;
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
    constexpr int each = 300;
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

TEST(two_fabrics, a_packets_only_route_within_a_process_is_obeyed) {
    run job{{"", {4}, setup::two_toys, false}};
    std::atomic<std::uint64_t> copied{0};
    job([&](int self, const channel &channel) {
        for (const std::size_t bytes : {8U, 400U, 20000U, 800000U}) {
            auto data = made_up_data(3, bytes);
            std::vector<unsigned char> got(bytes);
            auto *const receiving = start_receive(bytes_of(got), channel, (self + 3) % 4, 1);
            send(bytes_of(data), channel, (self + 1) % 4, 1);
            protocol::wait(*receiving);
            receiving->free();
            ASSERT_EQ(got, data);
        }
        copied += channel.home->core().counts.value(counted::copied_bytes);
    });
    EXPECT_EQ(copied.load(), 0U) << "data has gone around the fabrics, within the process";
}

TEST(two_fabrics, a_failed_peer_ends_what_needs_it_and_the_rest_goes_on) {
    run job{{"", {1, 1, 1, 1}, setup::two_toys, false}};
    std::atomic<int> ready{0};
    job([&](int self, const channel &channel) {
        constexpr int victim = 1;
        if (self == victim) {
            return;
        }
        std::vector<unsigned char> got(100), long_data(50000), any(8);
        auto *const from_victim = start_receive(bytes_of(got), channel, victim, 5);
        auto *const to_victim = start_send(bytes_of(long_data), channel, victim, 6);
        auto *const from_any = start_receive(bytes_of(any), channel, MPI_ANY_SOURCE, 7);
        if (++ready == 3) {
            job.kill(victim);
        }
        protocol::wait(*from_victim);
        EXPECT_EQ(from_victim->result.error, MPIX_ERR_PROC_FAILED);
        from_victim->free();
        protocol::wait(*to_victim);
        EXPECT_EQ(to_victim->result.error, MPIX_ERR_PROC_FAILED);
        to_victim->free();
        // Later operations hear of it at once.
        EXPECT_EQ(receive(bytes_of(got), channel, victim, 5).error, MPIX_ERR_PROC_FAILED);
        EXPECT_THROW(send(bytes_of(got), channel, victim, 5), mpi_error);
        EXPECT_THROW(send(bytes_of(long_data), channel, victim, 5), mpi_error);
        // The others go on.
        const int next = self == 0 ? 2 : self == 2 ? 3 : 0;
        const int before = self == 0 ? 3 : self == 2 ? 0 : 2;
        std::vector<unsigned char> eight(8, static_cast<unsigned char>(self));
        send(bytes_of(eight), channel, next, 7);
        protocol::wait(*from_any);
        EXPECT_EQ(from_any->result.error, MPI_SUCCESS);
        EXPECT_EQ(from_any->result.source, before);
        EXPECT_EQ(any[0], before);
        from_any->free();
        auto data = made_up_data(9, 300000);
        std::vector<unsigned char> room(300000);
        auto *const sending = start_send(bytes_of(data), channel, next, 8);
        EXPECT_EQ(receive(bytes_of(room), channel, before, 8).error, MPI_SUCCESS);
        EXPECT_EQ(room, data);
        protocol::wait(*sending);
        sending->free();
    });
}

TEST(two_fabrics, each_pair_uses_one_and_remote_memory_where_there_is_any) {
    run job{{"", {1, 1, 1, 1}, setup::two_toys, false}};
    job([&](int self, const channel &channel) {
        auto data = made_up_data(4, 500000);
        std::vector<unsigned char> got(500000);
        auto *const receiving = start_receive(bytes_of(got), channel, self ^ 2, 1); // of the same parity
        send(bytes_of(data), channel, self ^ 2, 1);
        protocol::wait(*receiving);
        receiving->free();
        ASSERT_EQ(got, data);
    });
    // Packets go by who receives them: data to the first fabric's ranks is read, the second one has no
    // memory.
    EXPECT_GE(job.exchange(0).bytes_read.load(), 500000);
    EXPECT_EQ(job.exchange(1).bytes_read.load(), 0);
    EXPECT_GE(job.exchange(1).packets_sent.load(), 2 * 500000 / 1200);
}

INSTANTIATE_TEST_SUITE_P(
    fabrics, engine_test,
    testing::Values(setup{"local_threads", {3}, setup::local, true},
                    setup{"local_processes", {1, 1, 1}, setup::local, true},
                    setup{"local_processes_without_reads", {1, 1}, setup::local, false},
                    setup{"local_mixed", {2, 2}, setup::local, true},
                    setup{"local_threads_on_another_track", {3}, setup::local, true, 1},
                    setup{"local_processes_on_another_track", {1, 1, 1}, setup::local, true, 2},
                    setup{"local_mixed_on_another_track", {2, 2}, setup::local, true, 3},
                    setup{"toy_threads", {3}, setup::toy, false},
                    setup{"toy_processes", {1, 1, 1}, setup::toy, false},
                    setup{"toy_mixed", {2, 1}, setup::toy, false},
                    setup{"two_toys_threads", {4}, setup::two_toys, false},
                    setup{"two_toys_processes", {1, 1, 1, 1}, setup::two_toys, false},
                    setup{"two_toys_mixed", {2, 2}, setup::two_toys, false},
                    setup{"toy_beside_local_threads", {4}, setup::toy_beside_local, true},
                    setup{"toy_beside_local_mixed", {2, 2}, setup::toy_beside_local, true}),
    [](const auto &chosen) { return std::string{chosen.param.name}; });
