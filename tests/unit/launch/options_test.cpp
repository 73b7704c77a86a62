// SPDX-License-Identifier: Apache-2.0
#include "launch/options.hpp"

#include <gtest/gtest.h>
#include <set>

#include "launch/launch_error.hpp"
#include "launch/nearest.hpp"

namespace lisle::launch {
namespace {

job_request parsed(std::initializer_list<std::string_view> words) {
    const std::vector<std::string_view> arguments{words};
    return parse(arguments);
}

std::string refusal(std::initializer_list<std::string_view> words) {
    try {
        parsed(words);
    } catch (const launch_error &error) {
        EXPECT_EQ(error.exit_code(), exit_usage);
        return error.what();
    }
    return "accepted";
}

TEST(Options, EverySpellingOfTheNumberOfRanks) {
    for (const auto *name : {"-n", "-np", "--np", "--n", "-c"}) {
        EXPECT_EQ(parsed({name, "3", "a"}).programs.at(0).ranks, 3) << name;
    }
    EXPECT_EQ(parsed({"-n=3", "a"}).programs.at(0).ranks, 3);
    EXPECT_EQ(parsed({"-n3", "a"}).programs.at(0).ranks, 3);
    EXPECT_EQ(parsed({"-N", "3", "a"}).programs.at(0).ranks, 3);
    EXPECT_EQ(parsed({"-n", "2", "-N", "3", "a"}).programs.at(0).ranks, 2);
}

TEST(Options, TheProgramsOwnOptionsAreItsOwn) {
    const auto program = parsed({"-n", "2", "a", "-n", "--label", "--"}).programs.at(0);
    EXPECT_EQ(program.arguments, (std::vector<std::string>{"a", "-n", "--label", "--"}));
    EXPECT_EQ(parsed({"-n", "2", "--", "-strange"}).programs.at(0).arguments.at(0), "-strange");
}

TEST(Options, SeveralPrograms) {
    const auto job = parsed({"-n", "1", "a", "x", ":", "-n", "2", "--wdir", "/tmp", "b"});
    ASSERT_EQ(job.programs.size(), 2U);
    EXPECT_EQ(job.programs[0].arguments, (std::vector<std::string>{"a", "x"}));
    EXPECT_EQ(job.programs[1].ranks, 2);
    EXPECT_EQ(job.programs[1].directory, "/tmp");
    EXPECT_EQ(job.programs[0].directory, "");
}

TEST(Options, ValuesAreChecked) {
    EXPECT_EQ(refusal({"-n", "4x", "a"}), "-n needs a number of at least 1, not '4x'");
    EXPECT_EQ(refusal({"-n", "-4", "a"}), "-n needs a number of at least 1, not '-4'");
    EXPECT_EQ(refusal({"-n", "99999999999", "a"}), "-n needs a number of at least 1, not '99999999999'");
    EXPECT_EQ(refusal({"--timeout", "0", "a"}), "--timeout needs a number of seconds above 0, not '0'");
    EXPECT_EQ(refusal({"--timeout", "nan", "a"}), "--timeout needs a number of seconds above 0, not 'nan'");
    EXPECT_EQ(refusal({"-x", "=v", "a"}), "-x needs the name of a variable, not '=v'");
    EXPECT_EQ(refusal({"--label=yes", "a"}), "--label takes no value");
    EXPECT_EQ(refusal({"--wdir"}), "--wdir needs a value: --wdir DIR");
    EXPECT_EQ(refusal({"--bind-to", "moon", "a"}), "--bind-to knows 'core' and 'none', not 'moon'");
}

TEST(Options, UnknownOnesNameTheNearest) {
    const std::pair<const char *, const char *> cases[] = {
        {"--lable", "--label"},    {"--oversubscribed", "--oversubscribe"},
        {"--time", "--timeout"},   {"-p", "-P"},
        {"--rank", "--ranks"},     {"-wdri", "--wdir"},
        {"--bindto", "--bind-to"},
    };
    for (const auto &[wrong, right] : cases) {
        EXPECT_EQ(refusal({wrong, "a"}),
                  sentence("there is no option ", wrong, "; did you mean ", right, "? (--help lists them)"));
    }
    EXPECT_EQ(refusal({"--xyzzyplugh", "a"}), "there is no option --xyzzyplugh; --help lists them");
}

TEST(Options, OtherLaunchersOptionsTakeTheirValues) {
    const auto job = parsed({"--mca", "btl", "self", "-genv", "A", "1", "-env", "B", "2", "-ppn", "4", "a"});
    EXPECT_EQ(job.programs.at(0).arguments.at(0), "a");
    EXPECT_EQ(job.environment.at(0).value, "1");
    EXPECT_EQ(job.programs.at(0).environment.at(0).value, "2");
    EXPECT_EQ(parsed({"--env", "B", "a"}).programs.at(0).arguments.at(0), "a");
    EXPECT_EQ(parsed({"--output-filename", "f", "a"}).notices.size(), 1U);
    EXPECT_EQ(parsed({"--bind-to", "socket", "a"}).notices.size(), 1U);
}

TEST(Options, HostsAreThisMachine) {
    EXPECT_EQ(parsed({"-host", "localhost:4,127.0.0.1,::1", "a"}).programs.size(), 1U);
    EXPECT_NE(refusal({"-hosts", "localhost,n2", "a"}).find("'n2' is another machine"), std::string::npos);
}

TEST(Options, NoNameStandsInTheTableTwice) {
    std::set<std::string> seen;
    for (const auto &row : option_table()) {
        for (auto rest = row.names; !rest.empty();) {
            const auto bar = std::min(rest.find('|'), rest.size());
            EXPECT_TRUE(seen.emplace(rest.substr(0, bar)).second) << rest.substr(0, bar);
            rest.remove_prefix(std::min(bar + 1, rest.size()));
        }
    }
}

TEST(Options, TheHelpNamesEveryOption) {
    const auto help = help_text();
    for (const auto &row : option_table()) {
        if (!row.help.empty() && row.what != meaning::refused) {
            EXPECT_NE(help.find(dashed(row.preferred_name())), std::string::npos) << row.names;
        }
    }
}

TEST(Nearest, Distances) {
    EXPECT_EQ(typing_distance("label", "label"), 0);
    EXPECT_EQ(typing_distance("lable", "label"), 2);
    EXPECT_EQ(typing_distance("p", "P"), 1);
    EXPECT_EQ(typing_distance("", "abc"), 6);
    EXPECT_EQ(typing_distance("abc", ""), 6);
}

} // namespace
} // namespace lisle::launch
