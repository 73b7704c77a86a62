// SPDX-License-Identifier: Apache-2.0
#include "launch/hosts/waits_question.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "diagnosis/wait_report.hpp"
#include "launch/common/say.hpp"
#include "launch/link/told_wait.hpp"

namespace lisle::launch {

namespace {

// Hosts ask their ranks for a third of a second.
constexpr std::chrono::seconds longest_answer{3};

} // namespace

waits_question::waits_question(std::size_t hosts, int ranks) : heard_(hosts), ranks_{ranks} {}

void waits_question::begin(const std::string &why) {
    heard_.assign(heard_.size(), false);
    all_.assign(static_cast<std::size_t>(ranks_), {});
    told_ = 0;
    why_ = why;
    until_ = clock::now() + longest_answer;
}

void waits_question::on_answer(int host, std::string_view body) {
    if (until_) {
        told_ += add_told(body, all_);
        heard_[static_cast<std::size_t>(host)] = true;
    }
}

void waits_question::on_lost(int host) {
    heard_[static_cast<std::size_t>(host)] = true;
}

bool waits_question::all_heard() const noexcept {
    return std::ranges::all_of(heard_, [](bool each) { return each; });
}

void waits_question::print(const std::string &silent) {
    until_.reset();
    if (told_ == 0 && silent.empty()) {
        print_report(said("no rank of the job has called MPI_Init"));
        return;
    }
    print_report(status_report(all_, why_));
    if (!silent.empty()) {
        print_report(said(sentence("of the ranks of these hosts nothing is known: ", silent)));
    }
}

} // namespace lisle::launch
