// SPDX-License-Identifier: Apache-2.0
// Exploration without a job: which message belongs to which receive, the tree of runs on programs that are
// played, what is left of a run that fails, and the files in between.
#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <optional>
#include <set>

#include "base/error.hpp"
#include "choice/choice.hpp"
#include "exploration/pairing.hpp"
#include "exploration/recorded_looks.hpp"
#include "exploration/turns.hpp"
#include "launch/common/launch_error.hpp"
#include "launch/exploration/shorten.hpp"
#include "launch/exploration/story.hpp"
#include "launch/exploration/tree.hpp"
#include "mpi.h"

namespace lisle {
namespace {

using choice::decision;
using choice::kind;
using exploration::pair_up;
using protocol::envelope;

constexpr std::uint64_t here = 7;

envelope from(int source, int tag = 1) {
    return {here, source, tag};
}

const envelope any_source = from(MPI_ANY_SOURCE);

TEST(pairing, receive_from_one_source_takes_its_first_message) {
    const std::vector<envelope> posted{from(2), from(1)};
    const std::vector<envelope> stored{from(1), from(2), from(1)};
    const auto found = pair_up(posted, stored);
    ASSERT_EQ(found.sure.size(), 2U);
    EXPECT_EQ(found.sure[0].receive, 0U);
    EXPECT_EQ(found.sure[0].message, 1U);
    EXPECT_EQ(found.sure[1].message, 0U);
    EXPECT_TRUE(found.left_open.empty());
}

TEST(pairing, receive_from_any_source_is_open) {
    const std::vector<envelope> posted{any_source};
    const std::vector<envelope> stored{from(2), from(1), from(2), from(3, 9)};
    const auto found = pair_up(posted, stored);
    EXPECT_TRUE(found.sure.empty());
    ASSERT_EQ(found.left_open.size(), 1U);
    EXPECT_EQ(found.left_open[0].messages, (std::vector<std::size_t>{0, 1}));
}

TEST(pairing, message_of_an_earlier_open_receive_is_not_sure) {
    const std::vector<envelope> posted{any_source, from(1)};
    const std::vector<envelope> stored{from(1), from(1)};
    const auto found = pair_up(posted, stored);
    EXPECT_TRUE(found.sure.empty());
    EXPECT_EQ(found.left_open[0].messages, (std::vector<std::size_t>{0}));
}

TEST(pairing, later_message_does_not_overtake_one_that_is_open) {
    // The second receive fits both messages of rank 1; the first of them may go to the receive before it.
    const std::vector<envelope> posted{any_source, from(1, MPI_ANY_TAG)};
    const std::vector<envelope> stored{from(1, 1), from(1, 2)};
    EXPECT_TRUE(pair_up(posted, stored).sure.empty());
}

TEST(pairing, receive_behind_another_tag_goes_on) {
    const std::vector<envelope> posted{any_source, from(1, 2)};
    const std::vector<envelope> stored{from(1, 1), from(1, 2)};
    ASSERT_EQ(pair_up(posted, stored).sure.size(), 1U);
    EXPECT_EQ(pair_up(posted, stored).sure[0].message, 1U);
}

TEST(pairing, second_open_receive_has_what_the_first_does_not_fit) {
    const std::vector<envelope> posted{any_source, from(MPI_ANY_SOURCE, MPI_ANY_TAG)};
    const std::vector<envelope> stored{from(1, 1), from(2, 2)};
    const auto found = pair_up(posted, stored);
    EXPECT_EQ(found.left_open[0].messages, (std::vector<std::size_t>{0}));
    EXPECT_EQ(found.left_open[1].messages, (std::vector<std::size_t>{1}));
}

TEST(pairing, probe_sees_what_no_receive_fits) {
    const std::vector<envelope> posted{from(1)};
    const std::vector<envelope> stored{from(1), from(2), from(2)};
    EXPECT_EQ(exploration::visible(any_source, posted, stored), (std::vector<std::size_t>{1}));
}

TEST(turns, are_kept_by_who_has_them) {
    exploration::turns all;
    const exploration::turn_place lock{.window = 7, .target = 0, .keeps = true};
    EXPECT_FALSE(all.is_kept(lock));
    all.give(lock, {1, nullptr}, true);
    EXPECT_TRUE(all.is_kept(lock));
    all.take_back(lock, 2);
    EXPECT_TRUE(all.is_kept(lock));
    all.take_back(lock, 1);
    EXPECT_FALSE(all.is_kept(lock));
}

TEST(turns, have_numbers_of_their_own_at_each_place) {
    exploration::turns all;
    const exploration::turn_place one{.window = 7, .target = 0, .keeps = false};
    const exploration::turn_place other{.window = 8, .target = 0, .keeps = false};
    const unsigned first = all.number_of(one);
    EXPECT_NE(all.number_of(other), first);
    EXPECT_EQ(all.number_of(one), first);
    all.give(one, {1, nullptr}, false);
    EXPECT_EQ(all.number_of(one), first + 1);
}

TEST(turns, pass_on_while_others_wait) {
    exploration::turns all;
    const exploration::turn_place word{.window = 7, .target = 0, .keeps = false};
    const exploration::turns::asker spins{1, nullptr};
    int turns = 0;
    for (; all.may_have(word, spins) && turns < 100; ++turns) {
        all.give(word, spins, true);
    }
    EXPECT_LT(turns, 100);
    EXPECT_TRUE(all.may_have(word, {2, nullptr}));
    all.give(word, {2, nullptr}, true);
    EXPECT_TRUE(all.may_have(word, spins));
    for (int alone = 0; alone < 100; ++alone) {
        all.give(word, spins, false);
    }
    EXPECT_TRUE(all.may_have(word, spins));
}

// ---- the tree, on a program that is played ----

/// Receives of rank 0, each of which takes a message of one of the sources that have some left.
choice::account play(const std::vector<decision> &follow, std::vector<int> left) {
    choice::account made;
    for (unsigned number = 1; std::ranges::any_of(left, [](int count) { return count != 0; }); ++number) {
        std::vector<int> could_take;
        for (int source = 0; source < static_cast<int>(left.size()); ++source) {
            if (left[static_cast<std::size_t>(source)] != 0) {
                could_take.push_back(source);
            }
        }
        decision now{.at = {kind::receive, 0, number}, .taken = could_take.front()};
        for (const decision &each : follow) {
            now.taken = each.at == now.at ? each.taken : now.taken;
        }
        now.others = could_take;
        std::erase(now.others, now.taken);
        --left[static_cast<std::size_t>(now.taken)];
        made.decisions.push_back(now);
    }
    return made;
}

int count_runs(const std::vector<int> &left) {
    launch::search_tree tree;
    std::set<std::vector<int>> seen;
    int runs = 0;
    while (const auto follow = tree.next()) {
        const auto made = play(*follow, left);
        tree.note(made);
        std::vector<int> order;
        for (const decision &each : made.decisions) {
            order.push_back(each.taken);
        }
        EXPECT_TRUE(seen.insert(order).second);
        ++runs;
    }
    return runs;
}

TEST(search_tree, has_each_order_once) {
    EXPECT_EQ(count_runs({1, 1, 1, 1}), 24);
    EXPECT_EQ(count_runs({2, 2, 2}), 90);
    EXPECT_EQ(count_runs({3, 4}), 35);
    EXPECT_EQ(count_runs({5}), 1);
}

TEST(search_tree, tries_what_comes_later) {
    launch::search_tree tree;
    ASSERT_TRUE(tree.next());
    choice::account made;
    made.decisions.push_back({.at = {kind::receive, 0, 1}, .taken = 1, .later = {3}});
    tree.note(made);
    const auto second = tree.next();
    ASSERT_TRUE(second);
    EXPECT_EQ(second->at(0).taken, 3);
    made.decisions[0] = {.at = {kind::receive, 0, 1}, .taken = 3, .others = {1}, .waits = true};
    tree.note(made);
    EXPECT_FALSE(tree.next());
}

TEST(search_tree, says_how_much_is_left) {
    launch::search_tree tree;
    for (int runs = 1; const auto follow = tree.next(); ++runs) {
        tree.note(play(*follow, {1, 1, 1}));
        EXPECT_NEAR(runs * tree.whole_by_part(), 6, 1e-9);
    }
}

TEST(search_tree, notices_a_program_that_is_not_the_same) {
    launch::search_tree tree;
    ASSERT_TRUE(tree.next());
    tree.note(play({}, {1, 1}));
    ASSERT_TRUE(tree.next());
    EXPECT_THROW(tree.note(choice::account{}), launch::launch_error);
}

// ---- what is left of a failure ----

TEST(shorten, leaves_what_matters) {
    std::vector<decision> departures;
    for (unsigned number = 1; number <= 40; ++number) {
        departures.push_back({.at = {kind::receive, 0, number}, .taken = 1});
    }
    int runs = 0;
    const auto fails = [&runs](const std::vector<decision> &follow) {
        ++runs;
        const auto has = [&](unsigned number) {
            return std::ranges::any_of(follow,
                                       [=](const decision &each) { return each.at.number == number; });
        };
        return has(7) && has(33);
    };
    const auto left = launch::shorten(departures, fails);
    ASSERT_EQ(left.size(), 2U);
    EXPECT_EQ(left[0].at.number, 7U);
    EXPECT_EQ(left[1].at.number, 33U);
    EXPECT_LT(runs, 60);
    EXPECT_TRUE(launch::shorten(departures, [](const auto &) { return true; }).empty());
}

TEST(story, names_calls_and_ranks) {
    const decision late{.at = {kind::receive, 0, 2},
                        .taken = 3,
                        .others = {1, 2},
                        .departs = true,
                        .waits = true,
                        .told = "MPI_Recv at master.c:41"};
    EXPECT_EQ(launch::sentence_of(late),
              "rank 0: MPI_Recv at master.c:41 takes rank 3's message, which comes late, before rank 1's");
    const decision poll{
        .at = {kind::poll, 1, 1}, .taken = choice::nothing, .others = {0}, .told = "MPI_Iprobe"};
    EXPECT_EQ(launch::sentence_of(poll),
              "rank 1: MPI_Iprobe finds nothing yet, though rank 0's message could be there");
}

// ---- files ----

TEST(choices, are_read_as_they_are_written) {
    const decision made{.at = {kind::completion, 3, 12},
                        .taken = 2,
                        .others = {0, 1},
                        .departs = true,
                        .waits = true,
                        .told = "MPI_Waitany at a b.c:3"};
    const std::string text =
        "# a remark\n" +
        choice::text_of(choice::orders{.follow = {made}, .seed = 9, .sends = {.most_bytes = 15}});
    const auto read = choice::read_orders(text);
    EXPECT_EQ(read.seed, 9U);
    EXPECT_EQ(read.sends, (choice::buffering{.most_bytes = 15}));
    ASSERT_EQ(read.follow.size(), 1U);
    EXPECT_EQ(choice::text_of(read.follow[0]), choice::text_of(made));
    const auto account = choice::read_account(choice::text_of(made) + choice::text_of_later(0, 5) +
                                              choice::text_of_sends(choice::size_class(5)));
    EXPECT_EQ(account.decisions.at(0).later, std::vector<int>{5});
    EXPECT_EQ(account.sizes, std::set<int>{3});
    EXPECT_EQ(choice::most_bytes_of(3), 7);
    EXPECT_EQ(choice::size_class(7), 3);
    EXPECT_EQ(choice::size_class(0), 0);
    for (const choice::buffering each :
         {choice::buffering{}, {.most_bytes = choice::buffering::nothing}, {.each_chosen = true}}) {
        EXPECT_EQ(choice::read_orders(choice::text_of(choice::orders{.sends = each})).sends, each);
    }
    EXPECT_FALSE(account.impossible);
}

TEST(choices, that_make_no_sense_are_refused) {
    for (const char *const text :
         {"recv 0 1 takes 2", "receive 0 takes 2", "receive 0 1 gives 2", "receive 0 1 takes 2 of 3 1"}) {
        EXPECT_THROW(static_cast<void>(choice::read_orders(text)), mpi_error) << text;
    }
    EXPECT_THROW(static_cast<void>(choice::read_account("later 0 1")), mpi_error);
}

TEST(RecordedLooks, FindNothingAsOftenAndThenTheSame) {
    exploration::recorded_looks looks;
    looks.add(1, choice::nothing);
    looks.add(3, 7);
    looks.add(4, 5);
    looks.add(5, choice::nothing);
    const auto next_is = [&looks](std::optional<int> wanted, int found) {
        EXPECT_EQ(looks.next(), wanted);
        looks.note(found);
    };
    next_is(choice::nothing, choice::nothing);
    next_is(choice::nothing, choice::nothing);
    next_is(7, choice::nothing); // it is not there yet
    next_is(7, 7);
    next_is(5, 5);
    next_is(choice::nothing, choice::nothing);
    next_is(std::nullopt, 3); // of which the record says nothing
    next_is(std::nullopt, choice::nothing);
}

TEST(Estimates, HaveWordsHoweverLargeTheyAre) {
    EXPECT_EQ(launch::expected_in_words(1234.4), "about 1,234");
    EXPECT_EQ(launch::expected_in_words(3.4e7), "about 3 x 10^7");
    EXPECT_EQ(launch::expected_in_words(std::numeric_limits<double>::infinity()), "more than 10^300");
}

} // namespace
} // namespace lisle
