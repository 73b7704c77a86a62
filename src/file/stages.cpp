// SPDX-License-Identifier: Apache-2.0
#include "file/stages.hpp"

#include <utility>

#include "base/error.hpp"

namespace lisle::file {

bool stages::advance() {
    while (may_go_on()) {
        if (const started_operation ended = std::move(awaited_);
            ended && ended->result.error != MPI_SUCCESS) {
            throw mpi_error{ended->result.error, ended->failure()};
        }
        if (!next_) {
            return true;
        }
        std::exchange(next_, nullptr)();
    }
    return false;
}

void stages::await(protocol::request *started, stage next) {
    awaited_.reset(started);
    next_ = std::move(next);
}

} // namespace lisle::file
