// SPDX-License-Identifier: Apache-2.0
#include "launch/hosts/branches.hpp"

#include <algorithm>

namespace lisle::launch {

void branches::start(const ways_to_hosts &ways, host_range all, const inherited_state &original) {
    for (const host_range part : branches_of(all, ways.flat)) {
        all_.push_back(std::make_unique<branch>(ways, part, original));
    }
}

void branches::send(message what, int host, std::string_view body) {
    for (const auto &each : all_) {
        if (host == every_host || each->hosts().has(host)) {
            each->link().send(what, host, body);
        }
    }
}

void branches::prepare(std::vector<pollfd> &polled) const {
    for (const auto &each : all_) {
        each->prepare(polled);
    }
}

void branches::handle(const pollfd *polled, std::size_t count) {
    for (std::size_t i = 0; i < count / branch::entries; ++i) {
        all_[i]->handle(polled + i * branch::entries, then_);
    }
}

branches::clock::time_point branches::next() const {
    auto first = clock::time_point::max();
    for (const auto &each : all_) {
        first = std::min(first, each->next());
    }
    return first;
}

bool branches::take_end(pid_t pid, int status) {
    return std::ranges::any_of(all_, [&](const auto &each) { return each->take_end(pid, status); });
}

void branches::let_go() {
    std::ranges::for_each(all_, [](const auto &each) { each->let_go(); });
}

void branches::kill() const {
    std::ranges::for_each(all_, [](const auto &each) { each->kill(); });
}

bool branches::done() const {
    return std::ranges::all_of(all_, [](const auto &each) { return each->is_done(); });
}

} // namespace lisle::launch
