// SPDX-License-Identifier: Apache-2.0
#include "launch/exploration/replay.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <unistd.h>

#include "launch/common/launch_error.hpp"
#include "launch/common/say.hpp"

namespace lisle::launch {

single_choices::single_choices(job_request &request) : request_{request} {
    const std::string &file = request.exploration.replay;
    if (!request.exploration.wanted()) {
        return;
    }
    if (!file.empty()) {
        if (access(file.c_str(), R_OK) != 0) {
            give_up(exit_usage, "--replay ", file, ": the file cannot be read: ", std::strerror(errno));
        }
        given_ = choice::read_orders(content_of(file));
    } else if (!std::ofstream{request.exploration.record, std::ios::app}) {
        give_up(exit_usage, "--record ", request.exploration.record,
                ": the file cannot be written: ", std::strerror(errno));
    }
    given_.how = request.exploration.in_any_kind ? choice::manner::recorded : choice::manner::explored;
    folder_.emplace();
    folder_->give(choice::text_of(given_));
    request.exploration.folder = folder_->name();
}

int single_choices::end(int exit_code) const {
    if (!folder_) {
        return exit_code;
    }
    const std::string text = content_of(folder_->file(choice::account_file));
    if (!request_.exploration.record.empty()) {
        if (!(std::ofstream{request_.exploration.record} << text << std::flush)) {
            say(sentence("--record ", request_.exploration.record,
                         ": the file cannot be written: ", std::strerror(errno)));
        }
        return exit_code;
    }
    const choice::account made = choice::read_account(text);
    if (!made.refused.empty()) {
        say(sentence("--replay: ", made.refused, ": such a job is not explored"));
    }
    const bool in_any_kind = given_.how == choice::manner::recorded;
    const auto is_made = [&](const choice::decision &wanted) {
        if (wanted.at.what == choice::kind::look ||
            (in_any_kind && wanted.posting == 0 && wanted.at.what != choice::kind::probe)) {
            return true; // how often one looks is a matter of time; nothing has followed the others
        }
        return std::ranges::any_of(made.decisions, [&wanted](const choice::decision &each) {
            const bool is_it =
                each.at == wanted.at ||
                (wanted.posting != 0 && each.at.rank == wanted.at.rank && each.posting == wanted.posting);
            return is_it && each.taken == wanted.taken;
        });
    };
    if (made.impossible || !std::ranges::all_of(given_.follow, is_made)) {
        say(sentence("--replay ", request_.exploration.replay,
                     ": this was not the run of the file: is the program another, or its arguments?"));
        return exit_code != 0 ? exit_code : 1;
    }
    return exit_code;
}

} // namespace lisle::launch
