// SPDX-License-Identifier: Apache-2.0
#include "world/lone_bootstrap.hpp"

#include <unistd.h>

#include "base/error.hpp"
#include "mpi.h"

namespace lisle {

namespace {

const job_shape &checked(const job_shape &shape) {
    shape.check();
    if (shape.processes() != 1) {
        fail(MPI_ERR_ARG, "a job without a launcher is one process, not ", shape.processes());
    }
    return shape;
}

} // namespace

lone_bootstrap::lone_bootstrap(const job_shape &shape) : id_{make_job_id()}, places_{checked(shape)} {}

int lone_bootstrap::pid_of(int) const noexcept {
    return getpid();
}

void lone_bootstrap::put(std::string_view key, std::span<const std::byte> value) {
    const std::scoped_lock guard{mutex_};
    if (!values_.try_emplace(std::string{key}, value.begin(), value.end()).second) {
        fail(MPI_ERR_ARG, "the key \"", key, "\" has been put already");
    }
}

std::vector<std::byte> lone_bootstrap::get(int process, std::string_view key) {
    const std::scoped_lock guard{mutex_};
    const auto found = values_.find(key);
    if (process != 0 || found == values_.end()) {
        fail(MPI_ERR_OTHER, "process ", process, " has put nothing under the key \"", key, "\"");
    }
    return found->second;
}

} // namespace lisle
