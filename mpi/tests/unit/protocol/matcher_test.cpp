// SPDX-License-Identifier: Apache-2.0
// Matching against an oracle that walks lists, with every mixture of wildcards.
#include "protocol/matching/matcher.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <list>
#include <memory>
#include <random>

#include "datatype/predefined.hpp"
#include "execution/rank.hpp"

using namespace lisle;
using namespace lisle::protocol;

namespace {

std::unique_ptr<receive_operation> make_receive(const envelope &pattern) {
    return std::make_unique<receive_operation>(this_rank().engine(),
                                               typed_buffer{nullptr, 0, *find_datatype(MPI_BYTE)}, pattern);
}

unexpected_message *make_message(const envelope &what) {
    auto *const message = unexpected_message::make(this_rank().engine(), 0);
    message->what = what;
    return message;
}

envelope random_pattern(std::mt19937 &random) {
    return {random() % 3, random() % 4 == 0 ? MPI_ANY_SOURCE : static_cast<int>(random() % 3),
            random() % 4 == 0 ? MPI_ANY_TAG : static_cast<int>(random() % 3)};
}

envelope random_envelope(std::mt19937 &random) {
    return {random() % 3, static_cast<int>(random() % 3), static_cast<int>(random() % 3)};
}

} // namespace

TEST(matcher, gives_each_message_to_the_receive_that_was_posted_first) {
    for (unsigned seed = 0; seed < 20; ++seed) {
        std::mt19937 random{seed};
        matcher tested;
        std::list<std::unique_ptr<receive_operation>> oracle;
        for (int step = 0; step < 4000; ++step) {
            const unsigned bias = step / 1000 % 2 == 0 ? 2 : 5; // grows, then shrinks
            if (random() % 7 < 7 - bias) {
                oracle.push_back(make_receive(random_pattern(random)));
                tested.post(*oracle.back());
            } else if (random() % 10 == 0 && !oracle.empty()) {
                const auto victim = std::next(oracle.begin(), static_cast<long>(random() % oracle.size()));
                tested.withdraw(**victim);
                oracle.erase(victim);
            } else {
                const envelope what = random_envelope(random);
                const auto expected = std::find_if(oracle.begin(), oracle.end(),
                                                   [&](const auto &r) { return r->pattern.accepts(what); });
                receive_operation *found = tested.match(what);
                if (found != nullptr && random() % 4 == 0) { // as if there were no memory for the message
                    tested.put_back(*found);
                    EXPECT_TRUE(found->posted);
                    found = tested.match(what);
                }
                ASSERT_EQ(found, expected == oracle.end() ? nullptr : expected->get());
                if (found != nullptr) {
                    ASSERT_FALSE(found->posted);
                    oracle.erase(expected);
                }
            }
        }
    }
}

TEST(matcher, gives_each_receive_the_message_that_came_first) {
    for (unsigned seed = 0; seed < 20; ++seed) {
        std::mt19937 random{seed};
        matcher tested;
        std::list<unexpected_message *> oracle;
        for (int step = 0; step < 4000; ++step) {
            const unsigned bias = step / 1000 % 2 == 0 ? 2 : 5;
            if (random() % 7 < 7 - bias) {
                oracle.push_back(make_message(random_envelope(random)));
                tested.store(*oracle.back());
            } else {
                const envelope wanted = random_pattern(random);
                const auto expected = std::find_if(oracle.begin(), oracle.end(),
                                                   [&](const auto *m) { return wanted.accepts(m->what); });
                unexpected_message *const found = tested.find(wanted);
                ASSERT_EQ(found, expected == oracle.end() ? nullptr : *expected);
                if (found != nullptr && random() % 3 != 0) {
                    tested.take(*found);
                    oracle.erase(expected);
                    unexpected_message::destroy(found);
                }
            }
        }
        ASSERT_EQ(tested.stores_nothing(), oracle.empty());
    }
}

TEST(matcher, counts_what_it_stores) {
    matcher tested;
    auto *const message = unexpected_message::make(this_rank().engine(), 1000);
    tested.store(*message);
    EXPECT_GE(tested.stored_bytes(), 1000U);
    tested.take(*message);
    EXPECT_EQ(tested.stored_bytes(), 0U);
    unexpected_message::destroy(message);
}
