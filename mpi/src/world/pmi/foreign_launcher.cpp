// SPDX-License-Identifier: Apache-2.0
#include "world/pmi/foreign_launcher.hpp"

#include <string_view>

#include "base/environment.hpp"
#include "base/error.hpp"

namespace lisle {

namespace {

// The traces of a launcher: a variable that only its tasks have, and one with the number of tasks. remedy:
// the option that makes it offer PMI, if there is one.
struct trace {
    const char *launcher;
    const char *task_variable;
    const char *count_variable;
    std::string_view remedy{};
};

// The most specific first: launchers set each other's variables (Slurm and Flux set PMI_RANK as well, PRRTE's
// tasks have PMIX_RANK, and any launcher may run inside a Slurm job).
constexpr trace traces[] = {
    {"Open MPI's mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"Flux", "FLUX_TASK_RANK", "FLUX_JOB_SIZE", "flux run -o pmi=simple"},
    {"PALS (aprun, mpiexec of Cray)", "PALS_RANKID", "PALS_SIZE", "mpiexec --pmi=pmix"},
    {"PALS (aprun, mpiexec of Cray)", "PALS_RANKID", "PMI_SIZE", "mpiexec --pmi=pmix"},
    {"ALPS (aprun)", "ALPS_APP_PE", "PMI_SIZE"},
    {"jsrun", "JSM_NAMESPACE_RANK", "JSM_NAMESPACE_SIZE"},
    {"MVAPICH's launcher", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "mpiexec.hydra"},
    {"srun (Slurm)", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "srun --mpi=pmix"},
    {"Hydra (MPICH's or Intel's mpiexec)", "PMI_RANK", "PMI_SIZE"},
};

bool is_set(const char *name) {
    return !environment_text(name).empty();
}

std::string refusal(std::string_view tasks, std::string_view launcher, std::string_view count,
                    std::string_view remedy) {
    const std::string way_out = remedy.empty() ? std::string{} : sentence(remedy, ", or with ");
    return sentence(
        "this program was started as one of ", tasks, " tasks by ", launcher,
        ", and no PMIx or PMI-1 server answers it, so each task would be rank 0 of 1: start it with ",
        way_out, "lislerun -n ", count);
}

} // namespace

bool launcher_speaks_pmix() {
    return is_set("PMIX_RANK") && is_set("PMIX_NAMESPACE");
}

std::optional<pmi1_socket> launcher_socket() {
    const auto descriptor = environment_number("PMI_FD");
    const auto process = environment_number("PMI_RANK");
    const auto processes = environment_number("PMI_SIZE");
    if (!descriptor || !process || !processes || *process >= *processes) {
        return std::nullopt;
    }
    return pmi1_socket{*descriptor, *process, *processes};
}

std::optional<std::string> foreign_launcher() {
    // The batch script of a Slurm job is its task 0 by name, but a launcher starts from there.
    const std::string_view step = environment_text("SLURM_STEP_ID");
    const bool in_slurm_step = !step.empty() && step != "batch" && is_set("SLURM_PROCID");
    bool counted = false;
    for (const auto &trace : traces) {
        if (!is_set(trace.task_variable) ||
            (std::string_view{trace.task_variable} == "SLURM_PROCID" && !in_slurm_step)) {
            continue;
        }
        const int count = environment_number(trace.count_variable).value_or(0);
        counted = counted || count > 0;
        if (count > 1) {
            const auto number = std::to_string(count);
            return refusal(number, trace.launcher, number, trace.remedy);
        }
    }
    // A PMIx server does not put the number of tasks into the environment. A rank above 0 proves that there
    // are several; rank 0 cannot tell, so it stops as well.
    if (launcher_speaks_pmix() && !counted) {
        return refusal("several", "a PMIx launcher (prun, srun --mpi=pmix)", "N", {});
    }
    // Hydra's other method sets only the connection, through which the number of tasks is asked for.
    if (!counted && (is_set("PMI_PORT") || is_set("PMI_FD"))) {
        return refusal("several", "a PMI launcher (MPICH's mpiexec)", "N", "mpiexec without -pmi-port");
    }
    return std::nullopt;
}

} // namespace lisle
