// SPDX-License-Identifier: Apache-2.0
#include "task/machine/outbox.hpp"

namespace lisle::tasks {

void outbox::send(int to, const parcel &header, std::vector<std::byte> payload) {
    encoder out;
    write_header(header, out);
    out.bytes(payload.data(), payload.size());
    add({to, out.take(), {}});
}

void outbox::do_later(std::function<void()> action) {
    add({-1, {}, std::move(action)});
}

void outbox::add(entry fresh) {
    {
        const std::scoped_lock guard{mutex_};
        entries_.push_back(std::move(fresh));
        has_entries_.store(true, std::memory_order_seq_cst);
    }
    if (!on_own_thread()) {
        transport_.wake();
    }
}

void outbox::flush() {
    while (!is_empty()) {
        std::vector<entry> leaving;
        {
            const std::scoped_lock guard{mutex_};
            leaving.swap(entries_);
            has_entries_.store(false, std::memory_order_seq_cst);
        }
        for (entry &each : leaving) {
            if (each.action) {
                each.action();
                continue;
            }
            if (lost_.has(each.to)) {
                continue;
            }
            decoder in{each.bytes};
            if (is_counted(read_header(in))) {
                end_.has_sent(each.to);
            }
            ++parcels_sent_;
            transport_.send(each.to, std::move(each.bytes));
        }
    }
}

} // namespace lisle::tasks
