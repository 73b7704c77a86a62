// SPDX-License-Identifier: Apache-2.0
#include "launch/outer/hosts_job.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include "launch/common/launch_error.hpp"
#include "launch/options/command_line.hpp"

namespace lisle::launch {
namespace {

using words = std::vector<std::string>;

outer_job planned(std::initializer_list<std::string_view> options) {
    std::vector<std::string_view> all{options};
    if (std::ranges::find(all, "true") == all.end()) {
        all.emplace_back("true");
    }
    return plan_on_hosts(parse(all), nullptr, "/bin/lislerun");
}

using hosts = std::vector<host_slots>;

/// What a command has behind an option; empty if it has not the option.
std::string value_of(const words &command, std::string_view option) {
    const auto found = std::ranges::find(command, option);
    return found == command.end() ? "" : *std::next(found);
}

TEST(HostsJob, FillsHostsInOrder) {
    const auto job = planned({"-H", "a,b:4"});
    ASSERT_EQ(job.groups.size(), 1U);
    EXPECT_EQ(job.groups[0].hosts, (hosts{{"a", 1}, {"b", 4}}));
    EXPECT_EQ(planned({"-H", "a,b:4", "-n", "3"}).groups[0].hosts, (hosts{{"a", 1}, {"b", 2}}));
    EXPECT_EQ(planned({"-H", "a,b:2", "-n", "6"}).groups[0].hosts, (hosts{{"a", 2}, {"b", 4}}));
}

TEST(HostsJob, ProcessesWithSeveralRanks) {
    const auto full = planned({"-H", "a,b", "-T", "3"});
    ASSERT_EQ(full.groups.size(), 1U);
    EXPECT_EQ(full.groups[0].hosts, (hosts{{"a", 1}, {"b", 1}}));
    EXPECT_EQ(value_of(full.groups[0].command, "-T"), "3");
    const auto rest = planned({"-H", "a,b:2", "-n", "7", "-T", "3", "--ranks", "fiber"});
    ASSERT_EQ(rest.groups.size(), 2U);
    EXPECT_EQ(rest.groups[0].hosts, (hosts{{"a", 1}, {"b", 1}}));
    EXPECT_EQ(rest.groups[1].hosts, (hosts{{"b", 1}}));
    EXPECT_EQ(value_of(rest.groups[1].command, "-T"), "1");
    EXPECT_EQ(value_of(rest.groups[1].command, "--ranks"), "fiber");
}

TEST(HostsJob, ThreadsWithoutNumbersAreAProcessOnEachHost) {
    const auto job = planned({"-H", "a:2,b:2", "--ranks", "thread"});
    ASSERT_EQ(job.groups.size(), 1U);
    EXPECT_EQ(job.groups[0].hosts, (hosts{{"a", 1}, {"b", 1}}));
    EXPECT_EQ(value_of(job.groups[0].command, "-T"), "2");
}

TEST(HostsJob, SeveralProgramsShareTheHosts) {
    const auto job = planned({"-H", "a,b:2", "-n", "1", "true", ":", "-n", "2", "false"});
    ASSERT_EQ(job.groups.size(), 2U);
    EXPECT_EQ(job.groups[0].hosts, (hosts{{"a", 1}}));
    EXPECT_EQ(job.groups[1].hosts, (hosts{{"b", 2}}));
    EXPECT_THROW(planned({"-H", "a", "true", ":", "-H", "b", "false"}), launch_error);
}

TEST(HostsJob, VariablesGoWithTheCommand) {
    const auto job = planned({"-H", "a", "-x", "COLOUR=red", "-x", "NOBODY_HAS_SET_THIS"});
    EXPECT_EQ(std::ranges::count(job.groups[0].command, "COLOUR=red"), 1);
    EXPECT_EQ(std::ranges::count_if(job.groups[0].command,
                                    [](const auto &word) { return word.starts_with("NOBODY"); }),
              0);
}

TEST(OuterLauncher, EachIsToldInItsOwnWords) {
    const outer_job job{{{{{"a", 1}, {"b", 2}}, {"run", "x"}}, {{{"b", 1}}, {"run", "y"}}}, "/bin/agent"};
    const auto open_mpi = words_for("/usr/bin/orterun", job);
    EXPECT_EQ(value_of(open_mpi, "--host"), "a:1,b:2");
    EXPECT_EQ(value_of(open_mpi, "plm_rsh_agent"), "/bin/agent");
    EXPECT_EQ(std::ranges::count(open_mpi, ":"), 1);
    const auto hydra = words_for("mpiexec.hydra", job);
    EXPECT_EQ(value_of(hydra, "-hosts"), "a:1,b:3");
    EXPECT_EQ(value_of(hydra, "-launcher-exec"), "/bin/agent");
    EXPECT_THROW(static_cast<void>(words_for("srun", job)), launch_error); // two commands
    const auto slurm = words_for("srun", {{{{{"a", 1}, {"b", 2}}, {"run"}}}, {}});
    EXPECT_EQ(value_of(slurm, "-w"), "a,b,b");
    EXPECT_EQ(value_of(slurm, "-n"), "3");
    EXPECT_THROW(static_cast<void>(find_outer_launcher("rsh")), launch_error);
}

} // namespace
} // namespace lisle::launch
