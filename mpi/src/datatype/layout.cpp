// SPDX-License-Identifier: Apache-2.0
#include "datatype/layout.hpp"

#include <algorithm>
#include <utility>

#include "datatype/checked.hpp"

namespace lisle {

namespace {

// A nest in a list becomes part of that list if it is as small as this: walking one list costs less
// than entering a nest for a few runs.
constexpr MPI_Count small_nest = 8;
// ... or as long as the list does not grow beyond this by it.
constexpr MPI_Count long_list = 4096;

// Lists of runs that nearly all have one length are made to have it, if that takes no more than this
// many runs for every hundred: equal runs need no lengths, and their copies no calls.
constexpr MPI_Count most_runs_in_percent = 125;
constexpr MPI_Count longest_equal_run = 64;

bool same_data(const layout &a, const layout &b) {
    return a.size == b.size && a.inner == b.inner;
}

// A run that a list of offsets may name.
bool is_near_run(const layout &part) {
    return part.is_run() && part.offset == static_cast<std::int32_t>(part.offset);
}

// Modulo 2^64, which is enough to compare distances.
std::uint64_t distance(const layout &from, const layout &to) {
    return static_cast<std::uint64_t>(to.offset) - static_cast<std::uint64_t>(from.offset);
}

} // namespace

layout shifted(const layout &part, MPI_Count by) {
    return part.size == 0 ? layout{} : layout{checked_sum(part.offset, by), part.size, part.inner};
}

layout repeat(const layout &part, MPI_Count count, MPI_Count stride) {
    if (count == 0 || part.size == 0) {
        return {};
    }
    if (count == 1) {
        return part;
    }
    const MPI_Count size = checked_product(part.size, count);
    if (part.is_run() && stride == part.size) {
        return {part.offset, size, nullptr};
    }
    auto loop = std::make_shared<nest>();
    MPI_Count end_of_inner = 0;
    if (!part.is_run() && part.inner->shape == nest_shape::loop &&
        !__builtin_mul_overflow(part.inner->count, part.inner->stride, &end_of_inner) &&
        end_of_inner == stride) {
        *loop = *part.inner;
        loop->count = checked_product(part.inner->count, count);
    } else {
        loop->depth = part.depth() + 1;
        loop->count = count;
        loop->stride = stride;
        loop->length = part.size;
        loop->part = layout{0, part.size, part.inner};
    }
    loop->runs = part.runs() * count;
    return {part.offset, size, std::move(loop)};
}

void layout_list::add(layout part) {
    if (part.size == 0) {
        return;
    }
    if (part.is_run() && !parts_.empty()) {
        layout &last = parts_.back();
        if (last.is_run() && last.offset + last.size == part.offset) {
            last.size = checked_sum(last.size, part.size);
            return;
        }
    }
    parts_.push_back(std::move(part));
}

bool layout_list::try_loop(layout &result) const {
    const layout &first = parts_[0];
    const MPI_Count stride = checked_difference(parts_[1].offset, first.offset);
    for (std::size_t i = 1; i < parts_.size(); ++i) {
        if (!same_data(first, parts_[i]) ||
            distance(parts_[i - 1], parts_[i]) != static_cast<std::uint64_t>(stride)) {
            return false;
        }
    }
    result = repeat(first, static_cast<MPI_Count>(parts_.size()), stride);
    return true;
}

void layout_list::expand() {
    const std::vector<layout> parts = std::exchange(parts_, {});
    auto total = static_cast<MPI_Count>(parts.size());
    for (const layout &part : parts) {
        if (part.is_run() || (part.inner->count > small_nest && total + part.inner->count > long_list) ||
            (part.inner->shape == nest_shape::loop && part.inner->count > small_nest)) {
            add(part);
            continue;
        }
        const nest &inner = *part.inner;
        total += inner.count;
        for (MPI_Count i = 0; i < inner.count; ++i) {
            const auto at = static_cast<std::size_t>(i);
            switch (inner.shape) {
            case nest_shape::loop:
                add(shifted(inner.part, part.offset + i * inner.stride));
                break;
            case nest_shape::runs:
                add({part.offset + inner.offsets[at], run_length(inner, at), nullptr});
                break;
            case nest_shape::parts:
                add(shifted(inner.parts[at], part.offset));
                break;
            }
        }
    }
}

void layout_list::equalize() {
    MPI_Count shortest = parts_[0].size, total = 0;
    for (const layout &part : parts_) {
        shortest = std::min(shortest, part.size);
        total = checked_sum(total, part.size);
    }
    const auto divisible = [&](const layout &part) { return part.is_run() && part.size % shortest == 0; };
    const auto count = static_cast<MPI_Count>(parts_.size());
    if (shortest > longest_equal_run || total / shortest > count * most_runs_in_percent / 100 ||
        !std::all_of(parts_.begin(), parts_.end(), divisible)) {
        return;
    }
    std::vector<layout> equal;
    equal.reserve(static_cast<std::size_t>(total / shortest));
    for (const layout &part : parts_) {
        for (MPI_Count at = 0; at < part.size; at += shortest) {
            equal.push_back({part.offset + at, shortest, nullptr});
        }
    }
    parts_ = std::move(equal);
}

layout layout_list::finish() {
    layout result;
    if (parts_.size() > 1 && !try_loop(result)) {
        expand();
    }
    if (parts_.size() <= 1) {
        if (!parts_.empty()) {
            result = std::move(parts_[0]);
        }
        parts_.clear();
        return result;
    }
    if (result.size > 0 || try_loop(result)) {
        parts_.clear();
        return result;
    }
    equalize();
    auto list = std::make_shared<nest>();
    list->count = static_cast<MPI_Count>(parts_.size());
    const bool even = std::all_of(parts_.begin(), parts_.end(),
                                  [&](const layout &part) { return part.size == parts_[0].size; });
    result.offset = parts_[0].offset;
    if (even) {
        list->length = parts_[0].size;
        result.size = checked_product(list->length, list->count);
    } else {
        list->starts.reserve(parts_.size() + 1);
        list->starts.push_back(0);
        for (const layout &part : parts_) {
            list->starts.push_back(checked_sum(list->starts.back(), part.size));
        }
        result.size = list->starts.back();
    }
    for (layout &part : parts_) {
        part.offset = checked_difference(part.offset, result.offset);
        list->depth = std::max(list->depth, part.depth() + 1);
        list->runs += part.runs();
    }
    if (std::all_of(parts_.begin(), parts_.end(), is_near_run)) {
        list->shape = nest_shape::runs;
        list->offsets.reserve(parts_.size());
        for (const layout &part : parts_) {
            list->offsets.push_back(static_cast<std::int32_t>(part.offset));
        }
    } else {
        list->shape = nest_shape::parts;
        list->parts = std::move(parts_);
    }
    parts_.clear();
    result.inner = std::move(list);
    return result;
}

} // namespace lisle
