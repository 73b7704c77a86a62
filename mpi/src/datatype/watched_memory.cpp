// SPDX-License-Identifier: Apache-2.0
#include "datatype/watched_memory.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

#include "datatype/copy.hpp"

namespace lisle {

namespace {

constexpr std::size_t most_ranges = 1024; ///< of one operation that are compared with those of others
/// A copy takes as much memory as lies between the first and the last byte: no more than so many times the
/// data, and a little.
constexpr MPI_Count widest_copy = 16;
constexpr MPI_Count narrow_buffer = MPI_Count{1} << 20;
constexpr std::size_t alignment = 64;

/// FNV-1a over words of eight bytes, and over the bytes that are left.
std::uint64_t add_to_checksum(std::uint64_t sum, std::span<const std::byte> bytes) noexcept {
    constexpr std::uint64_t prime = 0x100000001b3;
    std::size_t at = 0;
    for (; at + sizeof sum <= bytes.size(); at += sizeof sum) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data() + at, sizeof word);
        sum = (sum ^ word) * prime;
        sum ^= sum >> 32;
    }
    for (; at < bytes.size(); ++at) {
        sum = (sum ^ std::to_integer<std::uint64_t>(bytes[at])) * prime;
    }
    return sum;
}

MPI_Count bytes_of(std::span<const typed_buffer> buffers) noexcept {
    MPI_Count sum = 0;
    for (const typed_buffer &each : buffers) {
        sum += each.bytes();
    }
    return sum;
}

} // namespace

watched_memory::watched_memory(use how, std::vector<typed_buffer> buffers, bool apart)
    : how_{how}, buffers_{std::move(buffers)} {
    std::vector<iovec> pieces;
    MPI_Count listed = 0;
    for (const typed_buffer &each : buffers_) {
        if (!each.type->predefined()) {
            types_.push_back(ref<const datatype>::share(*each.type));
        }
        const std::size_t left = most_ranges - std::min(most_ranges, pieces.size());
        if (each.type->contiguous() && buffers_.size() == 1 && each.bytes() > 0) {
            const auto begin = reinterpret_cast<std::uintptr_t>(each.address);
            listed = each.bytes();
            ranges_.push_back({begin, begin + static_cast<std::uintptr_t>(listed)});
        } else if (each.bytes() > 0 && left > 0) {
            listed += runs(each, 0, each.bytes(), left, pieces);
        }
    }
    ranges_.reserve(pieces.size());
    for (const iovec &each : pieces) {
        const auto begin = reinterpret_cast<std::uintptr_t>(each.iov_base);
        ranges_.push_back({begin, begin + each.iov_len});
    }
    merge_ranges();
    // Only if all of it is known to lie there: what is not listed may lie anywhere.
    if (apart && how_ == use::writes && !ranges_.empty() && listed == bytes_of(buffers_)) {
        make_copy({ranges_.front().begin, ranges_.back().end});
    }
}

void watched_memory::merge_ranges() {
    if (ranges_.size() < 2) {
        return;
    }
    std::ranges::sort(ranges_, {}, &range::begin);
    std::vector<range> merged;
    for (const range &each : ranges_) {
        if (merged.empty() || merged.back().end < each.begin) {
            merged.push_back(each);
        } else {
            repeats_bytes_ = repeats_bytes_ || each.begin < merged.back().end;
            merged.back().end = std::max(merged.back().end, each.end);
        }
    }
    ranges_ = std::move(merged);
}

void watched_memory::make_copy(range span) {
    const auto width = static_cast<MPI_Count>(span.end - span.begin);
    if (width > narrow_buffer && width / widest_copy > bytes_of(buffers_)) {
        return;
    }
    // Aligned like the original, for operations that look at elements.
    copy_ = std::make_unique<std::byte[]>(static_cast<std::size_t>(width) + 2 * alignment);
    const auto made = reinterpret_cast<std::uintptr_t>(copy_.get());
    const std::uintptr_t first = (made + alignment - 1) / alignment * alignment + span.begin % alignment;
    displacement_ = first - span.begin;
}

