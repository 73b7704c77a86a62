// SPDX-License-Identifier: Apache-2.0
#include "datatype/copy.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/copy_bytes.hpp"
#include "datatype/cursor.hpp"
#include "datatype/masked_runs.hpp"
#include "datatype/wide_blocks.hpp"

namespace lisle {

namespace {

// Addresses are integers here: absolute ones (MPI_BOTTOM) are offsets from no object.
std::byte *at(std::uintptr_t base, MPI_Count offset) noexcept {
    return reinterpret_cast<std::byte *>(base + static_cast<std::uintptr_t>(offset));
}

struct listed_blocks {
    std::uintptr_t base;
    const std::int32_t *offsets;
    std::byte *operator()(MPI_Count i) const noexcept { return at(base, offsets[i]); }
};

// Small runs are frequent, and a call of memcpy costs more than such a copy. The two halves may overlap,
// which writes some bytes twice.
template <class Word> void copy_halves(std::byte *to, const std::byte *from, std::size_t length) noexcept {
    Word first, last;
    std::memcpy(&first, from, sizeof first);
    std::memcpy(&last, from + length - sizeof last, sizeof last);
    std::memcpy(to, &first, sizeof first);
    std::memcpy(to + length - sizeof last, &last, sizeof last);
}

// The same with four parts, for lengths from one to four words: of runs of many lengths in no order the
// processor cannot guess more than one or two branches.
template <class Word> void copy_quarters(std::byte *to, const std::byte *from, std::size_t length) noexcept {
    const std::size_t last = length - sizeof(Word), second = std::min(last, sizeof(Word)),
                      third = std::min(last, 2 * sizeof(Word));
    Word a, b, c, d;
    std::memcpy(&a, from, sizeof a);
    std::memcpy(&b, from + second, sizeof b);
    std::memcpy(&c, from + third, sizeof c);
    std::memcpy(&d, from + last, sizeof d);
    std::memcpy(to, &a, sizeof a);
    std::memcpy(to + second, &b, sizeof b);
    std::memcpy(to + third, &c, sizeof c);
    std::memcpy(to + last, &d, sizeof d);
}

inline void copy_run(std::byte *to, const std::byte *from, std::size_t length) noexcept {
    using sixteen = std::array<std::uint64_t, 2>;
    if (length > 64) {
        copy_bytes(to, from, length);
    } else if (length >= 16) {
        copy_quarters<sixteen>(to, from, length);
    } else if (length >= 8) {
        copy_halves<std::uint64_t>(to, from, length);
    } else if (length >= 4) {
        copy_halves<std::uint32_t>(to, from, length);
    } else {
        for (std::size_t i = 0; i < length; ++i) {
            to[i] = from[i];
        }
    }
}

void copy_run(std::byte *to, const std::byte *from, MPI_Count length) noexcept {
    copy_run(to, from, static_cast<std::size_t>(length));
}

// Blocks of a length that the compiler knows are moved through registers.
template <std::size_t Length> struct fixed_length {
    void operator()(std::byte *to, const std::byte *from) const noexcept {
        if constexpr (Length > 8 && Length < 16) {
            copy_halves<std::uint64_t>(to, from, Length);
        } else if constexpr (Length > 4 && Length < 8) {
            copy_halves<std::uint32_t>(to, from, Length);
        } else {
            std::memcpy(to, from, Length);
        }
    }
};

struct any_length {
    std::size_t length;
    void operator()(std::byte *to, const std::byte *from) const noexcept { copy_run(to, from, length); }
};

template <class Move, class To, class From>
void move_blocks(Move move, To to, From from, MPI_Count count) noexcept {
#pragma GCC unroll 4
    for (MPI_Count i = 0; i < count; ++i) {
        move(to(i), from(i));
    }
}

// A loop for each length that is common, up to this one.
constexpr std::size_t longest_fixed = 128;
constexpr bool has_loop(std::size_t length) {
    return length > 0 && (length < 16 || length % 8 == 0);
}

template <std::size_t Length, class To, class From>
void move_blocks_fixed(To to, From from, MPI_Count count) noexcept {
    move_blocks(fixed_length<Length>{}, to, from, count);
}

template <class To, class From> using block_loop = void (*)(To, From, MPI_Count);

template <class To, class From, std::size_t... Lengths>
constexpr auto make_loops(std::index_sequence<Lengths...>) {
    const auto loop_of =
        []<std::size_t Length>(std::integral_constant<std::size_t, Length>) -> block_loop<To, From> {
        if constexpr (has_loop(Length)) {
            return move_blocks_fixed<Length, To, From>;
        } else {
            return nullptr;
        }
    };
    return std::array{loop_of(std::integral_constant<std::size_t, Lengths>{})...};
}

template <class To, class From>
void move_blocks_of(MPI_Count length, To to, From from, MPI_Count count) noexcept {
    static constexpr auto loops = make_loops<To, From>(std::make_index_sequence<longest_fixed + 1>{});
    const auto size = static_cast<std::size_t>(length);
    if (size < loops.size() && loops[size] != nullptr) {
        return loops[size](to, from, count);
    }
    if constexpr (std::same_as<To, strided_blocks> && std::same_as<From, strided_blocks>) {
        if (moves_wide(size)) {
            return move_wide(to, from, size, count);
        }
    }
    move_blocks(any_length{size}, to, from, count);
}

// Rows of blocks, as a plane of a grid has: where the next row begins on each side.
struct strided_rows {
    MPI_Count count, to_stride, from_stride;
};

template <std::size_t Length>
void move_rows_fixed(strided_blocks to, strided_blocks from, MPI_Count count, strided_rows rows) noexcept {
    for (; rows.count > 0; --rows.count) {
        move_blocks(fixed_length<Length>{}, to, from, count);
        to.base += static_cast<std::uintptr_t>(rows.to_stride);
        from.base += static_cast<std::uintptr_t>(rows.from_stride);
    }
}

// Rows of few elements of 4, 8 and 16 bytes, where choosing a loop for each row would matter. False: they
// have another length.
bool move_rows_of_elements(MPI_Count length, strided_blocks to, strided_blocks from, MPI_Count count,
                           strided_rows rows) noexcept {
    switch (length) {
    case 4:
        move_rows_fixed<4>(to, from, count, rows);
        return true;
    case 8:
        move_rows_fixed<8>(to, from, count, rows);
        return true;
    case 16:
        move_rows_fixed<16>(to, from, count, rows);
        return true;
    default:
        return false;
    }
}

// Copies the first `count` blocks of the first rows of two pieces that both have blocks of `length`.
void move_row(const piece &to, const piece &from, MPI_Count length, MPI_Count count) noexcept {
    if (count == 1) {
        return copy_run(to.block(0), from.block(0), length);
    }
    const strided_blocks strided_to{to.base, to.stride}, strided_from{from.base, from.stride};
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

// Packed data seen as rows like those of `typed`: its blocks without gaps.
struct packed_rows {
    std::uintptr_t base;
    const piece &like;
    [[nodiscard]] std::uintptr_t block(MPI_Count i) const noexcept {
        return base + static_cast<std::uintptr_t>(like.block_start(i));
    }
    [[nodiscard]] MPI_Count row_stride() const noexcept { return like.row_bytes(); }
};

// The same of a piece as it is.
struct placed_rows {
    const piece &blocks;
    [[nodiscard]] std::uintptr_t block(MPI_Count i) const noexcept {
        return reinterpret_cast<std::uintptr_t>(blocks.block(i));
    }
    [[nodiscard]] MPI_Count row_stride() const noexcept { return blocks.row_stride; }
};

// Rows with few blocks are copied block by block, each through many rows at once: loops over rows are
// long and their blocks have one length. The many are few enough to stay in the nearest cache.
constexpr MPI_Count short_row = 16;
constexpr MPI_Count bytes_at_once = 8192;

// `shape` tells the blocks' lengths.
template <class To, class From>
void move_short_rows(const To &to, const From &from, const piece &shape, MPI_Count rows) noexcept {
    const MPI_Count at_once = std::max<MPI_Count>(bytes_at_once / shape.row_bytes(), 1);
    for (MPI_Count row = 0; row < rows; row += at_once) {
        const MPI_Count count = std::min(at_once, rows - row);
        for (MPI_Count i = 0; i < shape.count; ++i) {
            const strided_blocks target{to.block(i), to.row_stride()},
                source{from.block(i), from.row_stride()};
            move_blocks_of(shape.block_length(i), target.from(row), source.from(row), count);
        }
    }
}

// Copies between packed data and one row.
template <bool Pack> void move_packed_row(std::uintptr_t packed, const piece &row) noexcept {
    if (row.starts == nullptr) {
        piece blocks;
        blocks.base = packed;
        blocks.stride = row.length;
        return Pack ? move_row(blocks, row, row.length, row.count)
                    : move_row(row, blocks, row.length, row.count);
    }
    if (row.offsets != nullptr && moves_masked()) {
        const listed_runs runs{row.base, row.offsets, row.starts, row.count};
        auto *const place = reinterpret_cast<std::byte *>(packed);
        return Pack ? pack_masked(place, runs) : unpack_masked(place, runs);
    }
    const listed_blocks blocks{row.base, row.offsets};
    for (MPI_Count i = 0; i < row.count; ++i) {
        const MPI_Count length = row.starts[i + 1] - row.starts[i];
        auto *const run = reinterpret_cast<std::byte *>(packed);
        Pack ? copy_run(run, blocks(i), length) : copy_run(blocks(i), run, length);
        packed += static_cast<std::uintptr_t>(length);
    }
}

template <bool Pack> void move_packed(std::uintptr_t packed, piece typed) noexcept {
    if (typed.rows > 1 && typed.count <= short_row) {
        const packed_rows run{packed, typed};
        const placed_rows placed{typed};
        return Pack ? move_short_rows(run, placed, typed, typed.rows)
                    : move_short_rows(placed, run, typed, typed.rows);
    }
    const auto row_bytes = static_cast<std::uintptr_t>(typed.row_bytes());
    if (typed.rows > 1 && typed.starts == nullptr && typed.offsets == nullptr) {
        const strided_blocks run{packed, typed.length}, placed{typed.base, typed.stride};
        const MPI_Count run_stride = typed.row_bytes();
        if (Pack ? move_rows_of_elements(typed.length, run, placed, typed.count,
                                         {typed.rows, run_stride, typed.row_stride})
                 : move_rows_of_elements(typed.length, placed, run, typed.count,
                                         {typed.rows, typed.row_stride, run_stride})) {
            return;
        }
    }
    for (; typed.rows > 0; typed.drop_rows(1), packed += row_bytes) {
        move_packed_row<Pack>(packed, typed);
    }
}

template <bool Pack>
void move_all(const typed_buffer &typed, MPI_Count offset, std::byte *packed, MPI_Count length) {
    if (length == 0) {
        return;
    }
    if (typed.type->contiguous()) {
        std::byte *const address = static_cast<std::byte *>(typed.address) + offset;
        return Pack ? copy_run(packed, address, length) : copy_run(address, packed, length);
    }
    cursor walk{typed, offset};
    while (length > 0) {
        const piece next = walk.take(length);
        move_packed<Pack>(reinterpret_cast<std::uintptr_t>(packed), next);
        const MPI_Count bytes = next.bytes();
        packed += bytes;
        length -= bytes;
    }
}

// One side of a copy between two typed buffers, which may stop within a row and within a block.
struct side {
    piece rows;         // not begun
    piece row;          // the rest of the one that is
    MPI_Count done = 0; // bytes of its first block

    [[nodiscard]] bool empty() const noexcept { return row.count == 0 && rows.rows == 0; }
    [[nodiscard]] bool at_row() const noexcept { return row.count == 0; }
    void begin_row() noexcept {
        if (at_row()) {
            row = rows.first_rows(1);
            rows.drop_rows(1);
        }
    }
    // Of the row that is begun:
    [[nodiscard]] std::byte *head() const noexcept { return row.block(0) + done; }
    [[nodiscard]] MPI_Count head_length() const noexcept { return row.block_length(0) - done; }
    [[nodiscard]] bool even() const noexcept { return row.starts == nullptr && done == 0; }
    [[nodiscard]] piece head_as_blocks(MPI_Count length) const noexcept {
        piece blocks;
        blocks.base = reinterpret_cast<std::uintptr_t>(head());
        blocks.stride = blocks.length = length;
        return blocks;
    }
    void advance(MPI_Count bytes) noexcept {
        done += bytes;
        if (done == row.block_length(0)) {
            done = 0;
            row.drop(1);
        }
    }
};

// True if rows of both consist of equally long blocks.
bool same_shape(const piece &a, const piece &b) noexcept {
    if (a.count != b.count || (a.starts == nullptr) != (b.starts == nullptr)) {
        return false;
    }
    if (a.starts == nullptr || a.starts == b.starts) {
        return a.length == b.length;
    }
    for (MPI_Count i = 0; i < a.count; ++i) {
        if (a.block_length(i) != b.block_length(i)) {
            return false;
        }
    }
    return true;
}

void move_same_rows(piece to, piece from, MPI_Count rows) noexcept {
    if (rows > 1 && to.count <= short_row) {
        return move_short_rows(placed_rows{to}, placed_rows{from}, to, rows);
    }
    for (; rows > 0; --rows, to.drop_rows(1), from.drop_rows(1)) {
        if (to.starts == nullptr) {
            move_row(to, from, to.length, to.count);
        } else {
            for (MPI_Count i = 0; i < to.count; ++i) {
                copy_run(to.block(i), from.block(i), to.block_length(i));
            }
        }
    }
}

// Copies as much as can be done in one loop; returns the number of bytes.
MPI_Count move_some(side &to, side &from) noexcept {
    if (to.at_row() && from.at_row() && same_shape(to.rows, from.rows)) {
        const MPI_Count rows = std::min(to.rows.rows, from.rows.rows), bytes = rows * to.rows.row_bytes();
        move_same_rows(to.rows, from.rows, rows);
        to.rows.drop_rows(rows);
        from.rows.drop_rows(rows);
        return bytes;
    }
    to.begin_row();
    from.begin_row();
    const MPI_Count to_length = to.head_length(), from_length = from.head_length();
    if (to.even() && from.even() && to_length == from_length) {
        const MPI_Count count = std::min(to.row.count, from.row.count);
        move_row(to.row, from.row, to_length, count);
        to.row.drop(count);
        from.row.drop(count);
        return count * to_length;
    }
    if (to.even() && to_length < from_length) {
        const MPI_Count count = std::min(to.row.count, from_length / to_length);
        move_row(to.row, from.head_as_blocks(to_length), to_length, count);
        to.row.drop(count);
        from.advance(count * to_length);
        return count * to_length;
    }
    if (from.even() && from_length < to_length) {
        const MPI_Count count = std::min(from.row.count, to_length / from_length);
        move_row(to.head_as_blocks(from_length), from.row, from_length, count);
        from.row.drop(count);
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
    side read, write;
    read.rows.rows = write.rows.rows = 0;
    MPI_Count to_read = length, to_write = length;
    while (length > 0) {
        if (read.empty()) {
            read.rows = source.take(to_read);
            to_read -= read.rows.bytes();
        }
        if (write.empty()) {
            write.rows = target.take(to_write);
            to_write -= write.rows.bytes();
        }
        length -= move_some(write, read);
    }
}

namespace {

/// Asked about addresses where nothing lies as well: views of files count from 0, which is no pointer.
bool ends_at(const iovec &run, const void *address) noexcept {
    return reinterpret_cast<std::uintptr_t>(run.iov_base) + run.iov_len ==
           reinterpret_cast<std::uintptr_t>(address);
}

} // namespace

MPI_Count runs(const typed_buffer &buffer, MPI_Count offset, MPI_Count length, std::size_t most,
               std::vector<iovec> &into) {
    const std::size_t before = into.size();
    MPI_Count covered = 0;
    cursor walk{buffer, offset};
    while (covered < length) {
        for (piece next = walk.take(length - covered); next.rows > 0; next.drop_rows(1)) {
            for (MPI_Count i = 0; i < next.count; ++i) {
                std::byte *const block = next.block(i);
                const MPI_Count bytes = next.block_length(i);
                if (into.size() > before && ends_at(into.back(), block)) {
                    into.back().iov_len += static_cast<std::size_t>(bytes);
                } else if (into.size() - before < most) {
                    into.push_back({block, static_cast<std::size_t>(bytes)});
                } else {
                    return covered;
                }
                covered += bytes;
            }
        }
    }
    return covered;
}

} // namespace lisle
