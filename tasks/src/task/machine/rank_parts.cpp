// SPDX-License-Identifier: Apache-2.0
#include "task/machine/rank_parts.hpp"

#include <algorithm>
#include <cstdio>
#include <stdexcept>

namespace lisle::tasks {

namespace {

/// Throws std::runtime_error if a rank has registered others.
const registry &same_everywhere(const registry &kernels, transport &between) {
    const auto hashes = between.gather(kernels.hash());
    for (std::size_t rank = 0; rank < hashes.size(); ++rank) {
        if (hashes[rank] != kernels.hash()) {
            throw std::runtime_error{"machine: rank " + std::to_string(rank) +
                                     " has registered other kernels than rank " +
                                     std::to_string(between.rank())};
        }
    }
    return kernels;
}

} // namespace

rank_parts::rank_parts(const registry &known, transport &to_others, const machine_options &given)
    : kernels{same_everywhere(known, to_others)}, between{to_others}, options{given},
      map{to_others.gather(static_cast<std::uint64_t>(std::max(given.tiles, 0)))}, lost{to_others.ranks()},
      end{to_others.rank(), to_others.ranks()}, out{to_others, end, lost}, programs{known},
      credits{to_others.ranks(), given.credits}, requests{to_others.ranks()}, tiles{to_others,
                                                                                    given.where !=
                                                                                        spread::stay} {}

void line_printer::print(const std::string &line) {
    const std::scoped_lock guard{mutex_};
    if (print_) {
        print_(line);
    } else {
        std::printf("%s\n", line.c_str());
        std::fflush(stdout);
    }
}

} // namespace lisle::tasks