void *watched_memory::instead_of(const void *address) const noexcept {
    return reinterpret_cast<void *>(reinterpret_cast<std::uintptr_t>(address) + displacement_);
}

typed_buffer watched_memory::copy_of(const typed_buffer &buffer) const {
    return {instead_of(buffer.address), buffer.count, *buffer.type};
}

void watched_memory::begin() {
    before_ = checksum();
    if (copy_ != nullptr) {
        for (const typed_buffer &each : buffers_) {
            copy(each, copy_of(each), 0, each.bytes());
        }
    }
}

void watched_memory::begin_with_result() {
    result_is_there_ = true;
    before_ = checksum();
}

bool watched_memory::meets(access_filter::range bytes, bool writes) const noexcept {
    return (writes || how_ == use::writes) && std::ranges::any_of(ranges_, [&](const range &each) {
               return bytes.begin < each.end && each.begin < bytes.end;
           });
}

bool watched_memory::exists() const {
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    std::vector<unsigned char> resident;
    return std::ranges::all_of(ranges_, [&](const range &each) {
        const std::uintptr_t begin = each.begin / page * page;
        resident.resize((each.end - begin + page - 1) / page);
        // The only question to the system that has an answer without touching the memory.
        return mincore(reinterpret_cast<void *>(begin), each.end - begin, resident.data()) == 0 ||
               errno != ENOMEM;
    });
}

bool watched_memory::changed() const {
    return (how_ == use::reads || copy_ != nullptr || result_is_there_) && checksum() != before_;
}

void watched_memory::end(MPI_Count bytes) {
    if (copy_ != nullptr) {
        for (const typed_buffer &each : buffers_) {
            copy(copy_of(each), each, 0, std::min(bytes, each.bytes()));
        }
    }
}

typed_buffer watched_list::reads(const typed_buffer &buffer) {
    add(watched_memory::use::reads, {buffer});
    return buffer;
}

typed_buffer watched_list::writes(const typed_buffer &buffer) {
    const watched_memory &added = add(watched_memory::use::writes, {buffer});
    return {added.instead_of(buffer.address), buffer.count, *buffer.type};
}

const watched_memory &watched_list::add(watched_memory::use how, std::vector<typed_buffer> buffers) {
    return list_.emplace_back(how, std::move(buffers), apart_);
}

std::uint64_t watched_memory::checksum() const {
    std::uint64_t sum = 0;
    std::array<std::byte, 4096> part;
    for (const typed_buffer &each : buffers_) {
        const MPI_Count bytes = each.bytes();
        if (each.type->contiguous()) {
            sum = add_to_checksum(
                sum, {static_cast<const std::byte *>(each.address), static_cast<std::size_t>(bytes)});
            continue;
        }
        for (MPI_Count at = 0; at < bytes; at += static_cast<MPI_Count>(part.size())) {
            const std::span<std::byte> packed{part.data(),
                                              std::min(part.size(), static_cast<std::size_t>(bytes - at))};
            pack(each, at, packed);
            sum = add_to_checksum(sum, packed);
        }
    }
    return sum;
}

std::optional<std::uintptr_t> watched_memory::collides_with(const watched_memory &other) const {
    if (how_ == use::reads && other.how_ == use::reads) {
        return std::nullopt;
    }
    auto mine = ranges_.begin();
    auto theirs = other.ranges_.begin();
    while (mine != ranges_.end() && theirs != other.ranges_.end()) {
        const std::uintptr_t begin = std::max(mine->begin, theirs->begin);
        if (begin < std::min(mine->end, theirs->end)) {
            return begin;
        }
        mine->end < theirs->end ? static_cast<void>(++mine) : static_cast<void>(++theirs);
    }
    return std::nullopt;
}

} // namespace lisle
