// SPDX-License-Identifier: Apache-2.0
#include "launch/supervisor/spawned_reports.hpp"

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>

#include "base/environment.hpp"
#include "base/text.hpp"
#include "dynamic/start.hpp"
#include "launch/common/descriptor.hpp"
#include "launch/common/launch_error.hpp"
#include "report/trace/settings.hpp"

namespace lisle::launch {

namespace {

constexpr const char *wanted_file = "/wanted";

std::string absolute(const std::string &file) {
    return file.empty() ? file : std::filesystem::absolute(file).string();
}

/// The folder of a recorded job that this launcher was started in; empty: there is none. Its ranks have told
/// in their environment; where they are threads or fibers that may be another than their process's. Nothing
/// that is started from here records to it.
std::string leave_folder_of_parents() {
    std::string folder{environment_text(report::parent_folder_variable)};
    if (folder.empty()) {
        folder = environment_text(report::folder_variable);
    }
    unsetenv(report::parent_folder_variable);
    unsetenv(report::folder_variable);
    std::string others;
    for (const std::string_view each : words_of(environment_text("LD_PRELOAD"), ": ")) {
        if (!each.ends_with(report::recorder_library)) {
            others += (others.empty() ? "" : ":") + std::string{each};
        }
    }
    others.empty() ? unsetenv("LD_PRELOAD") : setenv("LD_PRELOAD", others.c_str(), 1);
    return folder;
}

/// run.html becomes run.spawned-1.html.
std::string numbered(const std::string &file, int number) {
    if (file.empty()) {
        return file;
    }
    std::filesystem::path made{file};
    const auto extension = made.extension().string();
    return made.replace_extension(sentence(".spawned-", number, extension)).string();
}

std::string marker(const std::string &folder, int number) {
    return sentence(folder, "/spawned.", number);
}

/// Spawned jobs come at any time: each takes the next number that is free.
int next_number(const std::string &folder) {
    int number = 1;
    while (std::filesystem::exists(folder) &&
           !descriptor{open(marker(folder, number).c_str(), O_CREAT | O_EXCL | O_CLOEXEC, 0600)}) {
        ++number;
    }
    return number;
}

} // namespace

void want_reports_of_spawned(const job_request &request, const std::string &folder) {
    if (!(std::ofstream{folder + wanted_file} << absolute(request.report.page) << '\n'
                                              << absolute(request.report.trace) << '\n'
                                              << request.report.lines << request.messages.quiet
                                              << std::flush)) {
        give_up(1, "--report: cannot write to ", folder);
    }
}

void want_report_as_parents(job_request &request) {
    const std::string folder = leave_folder_of_parents();
    if (folder.empty() || environment_text(dynamic::parent_port_variable).empty() ||
        request.report.wanted()) {
        return;
    }
    std::ifstream wanted{folder + wanted_file};
    std::string page, trace;
    char lines = '0', quiet = '0';
    if (!std::getline(wanted, page) || !std::getline(wanted, trace) || !(wanted >> lines >> quiet)) {
        return; // the parents are on another host than their launcher
    }
    const int number = next_number(folder);
    request.report.page = numbered(page, number);
    request.report.trace = numbered(trace, number);
    request.report.lines = lines == '1';
    request.report.is_spawned = true;
    request.messages.quiet = request.messages.quiet || quiet == '1';
}

std::string remark_about_spawned(const job_request &request, const std::string &folder) {
    int jobs = 0;
    while (std::filesystem::exists(marker(folder, jobs + 1))) {
        ++jobs;
    }
    if (jobs == 0) {
        return {};
    }
    const std::string where =
        request.report.page.empty()
            ? std::string{}
            : sentence(" (from ", std::filesystem::path{numbered(request.report.page, 1)}.filename().string(),
                       " on)");
    return sentence("The ranks have spawned ", jobs == 1 ? "a job" : sentence(jobs, " jobs"),
                    jobs == 1 ? ", which has a report of its own" : ", which have reports of their own",
                    where, ". Here messages to and from these ranks count, but not who waits for them.");
}

} // namespace lisle::launch
