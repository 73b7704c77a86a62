// SPDX-License-Identifier: Apache-2.0
// The arithmetic of steps that meet, against time counted quantum by quantum.
#include <lisle/couple/timing.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace lisle::couple {
namespace {

struct meeting {
    steps sender, receiver;
    ticks lag;
};

void PrintTo(const meeting &of, std::ostream *out) {
    *out << "sender " << of.sender.offset << '+' << of.sender.period << " until " << of.sender.end
         << ", receiver " << of.receiver.offset << '+' << of.receiver.period << " until " << of.receiver.end
         << ", lag " << of.lag;
}

meeting draw(std::mt19937 &random) {
    const auto below = [&](unsigned end) { return static_cast<ticks>(random() % end); };
    const auto some_steps = [&] {
        const steps drawn{1 + below(7), below(12) - 4, 0};
        return steps{drawn.period, drawn.offset, drawn.offset + 1 + below(40)};
    };
    return {some_steps(), some_steps(), below(3) == 0 ? below(9) - 2 : 0};
}

/// The step whose value holds at a time; the first one before it began, the last one after it ended.
std::int64_t holding(const steps &of, ticks time) {
    std::int64_t found = 0;
    for (std::int64_t step = 0; step != of.count(); ++step) {
        if (of.time(step) <= time) {
            found = step;
        }
    }
    return found;
}

/// What the receiver's step is made of, with its weights: each quantum of the interval gives its part.
std::map<std::int64_t, double> counted(const meeting &of, over_time how, std::int64_t step) {
    const ticks at = of.receiver.time(step) - of.lag;
    std::map<std::int64_t, double> parts;
    if (how == over_time::latest) {
        parts[holding(of.sender, at)] = 1;
    } else if (how == over_time::linear) {
        const std::int64_t before = holding(of.sender, at);
        const ticks since = at - of.sender.time(before);
        if (since > 0 && before + 1 < of.sender.count()) {
            const double after = static_cast<double>(since) / static_cast<double>(of.sender.period);
            parts = {{before, 1 - after}, {before + 1, after}};
        } else {
            parts[before] = 1;
        }
    } else {
        ticks inside = 0;
        for (ticks quantum = at - of.receiver.period; quantum != at; ++quantum) {
            const std::int64_t held = holding(of.sender, quantum);
            if (quantum >= of.sender.offset && quantum < of.sender.time(held) + of.sender.period) {
                ++inside;
                parts[held] += 1;
            }
        }
        for (auto &[held, weight] : parts) {
            weight = how == over_time::mean  ? weight / static_cast<double>(inside)
                     : how == over_time::sum ? weight / static_cast<double>(of.sender.period)
                                             : 1;
        }
        if (parts.empty() && how != over_time::sum) {
            parts[holding(of.sender, at - of.receiver.period)] = 1;
        }
    }
    return parts;
}

constexpr over_time all_ways[] = {over_time::latest, over_time::linear,  over_time::mean,
                                  over_time::sum,    over_time::minimum, over_time::maximum};

TEST(timing, steps_are_made_of_what_held) {
    std::mt19937 random{3};
    for (int repetition = 0; repetition != 4000; ++repetition) {
        const meeting of = draw(random);
        SCOPED_TRACE(testing::PrintToString(of));
        for (const over_time how : all_ways) {
            SCOPED_TRACE(static_cast<int>(how));
            const timetable table{of.sender, of.receiver, how, of.lag};
            for (std::int64_t step = 0; step != of.receiver.count(); ++step) {
                const auto expected = counted(of, how, step);
                const ingredients made_of = table.of_step(step);
                ASSERT_EQ(made_of.none(), expected.empty());
                if (expected.empty()) {
                    continue;
                }
                ASSERT_EQ(made_of.first, expected.begin()->first);
                ASSERT_EQ(made_of.last, expected.rbegin()->first);
                for (const auto &[each, weight] : expected) {
                    ASSERT_NEAR(table.weight(step, each), weight, 1e-12);
                }
            }
        }
    }
}

TEST(timing, the_first_user_of_a_step_is_found) {
    std::mt19937 random{4};
    for (int repetition = 0; repetition != 2000; ++repetition) {
        const meeting of = draw(random);
        SCOPED_TRACE(testing::PrintToString(of));
        for (const over_time how : all_ways) {
            const timetable table{of.sender, of.receiver, how, of.lag};
            std::vector<std::int64_t> users(static_cast<std::size_t>(of.sender.count()), -1);
            for (std::int64_t step = of.receiver.count(); step-- != 0;) {
                const ingredients made_of = table.of_step(step);
                for (std::int64_t each = made_of.first; each <= made_of.last; ++each) {
                    users[static_cast<std::size_t>(each)] = step;
                }
            }
            for (std::int64_t step = 0; step != of.sender.count(); ++step) {
                ASSERT_EQ(table.is_wanted(step), users[static_cast<std::size_t>(step)] >= 0)
                    << step << " how " << static_cast<int>(how);
                if (table.is_wanted(step)) {
                    ASSERT_EQ(table.first_user(step), users[static_cast<std::size_t>(step)]);
                }
            }
        }
    }
}

TEST(timing, repetitions_are_foreseen) {
    std::mt19937 random{6};
    for (int repetition = 0; repetition != 2000; ++repetition) {
        const meeting of = draw(random);
        SCOPED_TRACE(testing::PrintToString(of));
        for (const over_time how : all_ways) {
            const timetable table{of.sender, of.receiver, how, of.lag};
            for (std::int64_t step = 0; step != of.receiver.count(); ++step) {
                if (table.repeats(step)) {
                    ASSERT_TRUE(table.may_repeat()) << step << " how " << static_cast<int>(how);
                    ASSERT_EQ(counted(of, how, step), counted(of, how, step - 1));
                }
            }
        }
    }
}

TEST(timing, amounts_arrive_whole) {
    std::mt19937 random{5};
    for (int repetition = 0; repetition != 2000; ++repetition) {
        meeting of = draw(random);
        of.receiver.offset = of.sender.offset; // it takes what the sender has from its beginning on
        of.receiver.end = of.sender.end + 20 * of.receiver.period;
        of.lag = 0;
        SCOPED_TRACE(testing::PrintToString(of));
        const timetable table{of.sender, of.receiver, over_time::sum, 0};
        std::vector<double> arrived(static_cast<std::size_t>(of.sender.count()));
        for (std::int64_t step = 0; step != of.receiver.count(); ++step) {
            const ingredients made_of = table.of_step(step);
            for (std::int64_t each = made_of.first; each <= made_of.last; ++each) {
                arrived[static_cast<std::size_t>(each)] += table.weight(step, each);
            }
        }
        for (const double each : arrived) {
            ASSERT_NEAR(each, 1, 1e-12);
        }
    }
}

TEST(timing, a_sender_without_steps_gives_nothing) {
    const timetable table{{1, 5, 5}, {1, 0, 3}, over_time::latest, 0};
    EXPECT_TRUE(table.of_step(0).none());
}

} // namespace
} // namespace lisle::couple
