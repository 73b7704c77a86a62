// SPDX-License-Identifier: Apache-2.0
#include "file/run_union.hpp"

#include <algorithm>

namespace lisle::file {

namespace {

using runs_left = std::span<const file_run>;

/// The order of a heap whose top is the list that begins first.
bool begins_later(const runs_left &left, const runs_left &right) noexcept {
    return left.front().offset > right.front().offset;
}

} // namespace

run_union::run_union(std::vector<runs_left> lists) {
    std::erase_if(lists, [](const runs_left &list) { return list.empty(); });
    std::ranges::make_heap(lists, begins_later);
    while (!lists.empty()) {
        std::ranges::pop_heap(lists, begins_later);
        runs_left &first = lists.back();
        // Runs of one list often follow each other: they are taken without a change of the heap.
        const MPI_Offset next = lists.size() > 1 ? lists.front().front().offset : first.back().end();
        std::size_t taken = 0;
        do {
            add(first[taken++]);
        } while (taken < first.size() && first[taken].offset <= next);
        first = first.subspan(taken);
        if (first.empty()) {
            lists.pop_back();
        } else {
            std::ranges::push_heap(lists, begins_later);
        }
    }
}

void run_union::add(const file_run &run) {
    if (!runs_.empty() && run.offset <= runs_.back().end()) {
        file_run &last = runs_.back();
        const MPI_Count longer = std::max(last.end(), run.end()) - last.offset;
        bytes_ += longer - last.bytes;
        last.bytes = longer;
    } else {
        runs_.push_back(run);
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
