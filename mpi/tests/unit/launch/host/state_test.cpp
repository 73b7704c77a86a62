// SPDX-License-Identifier: Apache-2.0
// Functions of the C library with hidden state, as the host supplies them: each of two ranks finds what it
// would have found alone, and threads of no rank find the C library's own behaviour.
#include "launch/host/interpose/calendar.hpp"
#include "launch/host/life/exit_list.hpp"
#include "played_library.hpp"

#include <clocale>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <getopt.h>
#include <gtest/gtest.h>
#include <search.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace lisle::host {
namespace {

using played::as_rank;
using numbers = std::vector<long>;

class HostState : public testing::Test {
  protected:
    hosted_rank one{0, 4, 0, {"program", "1"}};
    hosted_rank two{1, 5, 0, {"program", "2"}};
};

struct counted {
    static inline int living = 0;
    int value = ++living;
    counted() = default;
    ~counted() { --living; }
    counted(const counted &) = delete;
    counted &operator=(const counted &) = delete;
};
const rank_slot<counted> rank_counted;

TEST_F(HostState, EachRankHasASlotOfItsOwn) {
    rank_counted.of(one).value = 10;
    rank_counted.of(two).value = 20;
    EXPECT_EQ(rank_counted.of(one).value, 10);
    EXPECT_EQ(rank_counted.of(two).value, 20);
    rank_counted.current().value = 30;
    {
        const as_rank self(two);
        EXPECT_EQ(this_rank(), &two);
        EXPECT_EQ(rank_counted.current().value, 20);
    }
    EXPECT_EQ(this_rank(), nullptr);
    EXPECT_EQ(rank_counted.current().value, 30);
}

TEST(HostedRank, SlotsEndWithTheRank) {
    const int before = counted::living;
    {
        const hosted_rank rank{0, 0, 0, {"program"}};
        EXPECT_EQ(counted::living, before + 1);
    }
    EXPECT_EQ(counted::living, before);
}

TEST(ExitList, LastInFirstOutAlsoWhatIsRegisteredMeanwhile) {
    exit_list list;
    std::string order;
    list.push([&](int status) { order += "a" + std::to_string(status); });
    list.push([&](int) {
        order += "b";
        list.push([&](int) { order += "c"; });
    });
    list.run(3);
    EXPECT_EQ(order, "bca3");
    list.run(4);
    EXPECT_EQ(order, "bca3");
}

TEST(ExitList, AnOwnersEntriesRunAtItsEnd) {
    exit_list list;
    std::string order;
    const int library = 0;
    list.push([&](int) { order += "program"; });
    list.push([&](int status) { order += "library" + std::to_string(status); }, &library);
    list.push([&](int) { order += "later"; });
    list.run_of(&library);
    EXPECT_EQ(order, "library0");
    list.run(1);
    EXPECT_EQ(order, "library0laterprogram");
}

TEST(Environment, KeepsWhatPointersLeadTo) {
    environment own;
    own.set("LISLE_TEST_A=one");
    char *const first = own.get("LISLE_TEST_A");
    own.set("LISLE_TEST_A=two");
    EXPECT_STREQ(first, "one");
    EXPECT_STREQ(own.get("LISLE_TEST_A"), "two");
    char entry[] = "LISLE_TEST_A=three";
    own.put(entry);
    entry[13] = 'T';
    EXPECT_STREQ(own.get("LISLE_TEST_A"), "Three") << "the memory is the environment's";
    own.remove("LISLE_TEST_A");
    EXPECT_EQ(own.get("LISLE_TEST_A"), nullptr);
    EXPECT_EQ(own.get("LISLE_TEST"), nullptr) << "a beginning of a name is another name";
}

TEST(Environment, FollowsTheProgramsVariable) {
    environment own;
    char **variable = nullptr;
    own.live_at(&variable);
    EXPECT_EQ(variable, own.array());
    char only[] = "LISLE_TEST_B=1";
    char *mine[] = {only, nullptr};
    variable = mine; // environ = mine
    EXPECT_STREQ(own.get("LISLE_TEST_B"), "1");
    EXPECT_EQ(own.get("PATH"), nullptr);
    own.set("LISLE_TEST_C=2");
    EXPECT_NE(variable, mine) << "the program's array is not written to";
    EXPECT_STREQ(own.get("LISLE_TEST_B"), "1");
    EXPECT_STREQ(own.get("LISLE_TEST_C"), "2");
    own.clear();
    EXPECT_EQ(*variable, nullptr);
}

TEST_F(HostState, VariablesOfOneRankAreSeenByNoOther) {
    {
        const as_rank self(one);
        EXPECT_EQ(setenv("LISLE_TEST_D", "one", 1), 0);
        EXPECT_EQ(setenv("LISLE_TEST_D", "again", 0), 0);
        EXPECT_STREQ(getenv("LISLE_TEST_D"), "one");
        EXPECT_EQ(setenv("A=B", "", 1), -1);
        EXPECT_EQ(errno, EINVAL);
    }
    {
        const as_rank self(two);
        EXPECT_EQ(getenv("LISLE_TEST_D"), nullptr);
        EXPECT_NE(getenv("PATH"), nullptr);
        EXPECT_EQ(clearenv(), 0);
        EXPECT_EQ(getenv("PATH"), nullptr);
    }
    EXPECT_EQ(getenv("LISLE_TEST_D"), nullptr);
    EXPECT_NE(getenv("PATH"), nullptr);
    const as_rank self(one);
    EXPECT_EQ(unsetenv("LISLE_TEST_D"), 0);
    EXPECT_EQ(getenv("LISLE_TEST_D"), nullptr);
}

numbers drawn(int count) {
    numbers all;
    for (int i = 0; i != count; ++i) {
        all.push_back(rand());
        all.push_back(random());
        all.push_back(lrand48());
    }
    return all;
}

TEST_F(HostState, ASeedGivesTheSameNumbersWhateverOthersDraw) {
    const auto alone = [](hosted_rank &rank, unsigned seed) {
        const as_rank self(rank);
        srand(seed);
        srand48(seed);
        return drawn(20);
    };
    const numbers expected = alone(one, 7);
    EXPECT_NE(expected, alone(two, 8));
    numbers found;
    {
        const as_rank self(one);
        srand(7);
        srand48(7);
    }
    for (int i = 0; i != 20; ++i) {
        {
            const as_rank self(one);
            const numbers more = drawn(1);
            found.insert(found.end(), more.begin(), more.end());
        }
        const as_rank self(two);
        static_cast<void>(drawn(3));
    }
    EXPECT_EQ(found, expected);
}

TEST_F(HostState, NumbersWithoutASeedAreThoseOfAProcess) {
    random_data data{};
    char room[128];
    initstate_r(1, room, sizeof room, &data);
    std::int32_t first = 0;
    random_r(&data, &first);
    const as_rank self(one);
    EXPECT_EQ(rand(), first);
    char other[64];
    char *const before = initstate(5, other, sizeof other);
    ASSERT_NE(before, nullptr);
    const long with_other = random();
    EXPECT_EQ(setstate(before), other);
    EXPECT_NE(random(), with_other);
}

TEST_F(HostState, EachRankHasItsTimeZone) {
    const std::time_t noon = 12 * 3600;
    std::tm *of_one = nullptr;
    {
        const as_rank self(one);
        setenv("TZ", "EAST-3", 1);
        of_one = localtime(&noon);
        EXPECT_EQ(of_one->tm_hour, 15);
        EXPECT_EQ(*rank_calendar.of(one).seconds_west, -3 * 3600);
        EXPECT_STREQ(rank_calendar.of(one).names[0], "EAST");
    }
    {
        const as_rank self(two);
        setenv("TZ", "WEST5", 1);
        EXPECT_EQ(localtime(&noon)->tm_hour, 7);
        EXPECT_STREQ(ctime(&noon), "Thu Jan  1 07:00:00 1970\n");
    }
    EXPECT_EQ(of_one->tm_hour, 15) << "another rank's call left the result alone";
    const as_rank self(one);
    std::tm broken_down = *of_one;
    EXPECT_EQ(mktime(&broken_down), noon);
    char text[32];
    EXPECT_EQ(strftime(text, sizeof text, "%Z %H", of_one), 7U);
    EXPECT_STREQ(text, "EAST 15");
    EXPECT_EQ(gmtime(&noon)->tm_hour, 12);
}

TEST_F(HostState, FunctionsContinueWhereTheirRankWas) {
    char words_of_one[] = "a b c";
    char words_of_two[] = "x-y";
    {
        const as_rank self(one);
        EXPECT_STREQ(strtok(words_of_one, " "), "a");
    }
    {
        const as_rank self(two);
        EXPECT_STREQ(strtok(words_of_two, "-"), "x");
    }
    {
        const as_rank self(one);
        EXPECT_STREQ(strtok(nullptr, " "), "b");
    }
    const as_rank self(two);
    EXPECT_STREQ(strtok(nullptr, "-"), "y");
    EXPECT_EQ(strtok(nullptr, "-"), nullptr);
}

TEST_F(HostState, EachRankHasItsTable) {
    char key[] = "key";
    int value = 0;
    for (hosted_rank *const rank : {&one, &two}) {
        const as_rank self(*rank);
        ASSERT_NE(hcreate(8), 0);
    }
    {
        const as_rank self(one);
        EXPECT_NE(hsearch({key, &value}, ENTER), nullptr);
        EXPECT_NE(hsearch({key, nullptr}, FIND), nullptr);
    }
    {
        const as_rank self(two);
        EXPECT_EQ(hsearch({key, nullptr}, FIND), nullptr);
    }
    for (hosted_rank *const rank : {&one, &two}) {
        const as_rank self(*rank);
        hdestroy();
    }
}

TEST_F(HostState, TheNameOfALocaleStays) {
    const char *of_one = nullptr;
    {
        const as_rank self(one);
        of_one = setlocale(LC_CTYPE, "C");
        ASSERT_STREQ(of_one, "C");
    }
    const as_rank self(two);
    EXPECT_NE(setlocale(LC_CTYPE, nullptr), of_one);
    EXPECT_STREQ(of_one, "C");
}

/// What getopt says of a command line, as text: its results, and the order of the words afterwards.
std::string scanned(const std::vector<std::string> &line, const char *letters, const option *longs) {
    std::vector<std::string> words = line;
    std::vector<char *> arguments;
    for (std::string &word : words) {
        arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    const bool ranks = this_rank() != nullptr;
    int which = -1;
    std::string said;
    for (int turn = 0; turn != 30; ++turn) {
        const int result =
            getopt_long(static_cast<int>(words.size()), arguments.data(), letters, longs, &which);
        said += " " + std::to_string(result);
        if (result == -1) {
            break;
        }
        said += "/" + std::to_string(which);
        which = -1;
    }
    for (const char *const each : std::vector<char *>(arguments.begin(), arguments.end() - 1)) {
        said += std::string(" ") + each;
    }
    if (!ranks) {
        optind = 0; // the C library begins anew
    }
    return said;
}

TEST(Getopt, ReadsCommandLinesAsTheCLibraryDoes) {
    static int flag = 0;
    const option longs[] = {{"alpha", no_argument, nullptr, 'a'},
                            {"beta", required_argument, nullptr, 'b'},
                            {"gamma", optional_argument, nullptr, 'c'},
                            {"gamut", no_argument, &flag, 9},
                            {nullptr, 0, nullptr, 0}};
    const std::vector<std::vector<std::string>> lines{
        {"p"},
        {"p", "-a", "x", "-b", "1", "y"},
        {"p", "x", "-ab1", "y", "-c", "z"},
        {"p", "-cv", "--alpha", "--beta=2", "--beta", "3", "w"},
        {"p", "--gam", "--gamm=4", "--gamut", "-x"},
        {"p", "x", "y", "--", "-a", "z"},
        {"p", "x", "-a", "--", "y"},
        {"p", "-b"},
        {"p", "--beta"},
        {"p", "--alpha=1", "--unknown", "-"},
        {"p", "x", "-", "-a", "y", "-b", "1", "--", "-c"},
    };
    for (const char *const letters : {":ab:c::", "+:ab:c::", "-ab:c::"}) {
        for (const auto &line : lines) {
            opterr = 0;
            optind = 0;
            const std::string expected = scanned(line, letters, longs);
            hosted_rank rank{0, 0, 0, line};
            const as_rank self(rank);
            // The rank's own variables are not those of this program: messages go nowhere by the ':' or are
            // heard.
            testing::internal::CaptureStderr();
            const std::string found = scanned(line, letters, longs);
            static_cast<void>(testing::internal::GetCapturedStderr());
            EXPECT_EQ(found, expected) << letters << " " << line.back();
        }
    }
}

} // namespace
} // namespace lisle::host
