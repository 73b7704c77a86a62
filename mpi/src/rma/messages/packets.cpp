// SPDX-License-Identifier: Apache-2.0
#include "rma/messages/packets.hpp"

#include <cstring>

#include "base/copy_bytes.hpp"
#include "base/error.hpp"
#include "fabric/routes.hpp"
#include "protocol/engine.hpp"

namespace lisle::rma {

namespace {
const fabric::route &way_to(const window_members &members, int member) noexcept {
    return members.home().routes().to(members.number_of(member));
}
} // namespace

std::size_t packet_room(const window_members &members, int to) noexcept {
    return way_to(members, to).limits.largest_payload;
}

fabric::claim_result outgoing_packet::claim(const window_members &members, std::uint8_t kind,
                                            std::uint8_t flags, std::size_t bytes) noexcept {
    // Claimed as solicited: no receive has asked for it, but the target serves it on arrival and stores none.
    const auto result = carrier_->try_claim(members.number_of(members.rank()), dest_, bytes, true, slot_);
    if (result == fabric::claim_result::claimed) {
        *slot_.header = {members.comm().context(),         members.rank(), 0, kind, flags, 0,
                         static_cast<std::uint32_t>(bytes)};
    }
    return result;
}

outgoing_packet::outgoing_packet(const window_members &members, int to, std::uint8_t kind, std::uint8_t flags,
                                 std::size_t bytes)
    : outgoing_packet{*way_to(members, to).carrier, members.number_of(to)} {
    for (unsigned tries = 0;;) {
        switch (claim(members, kind, flags, bytes)) {
        case fabric::claim_result::claimed:
            return;
        case fabric::claim_result::failed:
            fail(MPIX_ERR_PROC_FAILED, "rank ", to, " of the window has failed");
        default:
            members.home().waits().found_no_room(tries);
        }
    }
}

std::optional<outgoing_packet> outgoing_packet::try_claim(const window_members &members, int to,
                                                          std::uint8_t kind, std::uint8_t flags,
                                                          std::size_t bytes, bool &failed) {
    outgoing_packet made{*way_to(members, to).carrier, members.number_of(to)};
    const auto result = made.claim(members, kind, flags, bytes);
    failed = result == fabric::claim_result::failed;
    return result == fabric::claim_result::claimed ? std::optional{made} : std::nullopt;
}

void outgoing_packet::write(std::size_t offset, const void *data, std::size_t bytes) noexcept {
    copy_bytes(slot_.payload + offset, data, bytes);
}

void outgoing_packet::publish() noexcept {
    carrier_->publish(dest_, slot_);
}

} // namespace lisle::rma
