// SPDX-License-Identifier: Apache-2.0
#include "datatype/cursor.hpp"

#include <algorithm>

namespace lisle {

namespace {

std::uintptr_t moved(std::uintptr_t base, MPI_Count by) {
    return base + static_cast<std::uintptr_t>(by);
}

// The part of a list that byte `at` of its data lies in.
MPI_Count part_at(const nest &list, MPI_Count at) {
    if (at == 0) {
        return 0;
    }
    if (list.starts.empty()) {
        return at / list.length;
    }
    return std::upper_bound(list.starts.begin(), list.starts.end(), at) - list.starts.begin() - 1;
}

MPI_Count start_of(const nest &list, MPI_Count part) {
    return list.starts.empty() ? part * list.length : list.starts[static_cast<std::size_t>(part)];
}

} // namespace

void piece::drop(MPI_Count n) noexcept {
    count -= n;
    if (offsets != nullptr) {
        offsets += n;
    } else {
        base = moved(base, n * stride);
    }
    if (starts != nullptr) {
        starts += n;
    }
}

MPI_Count piece::whole_blocks(MPI_Count most) const noexcept {
    if (most >= bytes()) {
        return count;
    }
    if (starts == nullptr) {
        return most / length;
    }
    return std::upper_bound(starts, starts + count + 1, starts[0] + most) - starts - 1;
}

cursor::cursor(const typed_buffer &buffer, MPI_Count offset) {
    const layout &data = buffer.type->data();
    const auto address = reinterpret_cast<std::uintptr_t>(buffer.address);
    // One frame for each nest and one for the elements of the buffer.
    if (data.depth() + 1 > usual_depth) {
        deep_ = std::make_unique_for_overwrite<frame[]>(static_cast<std::size_t>(data.depth() + 1));
        frames_ = deep_.get();
    } else {
        frames_ = shallow_.data();
    }
    if (data.size == 0 || buffer.count == 0) {
        return;
    }
    const MPI_Count extent = buffer.type->extent();
    const MPI_Count element = offset / data.size, skip = offset % data.size;
    if (element == buffer.count) {
        return;
    }
    const std::uintptr_t base =
        address + static_cast<std::uintptr_t>(element) * static_cast<std::uintptr_t>(extent);
    if (buffer.type->contiguous()) {
        rest_.base = address;
        rest_.length = rest_.stride = buffer.bytes();
        rest_.count = 1;
        skip_ = offset;
        return;
    }
    if (data.is_run()) {
        rest_.base = moved(base, data.offset);
        rest_.length = data.size;
        rest_.stride = extent;
        rest_.count = buffer.count - element;
        skip_ = skip;
        return;
    }
    push({nullptr, &data, address, extent, element, buffer.count});
    enter(data, base, skip);
}

void cursor::enter(const layout &first, std::uintptr_t base, MPI_Count skip) {
    const layout *part = &first;
    for (;;) {
        base = moved(base, part->offset);
        rest_.offsets = rest_.starts = nullptr;
        if (part->is_run()) {
            rest_.base = base;
            rest_.stride = rest_.length = part->size;
            rest_.count = 1;
            skip_ = skip;
            return;
        }
        const nest &inner = *part->inner;
        const MPI_Count index = part_at(inner, skip);
        skip -= start_of(inner, index);
        if (inner.shape == nest_shape::parts) {
            push({&inner, nullptr, base, 0, index, inner.count});
            part = &inner.parts[static_cast<std::size_t>(index)];
            continue;
        }
        const std::uintptr_t start = moved(base, index * inner.stride);
        if (inner.shape == nest_shape::loop && !inner.part.is_run()) {
            push({nullptr, &inner.part, base, inner.stride, index, inner.count});
            base = start;
            part = &inner.part;
            continue;
        }
        rest_.base = start;
        rest_.stride = inner.stride;
        rest_.length = inner.length;
        rest_.count = inner.count - index;
        if (inner.shape == nest_shape::runs) {
            rest_.offsets = inner.offsets.data() + index;
            rest_.starts = inner.starts.empty() ? nullptr : inner.starts.data() + index;
        }
        skip_ = skip;
        return;
    }
}

void cursor::next() {
    while (depth_ > 0) {
        frame &top = frames_[depth_ - 1];
        if (++top.index < top.count) {
            if (top.list != nullptr) {
                enter(top.list->parts[static_cast<std::size_t>(top.index)], top.base, 0);
            } else {
                enter(*top.part, moved(top.base, top.index * top.stride), 0);
            }
            return;
        }
        --depth_;
    }
}

piece cursor::take(MPI_Count most) {
    if (rest_.count == 0) {
        next();
    }
    const MPI_Count first = rest_.block_length(0);
    piece result = rest_;
    if (skip_ > 0 || most < first) {
        result.base = reinterpret_cast<std::uintptr_t>(rest_.block(0) + skip_);
        result.offsets = result.starts = nullptr;
        result.stride = result.length = std::min(most, first - skip_);
        result.count = 1;
        skip_ += result.length;
        if (skip_ == first) {
            skip_ = 0;
            rest_.drop(1);
        }
        return result;
    }
    result.count = rest_.whole_blocks(most);
    rest_.drop(result.count);
    return result;
}

} // namespace lisle
