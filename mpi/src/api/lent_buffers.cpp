// SPDX-License-Identifier: Apache-2.0
#include "api/lent_buffers.hpp"

#include <algorithm>

#include "api/buffer_use.hpp"
#include "datatype/predefined.hpp"
#include "protocol/send_buffer.hpp"

namespace lisle::abi {

void lent_buffers::attached(const protocol::send_buffer &made) {
    if (made.base() == MPI_BUFFER_AUTOMATIC) {
        return;
    }
    known added{.place = current_address()};
    added.memory.add(watched_memory::use::writes, {{made.base(), made.bytes(), byte_type()}});
    added.holder = holder_of(added.memory);
    const std::scoped_lock guard{mutex_};
    lent_.insert_or_assign(&made, std::move(added));
}

void lent_buffers::look_locked(const protocol::send_buffer &lent) {
    const auto found = lent_.find(&lent);
    if (found == lent_.end()) {
        return;
    }
    const known &of = found->second;
    if (of.holder && stack_frames{}.has_ended(*of.holder)) {
        report_loss(of.place, function_has_returned);
    } else if (!std::ranges::all_of(of.memory.all(), &watched_memory::exists)) {
        report_loss(of.place, "its memory has been given back");
    } else {
        return;
    }
    lent_.erase(found);
}

void lent_buffers::uses(const protocol::send_buffer &lent) {
    const std::scoped_lock guard{mutex_};
    look_locked(lent);
}

void lent_buffers::detached(const protocol::send_buffer &lent) {
    const std::scoped_lock guard{mutex_};
    look_locked(lent);
    lent_.erase(&lent);
}

} // namespace lisle::abi
