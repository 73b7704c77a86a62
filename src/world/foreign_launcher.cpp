// SPDX-License-Identifier: Apache-2.0
#include "world/foreign_launcher.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/error.hpp"

namespace lisle {

namespace {

// What a launcher leaves: a variable that only its tasks have, and one with the number of tasks.
struct trace {
    const char *launcher;
    const char *task_variable;
    const char *count_variable;
};

// The more telling first: launchers imitate each other's variables (Slurm and Flux set PMI_RANK as well,
// PRRTE's tasks have PMIX_RANK, and everybody may run inside a Slurm job).
constexpr trace traces[] = {
    {"Open MPI's mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"Flux", "FLUX_TASK_RANK", "FLUX_JOB_SIZE"},
    {"PALS (aprun, mpiexec of Cray)", "PALS_RANKID", "PALS_SIZE"},
    {"PALS (aprun, mpiexec of Cray)", "PALS_RANKID", "PMI_SIZE"},
    {"ALPS (aprun)", "ALPS_APP_PE", "PMI_SIZE"},
    {"jsrun", "JSM_NAMESPACE_RANK", "JSM_NAMESPACE_SIZE"},
    {"MVAPICH's launcher", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
    {"srun (Slurm)", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},
    {"Hydra (MPICH's or Intel's mpiexec)", "PMI_RANK", "PMI_SIZE"},
};

const char *variable(const char *name) {
    const char *const value = std::getenv(name);
    return value != nullptr && *value != '\0' ? value : nullptr;
}

/// The number of tasks, or 0 if there is no such number.
int count_of(const char *name) {
    const char *const text = variable(name);
    int count = 0;
    if (text == nullptr) {
        return 0;
    }
    const char *const end = text + std::strlen(text);
    return std::from_chars(text, end, count).ptr == end ? count : 0;
}

std::string refusal(std::string_view tasks, std::string_view launcher, std::string_view count) {
    return sentence(
        "this program was started as one of ", tasks, " tasks by ", launcher,
        ", which Lisle cannot talk to yet, so each task would be rank 0 of 1: start it with lislerun -n ",
        count, " instead");
}

// A PMIx server (PRRTE's prun, Slurm's pmix plug-in) does not put the number of tasks into the
// environment. A rank above 0 proves that there are several; rank 0 cannot tell, so it stops as well.
bool is_pmix_task() {
    return variable("PMIX_RANK") != nullptr && variable("PMIX_NAMESPACE") != nullptr;
}

} // namespace

std::optional<std::string> foreign_launcher() {
    // The batch script of a Slurm job is its task 0 by name, but a launcher starts from there.
    const char *const step = variable("SLURM_STEP_ID");
    const bool in_slurm_step =
        step != nullptr && std::strcmp(step, "batch") != 0 && variable("SLURM_PROCID") != nullptr;
    bool counted = false;
    for (const auto &trace : traces) {
        if (variable(trace.task_variable) == nullptr ||
            (std::strcmp(trace.task_variable, "SLURM_PROCID") == 0 && !in_slurm_step)) {
            continue;
        }
        const int count = count_of(trace.count_variable);
        counted = counted || count > 0;
        if (count > 1) {
            const auto number = std::to_string(count);
            return refusal(number, trace.launcher, number);
        }
    }
    if (is_pmix_task() && !counted) {
        return refusal("several", "a PMIx launcher (prun, srun --mpi=pmix)", "N");
    }
    // Hydra's older protocol leaves the connection only; the number of tasks is asked for through it.
    if (!counted && (variable("PMI_PORT") != nullptr || variable("PMI_FD") != nullptr)) {
        return refusal("several", "a PMI launcher (MPICH's mpiexec)", "N");
    }
    return std::nullopt;
}

} // namespace lisle
