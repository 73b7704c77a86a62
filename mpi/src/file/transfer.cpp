// SPDX-License-Identifier: Apache-2.0
#include "file/transfer.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include "base/error.hpp"
#include "datatype/copy.hpp"
#include "datatype/predefined.hpp"
#include "file/range_lock.hpp"

namespace lisle::file {

namespace {

using bytes_of_memory = std::span<std::byte>;

std::size_t size_of(MPI_Count bytes) {
    return static_cast<std::size_t>(bytes);
}

/// Bytes [offset, offset + length) of a buffer's data. @pre its type is contiguous
bytes_of_memory direct(const typed_buffer &buffer, MPI_Count offset, MPI_Count length) {
    return {static_cast<std::byte *>(buffer.address) + offset, size_of(length)};
}

/// Runs that one system call moves: one, or several in order with small gaps.
struct group {
    std::span<const file_run> runs;
    MPI_Count bytes = 0; ///< of data
    [[nodiscard]] file_run stretch() const noexcept {
        return {runs.front().offset, runs.back().end() - runs.front().offset};
    }
};

/// Divides the runs of an access into groups.
class group_walk {
  public:
    /// @param most bytes of a stretch @param gap the largest between two runs of a group; negative: all
    /// groups have one run
    group_walk(const view &through, MPI_Count position, MPI_Count bytes, MPI_Count most, MPI_Count gap)
        : through_{&through}, position_{position}, left_{bytes}, most_{most}, gap_{gap} {}
    group_walk(std::vector<file_run> runs, MPI_Count most, MPI_Count gap)
        : most_{most}, gap_{gap}, runs_{std::move(runs)} {}

    /// The next group; without runs: there is none left.
    [[nodiscard]] group next() {
        if (next_ == runs_.size()) {
            refill();
        }
        const std::size_t first = next_;
        group found;
        while (next_ < runs_.size() && (next_ == first || joins(runs_[first], runs_[next_]))) {
            found.bytes += runs_[next_++].bytes;
        }
        found.runs = std::span{runs_}.subspan(first, next_ - first);
        return found;
    }

  private:
    [[nodiscard]] bool joins(const file_run &first, const file_run &candidate) const noexcept {
        const MPI_Count gap = candidate.offset - runs_[next_ - 1].end();
        return gap >= 0 && gap <= gap_ && candidate.end() - first.offset <= most_;
    }
    void refill() {
        constexpr std::size_t runs_at_once = 4096;
        runs_.clear();
        next_ = 0;
        if (left_ > 0) {
            const MPI_Count covered = through_->runs(position_, left_, runs_at_once, runs_);
            position_ += covered;
            left_ -= covered;
        }
    }

