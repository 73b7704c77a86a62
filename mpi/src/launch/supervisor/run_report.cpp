// SPDX-License-Identifier: Apache-2.0
#include "launch/supervisor/run_report.hpp"

#include <filesystem>
#include <optional>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "launch/common/launch_error.hpp"
#include "launch/common/say.hpp"
#include "launch/plan/face_folders.hpp"
#include "launch/supervisor/recording_options.hpp"
#include "launch/supervisor/spawned_reports.hpp"
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

/// Of a job of several programs: from which rank on there is which.
void add_programs(const job_request &request, const job_plan &plan, std::vector<std::string> &words) {
    if (request.programs.size() < 2) {
        return;
    }
    std::optional<std::size_t> last;
    for (const process_plan &each : plan.processes) {
        if (last != each.program) {
            last = each.program;
            const std::filesystem::path file{request.programs[each.program].arguments.front()};
            words.insert(words.end(),
                         {"--program", sentence(each.first_rank, ":", file.filename().string())});
        }
    }
}

} // namespace

run_report::run_report(job_request &request) : request_{request} {
    want_report_as_parents(request);
    if (!request.report.wanted()) {
        return;
    }
    record_standard_calls("--report", request);
    if (!request.report.is_spawned) {
        check_file("--report", request.report.page);
        check_file("--trace", request.report.trace);
    }
    folder_.emplace("lisle-report");
    request.report.folder = folder_->name();
    want_reports_of_spawned(request, folder_->name());
}

void run_report::make(const job_plan &plan) const {
    if (!folder_) {
        return;
    }
    const report_request &wanted = request_.report;
    const std::string program = installed_in() + "/" + report::report_program;
    std::vector<std::string> words{program, wanted.folder, title_of(request_)};
    if (wanted.lines) {
        words.emplace_back("--lines");
    }
    if (const auto remark = remark_about_spawned(request_, wanted.folder); !remark.empty()) {
        words.insert(words.end(), {"--remark", remark});
    }
    add_programs(request_, plan, words);
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
    if (wanted.lines && wanted.is_spawned) {
        say(sentence("the job that was spawned, ", title_of(request_), ":"));
    }
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
