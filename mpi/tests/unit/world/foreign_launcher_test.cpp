// SPDX-License-Identifier: Apache-2.0
#include "world/pmi/foreign_launcher.hpp"

#include <cstdlib>
#include <gtest/gtest.h>
#include <initializer_list>
#include <utility>

namespace lisle {
namespace {

constexpr const char *all_variables[] = {
    "OMPI_COMM_WORLD_RANK",
    "OMPI_COMM_WORLD_SIZE",
    "FLUX_TASK_RANK",
    "FLUX_JOB_SIZE",
    "PALS_RANKID",
    "ALPS_APP_PE",
    "JSM_NAMESPACE_RANK",
    "JSM_NAMESPACE_SIZE",
    "MV2_COMM_WORLD_RANK",
    "MV2_COMM_WORLD_SIZE",
    "SLURM_PROCID",
    "SLURM_STEP_NUM_TASKS",
    "SLURM_STEP_ID",
    "SLURM_JOB_ID",
    "SLURM_NTASKS",
    "PMI_RANK",
    "PMI_SIZE",
    "PMI_FD",
    "PMI_PORT",
    "PMIX_RANK",
    "PMIX_NAMESPACE",
};

class ForeignLauncher : public testing::Test {
  protected:
    void SetUp() override { clear(); }
    void TearDown() override { clear(); }

    static std::optional<std::string>
    with(std::initializer_list<std::pair<const char *, const char *>> variables) {
        clear();
        for (const auto &[name, value] : variables) {
            setenv(name, value, 1);
        }
        return foreign_launcher();
    }
    static void clear() {
        for (const auto *name : all_variables) {
            unsetenv(name);
        }
    }
};

void expect_refusal(const std::optional<std::string> &said, const char *launcher, const char *count) {
    ASSERT_TRUE(said) << launcher;
    EXPECT_NE(said->find(launcher), std::string::npos) << *said;
    EXPECT_NE(said->find(std::string{"lislerun -n "} + count), std::string::npos) << *said;
}

TEST_F(ForeignLauncher, NoneInAnEmptyEnvironment) {
    EXPECT_FALSE(with({}));
}

TEST_F(ForeignLauncher, RecognisesEach) {
    expect_refusal(with({{"PMI_RANK", "0"}, {"PMI_SIZE", "4"}, {"PMI_FD", "7"}}), "Hydra", "4");
    expect_refusal(with({{"SLURM_PROCID", "1"}, {"SLURM_STEP_ID", "0"}, {"SLURM_STEP_NUM_TASKS", "3"}}),
                   "srun", "3");
    expect_refusal(with({{"OMPI_COMM_WORLD_RANK", "0"},
                         {"OMPI_COMM_WORLD_SIZE", "2"},
                         {"PMIX_RANK", "0"},
                         {"PMIX_NAMESPACE", "a"}}),
                   "Open MPI", "2");
    expect_refusal(with({{"FLUX_TASK_RANK", "0"}, {"FLUX_JOB_SIZE", "8"}}), "Flux", "8");
    expect_refusal(with({{"PALS_RANKID", "0"}, {"PMI_SIZE", "6"}, {"PMI_RANK", "0"}}), "PALS", "6");
    expect_refusal(with({{"JSM_NAMESPACE_RANK", "0"}, {"JSM_NAMESPACE_SIZE", "6"}}), "jsrun", "6");
    expect_refusal(with({{"PMIX_RANK", "0"}, {"PMIX_NAMESPACE", "prun@1"}}), "PMIx", "N");
    expect_refusal(with({{"PMI_PORT", "host:1"}}), "PMI launcher", "N");
}

TEST_F(ForeignLauncher, SlurmsOwnPmiVariablesNameSlurm) {
    expect_refusal(with({{"SLURM_PROCID", "1"},
                         {"SLURM_STEP_ID", "0"},
                         {"SLURM_STEP_NUM_TASKS", "3"},
                         {"PMI_RANK", "1"},
                         {"PMI_SIZE", "3"}}),
                   "srun", "3");
}

TEST_F(ForeignLauncher, OneTaskIsAWorldOfOne) {
    EXPECT_FALSE(with({{"PMI_RANK", "0"}, {"PMI_SIZE", "1"}, {"PMI_FD", "7"}}));
    EXPECT_FALSE(with({{"SLURM_PROCID", "0"}, {"SLURM_STEP_ID", "0"}, {"SLURM_STEP_NUM_TASKS", "1"}}));
    EXPECT_FALSE(with({{"OMPI_COMM_WORLD_RANK", "0"},
                       {"OMPI_COMM_WORLD_SIZE", "1"},
                       {"PMIX_RANK", "0"},
                       {"PMIX_NAMESPACE", "a"}}));
}

TEST_F(ForeignLauncher, InsideAnAllocationNothingIsStartedYet) {
    EXPECT_FALSE(with({{"SLURM_JOB_ID", "17"}, {"SLURM_NTASKS", "4"}}));
    EXPECT_FALSE(with({{"SLURM_JOB_ID", "17"}, {"SLURM_NTASKS", "4"}, {"SLURM_PROCID", "0"}}));
}

TEST_F(ForeignLauncher, GarbageIsNoTrace) {
    EXPECT_FALSE(with({{"PMI_RANK", "0"}, {"PMI_SIZE", "many"}}));
    EXPECT_FALSE(with({{"SLURM_PROCID", ""}, {"SLURM_STEP_ID", "0"}, {"SLURM_STEP_NUM_TASKS", "4"}}));
}

} // namespace
} // namespace lisle
