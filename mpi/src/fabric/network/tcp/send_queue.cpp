// SPDX-License-Identifier: Apache-2.0
#include "fabric/network/tcp/send_queue.hpp"

#include <algorithm>

namespace lisle::fabric::network {

namespace {

bool is_part_of_write(const message_header &header) noexcept {
    return header.what == message_header::kind::write_data || header.what == message_header::kind::write_last;
}

} // namespace

void send_queue::make_room() {
    messages_.reserve(messages_.size() + 1);
    bulks_.reserve(bulks_.size() + 1);
    wire_.reserve(wire_.size() + messages_.size() + 2);
}

void send_queue::lay(const outgoing &next) {
    wire_bytes_ += next.bytes - next.sent;
    wire_.push_back(next);
}

void send_queue::lay_part() {
    bulk &whole = bulks_.front();
    message_header &header = whole.header;
    const std::size_t bytes = std::min(part_, whole.bytes - whole.sent);
    const bool last = whole.sent + bytes == whole.bytes;
    const bool reads = header.what == message_header::kind::read_data;
    header.bytes = static_cast<std::uint32_t>(bytes);
    header.what = reads  ? header.what
                  : last ? message_header::kind::write_last
                         : message_header::kind::write_data;
    lay({header, whole.payload.part(whole.sent, bytes), sizeof header + bytes, 0, nullptr,
         reads ? header.key : 0});
    whole.sent += bytes;
    header.address += bytes;
    if (last) {
        bulks_.pop_front();
    }
}

void send_queue::fill_wire() {
    while (wire_bytes_ < part_ && !(messages_.empty() && bulks_.empty())) {
        if (messages_.empty()) {
            lay_part();
        } else {
            lay(messages_.front());
            messages_.pop_front();
        }
    }
}

send_queue::offer send_queue::next(std::span<iovec> runs) {
    fill_wire();
    offer made{};
    for (std::size_t place = 0; place != wire_.size() && made.runs + 1 + most_runs <= runs.size(); ++place) {
        outgoing &each = wire_[place];
        if (each.sent < sizeof each.header) {
            auto *const begin = reinterpret_cast<std::byte *>(&each.header);
            runs[made.runs++] = {begin + each.sent, sizeof each.header - each.sent};
        }
        const std::size_t gone = std::max(each.sent, sizeof each.header) - sizeof each.header;
        const memory_runs rest = each.payload.part(gone, each.bytes - sizeof each.header - gone);
        std::copy_n(rest.all.begin(), rest.count, runs.begin() + static_cast<std::ptrdiff_t>(made.runs));
        made.runs += rest.count;
        made.bytes += each.bytes - each.sent;
    }
    return made;
}

bool send_queue::took(const offer &of, std::size_t bytes, ended_operations &ended) noexcept {
    if (bytes < of.bytes) {
        part_ = least_part; // the kernel is full
    } else if (of.bytes >= part_) {
        part_ = std::min(2 * part_, most_part);
    }
    wire_bytes_ -= bytes;
    bool any = false;
    while (bytes != 0) {
        outgoing &first = wire_.front();
        const std::size_t here = std::min(bytes, first.bytes - first.sent);
        first.sent += here;
        bytes -= here;
        if (first.sent != first.bytes) {
            break;
        }
        if (first.op != nullptr) {
            ended.add(first.op, 0, false);
            any = true;
        }
        wire_.pop_front();
    }
    return any;
}

bool send_queue::sends_from(std::uint64_t key) const noexcept {
    return wire_.any([key](const outgoing &each) { return each.from_key == key; }) ||
           bulks_.any([key](const bulk &each) {
               return each.header.what == message_header::kind::read_data && each.header.key == key;
           });
}

bool send_queue::sends_of(std::uint64_t request) const noexcept {
    const auto belongs = [request](const auto &each) {
        return is_part_of_write(each.header) && each.header.request == request;
    };
    return wire_.any(belongs) || bulks_.any(belongs);
}

void send_queue::fail(ended_operations &ended) noexcept {
    for (ring<outgoing> *each : {&wire_, &messages_}) {
        for (; !each->empty(); each->pop_front()) {
            if (each->front().op != nullptr) {
                ended.add(each->front().op, 0, true);
            }
        }
    }
    bulks_.clear();
}

} // namespace lisle::fabric::network
