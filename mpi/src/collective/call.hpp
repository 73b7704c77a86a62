// SPDX-License-Identifier: Apache-2.0
// A collective call as everything below the selection knows it: the operation, the communicator, the form,
// and the data.
#pragma once

#include <cstdint>
#include <span>

#include "base/checks.hpp"
#include "base/collective_algorithms.hpp"
#include "collective/block_view.hpp"
#include "collective/team.hpp"
#include "communicator/communicator.hpp"
#include "datatype/typed_buffer.hpp"
#include "datatype/watched_memory.hpp"
#include "reduction/op.hpp"

namespace lisle::collective {

using operation = collective_operation;
using algorithm = collective_algorithm;

/// How a collective is called.
enum class form : unsigned char { blocking, nonblocking, persistent };

/// A collective call as its schedule sees it: on which communicator, and in which form. Persistent ones may
/// be started in different orders by different ranks, so they cannot take turns on an area.
struct collective_call {
    communicator &comm;
    form how = form::nonblocking;
    watched_list *watched = nullptr; ///< not null: what the call uses is to be noted there
};

inline const block_view no_blocks;

/// The data of a call, as every algorithm of its operation is given them. Only refers to buffers: a copy of
/// what has been written a moment ago would make the processor wait. What an operation does not have is null.
struct operands {
    const typed_buffer *send = nullptr;    ///< what the rank contributes
    const typed_buffer *receive = nullptr; ///< what it gets; of a broadcast: the buffer
    /// A block for each rank; no blocks: the rank gives none, or (alltoall) MPI_IN_PLACE.
    const block_view *give = &no_blocks;
    const block_view *take = &no_blocks; ///< a block from each rank
    const op *reduction = nullptr;
    int root = 0;
    std::span<const MPI_Count> counts{}; ///< elements of each rank's piece (reduce_scatter)
};

/// A copy of a buffer that has been described in memory a moment ago, read word by word: a wider load would
/// wait until the stores of the words have reached the cache.
[[nodiscard, gnu::always_inline]] inline typed_buffer just_described(const typed_buffer &buffer) noexcept {
    auto address = buffer.address;
    auto count = buffer.count;
    auto type = buffer.type;
    asm("" : "+r"(address), "+r"(count), "+r"(type)); // else the compiler joins the loads
    return {address, count, *type};
}

/// What the choice of an algorithm depends on besides the communicator.
struct sizes {
    /// Bytes of the vector (bcast, reductions) or of one block. Where ranks do not know each other's sizes:
    /// what one of two ranks has for the other, 0 for more ranks.
    MPI_Count bytes = 0;
    MPI_Count posted = 0;               ///< the most that a rank would post in the collective area
    const op *reduction = nullptr;      ///< null: the call moves data only
    const datatype *elements = nullptr; ///< of the reduction
    bool of_array = true;               ///< blocks are equal and lie one after the other

    /// Kernels can read the operands wherever they lie.
    [[nodiscard]] bool plain() const noexcept {
        return reduction == nullptr || (reduction->predefined() && elements->contiguous());
    }
};
/// What moves data.
[[nodiscard]] inline sizes of_blocks(MPI_Count bytes, MPI_Count posted) noexcept {
    return {.bytes = bytes, .posted = posted};
}
[[nodiscard]] inline sizes of_vector(const op &reduction, const typed_buffer &vector) noexcept {
    const MPI_Count bytes = vector.bytes();
    return {.bytes = bytes, .posted = bytes, .reduction = &reduction, .elements = vector.type};
}

/// True if calls are compared: the same for all ranks.
[[nodiscard]] inline bool comparing() noexcept {
    return checks(check_level::cheap);
}
/// True if all collectives and comparisons go by messages, which say what each rank has heard of
/// (protocol::wildcard_races).
[[nodiscard]] inline bool by_messages_alone() noexcept {
    return checks(check_level::all);
}

/// True if all calls of one operation go by messages: only pairs of ranks know how much the one has for the
/// other, and of which type, which messages compare.
[[nodiscard]] inline bool by_messages(operation what) noexcept {
    using enum collective_operation;
    return by_messages_alone() ||
           (comparing() && (what == gatherv || what == scatterv || what == allgatherv || what == alltoallv));
}

/// The tag of the collective that has been counted last. All members begin (or prepare) their collectives in
/// the same order, so they agree.
[[nodiscard]] int tag_of_counted(const communicator &comm, bool persistent) noexcept;
/// Counts a collective, and returns its tag.
[[nodiscard]] int next_tag(communicator &comm, bool persistent);

/// Throws if the communicator has been revoked: for collectives of one rank, which send no message that would
/// fail.
void refuse_revoked(const communicator &comm);

} // namespace lisle::collective
