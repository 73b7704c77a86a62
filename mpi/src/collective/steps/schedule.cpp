// SPDX-License-Identifier: Apache-2.0
#include "collective/steps/schedule.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "collective/call.hpp"
#include "collective/steps/in_pairs.hpp"
#include "collective/steps/peer_buffer.hpp"

namespace lisle::collective {

step_index schedule::send(const typed_buffer &buffer, const team &team, int peer) {
    keep(*buffer.type);
    return add(send_step{buffer, team.channel, team.ranks != nullptr ? team.ranks[peer] : peer});
}

step_index schedule::receive(const typed_buffer &buffer, const team &team, int peer) {
    keep(*buffer.type);
    return add(receive_step{buffer, team.channel, team.ranks != nullptr ? team.ranks[peer] : peer});
}

bool is_to_copy(const typed_buffer &from, const typed_buffer &to) {
    const MPI_Count bytes = from.bytes();
    if (bytes == 0 || (from.address == to.address && from.type == to.type)) {
        return false;
    }
    if (bytes > to.bytes() && !comparing()) [[unlikely]] { // checks tell all ranks
        fail(MPI_ERR_TRUNCATE, "the ", bytes, " bytes that this rank contributes do not fit the ", to.bytes(),
             " bytes that it receives from itself");
    }
    return true;
}

void schedule::copy(const typed_buffer &from, const typed_buffer &to) {
    if (!is_to_copy(from, to)) {
        return;
    }
    keep(*from.type);
    keep(*to.type);
    add(copy_step{from, to});
}

void schedule::reduce(const op &operation, const typed_buffer &in, const typed_buffer &inout) {
    if (inout.count == 0) {
        return;
    }
    keep(operation);
    keep(*inout.type);
    add(reduce_step{&operation, in, inout});
}

void schedule::await(step_index communication) {
    add(await_step{communication});
}

void schedule::await_all() {
    add(await_all_step{});
}

void schedule::enter(collective_area &where, MPI_Count posted, bool posts, bool one_way) {
    contents().where = &where;
    if (contents().phases++ != 0) {
        add(next_phase_step{});
    }
    add(enter_step{collective_area::place_of(posted, one_way), posts});
}

void schedule::post(const typed_buffer &data, readers who, bool in_parts) {
    keep(*data.type);
    add(post_step{data, who, in_parts});
}

void schedule::expose(const buffer_descriptor &exposed) {
    for (const typed_buffer *const buffer : {&exposed.give, &exposed.take}) {
        if (buffer->type != nullptr) {
            keep(*buffer->type);
        }
    }
    add(expose_step{exposed});
}

void schedule::take(int peer, MPI_Count offset, MPI_Count expected, const typed_buffer &to) {
    keep(*to.type);
    add(take_step{to, peer, static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(expected)});
}

void schedule::take_posts(const block_view &blocks, MPI_Count most) {
    for (int peer = 0; peer < blocks.size(); ++peer) {
        const typed_buffer block = blocks[peer];
        if (peer != contents().where->members().self() && block.bytes() <= most) {
            take_post(peer, block);
        }
    }
}

void schedule::fetch(int peer, const typed_buffer &to) {
    keep(*to.type);
    add(fetch_step{to, peer});
}

void schedule::reduce_posts(const op &operation, int first, int last, MPI_Count offset, MPI_Count expected,
                            const typed_buffer &to, pairing how) {
    keep(operation);
    keep(*to.type);
    const MPI_Count rooms = rooms_for(operation, to, last - first, how);
    add(reduce_posts_step{&operation, to,
                          rooms == 0 ? nullptr : temporary(rooms * to.count, *to.type).address, first, last,
                          static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(expected), how});
}

void schedule::read(int peer, exposed_part what, MPI_Count offset, MPI_Count length, const typed_buffer &to) {
    keep(*to.type);
    add(read_step{to, offset, length, peer, what});
}

void schedule::write(int peer, exposed_part what, MPI_Count offset, MPI_Count length,
                     const typed_buffer &from) {
    keep(*from.type);
    add(write_step{from, offset, length, peer, what});
}

void schedule::reduce_peers(const op &operation, result_place place, int member, MPI_Count first,
                            const typed_buffer &to) {
    keep(operation);
    keep(*to.type);
    const MPI_Count room = scratch_elements(*contents().where, to.count, *to.type);
    add(reduce_peers_step{&operation, to, temporary(room, *to.type).address, first, member, place});
}

const typed_buffer *schedule::keep_blocks(const block_view &blocks) {
    for (int rank = 0; rank < blocks.size(); ++rank) {
        keep(*blocks[rank].type);
    }
    return contents().memory.keep_blocks(blocks);
}

void schedule::keep(const datatype &type) {
    if (type.predefined()) {
        return;
    }
    const auto same = [&type](const auto &kept) { return kept.get() == &type; };
    auto &types = contents().types;
    if (std::none_of(types.begin(), types.end(), same)) {
        types.push_back(ref<const datatype>::share(type));
    }
}

void schedule::keep(const op &operation) {
    if (auto &kept = contents().operation; !kept && !operation.predefined()) {
        kept = ref<const op>::share(operation);
    }
}

typed_buffer nothing() {
    return {nullptr, 0, byte_type()};
}

typed_buffer whole(const block_view &blocks) noexcept {
    typed_buffer all = blocks[0];
    all.count *= blocks.size();
    return all;
}

} // namespace lisle::collective