    const view *through_ = nullptr;
    MPI_Count position_ = 0, left_ = 0; ///< of the view, of which no runs have been found yet
    const MPI_Count most_, gap_;
    std::vector<file_run> runs_;
    std::size_t next_ = 0;
};

/// The longest gap that is read along faster than a further system call takes.
MPI_Count read_gap(const passage &by) noexcept {
    constexpr MPI_Count in_memory = 1024, of_others = 16384;
    switch (by.how.sieved_reads) {
    case choice::enable:
        return std::numeric_limits<MPI_Count>::max();
    case choice::disable:
        return -1;
    default:
        return by.file.local() ? in_memory : of_others;
    }
}

/// Whether stretches of the file may be written back with what was read in their gaps.
bool sieves_writes(const passage &by) noexcept {
    return by.how.sieved_writes == choice::enable;
}
MPI_Count write_gap(const passage &by) noexcept {
    return sieves_writes(by) && by.file.readable() ? std::numeric_limits<MPI_Count>::max() : -1;
}

MPI_Count read_run(const descriptor &file, const file_run &run, const typed_buffer &to, MPI_Count done,
                   MPI_Count most, std::vector<std::byte> &staging) {
    if (to.type->contiguous()) {
        return static_cast<MPI_Count>(file.read(direct(to, done, run.bytes), run.offset));
    }
    MPI_Count got = 0;
    while (got < run.bytes) {
        staging.resize(size_of(std::min(run.bytes - got, most)));
        const std::size_t some = file.read(staging, run.offset + got);
        unpack(to, done + got, std::span{staging}.first(some));
        got += static_cast<MPI_Count>(some);
        if (some < staging.size()) {
            break;
        }
    }
    return got;
}

MPI_Count read_group(const descriptor &file, const group &wanted, const typed_buffer &to, MPI_Count done,
                     std::vector<std::byte> &staging) {
    const file_run stretch = wanted.stretch();
    staging.resize(size_of(stretch.bytes));
    const auto end = stretch.offset + static_cast<MPI_Offset>(file.read(staging, stretch.offset));
    // Without a contiguous buffer the runs are packed in place, each one towards the beginning.
    std::byte *const packed = to.type->contiguous() ? direct(to, done, wanted.bytes).data() : staging.data();
    MPI_Count got = 0;
    for (const file_run &run : wanted.runs) {
        const MPI_Count some = std::clamp<MPI_Count>(end - run.offset, 0, run.bytes);
        std::memmove(packed + got, staging.data() + (run.offset - stretch.offset), size_of(some));
        got += some;
    }
    if (!to.type->contiguous()) {
        unpack(to, done, std::span{staging}.first(size_of(got)));
    }
    return got;
}

void write_run(const descriptor &file, const file_run &run, const typed_buffer &from, MPI_Count done,
               MPI_Count most, std::vector<std::byte> &staging) {
    if (from.type->contiguous()) {
        file.write(direct(from, done, run.bytes), run.offset);
        return;
    }
    for (MPI_Count written = 0; written < run.bytes; written += most) {
        staging.resize(size_of(std::min(run.bytes - written, most)));
        pack(from, done + written, staging);
        file.write(staging, run.offset + written);
    }
}

/// @pre the stretch is locked
void write_group(const descriptor &file, const group &given, const typed_buffer &from, MPI_Count done,
                 std::vector<std::byte> &staging) {
    const file_run stretch = given.stretch();
    staging.resize(size_of(stretch.bytes));
    const std::size_t present = file.read(staging, stretch.offset);
    std::fill(staging.begin() + static_cast<std::ptrdiff_t>(present), staging.end(), std::byte{0});
    for (const file_run &run : given.runs) {
        pack(from, done,
             std::span{staging}.subspan(size_of(run.offset - stretch.offset), size_of(run.bytes)));
        done += run.bytes;
    }
    file.write(staging, stretch.offset);
}

/// Locks the range of an atomic access; other accesses need no lock.
void lock_if_atomic(const passage &by, MPI_Count position, MPI_Count bytes, lock_kind kind,
                    std::optional<range_lock> &held) {
    if (!by.atomic) {
        return;
    }
    held.emplace(by.file, by.through.span_of(position, bytes), kind, by.home);
    if (!held->taken()) {
        fail(MPI_ERR_UNSUPPORTED_OPERATION, "the file system of \"", by.file.name(),
             "\" has no locks, which atomic accesses need");
    }
}

/// True if there is anything to move. Throws if there is, and the view has no data.
bool is_to_move(const view &through, MPI_Count bytes) {
    if (bytes > 0 && through.empty()) {
        fail(MPI_ERR_ARG, "the filetype of the view has no data, so there is no place for ", bytes, " bytes");
    }
    return bytes > 0;
}

MPI_Count read_groups(const passage &by, group_walk walk, const typed_buffer &to) {
    std::vector<std::byte> staging;
    MPI_Count done = 0;
    for (group next = walk.next(); !next.runs.empty(); next = walk.next()) {
        const MPI_Count got = next.runs.size() == 1 ? read_run(by.file, next.runs.front(), to, done,
                                                               by.how.read_buffer, staging)
                                                    : read_group(by.file, next, to, done, staging);
        done += got;
        if (got < next.bytes) {
            break;
        }
    }
    return done;
}

/// @param locked the whole range is locked exclusively
void write_groups(const passage &by, group_walk walk, const typed_buffer &from, bool locked) {
    std::vector<std::byte> staging;
    MPI_Count done = 0;
    for (group next = walk.next(); !next.runs.empty(); next = walk.next()) {
        std::optional<range_lock> held;
        const bool together = next.runs.size() > 1;
        if (sieves_writes(by) && !locked) {
            held.emplace(by.file, next.stretch(),
                         together || !by.file.readable() ? lock_kind::exclusive : lock_kind::shared, by.home);
        }
        if (together && (locked || held->taken())) {
            write_group(by.file, next, from, done, staging);
            done += next.bytes;
            continue;
        }
        for (const file_run &run : next.runs) {
            write_run(by.file, run, from, done, by.how.write_buffer, staging);
            done += run.bytes;
        }
    }
}

typed_buffer as_bytes(std::span<std::byte> data) {
    return {data.data(), static_cast<MPI_Count>(data.size()), byte_type()};
}

} // namespace

MPI_Count read(const passage &by, MPI_Count position, const typed_buffer &to) {
    const MPI_Count total = to.bytes();
    if (!is_to_move(by.through, total)) {
        return 0;
    }
    std::optional<range_lock> held;
    lock_if_atomic(by, position, total, lock_kind::shared, held);
    return read_groups(by, {by.through, position, total, by.how.read_buffer, read_gap(by)}, to);
}

void write(const passage &by, MPI_Count position, const typed_buffer &from) {
    const MPI_Count total = from.bytes();
    if (!is_to_move(by.through, total)) {
        return;
    }
    std::optional<range_lock> held;
    lock_if_atomic(by, position, total, lock_kind::exclusive, held);
    write_groups(by, {by.through, position, total, by.how.write_buffer, write_gap(by)}, from,
                 held.has_value());
}

MPI_Count read_runs(const passage &by, std::vector<file_run> runs, std::span<std::byte> into) {
    return read_groups(by, {std::move(runs), by.how.read_buffer, read_gap(by)}, as_bytes(into));
}

void write_runs(const passage &by, std::vector<file_run> runs, std::span<std::byte> data) {
    write_groups(by, {std::move(runs), by.how.write_buffer, write_gap(by)}, as_bytes(data), false);
}

} // namespace lisle::file
