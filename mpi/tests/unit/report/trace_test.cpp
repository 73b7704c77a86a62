// SPDX-License-Identifier: Apache-2.0
// What is written is read again; files that end anywhere, or hold anything, end the reading and nothing else.
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <random>
#include <stdexcept>
#include <string>
#include <unistd.h>

#include "report/analysis/analyse.hpp"
#include "report/page/json.hpp"
#include "report/page/page.hpp"
#include "report/page/summary.hpp"
#include "report/recorder/trace_file.hpp"
#include "report/trace/reader.hpp"

namespace lisle::report {

namespace {

class trace : public testing::Test {
  protected:
    trace() {
        std::filesystem::remove_all(folder);
        std::filesystem::create_directories(folder);
    }
    ~trace() override { std::filesystem::remove_all(folder); }

    [[nodiscard]] std::string file(int rank) const {
        return (folder / ("rank." + std::to_string(rank))).string();
    }

    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("lisle-trace-test-" + std::to_string(getpid()));
};

/// Writes records as a rank does.
class rank_writer {
  public:
    rank_writer(const std::string &path, int rank, int size, const trace_head &clock = {}) {
        trace_head head = clock;
        head.rank = rank;
        head.size = size;
        head.begin = 1000;
        EXPECT_TRUE(file_.open(path, head.bytes()));
        put(record::group, 77, size);
        for (int each = 0; each != size; ++each) {
            add(each + 1);
        }
        site("a.c:1");
    }
    template <class... Numbers> void put(record what, Numbers... numbers) {
        add(what);
        (add(numbers), ...);
    }
    void site(std::string_view text) {
        add(record::site);
        EXPECT_TRUE(file_.has_room(text.size() + 20));
        file_.written_until(packer{file_.next()}.text(text).end());
    }
    void call(int id, std::int64_t since, std::uint64_t time, int site = 0) {
        put(record::call, id, site, packer::folded(since), time, 0);
    }
    void close(std::uint64_t time) {
        put(record::last, time, 1 << 20);
        file_.close();
    }

