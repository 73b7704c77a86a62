// SPDX-License-Identifier: Apache-2.0
#include "task/machine/losses.hpp"

#include <stdexcept>
#include <string>

namespace lisle::tasks {

bool losses::look() {
    const std::vector<int> lost = own_.between.lost();
    for (const int rank : lost) {
        lose(rank);
    }
    return !lost.empty();
}

void losses::lose(int rank) {
    const std::string number = std::to_string(rank);
    if (rank == own_.rank()) {
        throw std::runtime_error{"machine: the other ranks take this one, " + number + ", for dead"};
    }
    if (!own_.options.repeats) {
        throw std::runtime_error{"machine: rank " + number +
                                 " has died (machine_options::repeats lets others do its tasks again)"};
    }
    if (!own_.lost.add(rank)) {
        return;
    }
    own_.end.lose(rank);
    own_.requests.lose(rank);
    own_.programs.lose(rank);
    sender_.settle(rank);
}

} // namespace lisle::tasks
