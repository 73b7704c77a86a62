// SPDX-License-Identifier: Apache-2.0
// rMPI's three versions on the model: packets, matching, the cases of receiving, deadlock and its absence.
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <random>

#include "tile/rmpi/job.hpp"
#include "tile/rmpi/version2.hpp"
#include "tile/rmpi/version3.hpp"

namespace lisle::tile::rmpi {
namespace {

std::vector<word> counting(std::size_t words, word first = 0) {
    std::vector<word> made(words);
    std::iota(made.begin(), made.end(), first);
    return made;
}

/// Runs two ranks on two tiles of a 4 x 4 mesh.
std::optional<standstill> run_pair(version with, int tile0, int tile1, const rank_program &run,
                                   const parameters &built = {}) {
    tile_array array{built};
    return run_ranks(array, {tile0, tile1}, with, run);
}

class EachVersion : public testing::TestWithParam<version> {};
class WithInterrupts : public testing::TestWithParam<version> {};
std::string name_of_version(const testing::TestParamInfo<version> &tested) {
    return "V" + std::to_string(static_cast<int>(tested.param));
}
INSTANTIATE_TEST_SUITE_P(Rmpi, EachVersion, testing::Values(version::v1, version::v2, version::v3),
                         name_of_version);
INSTANTIATE_TEST_SUITE_P(Rmpi, WithInterrupts, testing::Values(version::v2, version::v3), name_of_version);

// ---- packets ----

TEST(RmpiPackets, TheWireCarriesWhatTheThesisImplies) {
    struct row {
        std::int64_t payload;
        wire_count gdn, v1, v2, v3;
    };
    constexpr row rows[] = {
        {1, {1, 2}, {1, 7}, {1, 9}, {1, 6}},
        {100, {4, 104}, {4, 115}, {4, 120}, {4, 111}},
        {1'000, {33, 1'033}, {35, 1'108}, {36, 1'148}, {34, 1'071}},
        {10'000, {323, 10'323}, {345, 11'038}, {358, 11'436}, {334, 10'671}},
        {100'000, {3'226, 103'226}, {3'449, 110'350}, {3'572, 114'292}, {3'334, 106'671}},
    };
    for (const row &expected : rows) {
        EXPECT_EQ(count_on_wire(native, expected.payload), expected.gdn);
        EXPECT_EQ(count_on_wire(format1, expected.payload), expected.v1);
        EXPECT_EQ(count_on_wire(format2, expected.payload), expected.v2);
        EXPECT_EQ(count_on_wire(format3, expected.payload), expected.v3);
    }
}

TEST(RmpiPackets, SeventyWordsAreCutAsInTheThesis) {
    const auto cut = [](const packet_format &format) {
        std::vector<std::int64_t> parts{format.first_payload(70)};
        for (std::int64_t left = 70 - parts[0]; left > 0; left -= parts.back()) {
            parts.push_back(format.next_payload(left));
        }
        return parts;
    };
    EXPECT_EQ(cut(format1), (std::vector<std::int64_t>{26, 29, 15}));
    EXPECT_EQ(cut(format2), (std::vector<std::int64_t>{24, 28, 18}));
    EXPECT_EQ(cut(format3), (std::vector<std::int64_t>{27, 30, 13}));
}

TEST_P(EachVersion, SendsOnTheModelWhatItCounts) {
    const packet_format formats[] = {format1, format2, format3};
    const packet_format &format = formats[static_cast<int>(GetParam()) - 1];
    for (const std::size_t words : {1U, 26U, 27U, 28U, 70U, 100U, 1000U, 10000U}) {
        tile_array array{parameters{}};
        const std::vector<word> sent = counting(words);
        EXPECT_FALSE(run_ranks(array, {3, 7}, GetParam(), [&](endpoint &self) {
            if (self.rank() == 0) {
                self.send(1, 5, 0, sent);
            } else {
                std::vector<word> got(words);
                const receive_status status = self.receive(0, 5, 0, got);
                EXPECT_EQ(got, sent);
                EXPECT_EQ(status.words, words);
            }
        }));
        const port_traffic traffic = array.model().network().port(3);
        std::int64_t on_wire = 0;
        for (const link_traffic &link : array.model().network().links()) {
            on_wire += link.from == 3 ? link.words : 0;
        }
        EXPECT_EQ((wire_count{traffic.packets_sent, on_wire}),
                  count_on_wire(format, static_cast<std::int64_t>(words)));
    }
}

// ---- deadlock ----

void exchange_head_to_head(endpoint &self, std::size_t words) {
    std::vector<word> data = counting(words);
    self.send(1 - self.rank(), 0, 0, data);
    std::vector<word> got(words);
    self.receive(1 - self.rank(), 0, 0, got);
    EXPECT_EQ(got, data);
}

/// The longest message that two ranks of V1 can send to each other at once.
std::size_t most_words_head_to_head(int tile0, int tile1) {
    std::size_t words = 0;
    while (words < 40 && !run_pair(version::v1, tile0, tile1,
                                   [&](endpoint &self) { exchange_head_to_head(self, words + 1); })) {
        ++words;
    }
    return words;
}

TEST(RmpiV1, HeadToHeadFinishesAsLongAsTheBuffersHoldIt) {
    // 8 words between neighbours, of which 5 are the header (the hardware's own takes no place once it has
    // arrived); 4 more for each further hop; then packets end, and their headers take places, too.
    EXPECT_EQ(most_words_head_to_head(0, 1), 3U);
    EXPECT_EQ(most_words_head_to_head(0, 2), 7U);
    EXPECT_EQ(most_words_head_to_head(0, 5), 7U);
    EXPECT_EQ(most_words_head_to_head(0, 3), 11U);
    EXPECT_EQ(most_words_head_to_head(0, 15), 23U);
}

TEST(RmpiV1, TheDeadlockIsExplainedAndTheWatchdogFreesIt) {
    const rank_program exchange = [](endpoint &self) { exchange_head_to_head(self, 100); };
    const auto stopped = run_pair(version::v1, 5, 6, exchange);
    ASSERT_TRUE(stopped);
    EXPECT_EQ(stopped->ring, (std::vector<int>{5, 6}));
    parameters guarded;
    guarded.watchdog_cycles = 1000;
    EXPECT_FALSE(run_pair(version::v1, 5, 6, exchange, guarded));
}

TEST_P(WithInterrupts, AllPairsFinishHeadToHead) {
    for (int a = 0; a < 16; ++a) {
        for (int b = a + 1; b < 16; ++b) {
            EXPECT_FALSE(run_pair(GetParam(), a, b, [](endpoint &self) { exchange_head_to_head(self, 300); }))
                << a << " and " << b;
        }
    }
}

TEST_P(WithInterrupts, ExhaustivelyAllPairsFinishHeadToHeadWithAMegabyte) {
    for (int a = 0; a < 16; ++a) {
        for (int b = a + 1; b < 16; ++b) {
            EXPECT_FALSE(run_pair(GetParam(), a, b,
                                  [](endpoint &self) { exchange_head_to_head(self, (1U << 20) / 4); }))
                << a << " and " << b;
        }
    }
}

/// All ranks send to random others, then receive what there is for them from anywhere.
void run_random_messages(version with, int messages) {
    std::mt19937 random{7};
    constexpr int ranks = 16;
    struct planned {
        int to;
        std::vector<word> data;
    };
    std::vector<std::vector<planned>> plan(ranks);
    std::vector<int> to_come(ranks, 0);
    for (int i = 0; i < messages; ++i) {
        const int from = static_cast<int>(random() % ranks);
        const int to = static_cast<int>(random() % ranks);
        plan[static_cast<std::size_t>(from)].push_back(
            {to, counting(1 + random() % 200, static_cast<word>(random()))});
        ++to_come[static_cast<std::size_t>(to)];
    }
    std::vector<std::map<int, std::vector<std::vector<word>>>> got(ranks);
    tile_array array{parameters{}};
    const auto stopped =
        run_ranks(array, map_in_rows(array.model().shape(), ranks), with, [&](endpoint &self) {
            const auto me = static_cast<std::size_t>(self.rank());
            for (const planned &message : plan[me]) {
                self.send(message.to, 3, 0, message.data);
            }
            std::vector<word> into(200);
            for (int i = 0; i < to_come[me]; ++i) {
                const receive_status status = self.receive(any, 3, 0, into);
                got[me][status.source].emplace_back(into.begin(), into.begin() + status.words);
            }
        });
    ASSERT_FALSE(stopped) << describe(*stopped);
    for (std::size_t from = 0; from < ranks; ++from) {
        std::vector<std::size_t> next(ranks, 0);
        for (const planned &message : plan[from]) {
            const auto to = static_cast<std::size_t>(message.to);
            EXPECT_EQ(got[to][static_cast<int>(from)].at(next[to]++), message.data);
        }
    }
}

TEST_P(WithInterrupts, RandomMessagesAllArriveInOrder) {
    run_random_messages(GetParam(), 400);
}

// ---- the handler ----

/// Sends the words of a message by hand, with a pause in front of word `split`.
void send_with_pause(core &here, const packet_format &format, const std::vector<word> &payload, int split) {
    const envelope of{0, 9, 0, static_cast<std::uint32_t>(payload.size())};
    std::vector<word> wire;
    const auto add_packet = [&](std::span<const word> header, std::span<const word> part) {
        wire.push_back(make_header(here.shape(), 1, static_cast<int>(header.size() + part.size())));
        wire.insert(wire.end(), header.begin(), header.end());
        wire.insert(wire.end(), part.begin(), part.end());
    };
    const std::span<const word> all{payload};
    const auto first = static_cast<std::size_t>(format.first_payload(of.words));
    add_packet(make_first_header(format, of).view(), all.first(first));
    add_packet(make_next_header(format, of, static_cast<std::int64_t>(payload.size() - first)).view(),
               all.subspan(first));
    here.send(std::span(wire).first(static_cast<std::size_t>(split)), 1);
    here.work(3000);
    here.send(std::span(wire).subspan(static_cast<std::size_t>(split)), 1);
}

template <class Version> void check_every_split(const packet_format &format) {
    const std::vector<word> payload =
        counting(static_cast<std::size_t>(format.first_payload(100)) + 10, 1000);
    const int on_wire = static_cast<int>(count_on_wire(format, std::ssize(payload)).words);
    for (const bool posted : {false, true}) {
        for (int split = 0; split <= on_wire; ++split) {
            tile_array array{parameters{}};
            const rank_map tiles{0, 1};
            const auto stopped = array.run([&](core &here) {
                if (here.tile() == 0) {
                    send_with_pause(here, format, payload, split);
                } else if (here.tile() == 1) {
                    Version self{here, tiles, 1};
                    here.work(posted ? 0 : 20000);
                    std::vector<word> got(payload.size());
                    self.receive(0, 9, 0, got);
                    EXPECT_EQ(got, payload) << "split in front of word " << split;
                }
            });
            EXPECT_FALSE(stopped);
        }
    }
}

TEST(RmpiHandler, GoesOnAtEveryWordOfTwoPackets) {
    check_every_split<version2>(format2);
    check_every_split<version3>(format3);
}

/// How one message was received: what the sender waits before it sends, and the receiver before it receives.
endpoint_counts receive_once(cycle send_after, cycle receive_after, std::size_t words) {
    endpoint_counts counts;
    EXPECT_FALSE(run_pair(version::v3, 0, 1, [&](endpoint &self) {
        std::vector<word> data = counting(words);
        if (self.rank() == 0) {
            self.here().work(send_after);
            self.send(1, 0, 0, data);
        } else {
            self.here().work(receive_after);
            std::vector<word> got(words);
            self.receive(0, 0, 0, got);
            EXPECT_EQ(got, data);
            counts = self.counts();
        }
    }));
    return counts;
}

TEST(RmpiV3, TheThreeCasesOfReceivingCostOneNoneAndOneCopies) {
    EXPECT_EQ(receive_once(0, 100'000, 500).copies, 1) << "all of it had arrived";
    const endpoint_counts posted = receive_once(100'000, 0, 500);
    EXPECT_EQ(posted.copies, 0) << "nothing had arrived";
    EXPECT_EQ(posted.posted_matches, 1);
    EXPECT_EQ(receive_once(0, 1'500, 2000).copies, 1) << "a part had arrived";
}

TEST_P(EachVersion, AMessageThatIsTooLongIsCutAtTheBuffersEnd) {
    for (const cycle receive_after : {cycle{0}, cycle{100'000}}) {
        EXPECT_FALSE(run_pair(GetParam(), 0, 1, [&](endpoint &self) {
            if (self.rank() == 0) {
                self.here().work(50'000);
                self.send(1, 0, 0, counting(100));
                self.send(1, 1, 0, counting(5, 70));
                return;
            }
            self.here().work(receive_after);
            constexpr word guard = 0xdeadbeef;
            std::vector<word> memory(60, guard);
            const receive_status status = self.receive(0, 0, 0, std::span(memory).subspan(10, 40));
            EXPECT_TRUE(status.truncated);
            EXPECT_EQ(status.words, 100U);
            EXPECT_TRUE(std::equal(memory.begin() + 10, memory.begin() + 50, counting(40).begin()));
            EXPECT_EQ(std::count(memory.begin(), memory.begin() + 10, guard), 10);
            EXPECT_EQ(std::count(memory.begin() + 50, memory.end(), guard), 10);
            std::vector<word> next(5);
            self.receive(0, 1, 0, next);
            EXPECT_EQ(next, counting(5, 70));
        }));
    }
}

TEST_P(EachVersion, AMessageCanBeEmpty) {
    for (const cycle receive_after : {cycle{0}, cycle{100'000}}) {
        EXPECT_FALSE(run_pair(GetParam(), 0, 1, [&](endpoint &self) {
            if (self.rank() == 0) {
                self.here().work(50'000);
                self.send(1, 4, 0, {});
            } else {
                self.here().work(receive_after);
                const receive_status status = self.receive(any, any, 0, {});
                EXPECT_EQ(status.words, 0U);
                EXPECT_EQ(status.source, 0);
                EXPECT_EQ(status.tag, 4);
            }
        }));
    }
}

TEST_P(EachVersion, AMessageToOneselfDoesNotTouchTheNetwork) {
    tile_array array{parameters{}};
    EXPECT_FALSE(run_ranks(array, {6}, GetParam(), [](endpoint &self) {
        self.send(0, 1, 0, counting(5000));
        std::vector<word> got(5000);
        self.receive(0, 1, 0, got);
        EXPECT_EQ(got, counting(5000));
    }));
    EXPECT_EQ(array.model().network().port(6).packets_sent, 0);
    EXPECT_EQ(array.model().stepped(), 0);
}

// ---- matching ----

TEST_P(EachVersion, WildcardsTakeTheOldestOfEachSender) {
    constexpr int each = 12;
    std::mt19937 random{3};
    for (int round = 0; round < 10; ++round) {
        std::vector<std::vector<int>> tags(4); // by sender: those not received, in order
        for (std::size_t from = 1; from < 4; ++from) {
            for (int i = 0; i < each; ++i) {
                tags[from].push_back(static_cast<int>(random() % 3));
            }
        }
        tile_array array{parameters{}};
        const auto stopped = run_ranks(array, {0, 1, 4, 5}, GetParam(), [&](endpoint &self) {
            const auto me = static_cast<std::size_t>(self.rank());
            if (me != 0) {
                const std::vector<int> mine = tags[me];
                for (std::size_t i = 0; i < mine.size(); ++i) {
                    const word data = static_cast<word>(i);
                    self.send(0, mine[i], 0, {&data, 1});
                }
                return;
            }
            self.here().work(round % 2 == 0 ? 0 : 200'000);
            std::vector<std::vector<word>> numbers(4);
            for (std::size_t from = 1; from < 4; ++from) {
                numbers[from] = counting(each);
            }
            for (int left = 3 * each; left > 0; --left) {
                // Something that is still to come, with either field as a wildcard or not.
                std::size_t from = 1 + random() % 3;
                while (tags[from].empty()) {
                    from = from % 3 + 1;
                }
                const int tag = tags[from][random() % tags[from].size()];
                const bool any_source = random() % 2 == 0;
                const bool any_tag = random() % 2 == 0;
                word got = 0;
                const receive_status status = self.receive(any_source ? any : static_cast<int>(from),
                                                           any_tag ? any : tag, 0, {&got, 1});
                const auto source = static_cast<std::size_t>(status.source);
                ASSERT_TRUE(any_source || source == from);
                ASSERT_TRUE(any_tag || status.tag == tag);
                // Of this sender's messages that match, it has to be the oldest.
                const auto oldest =
                    any_tag ? tags[source].begin() : std::find(tags[source].begin(), tags[source].end(), tag);
                ASSERT_NE(oldest, tags[source].end());
                const auto place = oldest - tags[source].begin();
                ASSERT_EQ(got, numbers[source][static_cast<std::size_t>(place)]);
                ASSERT_EQ(status.tag, *oldest);
                tags[source].erase(oldest);
                numbers[source].erase(numbers[source].begin() + place);
            }
        });
        ASSERT_FALSE(stopped) << describe(*stopped);
    }
}

TEST_P(EachVersion, ContextsDoNotMeet) {
    EXPECT_FALSE(run_pair(GetParam(), 0, 1, [](endpoint &self) {
        if (self.rank() == 0) {
            self.send(1, 0, 7, counting(3, 70));
            self.send(1, 0, 8, counting(3, 80));
        } else {
            std::vector<word> got(3);
            self.receive(any, any, 8, got);
            EXPECT_EQ(got, counting(3, 80));
            self.receive(any, any, 7, got);
            EXPECT_EQ(got, counting(3, 70));
        }
    }));
}

TEST(RmpiMatching, TablesLookAtAsManyElementsForAHundredThousandMessagesAsForTen) {
    for (const int count : {10, 1000, 100'000}) {
        message_table table;
        for (int i = 0; i < count; ++i) {
            auto message = std::make_shared<unexpected_message>();
            message->of = {i % 16, i, 0, 0};
            table.insert(message);
        }
        for (int i = count; i-- > 0;) { // the newest first: what a list finds last
            const message_table::message found = table.find(any, i, 0);
            ASSERT_NE(found, nullptr);
            ASSERT_EQ(found->of.tag, i);
            table.take(found);
        }
        EXPECT_EQ(table.steps(), count);
        EXPECT_EQ(table.find(any, any, 0), nullptr);
        EXPECT_EQ(table.size(), 0U);
    }
}

TEST(RmpiMatching, V1LooksThroughAllThatIsOutstanding) {
    const auto steps_for = [](int messages) {
        std::int64_t steps = 0;
        EXPECT_FALSE(run_pair(version::v1, 0, 1, [&](endpoint &self) {
            for (int i = 0; i < messages; ++i) {
                if (self.rank() == 0) {
                    self.send(1, i, 0, {});
                } else {
                    self.receive(0, messages - 1 - i, 0, {});
                }
            }
            steps = self.rank() == 1 ? self.counts().list_steps : steps;
        }));
        return steps;
    };
    EXPECT_GT(steps_for(100), 50 * steps_for(10));
}

TEST_P(WithInterrupts, MessagesArriveWhileTheReceiverComputes) {
    cycle sent = 0;
    cycle received_in = 0;
    EXPECT_FALSE(run_pair(GetParam(), 0, 1, [&](endpoint &self) {
        std::vector<word> data(50'000);
        if (self.rank() == 0) {
            self.send(1, 0, 0, data);
            sent = self.here().now();
        } else {
            self.here().work(100'000'000);
            const cycle before = self.here().now();
            self.receive(0, 0, 0, data);
            received_in = self.here().now() - before;
        }
    }));
    EXPECT_LT(sent, 10'000'000);
    const parameters costs;
    EXPECT_LT(received_in, 50'000 * costs.copy_word_cycles + 1000);
}

} // namespace
} // namespace lisle::tile::rmpi
