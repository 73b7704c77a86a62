// SPDX-License-Identifier: Apache-2.0
#include "datatype/array_section.hpp"

#include <algorithm>
#include <utility>

#include "datatype/builder.hpp"
#include "datatype/checked.hpp"

namespace lisle {

namespace {

/// From the first byte of a layout's data to behind the last one, wherever they come in the order of data.
std::pair<MPI_Count, MPI_Count> span_of(const layout &of) {
    if (of.is_run()) {
        return {of.offset, of.offset + of.size};
    }
    const nest &inner = *of.inner;
    MPI_Count lower = 0, upper = 0;
    const auto include = [&](MPI_Count begin, MPI_Count end) {
        lower = std::min(lower, begin);
        upper = std::max(upper, end);
    };
    switch (inner.shape) {
    case nest_shape::loop: {
        const auto [begin, end] = span_of(inner.part);
        const MPI_Count last = (inner.count - 1) * inner.stride;
        include(begin + std::min<MPI_Count>(0, last), end + std::max<MPI_Count>(0, last));
        break;
    }
    case nest_shape::runs:
        for (std::size_t i = 0; i < inner.offsets.size(); ++i) {
            include(inner.offsets[i], inner.offsets[i] + run_length(inner, i));
        }
        break;
    case nest_shape::parts:
        for (const layout &part : inner.parts) {
            const auto [begin, end] = span_of(part);
            include(begin, end);
        }
        break;
    }
    return {of.offset + lower, of.offset + upper};
}

} // namespace

array_section::array_section(MPI_Count element_bytes, std::span<const MPI_Count> extents,
                             std::span<const MPI_Count> strides) {
    levels_.push_back({element_bytes, 1, 1, {}});
    for (std::size_t i = 0; i < extents.size(); ++i) {
        level &last = levels_.back();
        if (extents[i] == 1) {
            continue;
        }
        if (strides[i] == last.count * last.stride) { // the parts of the level below go on
            last.count = checked_product(last.count, extents[i]);
        } else {
            levels_.push_back({extents[i], checked_product(last.count, last.part), strides[i], {}});
        }
    }
    static_cast<void>(checked_product(levels_.back().count, levels_.back().part));
    layout whole{0, 1, nullptr};
    for (level &each : levels_) {
        each.whole = whole = repeat(whole, each.count, each.stride);
    }
}

MPI_Count array_section::address(MPI_Count in_sequence) const noexcept {
    MPI_Count found = 0;
    for (auto each = levels_.rbegin(); each != levels_.rend(); ++each) {
        found += in_sequence / each->part * each->stride;
        in_sequence %= each->part;
    }
    return found;
}

void array_section::add_bytes(layout_list &to, MPI_Count begin, MPI_Count bytes) const {
    add_bytes(to, levels_.size() - 1, begin, bytes, 0);
}

/// The end of a part, whole parts, and the beginning of one. @param begin within a slice of the level `at`
void array_section::add_bytes(layout_list &to, std::size_t at, MPI_Count begin, MPI_Count bytes,
                              MPI_Count base) const {
    const level &here = levels_[at];
    base += begin / here.part * here.stride;
    if (at == 0) {
        to.add({base, bytes, nullptr});
        return;
    }
    if (const MPI_Count skipped = begin % here.part; skipped != 0) {
        const MPI_Count first = std::min(bytes, here.part - skipped);
        add_bytes(to, at - 1, skipped, first, base);
        bytes -= first;
        base += here.stride;
    }
    const MPI_Count whole = bytes / here.part;
    to.add(shifted(repeat(levels_[at - 1].whole, whole, here.stride), base));
    if (const MPI_Count rest = bytes % here.part; rest != 0) {
        add_bytes(to, at - 1, 0, rest, base + whole * here.stride);
    }
}

bool array_section::in_one_slice(const level &of, range covered) const noexcept {
    const MPI_Count slice = of.count * of.part;
    return covered.begin / slice == (covered.end - 1) / slice;
}

/// Whether what lies in two ranges of equal length lies alike in memory, as far as the memory's beginning is
/// not asked for. Within a slice of a level it is the offset in one of its parts that tells all.
bool array_section::alike(range one, range other) const noexcept {
    return std::ranges::any_of(levels_, [&](const level &each) {
        return (other.begin - one.begin) % each.part == 0 && in_one_slice(each, one) &&
               in_one_slice(each, other);
    });
}

/// Of `count` ranges, `stride` bytes apart in the sequence, the first ones that lie alike in memory, and how
/// far apart.
array_section::group array_section::first_group(range first, MPI_Count stride,
                                                MPI_Count count) const noexcept {
    group found{1, 0};
    for (const level &each : levels_) {
        if (stride % each.part != 0 || !in_one_slice(each, first)) {
            continue;
        }
        const MPI_Count slice = each.count * each.part;
        const MPI_Count further = stride > 0   ? (slice - 1 - (first.end - 1) % slice) / stride
                                  : stride < 0 ? first.begin % slice / -stride
                                               : count - 1;
        const MPI_Count together = std::min(count, further + 1);
        if (together > found.count) {
            found = {together, stride / each.part * each.stride};
        }
    }
    return found;
}

void array_section::add_loop(layout_list &to, const nest &loop, MPI_Count origin) const {
    const auto [lower, upper] = span_of(loop.part);
    // The result for the last group is reused for the next one if both lie alike, as columns mostly do.
    MPI_Count last_count = 0;
    range last{0, 0};
    layout known;
    for (MPI_Count done = 0; done < loop.count;) {
        const MPI_Count at = origin + done * loop.stride;
        const range first{at + lower, at + upper};
        const group here = first_group(first, loop.stride, loop.count - done);
        const MPI_Count way = (here.count - 1) * loop.stride;
        const range covered{first.begin + std::min<MPI_Count>(0, way),
                            first.end + std::max<MPI_Count>(0, way)};
        if (here.count == last_count && alike(last, covered)) {
            known = shifted(known, address(covered.begin) - address(last.begin));
        } else {
            layout_list one;
            add(one, loop.part, at);
            known = repeat(one.finish(), here.count, here.stride);
            last_count = here.count;
        }
        last = covered;
        to.add(known);
        done += here.count;
    }
}

/// @param origin where in the sequence the layout's displacement 0 is
void array_section::add(layout_list &to, const layout &sequence, MPI_Count origin) const {
    origin += sequence.offset;
    if (sequence.is_run()) {
        add_bytes(to, origin, sequence.size);
        return;
    }
    const nest &inner = *sequence.inner;
    switch (inner.shape) {
    case nest_shape::loop:
        add_loop(to, inner, origin);
        break;
    case nest_shape::runs:
        for (std::size_t i = 0; i < inner.offsets.size(); ++i) {
            add_bytes(to, origin + inner.offsets[i], run_length(inner, i));
        }
        break;
    case nest_shape::parts:
        for (const layout &part : inner.parts) {
            add(to, part, origin);
        }
        break;
    }
}

layout array_section::place(const layout &sequence) const {
    layout_list all;
    if (sequence.size != 0) {
        add(all, sequence, 0);
    }
    return all.finish();
}

std::optional<MPI_Count> array_section::distance(MPI_Count begin, MPI_Count end, MPI_Count stride,
                                                 MPI_Count blocks) const noexcept {
    const group alike = first_group({begin, end}, stride, blocks);
    return alike.count == blocks ? std::optional{alike.stride} : std::nullopt;
}

std::optional<type_part> part_in_section(const type_part &type, MPI_Count count, MPI_Count blocks,
                                         const array_section &section) {
    type_part made;
    if (count == 0 || blocks == 0 || type.data.size == 0) {
        return made;
    }
    const type_bounds &bounds = type.bounds;
    const auto reach = [](MPI_Count steps, MPI_Count step) {
        const MPI_Count last = checked_product(steps - 1, step);
        return std::pair{std::min<MPI_Count>(0, last), std::max<MPI_Count>(0, last)};
    };
    const MPI_Count next_block = checked_product(count, bounds.extent);
    const auto [down, up] = reach(count, bounds.extent);
    const auto [lowest, highest] = reach(blocks, next_block);
    const MPI_Count lower = checked_sum(bounds.true_lower, down);
    const MPI_Count upper = checked_sum(checked_sum(bounds.true_lower, bounds.true_extent), up);
    if (checked_sum(lower, lowest) < 0 || checked_sum(upper, highest) > section.bytes()) {
        return std::nullopt;
    }
    const auto distance = section.distance(lower, upper, next_block, blocks);
    if (!distance) {
        return std::nullopt;
    }
    made.data = section.place(repeat(type.data, count, bounds.extent));
    const auto [begin, end] = span_of(made.data);
    made.bounds.true_lower = begin;
    made.bounds.true_extent = end - begin;
    made.elements = checked_product(type.elements, count);
    made.external_size = checked_product(type.external_size, count);
    made.basic = type.basic;
    return blocks == 1 ? with_bounds(std::move(made), begin, end - begin)
                       : with_bounds(std::move(made), 0, *distance);
}

} // namespace lisle
