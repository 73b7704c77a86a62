// SPDX-License-Identifier: Apache-2.0
#include "fabric/tile/tile_fabric.hpp"

#include <cstring>

#include "execution/fiber_worker.hpp"

namespace lisle::fabric {

namespace {

constexpr std::size_t words_for(std::size_t bytes) noexcept {
    return (bytes + sizeof(tile::word) - 1) / sizeof(tile::word);
}

tile_carrier::packet *packet_of(const packet_slot &slot) noexcept {
    return reinterpret_cast<tile_carrier::packet *>(slot.token);
}

} // namespace

tile_fabric::tile_fabric(const tile_layout &layout, const doorbell_row &bells)
    : machine_{layout.machine}, bells_{bells}, armed_(layout.tiles.size()),
      congested_(layout.tiles.size()), carrier_{layout.machine, layout.tiles,
                                                sizeof(packet_header) + largest_payload,
                                                [this](int rank) { notify(rank); }} {}

void tile_fabric::notify(int rank) noexcept {
    char &armed = armed_[static_cast<std::size_t>(rank)];
    if (armed != 0) {
        armed = 0;
        bells_[rank].ring();
    }
}

claim_result tile_fabric::try_claim(int self, int dest, std::size_t payload_bytes, bool solicited,
                                    packet_slot &slot) noexcept {
    if (!solicited && congested_[static_cast<std::size_t>(dest)] != 0) {
        return claim_result::congested;
    }
    tile_carrier::packet *const claimed = carrier_.claim(self);
    if (claimed == nullptr) {
        return claim_result::full;
    }
    claimed->peer = dest;
    claimed->bytes = sizeof(packet_header) + payload_bytes;
    slot.header = reinterpret_cast<packet_header *>(claimed->begin());
    slot.payload = claimed->begin() + sizeof(packet_header);
    slot.token = reinterpret_cast<std::uint64_t>(claimed);
    return claim_result::claimed;
}

void tile_fabric::publish(int, packet_slot &slot) noexcept {
    tile_carrier::packet *const filled = packet_of(slot);
    vain_polls_ = 0;
    carrier_.work(filled->owner, machine_.call_cycles);
    carrier_.send(filled->owner, filled);
}

int tile_fabric::poll(int self, sink &into, int most) {
    if (carrier_.arrived(self) == nullptr) {
        pass_time();
    }
    int taken = 0;
    for (; taken < most; ++taken) {
        tile_carrier::packet *const packet = carrier_.arrived(self);
        if (packet == nullptr) {
            break;
        }
        vain_polls_ = 0;
        packet_header header;
        std::memcpy(&header, packet->begin(), sizeof header);
        const std::size_t bytes = packet->bytes - sizeof header;
        into.arrived(packet->peer, header, {packet->begin() + sizeof header, bytes});
        carrier_.release(self);
        carrier_.work(self, machine_.match_cycles +
                                machine_.copy_word_cycles * static_cast<tile::cycle>(words_for(bytes)));
    }
    return taken;
}

void tile_fabric::pass_time() {
    fiber_worker *const worker = fiber_worker::current();
    const bool others_run = worker != nullptr && worker->others_ready();
    if (others_run && ++vain_polls_ < 2 * worker->fibers()) {
        return;
    }
    vain_polls_ = 0;
    static_cast<void>(carrier_.advance());
}

void tile_fabric::set_congested(int self, bool congested) noexcept {
    congested_[static_cast<std::size_t>(self)] = congested ? 1 : 0;
}

bool tile_fabric::arm(int self) noexcept {
    if (carrier_.arrived(self) != nullptr) {
        return false;
    }
    armed_[static_cast<std::size_t>(self)] = 1;
    return true;
}

std::int64_t tile_fabric::nanoseconds() noexcept {
    return carrier_.now() * 1000 / machine_.clock_mhz;
}

double tile_fabric::resolution() const noexcept {
    return 1e-6 / static_cast<double>(machine_.clock_mhz);
}

bool tile_fabric::all_blocked() noexcept {
    return carrier_.advance();
}

void tile_fabric::compute(int rank, std::int64_t cycles) noexcept {
    vain_polls_ = 0;
    carrier_.work(rank, cycles);
}

bool tile_fabric::computing(int rank) noexcept {
    return !carrier_.caught_up(rank);
}

} // namespace lisle::fabric
