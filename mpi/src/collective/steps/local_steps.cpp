// SPDX-License-Identifier: Apache-2.0
#include "collective/steps/local_steps.hpp"

#include <cstring>
#include <span>

#include "base/copy_bytes.hpp"
#include "base/error.hpp"
#include "collective/steps/peer_buffer.hpp"
#include "datatype/copy.hpp"

namespace lisle::collective {

bool local_steps::take(const reduce_step &reduced) {
    reduced.operation->apply(reduced.in.address, reduced.inout.address, reduced.inout.count,
                             *reduced.inout.type);
    return true;
}

bool local_steps::take(const fetch_step &fetched) {
    if (where_->posts().exposes_buffers(number_, fetched.peer)) {
        used_descriptor_ = true;
        return take(read_step{fetched.to, 0, fetched.to.bytes(), fetched.peer, exposed_part::block});
    }
    const auto block = where_->posts().block(number_, fetched.peer);
    if (!block || static_cast<MPI_Count>(block->size()) != fetched.to.bytes()) {
        note(MPI_ERR_TRUNCATE, fetched.peer);
    } else {
        unpack_post(fetched.to, fetched.peer, *block);
    }
    return true;
}

bool local_steps::take(const reduce_posts_step &reduced) {
    for (int member = reduced.first; member < reduced.last; ++member) {
        if (where_->posts().data(number_, member, at_).size() != reduced.expected) {
            note(MPI_ERR_TRUNCATE, member);
            return true;
        }
        if (reduced.expected >= posts::least_in_parts) {
            where_->posts().await_rest(number_, member);
        }
    }
    reduce_posts(*where_, number_, at_, reduced);
    return true;
}

bool local_steps::take(const read_step &read) {
    const peer_buffer from{*where_, number_, read.peer, read.what, &buffer_descriptor::give, how_};
    note(from.read(read.to, read.offset, read.length), read.peer);
    return true;
}

bool local_steps::take(const write_step &write) {
    const peer_buffer to{*where_, number_, write.peer, write.what, &buffer_descriptor::take, how_};
    note(to.write(write.from, write.offset, write.length), write.peer);
    return true;
}

bool local_steps::take(const reduce_peers_step &reduced) {
    const auto [error, member] = reduce_peers(*where_, number_, reduced);
    note(error, member);
    return true;
}

void local_steps::unpack_as_it_comes(const typed_buffer &to, int peer, std::span<const std::byte> from) {
    const std::size_t first = where_->posts().there(number_, peer, from);
    unpack(to, 0, from.first(first));
    if (first < from.size()) {
        where_->posts().await_rest(number_, peer);
        unpack(to, static_cast<MPI_Count>(first), from.subspan(first));
    }
}

void local_steps::note(int error, int peer) noexcept {
    if (error_ == MPI_SUCCESS && error != MPI_SUCCESS) {
        error_ = error;
        failed_peer_ = peer;
    }
}

std::string local_steps::describe() const {
    if (failed_peer_ == MPI_PROC_NULL) {
        return "what this rank contributes does not fit what it receives from itself";
    }
    if (error_ == MPI_ERR_TRUNCATE) {
        return sentence("rank ", failed_peer_,
                        " gives or takes another number of bytes than this rank expects of it: counts or "
                        "types differ among the ranks");
    }
    return sentence(
        "the memory of rank ", failed_peer_,
        " cannot be used, though the system allowed it before (LISLE_CMA_MINIMUM=off does without)");
}

} // namespace lisle::collective
