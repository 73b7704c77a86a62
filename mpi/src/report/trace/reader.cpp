// SPDX-License-Identifier: Apache-2.0
#include "report/trace/reader.hpp"

#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lisle::report {

trace_reader::trace_reader(const std::filesystem::path &file) {
    const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat about {};
    if (descriptor >= 0 && fstat(descriptor, &about) == 0 &&
        about.st_size >= static_cast<off_t>(sizeof head_)) {
        void *const mapped =
            mmap(nullptr, static_cast<std::size_t>(about.st_size), PROT_READ, MAP_PRIVATE, descriptor, 0);
        if (mapped != MAP_FAILED) {
            file_ = {static_cast<const std::byte *>(mapped), unmap{static_cast<std::size_t>(about.st_size)}};
        }
    }
    if (descriptor >= 0) {
        close(descriptor);
    }
    if (file_ == nullptr) {
        throw std::runtime_error{file.string() + ": cannot be read, or is no record of a run"};
    }
    std::memcpy(&head_, file_.get(), sizeof head_);
    if (head_.magic != trace_head::lisle || head_.version != trace_head::current_version || head_.rank < 0 ||
        head_.rank >= head_.size) {
        throw std::runtime_error{file.string() + ": is no record of this version of Lisle"};
    }
    at_ = file_.get() + sizeof head_;
    end_ = file_.get() + file_.get_deleter().bytes;
}

void trace_reader::unmap::operator()(const std::byte *memory) const noexcept {
    munmap(const_cast<std::byte *>(memory), bytes);
}

std::uint64_t trace_reader::number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; at_ != end_ && shift < 64; shift += 7) {
        const auto byte = static_cast<std::uint64_t>(*at_++);
        value |= (byte & 0x7f) << shift;
        if ((byte & 0x80) == 0) {
            return value;
        }
    }
    broken_ = true;
    return 0;
}

std::int64_t trace_reader::signed_number() {
    const std::uint64_t folded = number();
    return static_cast<std::int64_t>(folded >> 1) ^ -static_cast<std::int64_t>(folded & 1);
}

bool trace_reader::next(recorded_call &into) {
    into.begun.clear();
    into.ended.clear();
    into.moved.clear();
    into.found.clear();
    into.locks.clear();
    into.ready.clear();
    into.arrived.clear();
    into.memory.clear();
    while (at_ != end_ && !broken_) {
        if (read_one(into)) {
            return !broken_;
        }
    }
    return false;
}

// True: a call is complete.
bool trace_reader::read_one(recorded_call &into) {
    const auto what = static_cast<record>(number());
    switch (what) {
    case record::call:
        read_call(into);
        return true;
    case record::site: {
        const std::uint64_t length = number();
        if (length > static_cast<std::uint64_t>(end_ - at_)) {
            break;
        }
        sites_.emplace_back(reinterpret_cast<const char *>(at_), length);
        at_ += length;
        return false;
    }
    case record::group:
        read_group();
        return false;
    case record::send:
    case record::receive:
    case record::collective:
    case record::partitioned_send:
    case record::partitioned_receive:
        read_begun(what, into);
        return false;
    case record::done:
    case record::received:
    case record::dropped:
        read_ended(what, into);
        return false;
    case record::moved: {
        const int target = rank_number();
        into.moved.push_back({target, number()});
        return false;
    }
    case record::found:
        read_found(into);
        return false;
    case record::neighbours:
        read_neighbours();
        return false;
    case record::lock:
        read_lock(into);
        return false;
    case record::ready:
    case record::arrived:
        read_partitions(what, into);
        return false;
    case record::phase: {
        const auto level = static_cast<int>(signed_number());
        phases_.push_back({level, number()});
        return false;
    }
    case record::memory: {
        memory_state seen{number(), number(), 0, 0};
        seen.unexpected = number();
        seen.stored = number();
        into.memory.push_back(seen);
        return false;
    }
    case record::last:
        closed_ = number();
        most_memory_ = number();
        break; // nothing follows
    case record::end_of_file:
        break;
    }
    at_ = end_;
    return false;
}

void trace_reader::read_group() {
    group_record made{number(), {}, {}};
    const std::uint64_t size = number();
    for (std::uint64_t rank = 0; rank < size && !broken_; ++rank) {
        made.members.push_back(rank_number());
    }
    groups_.push_back(std::move(made));
}

void trace_reader::read_neighbours() {
    const std::uint64_t count = number();
    broken_ = broken_ || groups_.empty();
    for (std::uint64_t each = 0; each < count && !broken_; ++each) {
        groups_.back().sources.push_back(rank_number());
    }
}

void trace_reader::read_found(recorded_call &into) {
    found_message made{static_cast<std::uint32_t>(number()), rank_number(), 0};
    made.tag = static_cast<int>(signed_number());
    broken_ = broken_ || made.group >= groups_.size();
    into.found.push_back(made);
}

void trace_reader::read_lock(recorded_call &into) {
    lock_use made{static_cast<std::uint32_t>(number()), 0, 0, {}};
    made.window = number();
    made.target = rank_number();
    made.step = static_cast<lock_step>(number());
    broken_ = broken_ || made.group >= groups_.size() || made.step > lock_step::unlock;
    into.locks.push_back(made);
}

void trace_reader::read_partitions(record what, recorded_call &into) {
    partition_range made{operations_ - number(), static_cast<int>(number()), 0};
    made.last = what == record::ready ? static_cast<int>(number()) : made.first;
    (what == record::ready ? into.ready : into.arrived).push_back(made);
}

void trace_reader::read_begun(record what, recorded_call &into) {
    begun_operation made{what, static_cast<std::uint32_t>(number()), -1, 0, 0, collective_shape::all_to_all};
    if (what == record::send) {
        made.peer = rank_number();
        made.tag = static_cast<int>(signed_number());
        made.bytes = number();
    } else if (what == record::collective) {
        made.shape = static_cast<collective_shape>(number());
        made.peer = rank_number();
        made.bytes = number();
    } else if (what != record::receive) {
        made.peer = rank_number();
        made.tag = static_cast<int>(signed_number());
        made.which = number();
        made.round = number();
        made.partitions = static_cast<int>(number());
        made.bytes = number();
    }
    broken_ = broken_ || made.group >= groups_.size() || made.shape > collective_shape::neighbours;
    ++operations_;
    into.begun.push_back(made);
}

void trace_reader::read_ended(record how, recorded_call &into) {
    ended_operation made{operations_ - number(), how, -1, 0, 0};
    if (how == record::received) {
        made.source = rank_number();
        made.tag = static_cast<int>(signed_number());
        made.bytes = number();
    }
    into.ended.push_back(made);
}

void trace_reader::read_call(recorded_call &into) {
    into.id = static_cast<std::uint32_t>(number());
    into.site = static_cast<std::uint32_t>(number());
    into.begin = last_begin_ += static_cast<std::uint64_t>(signed_number());
    into.end = into.begin + number();
    into.count = number() + 1;
    into.inside = into.count > 1 ? number() : into.end - into.begin;
    constexpr std::uint64_t longest = std::uint64_t{1} << 60; // 36 years
    broken_ = broken_ || into.site >= sites_.size() || into.begin > longest || into.end > longest ||
              into.end < into.begin;
}

} // namespace lisle::report
