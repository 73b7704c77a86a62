// SPDX-License-Identifier: Apache-2.0
#include "launch/supervisor/trace_recording.hpp"

#include "launch/common/launch_error.hpp"
#include "launch/common/say.hpp"
#include "launch/plan/face_folders.hpp"
#include "launch/supervisor/recording_options.hpp"
#include "replay/trace/settings.hpp"
#include "replay/trace/trace.hpp"

namespace lisle::launch {

namespace {

int ranks_in(const std::string &file) {
    try {
        return replay::trace{file}.ranks();
    } catch (const replay::trace_error &error) {
        give_up(exit_usage, "--replay-trace: ", error.what());
    }
}

/// The replay of a trace is the job's program.
void put_in_place(job_request &request, const std::string &file) {
    program_request &program = request.programs.front();
    const std::vector<std::string> &others = request.programs.back().arguments;
    if (request.programs.size() > 1 || !others.empty()) {
        give_up(exit_usage, "--replay-trace ", file, " runs no program: leave out ",
                others.empty() ? ":" : others.front());
    }
    const int ranks = ranks_in(file);
    if (program.ranks && *program.ranks != ranks) {
        give_up(exit_usage, "-n ", *program.ranks, ": ", file, " has the calls of ", ranks, " ranks");
    }
    program.ranks = ranks;
    program.arguments = {installed_in() + "/" + replay::replay_program, file};
}

} // namespace

trace_recording::trace_recording(job_request &request) : request_{request} {
    if (request.trace.record.empty()) {
        return;
    }
    record_standard_calls("--record-trace", request);
    check_file("--record-trace", request.trace.record);
    folder_.emplace("lisle-record");
    request.trace.folder = folder_->name();
}

void trace_recording::make() const {
    if (!folder_) {
        return;
    }
    try {
        const std::string left_out = replay::join_records(folder_->name(), request_.trace.record);
        if (!left_out.empty()) {
            say(sentence("--record-trace: ", request_.trace.record,
                         " leaves out what cannot be replayed: ", left_out));
        }
    } catch (const replay::trace_error &error) {
        say(sentence("--record-trace: ", error.what()));
    }
}

void check_traces(job_request &request) {
    if (!request.trace.record.empty() && request.report.wanted()) {
        give_up(exit_usage,
                "--record-trace and --report take the same calls: run the program once with each");
    }
    if (!request.trace.record.empty() && request.exploration.wanted()) {
        give_up(exit_usage, "--record-trace records one run: leave out --explore, --replay and --record");
    }
    if (!request.trace.replay.empty()) {
        put_in_place(request, request.trace.replay);
    }
}

} // namespace lisle::launch
