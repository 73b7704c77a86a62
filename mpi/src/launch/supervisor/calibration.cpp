// SPDX-License-Identifier: Apache-2.0
#include "launch/supervisor/calibration.hpp"

#include "launch/common/launch_error.hpp"
#include "launch/plan/face_folders.hpp"

namespace lisle::launch {

void check_calibration(job_request &request) {
    if (request.calibration.empty()) {
        return;
    }
    program_request &program = request.programs.front();
    const std::vector<std::string> &others = request.programs.back().arguments;
    if (request.programs.size() > 1 || !others.empty()) {
        give_up(exit_usage, "--calibrate ", request.calibration, " runs no program: leave out ",
                others.empty() ? ":" : others.front());
    }
    if (program.ranks && *program.ranks < 2) {
        give_up(exit_usage, "--calibrate measures between two ranks or more, not -n ", *program.ranks);
    }
    if (!program.ranks && program.hosts.empty()) {
        program.ranks = 2;
    }
    program.arguments = {installed_in() + "/libexec/lisle/lisle-calibrate", request.calibration};
}

} // namespace lisle::launch
