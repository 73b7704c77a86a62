// SPDX-License-Identifier: Apache-2.0
// What a host is told of a job: all processes of it, and which of them are its own.
#pragma once

#include <string>
#include <vector>

#include "launch/link/wire.hpp"
#include "launch/plan/plan.hpp"
#include "launch/request/request.hpp"
#include "world/process_id.hpp"

namespace lisle::launch {

struct host_job {
    job_id id{};
    std::string directory;                ///< where the launcher was started
    std::vector<std::string> environment; ///< what the host's own is changed by
    job_request request;                  ///< as far as it concerns a supervisor
    job_plan plan;
};

template <class Wire> void describe(Wire &wire, variable &each) {
    wire(each.name, each.value);
}
template <class Wire> void describe(Wire &wire, environment_request &each) {
    wire(each.variables, each.inherits);
}
template <class Wire> void describe(Wire &wire, program_request &each) {
    wire(each.environment, each.directory, each.arguments);
}
template <class Wire> void describe(Wire &wire, output_request &each) {
    wire(each.label, each.label_pattern, each.timestamps, each.merge, each.directory, each.file,
         each.output_pattern, each.errors_pattern, each.copy);
}
template <class Wire> void describe(Wire &wire, job_request &each) {
    wire(each.programs, each.numbered_names, each.environment, each.placement.processors,
         each.placement.binding, each.output, each.input.rank, each.input.all, each.display.exit_codes,
         each.abi, each.report.folder, each.control.recovery, each.control.forwarded_signals,
         each.messages.quiet, each.messages.verbose);
}
template <class Wire> void describe(Wire &wire, process_plan &each) {
    wire(each.program, each.first_rank, each.ranks, each.hosted, each.workers, each.path, each.arguments,
         each.linked_with_lisle, each.host);
}
template <class Wire> void describe(Wire &wire, job_plan &each) {
    wire(each.processes);
}
template <class Wire> void describe(Wire &wire, host_job &each) {
    wire(each.id, each.directory, each.environment, each.request, each.plan);
}

} // namespace lisle::launch
