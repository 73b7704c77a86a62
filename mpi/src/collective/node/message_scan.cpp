// SPDX-License-Identifier: Apache-2.0
#include "collective/node/message_scan.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/copy_bytes.hpp"
#include "base/error.hpp"
#include "datatype/predefined.hpp"
#include "fabric/local/mailbox.hpp"
#include "protocol/once_there_is_memory.hpp"
#include "protocol/short_path.hpp"
#include "reduction/op.hpp"

namespace lisle::collective {

namespace {

/// Calls `move` with pieces of the memory that each fit a packet's own cell: two of those are faster than one
/// packet with its data beside it. No bytes are one piece.
template <class Move> void in_cells(void *memory, MPI_Count bytes, Move move) {
    constexpr auto most = static_cast<MPI_Count>(fabric::cell::inline_bytes);
    MPI_Count done = 0;
    do {
        const MPI_Count now = std::min(most, bytes - done);
        move(typed_buffer{static_cast<std::byte *>(memory) + done, now, *find_datatype(MPI_BYTE)});
        done += now;
    } while (done < bytes);
}

} // namespace

void scan_by_message(communicator &comm, operation what, const typed_buffer &give, const typed_buffer &take,
                     const op &reduction) {
    const MPI_Count bytes = take.bytes();
    const int tag = tag_of_counted(comm, false);
    const auto size = static_cast<std::size_t>(bytes);
    const auto for_certain = [&comm](auto action) {
        return protocol::once_there_is_memory(*comm.collective.home, action);
    };
    if (comm.rank() == 0) {
        if (what == operation::scan && give.address != take.address) {
            copy_bytes(take.address, give.address, size);
        }
        in_cells(give.address, bytes, [&](const typed_buffer &piece) {
            for_certain([&] { protocol::send_quickly(piece, comm.collective, 1, tag); });
        });
        return;
    }
    alignas(std::max_align_t) std::array<std::byte, most_in_message> first;
    in_cells(first.data(), bytes, [&](const typed_buffer &piece) {
        const auto got = for_certain([&] { return protocol::receive(piece, comm.collective, 0, tag); });
        if (got.error != MPI_SUCCESS || got.bytes != piece.bytes()) {
            fail(MPI_ERR_TRUNCATE, "rank 0 gives another number of bytes than the ", bytes,
                 " of this one: counts or types differ among the ranks");
        }
    });
    if (what == operation::exscan) {
        copy_bytes(take.address, first.data(), size);
    } else if (give.address == take.address) {
        reduction.apply(first.data(), take.address, take.count, *take.type);
    } else {
        reduction.combine(first.data(), give.address, take.address, take.count, *take.type);
    }
}

} // namespace lisle::collective
