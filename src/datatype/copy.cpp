// SPDX-License-Identifier: Apache-2.0
#include "datatype/copy.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "datatype/cursor.hpp"

namespace lisle {

namespace {

struct strided_blocks {
    std::byte *base;
    MPI_Count stride;
    std::byte *operator()(MPI_Count i) const noexcept { return base + i * stride; }
};

struct listed_blocks {
    std::uintptr_t base;
    const MPI_Count *offsets;
    std::byte *operator()(MPI_Count i) const noexcept {
        return reinterpret_cast<std::byte *>(base + static_cast<std::uintptr_t>(offsets[i]));
    }
};

template <std::size_t Size> using bytes_of = std::integral_constant<std::size_t, Size>;

// Size is a number or a bytes_of, for which the compiler makes moves of registers.
template <class Size, class To, class From>
void move_blocks(Size size, To to, From from, MPI_Count count) noexcept {
    for (MPI_Count i = 0; i < count; ++i) {
        std::memcpy(to(i), from(i), size);
    }
}

template <class To, class From>
void move_blocks_of(MPI_Count length, To to, From from, MPI_Count count) noexcept {
    switch (length) {
    case 1:
        return move_blocks(bytes_of<1>{}, to, from, count);
    case 2:
        return move_blocks(bytes_of<2>{}, to, from, count);
    case 4:
        return move_blocks(bytes_of<4>{}, to, from, count);
    case 8:
        return move_blocks(bytes_of<8>{}, to, from, count);
    case 12:
        return move_blocks(bytes_of<12>{}, to, from, count);
    case 16:
        return move_blocks(bytes_of<16>{}, to, from, count);
    case 24:
        return move_blocks(bytes_of<24>{}, to, from, count);
    case 32:
        return move_blocks(bytes_of<32>{}, to, from, count);
    case 64:
        return move_blocks(bytes_of<64>{}, to, from, count);
    default:
        return move_blocks(static_cast<std::size_t>(length), to, from, count);
    }
}

void copy_run(std::byte *to, const std::byte *from, MPI_Count length) noexcept {
    std::memcpy(to, from, static_cast<std::size_t>(length));
}

// Copies `count` blocks between pieces that both have blocks of `length` bytes.
void move_pieces(const piece &to, const piece &from, MPI_Count length, MPI_Count count) noexcept {
    if (count == 1) {
        return copy_run(to.block(0), from.block(0), length);
    }
    const strided_blocks strided_to{to.block(0), to.stride}, strided_from{from.block(0), from.stride};
    const listed_blocks listed_to{to.base, to.offsets}, listed_from{from.base, from.offsets};
    if (to.offsets == nullptr && from.offsets == nullptr) {
        move_blocks_of(length, strided_to, strided_from, count);
    } else if (to.offsets == nullptr) {
        move_blocks_of(length, strided_to, listed_from, count);
    } else if (from.offsets == nullptr) {
        move_blocks_of(length, listed_to, strided_from, count);
    } else {
        move_blocks_of(length, listed_to, listed_from, count);
    }
}

// A run of bytes seen as blocks of `length` bytes.
piece as_blocks(std::byte *run, MPI_Count length) noexcept {
    piece blocks;
    blocks.base = reinterpret_cast<std::uintptr_t>(run);
    blocks.stride = blocks.length = length;
    return blocks;
}

template <bool Pack> void move_run(std::byte *run, const piece &typed) noexcept {
    if (typed.starts == nullptr) {
        const piece blocks = as_blocks(run, typed.length);
        return Pack ? move_pieces(blocks, typed, typed.length, typed.count)
                    : move_pieces(typed, blocks, typed.length, typed.count);
    }
    for (MPI_Count i = 0; i < typed.count; ++i) {
        const MPI_Count length = typed.block_length(i);
        Pack ? copy_run(run, typed.block(i), length) : copy_run(typed.block(i), run, length);
        run += length;
    }
}

template <bool Pack>
void move_all(const typed_buffer &typed, MPI_Count offset, std::byte *run, MPI_Count length) {
    if (length == 0) {
        return;
    }
    if (typed.type->contiguous()) {
        std::byte *const address = static_cast<std::byte *>(typed.address) + offset;
        return Pack ? copy_run(run, address, length) : copy_run(address, run, length);
    }
    cursor walk{typed, offset};
    while (length > 0) {
        const piece next = walk.take(length);
        move_run<Pack>(run, next);
        const MPI_Count bytes = next.bytes();
        run += bytes;
        length -= bytes;
    }
}

// What is left of a piece in a copy between two typed buffers, which may stop within a block.
struct remainder {
    piece blocks;
    MPI_Count done = 0; // bytes of the first block

