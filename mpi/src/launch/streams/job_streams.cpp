// SPDX-License-Identifier: Apache-2.0
#include "launch/streams/job_streams.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace lisle::launch {

job_streams::job_streams(const job_request &request, const job_plan &plan)
    : request_{request}, plan_{plan}, output_{request.output, plan} {}

descriptor job_streams::input_of(const process_plan &process) {
    if (request_.input.all) {
        return input_.add_reader();
    }
    if (const auto reader = request_.input.rank; reader && &plan_.process_of(*reader) == &process) {
        return {};
    }
    return descriptor{open("/dev/null", O_RDWR | O_CLOEXEC)};
}

process_streams job_streams::add_process(const process_plan &process) {
    process_streams streams;
    streams.input = input_of(process);
    streams.output = output_.add_process(process, false);
    streams.errors = output_.add_process(process, true);
    return streams;
}

void job_streams::let_go_of_unused() const {
    if (!request_.input.all) {
        let_go(STDIN_FILENO);
    }
    if (!request_.output.any()) {
        let_go(STDOUT_FILENO);
    }
}

void job_streams::prepare(std::vector<pollfd> &polled) const {
    input_.prepare(polled);
    output_.prepare(polled);
}

void job_streams::handle(const pollfd *polled, std::size_t count) {
    const std::size_t of_input = input_.entries();
    input_.handle(polled, of_input);
    output_.handle(polled + of_input, count - of_input);
}

} // namespace lisle::launch
