// SPDX-License-Identifier: Apache-2.0
#include "launch/hosts/allocation.hpp"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

#include "launch/common/launch_error.hpp"
#include "launch/hosts/branch.hpp"

namespace lisle::launch {

namespace {

using names = std::vector<std::string>;
using hosts = std::vector<host_slots>;

class Allocation : public testing::Test {
  protected:
    Allocation() { forget(); }
    ~Allocation() override { forget(); }
    static void forget() {
        for (const char *const name :
             {"SLURM_JOB_NODELIST", "SLURM_TASKS_PER_NODE", "PBS_NODEFILE", "LSB_HOSTS", "LSB_MCPU_HOSTS"}) {
            unsetenv(name);
        }
    }
};

TEST_F(Allocation, ThereMayBeNone) {
    EXPECT_TRUE(hosts_of_allocation().empty());
}

TEST_F(Allocation, SlurmWritesRanges) {
    EXPECT_EQ(hosts_in_slurm_list("login"), names{"login"});
    EXPECT_EQ(hosts_in_slurm_list("n[1-3,07],b"), (names{"n1", "n2", "n3", "n07", "b"}));
    EXPECT_EQ(hosts_in_slurm_list("n[08-10]"), (names{"n08", "n09", "n10"}));
    EXPECT_EQ(hosts_in_slurm_list("r[1-2]-n[3,5].x"), (names{"r1-n3.x", "r1-n5.x", "r2-n3.x", "r2-n5.x"}));
    for (const char *const wrong : {"n[1-", "n[1-x]", "n[3-1]", "n[]", "n[1-2000000000]"}) {
        EXPECT_THROW(static_cast<void>(hosts_in_slurm_list(wrong)), launch_error) << wrong;
    }
}

TEST_F(Allocation, SlurmCountsTasks) {
    EXPECT_EQ(numbers_in_slurm_list("2(x3),1"), (std::vector{2, 2, 2, 1}));
    for (const char *const wrong : {"", "2(x", "2(x3", "x3", "2,,1"}) {
        EXPECT_THROW(static_cast<void>(numbers_in_slurm_list(wrong)), launch_error) << wrong;
    }
    setenv("SLURM_JOB_NODELIST", "n[1-2],m", 1);
    EXPECT_EQ(hosts_of_allocation(), (hosts{{"n1", 1}, {"n2", 1}, {"m", 1}}));
    setenv("SLURM_TASKS_PER_NODE", "4(x2),1", 1);
    EXPECT_EQ(hosts_of_allocation(), (hosts{{"n1", 4}, {"n2", 4}, {"m", 1}}));
    setenv("SLURM_TASKS_PER_NODE", "4", 1);
    EXPECT_THROW(static_cast<void>(hosts_of_allocation()), launch_error);
}

TEST_F(Allocation, PbsHasALineForEachTask) {
    const std::string path = testing::TempDir() + "/nodes-" + std::to_string(getpid());
    std::ofstream{path} << "a\na\nb\na\n";
    setenv("PBS_NODEFILE", path.c_str(), 1);
    EXPECT_EQ(hosts_of_allocation(), (hosts{{"a", 3}, {"b", 1}}));
    std::remove(path.c_str());
    EXPECT_THROW(static_cast<void>(hosts_of_allocation()), launch_error);
}

TEST_F(Allocation, LsfNamesHostsWithAndWithoutNumbers) {
    setenv("LSB_HOSTS", "a a b", 1);
    EXPECT_EQ(hosts_of_allocation(), (hosts{{"a", 2}, {"b", 1}}));
    setenv("LSB_MCPU_HOSTS", "a 4 b 2", 1);
    EXPECT_EQ(hosts_of_allocation(), (hosts{{"a", 4}, {"b", 2}}));
    setenv("LSB_MCPU_HOSTS", "a 4 b", 1);
    EXPECT_THROW(static_cast<void>(hosts_of_allocation()), launch_error);
}

TEST_F(Allocation, ProgramsThatNameHostsKeepThem) {
    setenv("LSB_HOSTS", "a b", 1);
    job_request request;
    request.programs.resize(1);
    use_allocation(request);
    EXPECT_EQ(request.programs[0].hosts, (hosts{{"a", 1}, {"b", 1}}));
    request.programs[0].hosts = {{"c", 1}};
    use_allocation(request);
    EXPECT_EQ(request.programs[0].hosts, (hosts{{"c", 1}}));
    request.programs[0].hosts.clear();
    setenv("LSB_HOSTS", "localhost localhost", 1);
    use_allocation(request);
    EXPECT_TRUE(request.programs[0].hosts.empty());
}

TEST(Branches, CoverAllHostsInOrder) {
    for (const int count : {0, 1, 2, 15, 16, 17, 33, 300}) {
        for (const bool flat : {false, true}) {
            int next = 5;
            const auto parts = branches_of({5, 5 + count}, flat);
            for (const host_range part : parts) {
                EXPECT_EQ(part.first, next);
                EXPECT_GT(part.count(), 0);
                next = part.end;
            }
            EXPECT_EQ(next, 5 + count);
            EXPECT_LE(parts.size(), flat ? static_cast<std::size_t>(count) : std::size_t{most_branches});
        }
    }
}

} // namespace

} // namespace lisle::launch
