// SPDX-License-Identifier: Apache-2.0
#include "fabric/network/tcp/copy_requests.hpp"

#include <new>

namespace lisle::fabric::network {

namespace {

// A number is a place and, above it, how often the place has been used.
constexpr unsigned place_bits = 32;

std::size_t place_of(std::uint64_t number) noexcept {
    return number & ((std::uint64_t{1} << place_bits) - 1);
}

} // namespace

std::uint64_t copy_requests::add(socket_link &by, std::span<const iovec> own, bool reads, operation &op) {
    if (free_.empty()) {
        all_.emplace_back();
        try {
            free_.reserve(all_.capacity()); // all of them are free at once at the most
        } catch (const std::bad_alloc &) {
            all_.pop_back();
            throw;
        }
        free_.push_back(static_cast<std::uint32_t>(all_.size() - 1));
    }
    const std::uint32_t place = free_.back();
    free_.pop_back();
    request &made = all_[place];
    made.op = &op;
    made.by = &by;
    made.own = memory_runs{own};
    made.bytes = made.own.bytes();
    made.moved = 0;
    made.reads = reads;
    by.in.reads += reads ? 1 : 0;
    return place | std::uint64_t{++made.generation} << place_bits;
}

copy_requests::request *copy_requests::find(std::uint64_t number, const socket_link &by) noexcept {
    const std::size_t place = place_of(number);
    if (place >= all_.size()) {
        return nullptr;
    }
    request &found = all_[place];
    return found.op != nullptr && found.by == &by && found.generation == number >> place_bits ? &found
                                                                                              : nullptr;
}

void copy_requests::end(std::uint64_t number, socket_link &by, bool failed) noexcept {
    request &over = *find(number, by);
    ended_.add(std::exchange(over.op, nullptr), over.bytes, failed);
    by.in.reads -= over.reads ? 1 : 0;
    free_.push_back(static_cast<std::uint32_t>(place_of(number)));
}

void copy_requests::fail_all_of(socket_link &by) noexcept {
    for (std::size_t place = 0; place != all_.size(); ++place) {
        const request &each = all_[place];
        if (each.op != nullptr && each.by == &by) {
            end(place | std::uint64_t{each.generation} << place_bits, by, true);
        }
    }
}

} // namespace lisle::fabric::network
