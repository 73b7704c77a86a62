// SPDX-License-Identifier: Apache-2.0
// What travels over a network in front of each packet, and the check of all that arrives before anything of
// it is used. A frame carries a mark of its job, so that a stranger who finds the port is not taken for a
// peer; it follows from the job's secret, which is never sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "base/shared_secret.hpp"
#include "fabric/fabric.hpp"

namespace lisle::fabric::network {

/// Chosen at random for each job and told through the launcher; the same in all its processes.
using job_secret = shared_secret;

/// Tells frames of a job from those of others.
using frame_mark = std::uint64_t;
[[nodiscard]] inline frame_mark mark_of(const job_secret &secret) noexcept {
    return secret.derive_word("lisle frames");
}

struct frame {
    enum class kind : std::uint16_t {
        packet,    ///< for the protocol of rank `dest`
        congested, ///< rank `source` takes no data that it has not asked for
        relieved,  ///< it does again
        last,      ///< the process leaves, so nothing follows: wants to hear that this is known
        received,  ///< all frames before `number` have arrived, 0: the last one has; has no number itself
    };
    /// Changes with the layout and its meaning. Read in the other order of bytes it is another number, so
    /// machines that differ there refuse each other as well.
    static constexpr std::uint16_t current_version = 0x4c04;

    frame_mark mark;
    std::uint16_t version;
    kind what;
    std::uint32_t number; ///< of this one among those of its process, from 1 on; 0: they are in order anyway
    std::int32_t source;  ///< rank in the job
    std::int32_t dest;    ///< rank in the job
    packet_header header;
};
static_assert(sizeof(frame) == 48);

/// The number of the next frame.
[[nodiscard]] constexpr std::uint32_t number_after(std::uint32_t number) noexcept {
    return number + 1 != 0 ? number + 1 : 1;
}

/// What arrived, checked: the frame and what follows it.
struct arrived_frame {
    frame what;
    std::span<const std::byte> payload;
};

/// Why something that arrived is dropped.
enum class refusal : std::uint8_t {
    none,
    too_short,
    other_version,
    stranger,
    unknown_kind,
    no_such_rank,
    wrong_length,
    wrong_number, ///< found later, by what has come before
};

/// @param bytes as they arrived @param ranks of the job
/// @param first first rank of this process @param count how many it has
[[nodiscard]] inline refusal check_frame(std::span<const std::byte> bytes, frame_mark mark, int ranks,
                                         int first, int count, arrived_frame &found) noexcept {
    if (bytes.size() < sizeof(frame)) {
        return refusal::too_short;
    }
    std::memcpy(&found.what, bytes.data(), sizeof(frame));
    found.payload = bytes.subspan(sizeof(frame));
    const frame &what = found.what;
    if (what.version != frame::current_version) {
        return refusal::other_version;
    }
    if (what.mark != mark) {
        return refusal::stranger;
    }
    if (what.what > frame::kind::received) {
        return refusal::unknown_kind;
    }
    if (what.source < 0 || what.source >= ranks || what.dest < first || what.dest >= first + count) {
        return refusal::no_such_rank;
    }
    return what.header.payload_bytes == found.payload.size() ? refusal::none : refusal::wrong_length;
}

/// One sentence's end: "dropped 20 bytes from the network: <this>".
[[nodiscard]] constexpr const char *reason(refusal why) noexcept {
    switch (why) {
    case refusal::none:
        break;
    case refusal::too_short:
        return "shorter than a frame";
    case refusal::other_version:
        return "from another version of Lisle, or a machine with another order of bytes";
    case refusal::stranger:
        return "without the mark of this job";
    case refusal::unknown_kind:
        return "of no known kind";
    case refusal::no_such_rank:
        return "from or for a rank that is not here";
    case refusal::wrong_length:
        return "with another length than it claims";
    case refusal::wrong_number:
        return "with a number that no frame can have now";
    }
    return "sound";
}

} // namespace lisle::fabric::network
