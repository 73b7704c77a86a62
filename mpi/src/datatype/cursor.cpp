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

// The runs of a flat nest, from number `index` on.
piece blocks_of(const nest &flat, std::uintptr_t base, MPI_Count index) {
    piece blocks;
    blocks.base = base;
    blocks.stride = flat.stride;
    blocks.length = flat.length;
    blocks.count = flat.count - index;
    if (flat.shape == nest_shape::runs) {
        blocks.offsets = flat.offsets.data() + index;
        blocks.starts = flat.starts.empty() ? nullptr : flat.starts.data() + index;
    } else {
        blocks.base = moved(base, index * flat.stride);
    }
    return blocks;
}

piece one_run(std::uintptr_t base, MPI_Count length) {
    piece run;
    run.base = base;
    run.stride = run.length = length;
    run.count = 1;
    return run;
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
    if (most >= row_bytes()) {
        return count;
    }
    if (starts == nullptr) {
        return most / length;
    }
    return std::upper_bound(starts, starts + count + 1, starts[0] + most) - starts - 1;
}

cursor::cursor(const typed_buffer &buffer, MPI_Count offset) {
    rows_.rows = 0;
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
    if (buffer.type->contiguous()) {
        rest_ = one_run(address, buffer.bytes());
        skip_ = offset;
        return;
    }
    const MPI_Count extent = buffer.type->extent();
    if (data.is_run()) {
        const MPI_Count element = offset / data.size;
        rest_.base = moved(address, data.offset + element * extent);
        rest_.length = data.size;
        rest_.stride = extent;
        rest_.count = buffer.count - element;
        skip_ = offset % data.size;
    } else if (data.inner->flat()) {
        enter_rows(*data.inner, moved(address, data.offset), extent, buffer.count, offset);
    } else {
        const MPI_Count element = offset / data.size;
        push({nullptr, &data, address, extent, element, buffer.count});
        enter(data, moved(address, element * extent), offset % data.size);
    }
}

void cursor::enter_rows(const nest &row, std::uintptr_t base, MPI_Count stride, MPI_Count count,
                        MPI_Count skip) {
    const MPI_Count row_size = start_of(row, row.count);
    MPI_Count index = 0;
    if (skip >= row_size) {
        index = skip / row_size;
        skip %= row_size;
    }
    base = moved(base, index * stride);
    rows_ = blocks_of(row, base, 0);
    rows_.rows = count - index;
    rows_.row_stride = stride;
    if (skip > 0) {
        const MPI_Count block = part_at(row, skip);
        rest_ = blocks_of(row, base, block);
        skip_ = skip - start_of(row, block);
        rows_.drop_rows(1);
    }
}

// Called when no row is left, neither whole nor begun.
void cursor::enter(const layout &first, std::uintptr_t base, MPI_Count skip) {
    const layout *part = &first;
    for (;;) {
        base = moved(base, part->offset);
        if (part->is_run()) {
            rest_ = one_run(base, part->size);
            skip_ = skip;
            return;
        }
        const nest &inner = *part->inner;
        if (inner.flat()) {
            return enter_rows(inner, base, 0, 1, skip);
        }
        if (inner.shape == nest_shape::loop && inner.part.inner->flat()) {
            return enter_rows(*inner.part.inner, base, inner.stride, inner.count, skip);
        }
        const MPI_Count index = part_at(inner, skip);
        skip -= start_of(inner, index);
        if (inner.shape == nest_shape::parts) {
            push({&inner, nullptr, base, 0, index, inner.count});
            part = &inner.parts[static_cast<std::size_t>(index)];
        } else {
            push({nullptr, &inner.part, base, inner.stride, index, inner.count});
            base = moved(base, index * inner.stride);
            part = &inner.part;
        }
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
    if (rest_.count == 0 && rows_.rows == 0) {
        next();
    }
    if (rest_.count == 0) {
        const MPI_Count row_bytes = rows_.row_bytes();
        if (most >= row_bytes) {
            const MPI_Count all = rows_.rows;
            const piece result = rows_.first_rows(most >= all * row_bytes ? all : most / row_bytes);
            rows_.drop_rows(result.rows);
            return result;
        }
        rest_ = rows_.first_rows(1);
        rows_.drop_rows(1);
    }
    const MPI_Count first = rest_.block_length(0);
    piece result = rest_;
    if (skip_ > 0 || most < first) {
        result =
            one_run(reinterpret_cast<std::uintptr_t>(rest_.block(0) + skip_), std::min(most, first - skip_));
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
