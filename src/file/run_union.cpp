// SPDX-License-Identifier: Apache-2.0
#include "file/run_union.hpp"

#include <algorithm>

namespace lisle::file {

run_union::run_union(std::vector<file_run> all) : runs_{std::move(all)} {
    std::ranges::sort(runs_, {}, &file_run::offset);
    std::size_t kept = 0;
    for (const file_run &run : runs_) {
        if (kept != 0 && run.offset <= runs_[kept - 1].end()) {
            file_run &last = runs_[kept - 1];
            last.bytes = std::max(last.end(), run.end()) - last.offset;
        } else {
            runs_[kept++] = run;
        }
    }
    runs_.resize(kept);
    for (const file_run &run : runs_) {
        bytes_ += run.bytes;
    }
}

MPI_Offset run_union::offset_at(MPI_Count place) const {
    auto run = runs_.begin();
    while (place >= run->bytes) {
        place -= run->bytes;
        ++run;
    }
    return run->offset + place;
}

std::size_t run_union::finder::place_of(const file_run &run) noexcept {
    while (in_.runs_[index_].end() <= run.offset) {
        before_ += in_.runs_[index_++].bytes;
    }
    return static_cast<std::size_t>(before_ + run.offset - in_.runs_[index_].offset);
}

} // namespace lisle::file
