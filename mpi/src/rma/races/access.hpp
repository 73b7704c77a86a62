// SPDX-License-Identifier: Apache-2.0
// What a rank keeps of an access to a window under LISLE_CHECK=1, as the ranks tell each other.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <limits>
#include <string>

#include "base/call_chain.hpp"
#include "datatype/basic_type.hpp"

namespace lisle::rma {

enum class access_kind : std::uint8_t {
    put,
    get,
    update,
    fetch, ///< an update that only brings what is there (MPI_NO_OP)
    load,  ///< by the target's own program
    store, ///< the same
    /// Bytes of the own part that have changed since a fence, where no store was seen: one, unless another
    /// rank has written them.
    change,
    left_out, ///< accesses to some bytes of the part that are not kept
    /// None: the target has said that nobody puts to its part (MPI_MODE_NOPUT).
    no_puts,
};

/// What lets a rank access a target. local: it is its own memory.
enum class epoch_kind : std::uint8_t { fence, shared_lock, exclusive_lock, exposure, local };

[[nodiscard]] constexpr bool is_locked(epoch_kind kind) noexcept {
    return kind == epoch_kind::shared_lock || kind == epoch_kind::exclusive_lock;
}

/// "MPI_REPLACE"; empty: none that matters.
using operation_name = std::array<char, 12>;

/// Where the program called.
struct access_site {
    std::string call; ///< "MPI_Put"; of a load or store: "a load"
    std::string file; ///< empty: not known
    call_chain offsets{};
    friend bool operator==(const access_site &, const access_site &) = default;
};

/// Nanoseconds of the node's clock.
using moment = std::int64_t;
inline constexpr moment never = std::numeric_limits<moment>::max();

/// One piece of a target's part that a rank has accessed. The moments have no meaning between fences.
struct access_record {
    std::int32_t origin;
    std::int32_t target;
    std::int64_t first, end; ///< bytes of the target's part
    std::int32_t site;       ///< number among the origin's
    std::int32_t node;       ///< of the origin: those of one node have one clock
    access_kind what;
    epoch_kind epoch;
    basic_type element = basic_type::none; ///< of an update: what is changed as one
    std::uint8_t element_bytes = 1;
    /// Of an update, if its origin has said that all of a place are of one operation (accumulate_ops).
    operation_name same_operation{};
    /// Of an epoch of fences or of MPI_Win_start: its origin has heard from others in it.
    bool heard_in_epoch = false;
    /// A wait for its request completes it, too.
    bool ends_with_request = false;
    /// Of a load or store: the rank has done nothing with others since it made the window.
    bool initial = false;
    /// Of a load or store: which locks of the own part the rank held.
    bool holds_shared = false, holds_exclusive = false;

    moment heard = 0; ///< before the call, the origin last may have heard of what others had done
    moment called = 0;
    moment completed = never; ///< by a flush or the end of the epoch
    moment told = never;      ///< after that, the origin first may have told others
    moment opened = 0;     ///< when the lock was had, or at the target's clock when it posted (0: it has not)
    moment closed = never; ///< just before the lock was given back
};

/// A rank has been given an exclusive lock.
struct exclusive_turn {
    std::int32_t target;
    moment at;
    friend auto operator<=>(const exclusive_turn &, const exclusive_turn &) = default;
};

} // namespace lisle::rma
