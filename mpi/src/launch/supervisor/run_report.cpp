// SPDX-License-Identifier: Apache-2.0
#include "launch/supervisor/run_report.hpp"

#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "launch/common/launch_error.hpp"
#include "launch/common/say.hpp"
#include "launch/plan/face_folders.hpp"
#include "launch/supervisor/record_folder.hpp"
#include "report/trace/settings.hpp"

namespace lisle::launch {

namespace {

std::string title_of(const job_request &request) {
    std::string title;
    for (const auto &program : request.programs) {
        title += title.empty() ? "" : " : ";
        for (const auto &word : program.arguments) {
            title += (title.empty() || title.ends_with(" ") ? "" : " ") + word;
        }
    }
    return title;
}

} // namespace

run_report::run_report(job_request &request) : request_{request} {
    if (!request.report.wanted()) {
        return;
    }
    record_standard_calls("--report", request);
    check_file("--report", request.report.page);
    check_file("--trace", request.report.trace);
    folder_.emplace("--report");
    request.report.folder = folder_->path();
}

void run_report::make() const {
    if (request_.report.folder.empty()) {
        return;
    }
    const report_request &wanted = request_.report;
    const std::string program = installed_in() + "/" + report::report_program;
    std::vector<std::string> words{program, wanted.folder, title_of(request_)};
    if (wanted.lines) {
        words.emplace_back("--lines");
    }
    for (const auto &[option, file] :
         {std::pair{"--page", &wanted.page}, std::pair{"--trace", &wanted.trace}}) {
        if (!file->empty()) {
            words.insert(words.end(), {option, *file});
        }
    }
    std::vector<char *> arguments;
    for (auto &word : words) {
        arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        execv(program.c_str(), arguments.data());
        _exit(exit_not_found);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child ||
        (WIFEXITED(status) && WEXITSTATUS(status) == exit_not_found)) {
        say(sentence("--report: cannot start ", program, "; there is no report"));
    } else if (status == 0 && !request_.messages.quiet) {
        for (const auto &[what, file] :
             {std::pair{"the report", &wanted.page}, std::pair{"the trace", &wanted.trace}}) {
            if (!file->empty()) {
                say(sentence(what, " is in ", *file));
            }
        }
    }
}

} // namespace lisle::launch
