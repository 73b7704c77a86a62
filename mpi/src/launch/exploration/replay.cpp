// SPDX-License-Identifier: Apache-2.0
#include "launch/exploration/replay.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <unistd.h>

#include "launch/common/launch_error.hpp"
#include "launch/common/say.hpp"

namespace lisle::launch {

replayed_run::replayed_run(job_request &request) : request_{request} {
    const std::string &file = request.exploration.replay;
    if (file.empty()) {
        return;
    }
    if (access(file.c_str(), R_OK) != 0) {
        give_up(exit_usage, "--replay ", file, ": the file cannot be read: ", std::strerror(errno));
    }
    given_ = choice::read_orders(content_of(file));
    folder_.emplace();
    folder_->give(choice::text_of(given_));
    request.exploration.folder = folder_->name();
}

int replayed_run::end(int exit_code) const {
    if (!folder_) {
        return exit_code;
    }
    const choice::account made = choice::read_account(content_of(folder_->file(choice::account_file)));
    const auto is_made = [&made](const choice::decision &wanted) {
        return std::ranges::any_of(made.decisions, [&wanted](const choice::decision &each) {
            return each.at == wanted.at && each.taken == wanted.taken;
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
