// SPDX-License-Identifier: Apache-2.0
#include "launch/exploration/tree.hpp"

#include "launch/common/launch_error.hpp"

namespace lisle::launch {

void search_tree::node::learn(const std::vector<int> &could_take) {
    for (const int each : could_take) {
        if (known.insert(each).second) {
            untried.push_back(each);
        }
    }
}

std::optional<std::vector<choice::decision>> search_tree::next() {
    if (begun_) {
        while (!nodes_.empty() && nodes_.back().untried.empty()) {
            nodes_.pop_back();
        }
        if (nodes_.empty()) {
            return std::nullopt;
        }
        node &changed = nodes_.back();
        changed.taken = changed.untried.front();
        changed.untried.erase(changed.untried.begin());
    }
    begun_ = true;
    std::vector<choice::decision> follow;
    for (const node &each : nodes_) {
        follow.push_back({.at = each.at, .taken = each.taken});
    }
    return follow;
}

void search_tree::note(const choice::account &made) {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        if (i >= made.decisions.size() || made.decisions[i].at != nodes_[i].at ||
            made.decisions[i].taken != nodes_[i].taken) {
            give_up(1,
                    "--explore: the program has not done the same in two runs with the same choices: "
                    "choice ",
                    i + 1, " is another. Does it use random numbers, files, or threads of its own?");
        }
        nodes_[i].learn(made.decisions[i].others);
        nodes_[i].learn(made.decisions[i].later);
    }
    for (std::size_t i = nodes_.size(); i < made.decisions.size(); ++i) {
        const choice::decision &each = made.decisions[i];
        nodes_.push_back({.at = each.at, .taken = each.taken, .untried = {}, .known = {each.taken}});
        nodes_.back().learn(each.others);
        nodes_.back().learn(each.later);
    }
}

double search_tree::whole_by_part() const {
    double before = 0; // the part of the tree that lies to the left of the path
    double width = 1;
    for (const node &each : nodes_) {
        width /= static_cast<double>(each.known.size());
        before += width * static_cast<double>(each.known.size() - each.untried.size() - 1);
    }
    return 1 / (before + width);
}

} // namespace lisle::launch
