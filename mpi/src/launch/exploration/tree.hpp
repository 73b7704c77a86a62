// SPDX-License-Identifier: Apache-2.0
// The runs of a program as a tree: each of its branches is a choice, each leaf a run. They are made one after
// the other, the last choice changed first, so no run comes twice and little has to be kept.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

#include "choice/choice.hpp"

namespace lisle::launch {

class search_tree {
  public:
    /// What the next run is to follow; nothing: there is no other one.
    [[nodiscard]] std::optional<std::vector<choice::decision>> next();
    /// What that run has chosen. Throws launch_error if it did not follow, since the program is not the same
    /// each time.
    void note(const choice::account &made);

    /// What is left is so many times what has been run, if all branches are alike. 1: nothing is.
    [[nodiscard]] double whole_by_part() const;

  private:
    struct node {
        choice::point at;
        int taken;
        std::vector<int> untried;
        std::set<int> known;
        void learn(const std::vector<int> &could_take);
    };
    bool begun_ = false;
    std::vector<node> nodes_; ///< of the latest run, in the order of its choices
};

} // namespace lisle::launch