  private:
    template <class Number> void add(Number number) {
        EXPECT_TRUE(file_.has_room(packer::most_bytes));
        file_.written_until(packer{file_.next()}.number(static_cast<std::uint64_t>(number)).end());
    }
    trace_file file_;
};

TEST_F(trace, comes_back_as_it_was_written) {
    std::mt19937_64 random{1};
    std::vector<std::pair<std::uint64_t, std::uint64_t>> calls; // begin, duration
    {
        rank_writer writer{file(0), 0, 1};
        std::uint64_t last = 0;
        for (int i = 0; i != 200'000; ++i) { // several windows
            const std::uint64_t begin = last + (random() >> (random() % 40 + 24)),
                                time = random() >> (random() % 50 + 14);
            writer.call(i % 300, static_cast<std::int64_t>(begin - last), time);
            calls.emplace_back(begin, time);
            last = begin;
        }
        writer.close(last);
    }
    trace_reader reader{file(0)};
    EXPECT_EQ(reader.head().size, 1);
    recorded_call call;
    for (const auto &[begin, time] : calls) {
        ASSERT_TRUE(reader.next(call));
        ASSERT_EQ(call.begin, begin);
        ASSERT_EQ(call.end - call.begin, time);
    }
    EXPECT_FALSE(reader.next(call));
    EXPECT_EQ(reader.closed(), calls.back().first);
    EXPECT_EQ(reader.sites().at(0), "a.c:1");
}

/// Rank 1 receives at 100 what rank 0 sends at 700; both meet in a collective, rank 0 at 2000 and rank 1 at
/// 1500.
void write_two_ranks(const std::string &first, const std::string &second) {
    constexpr int send_id = 60, receive_id = 61, collective_id = 62;
    rank_writer zero{first, 0, 2}, one{second, 1, 2};
    zero.put(record::send, 0, 2, packer::folded(5), 8);
    zero.put(record::done, 1);
    zero.call(send_id, 700, 50);
    zero.put(record::collective, 0, collective_shape::all_to_all, 0, 16);
    zero.put(record::done, 1);
    zero.call(collective_id, 1300, 100);
    one.put(record::receive, 0);
    one.put(record::received, 1, 1, packer::folded(5), 8);
    one.call(receive_id, 100, 650);
    one.put(record::collective, 0, collective_shape::all_to_all, 0, 16);
    one.put(record::done, 1);
    one.call(collective_id, 1400, 600);
    zero.close(2200);
    one.close(2200);
}

/// Rank 1 probes from 100 on what rank 0 sends at 700, locks from 1000 on what that unlocks at 1500, and
/// takes the data of that as its neighbour's from 1800 on, which comes at 2000. Rank 0 takes nothing of
/// rank 1.
TEST_F(trace, tells_for_whom_probes_locks_and_neighbours_wait) {
    constexpr int send_id = 60, probe_id = 61, lock_id = 62, unlock_id = 63, collective_id = 64;
    rank_writer zero{file(0), 0, 2}, one{file(1), 1, 2};
    one.put(record::neighbours, 1, 1);
    zero.put(record::send, 0, 2, packer::folded(5), 8);
    zero.put(record::done, 1);
    zero.call(send_id, 700, 50);
    zero.put(record::lock, 0, 3, 2, lock_step::exclusive);
    zero.call(lock_id, 100, 10);
    zero.put(record::lock, 0, 3, 2, lock_step::unlock);
    zero.call(unlock_id, 700, 20);
    one.put(record::found, 0, 1, packer::folded(5));
    one.call(probe_id, 100, 650);
    one.put(record::receive, 0);
    one.put(record::received, 1, 1, packer::folded(5), 8);
    one.call(send_id, 660, 5);
    one.put(record::lock, 0, 3, 2, lock_step::shared);
    one.call(lock_id, 240, 510);
    one.put(record::lock, 0, 3, 0, lock_step::flush); // of all targets: nobody unlocks meanwhile
    one.call(lock_id, 520, 10);
    one.put(record::collective, 0, collective_shape::neighbours, 0, 16);
    one.put(record::done, 1);
    one.call(collective_id, 280, 210);
    zero.put(record::collective, 0, collective_shape::neighbours, 0, 16);
    zero.put(record::done, 1);
    zero.call(collective_id, 500, 5);
    // The exclusive lock of rank 0 has ended: its flush under a lock of all waits for no shared one.
    one.put(record::lock, 0, 3, 2, lock_step::unlock);
    one.call(unlock_id, 230, 10);
    zero.put(record::lock, 0, 3, 2, lock_step::flush);
    zero.call(lock_id, 25, 30);
    zero.close(2200);
    one.close(2200);
    const run told = analyse(folder);
    by_state expected{};
    expected[static_cast<std::size_t>(wait_state::late_sender)] = 600;
    expected[static_cast<std::size_t>(wait_state::wait_for_lock)] = 500;
    expected[static_cast<std::size_t>(wait_state::late_neighbour)] = 200;
    EXPECT_EQ(told.ranks[1].waits, expected);
    EXPECT_EQ(told.ranks[0].waits, by_state{});
    EXPECT_EQ(told.late[0], 1300U);
}

/// Rank 1 flushes all from 800 on, with a lock of its own that the shared one of rank 0 excludes until 1500.
TEST_F(trace, tells_for_whom_a_flush_of_all_waits) {
    constexpr int lock_id = 62, flush_id = 63;
    rank_writer zero{file(0), 0, 2}, one{file(1), 1, 2};
    zero.put(record::lock, 0, 3, 2, lock_step::shared);
    zero.call(lock_id, 100, 10);
    zero.put(record::lock, 0, 3, 2, lock_step::unlock);
    zero.call(lock_id, 1400, 10);
    one.put(record::lock, 0, 3, 1, lock_step::shared); // of another target
    one.call(lock_id, 200, 10);
    one.put(record::lock, 0, 3, 2, lock_step::exclusive); // put off
    one.call(lock_id, 100, 10);
    one.put(record::lock, 0, 3, 0, lock_step::flush);
    one.call(flush_id, 500, 750);
    one.put(record::lock, 0, 3, 2, lock_step::unlock);
    one.call(lock_id, 800, 10);
    zero.close(2200);
    one.close(2200);
    EXPECT_EQ(analyse(folder).ranks[1].waits[static_cast<std::size_t>(wait_state::wait_for_lock)], 700U);
}

/// Rank 0 divides its message into three partitions, the second of which is ready at 700, after the others.
/// Rank 1 has two halves, so the second waits for it, from 200 on. The next round rank 1 begins at 1500, when
/// rank 0 waits since 1100.
TEST_F(trace, tells_for_whom_partitions_wait) {
    constexpr int start_id = 60, ready_id = 61, arrived_id = 62, wait_id = 63;
    rank_writer zero{file(0), 0, 2}, one{file(1), 1, 2};
    for (const int round : {0, 1}) {
        zero.put(record::partitioned_send, 0, 2, packer::folded(5), 4, round, 3, 24);
        zero.call(start_id, 100, 10);
        zero.put(record::ready, 1, 0, 0);
        zero.put(record::ready, 1, 2, 2);
        zero.call(ready_id, round == 0 ? 200 : 50, 10);
        zero.put(record::ready, 1, 1, 1);
        zero.call(ready_id, round == 0 ? 400 : 50, 10);
        zero.put(record::done, 1);
        zero.call(wait_id, 100, round == 0 ? 10 : 550);
    }
    one.put(record::partitioned_receive, 0, 1, packer::folded(5), 4, 0, 2, 24);
    one.call(start_id, 100, 10);
    one.put(record::arrived, 1, 1);
    one.call(arrived_id, 100, 550);
    one.put(record::done, 1);
    one.call(wait_id, 700, 10);
    one.put(record::partitioned_receive, 0, 1, packer::folded(5), 4, 1, 2, 24);
    one.call(start_id, 600, 10);
    one.put(record::done, 1);
    one.call(wait_id, 50, 10);
    zero.close(2200);
    one.close(2200);
    const run told = analyse(folder);
    by_state expected{};
    expected[static_cast<std::size_t>(wait_state::late_sender)] = 500;
    EXPECT_EQ(told.ranks[1].waits, expected);
    expected = {};
    expected[static_cast<std::size_t>(wait_state::late_receiver)] = 400;
    EXPECT_EQ(told.ranks[0].waits, expected);
    EXPECT_EQ(told.ranks[0].messages, 2U);
}

TEST_F(trace, tells_who_waits_for_whom) {
    write_two_ranks(file(0), file(1));
    const run told = analyse(folder);
    EXPECT_EQ(told.duration, 2200U);
    const auto &waits = told.ranks[1].waits;
    EXPECT_EQ(waits[static_cast<std::size_t>(wait_state::late_sender)], 600U);
    EXPECT_EQ(waits[static_cast<std::size_t>(wait_state::wait_at_collective)], 500U);
    EXPECT_EQ(told.ranks[0].waits, by_state{});
    EXPECT_EQ(told.late, (std::vector<std::uint64_t>{1100, 0}));
    EXPECT_EQ(told.ranks[0].in_mpi, 150U);
    EXPECT_EQ(told.ranks[1].in_mpi, 1250U);
    // Rank 0 is never waited with: the critical path is its own until the collective, and rank 1's or its own
    // afterwards.
    EXPECT_GE(told.ranks[0].on_path, 2000U);
    EXPECT_DOUBLE_EQ(told.pop.load_balance, (2050 + 950) / 2.0 / 2050);
    EXPECT_NEAR(told.pop.communication, 2050 / 2200.0, 1e-9);
    EXPECT_NE(summary_of(told).at(1).find("Rank 0 is late 50% of the time"), std::string::npos)
        << summary_of(told).at(1);
    EXPECT_NE(page_of(told, "a <title>").find("a &lt;title>"), std::string::npos);
}

/// Rank 0 comes to the barrier at 2000 of the launcher's clock, rank 1 at 500, of a clock that goes twice as
/// fast and lets it seem to be through by 1995.
TEST_F(trace, bears_clocks_that_differ) {
    constexpr int collective_id = 62;
    trace_head fast;
    fast.rate = 0.5;
    fast.clock_error = 10;
    rank_writer zero{file(0), 0, 2}, one{file(1), 1, 2, fast};
    zero.put(record::collective, 0, collective_shape::all_to_all, 0, 16);
    zero.put(record::done, 1);
    zero.call(collective_id, 2000, 100);
    one.put(record::collective, 0, collective_shape::all_to_all, 0, 16);
    one.put(record::done, 1);
    one.call(collective_id, 1000, 2990);
    zero.close(2200);
    one.close(4400);
    const run told = analyse(folder);
    EXPECT_EQ(told.duration, 2200U);
    EXPECT_EQ(told.ranks[1].waits[static_cast<std::size_t>(wait_state::wait_at_collective)], 1495U);
    EXPECT_EQ(told.clock_error, 20U);
}

TEST_F(trace, may_end_anywhere) {
    write_two_ranks(file(0), file(1));
    std::ifstream in{file(1), std::ios::binary};
    const std::string whole{std::istreambuf_iterator<char>{in}, {}};
    for (std::size_t length = 0; length <= whole.size(); ++length) {
        std::ofstream{file(1), std::ios::binary} << whole.substr(0, length)
                                                 << std::string(length % 3 * 100, '\0');
        const run told = analyse(folder);
        EXPECT_EQ(told.ranks.size(), 2U);
        if (length + 6 < whole.size()) {
            EXPECT_FALSE(told.remarks.empty()) << length;
        }
    }
}

TEST_F(trace, may_hold_anything) {
    write_two_ranks(file(0), file(1));
    std::ifstream in{file(1), std::ios::binary};
    const std::string whole{std::istreambuf_iterator<char>{in}, {}};
    std::mt19937 random{7};
    for (int round = 0; round != 400; ++round) {
        std::string changed = whole;
        for (int times = 0; times != 3; ++times) {
            const std::size_t at = sizeof(trace_head) + random() % (changed.size() - sizeof(trace_head));
            changed[at] = static_cast<char>(random());
        }
        std::ofstream{file(1), std::ios::binary} << changed;
        const run told = analyse(folder);
        EXPECT_FALSE(page_of(told, "changed").empty());
    }
}

TEST_F(trace, of_nothing_is_refused) {
    EXPECT_THROW(static_cast<void>(analyse(folder)), std::runtime_error);
    std::ofstream{file(0)} << std::string(1000, 'x');
    EXPECT_THROW(static_cast<void>(analyse(folder)), std::runtime_error);
}

TEST(json, escapes_and_packs) {
    json to;
    to.begin_object()
        .key("a\"b")
        .value("</script>\n")
        .key("n")
        .begin_array()
        .value(1)
        .value(-2.5)
        .value(true)
        .end_array();
    const unsigned char bytes[]{'M', 'a', 'n', 'M'};
    to.key("bytes").bytes(bytes).end_object();
    EXPECT_EQ(to.text(), R"({"a\"b":"\u003c/script>\u000a","n":[1,-2.5,true],"bytes":"TWFuTQ=="})");
}

} // namespace

} // namespace lisle::report