    [[nodiscard]] std::byte *head() const noexcept { return blocks.block(0) + done; }
    [[nodiscard]] MPI_Count head_length() const noexcept { return blocks.block_length(0) - done; }
    [[nodiscard]] bool even() const noexcept { return blocks.starts == nullptr && done == 0; }
    void advance(MPI_Count bytes) noexcept {
        done += bytes;
        if (done == blocks.block_length(0)) {
            done = 0;
            blocks.drop(1);
        }
    }
};

// Copies as much as can be done in one loop; returns the number of bytes.
MPI_Count move_some(remainder &to, remainder &from) noexcept {
    const MPI_Count to_length = to.head_length(), from_length = from.head_length();
    if (to.even() && from.even() && to_length == from_length) {
        const MPI_Count count = std::min(to.blocks.count, from.blocks.count);
        move_pieces(to.blocks, from.blocks, to_length, count);
        to.blocks.drop(count);
        from.blocks.drop(count);
        return count * to_length;
    }
    if (to.even() && to_length < from_length) {
        const MPI_Count count = std::min(to.blocks.count, from_length / to_length);
        move_pieces(to.blocks, as_blocks(from.head(), to_length), to_length, count);
        to.blocks.drop(count);
        from.advance(count * to_length);
        return count * to_length;
    }
    if (from.even() && from_length < to_length) {
        const MPI_Count count = std::min(from.blocks.count, to_length / from_length);
        move_pieces(as_blocks(to.head(), from_length), from.blocks, from_length, count);
        from.blocks.drop(count);
        to.advance(count * from_length);
        return count * from_length;
    }
    const MPI_Count length = std::min(to_length, from_length);
    copy_run(to.head(), from.head(), length);
    to.advance(length);
    from.advance(length);
    return length;
}

} // namespace

void pack(const typed_buffer &from, MPI_Count offset, std::span<std::byte> to) {
    move_all<true>(from, offset, to.data(), static_cast<MPI_Count>(to.size()));
}

void unpack(const typed_buffer &to, MPI_Count offset, std::span<const std::byte> from) {
    move_all<false>(to, offset, const_cast<std::byte *>(from.data()), static_cast<MPI_Count>(from.size()));
}

void copy(const typed_buffer &from, const typed_buffer &to, MPI_Count offset, MPI_Count length) {
    if (from.type->contiguous()) {
        return move_all<false>(to, offset, static_cast<std::byte *>(from.address) + offset, length);
    }
    if (to.type->contiguous()) {
        return move_all<true>(from, offset, static_cast<std::byte *>(to.address) + offset, length);
    }
    cursor source{from, offset}, target{to, offset};
    remainder read, write;
    MPI_Count to_read = length, to_write = length;
    while (length > 0) {
        if (read.blocks.count == 0) {
            read.blocks = source.take(to_read);
            to_read -= read.blocks.bytes();
        }
        if (write.blocks.count == 0) {
            write.blocks = target.take(to_write);
            to_write -= write.blocks.bytes();
        }
        length -= move_some(write, read);
    }
}

MPI_Count runs(const typed_buffer &buffer, MPI_Count offset, MPI_Count length, std::size_t most,
               std::vector<iovec> &into) {
    const std::size_t before = into.size();
    MPI_Count covered = 0;
    cursor walk{buffer, offset};
    while (covered < length) {
        const piece next = walk.take(length - covered);
        for (MPI_Count i = 0; i < next.count; ++i) {
            std::byte *const block = next.block(i);
            const MPI_Count bytes = next.block_length(i);
            if (into.size() > before &&
                static_cast<std::byte *>(into.back().iov_base) + into.back().iov_len == block) {
                into.back().iov_len += static_cast<std::size_t>(bytes);
            } else if (into.size() - before < most) {
                into.push_back({block, static_cast<std::size_t>(bytes)});
            } else {
                return covered;
            }
            covered += bytes;
        }
    }
    return covered;
}

} // namespace lisle
