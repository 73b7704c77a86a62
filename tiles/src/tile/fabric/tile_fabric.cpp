// SPDX-License-Identifier: Apache-2.0
#include "tile/fabric/tile_fabric.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "tile/collective/extension_collectives.hpp"
#include "tile/fabric/flow_carrier.hpp"
#include "tile/fabric/tile_carrier.hpp"

namespace lisle::fabric {

namespace {

constexpr std::size_t payload_of_own_packets = 4096;
constexpr std::size_t payload_of_rmpi_packets = std::size_t{1} << 30; // a message is one packet

// After so many turns of all ranks that could run, a rank that polls in vain waits for time to pass.
constexpr int turns_in_vain = 3;

constexpr std::size_t payload_of_flows = std::size_t{1} << 30; // a message is one flow

std::size_t payload_of(mesh_packets packets) noexcept {
    const bool of_protocol = packets == mesh_packets::lisle || packets == mesh_packets::own;
    return of_protocol ? payload_of_own_packets : payload_of_rmpi_packets;
}

carrier::packet *packet_of(const packet_slot &slot) noexcept {
    return reinterpret_cast<carrier::packet *>(slot.token);
}

} // namespace

tile_fabric::tile_fabric(const tile_layout &layout, const fabric_request &request)
    : machine_{layout.machine}, meter_{layout.computing, layout.machine.clock_mhz}, request_{request},
      largest_payload_{machine_.flows() ? payload_of_flows : payload_of(layout.packets)},
      eager_{machine_.flows() ? static_cast<std::size_t>(machine_.eager_bytes) : SIZE_MAX},
      looks_(layout.tiles.size()), armed_(layout.tiles.size()), congested_(layout.tiles.size()),
      refused_(layout.tiles.size()), sinks_(layout.tiles.size()), memory_{machine_, layout.tiles} {
    if (!machine_.extension.empty()) {
        const tile::extension &own = tile::load_extension(machine_.extension);
        own_collectives_ = own.make_collectives != nullptr ? own.make_collectives() : nullptr;
    }
    const auto notify = [this](int rank) { this->notify(rank); };
    if (machine_.flows()) {
        carrier_ = std::make_unique<flow_carrier>(machine_, layout.tiles, sizeof(packet_header), notify);
        return;
    }
    carrier_ = std::make_unique<tile_carrier>(
        machine_, layout.tiles, sizeof(packet_header) + largest_payload_, notify,
        layout.packets == mesh_packets::own ? mesh_codec{tile::load_extension(machine_.extension)}
                                            : mesh_codec{layout.packets, request.compares_types},
        [this](int rank, const packet_header &header) { return awaits(rank, header); });
}

bool tile_fabric::awaits(int rank, const packet_header &header) const {
    sink *const into = sinks_[static_cast<std::size_t>(rank)];
    return into != nullptr && into->awaits(header);
}

void tile_fabric::notify(int rank) noexcept {
    char &armed = armed_[static_cast<std::size_t>(rank)];
    if (armed != 0) {
        armed = 0;
        request_.wake(rank);
    }
}

claim_result tile_fabric::try_claim(int self, int dest, std::size_t payload_bytes, bool solicited,
                                    packet_slot &slot) noexcept {
    // rMPI announces no message: it keeps all that arrive.
    const bool may_announce = !carrier_->codec().standard_mode_only();
    if (may_announce && !solicited && congested_[static_cast<std::size_t>(dest)] != 0) {
        return claim_result::congested;
    }
    carrier::packet *const claimed = carrier_->claim(self, sizeof(packet_header) + payload_bytes);
    if (claimed == nullptr) {
        refused_[static_cast<std::size_t>(self)] = 1;
        return claim_result::full;
    }
    charge_host(self); // after a refusal the next look for news charges
    claimed->peer = dest;
    slot.header = reinterpret_cast<packet_header *>(claimed->begin());
    slot.payload = claimed->begin() + sizeof(packet_header);
    slot.token = reinterpret_cast<std::uint64_t>(claimed);
    return claim_result::claimed;
}

void tile_fabric::publish(int, packet_slot &slot) noexcept {
    carrier::packet *const filled = packet_of(slot);
    if (const std::string sentence = carrier_->codec().refusal(*slot.header); !sentence.empty()) {
        request_.refuse(filled->owner, sentence);
    }
    something_happened();
    carrier_->work(filled->owner, carrier_->send_cycles(), tile::phase::library);
    carrier_->send(filled->owner, filled);
    program_goes_on();
}

int tile_fabric::poll(int self, sink &into, int most) {
    sinks_[static_cast<std::size_t>(self)] = &into;
    // The look comes before the charge: a busy core hands out no packet, and a program that computes between
    // its looks would never see one.
    carrier::packet *packet = carrier_->arrived(self);
    charge_host(self);
    if (packet == nullptr) {
        found_nothing(self);
        packet = carrier_->arrived(self);
    }
    int taken = 0;
    for (; packet != nullptr && taken < most; ++taken, packet = carrier_->arrived(self)) {
        something_happened();
        packet_header header;
        std::memcpy(&header, packet->begin(), sizeof header);
        const std::size_t bytes = packet->bytes - sizeof header;
        into.arrived(packet->peer, header, {packet->begin() + sizeof header, bytes});
        const tile::cycle taking = carrier_->receive_cycles(*packet);
        if (bytes != 0) {
            ++(packet->in_place ? written_in_place_ : copies_);
        }
        carrier_->release(self);
        carrier_->work(self, taking, tile::phase::library);
    }
    program_goes_on();
    return taken;
}

tile::cycle tile_fabric::charge_host(int rank) {
    const tile::cycle computed = meter_.take();
    if (computed != 0) {
        something_happened();
        stopped_ = false;
        carrier_->work(rank, computed);
    }
    return computed;
}

void tile_fabric::found_nothing(int rank) noexcept {
    rank_turns &turns = request_.turns;
    if (!turns.taken()) {
        (void)all_blocked(never);
        return;
    }
    vain_looks &own = looks_[static_cast<std::size_t>(rank)];
    if (own.since != happened_) {
        own = {.since = happened_};
    }
    if (own.turns == 0 || own.turn != turns.switches()) {
        own.turn = turns.switches();
        ++own.turns;
    }
    // Fibers take turns in order: all others that are ready have had as many, or have let time pass.
    if (own.turns > turns_in_vain || !turns.others_ready()) {
        (void)turns.let_time_pass();
    }
}

void tile_fabric::set_congested(int self, bool congested) noexcept {
    congested_[static_cast<std::size_t>(self)] = congested ? 1 : 0;
}

bool tile_fabric::arm(int self) noexcept {
    if (carrier_->arrived(self) != nullptr) {
        return false;
    }
    if (char &refused = refused_[static_cast<std::size_t>(self)]; refused != 0 && carrier_->may_claim(self)) {
        refused = 0;
        return false; // there is room again, and no rank waits for that
    }
    if (!request_.turns.taken() && all_blocked(never)) {
        return false; // the only rank, of a program that no worker runs: no other rank lets time pass
    }
    armed_[static_cast<std::size_t>(self)] = 1;
    return true;
}

tile::mesh_place tile_fabric::place_of(int rank) const noexcept {
    const int tile = carrier_->tiles()[static_cast<std::size_t>(rank)];
    const int width = static_cast<int>(machine_.width);
    return {tile % width, tile / width};
}

std::unique_ptr<collective::member_collectives> tile_fabric::among(const group &members, int own) const {
    tile::mesh_stages stages{{*this, members}, own};
    std::unique_ptr<collective::member_collectives> staged;
    if (stages.count() > 0) {
        staged = std::make_unique<tile::staged_collectives>(std::move(stages));
    }
    if (own_collectives_ == nullptr) {
        return staged;
    }
    std::vector<tile::placed_ranks::place> places;
    for (int rank = 0; rank < members.size(); ++rank) {
        const tile::mesh_place place = place_of(members.member(rank));
        places.push_back({place.column, place.row});
    }
    return std::make_unique<tile::extension_collectives>(*own_collectives_, std::move(places), own,
                                                         std::move(staged));
}

std::int64_t tile_fabric::nanoseconds() noexcept {
    return carrier_->now() * 1000 / machine_.clock_mhz;
}

double tile_fabric::resolution() const noexcept {
    return 1e-6 / static_cast<double>(machine_.clock_mhz);
}

tile::cycle tile_fabric::cycle_at(std::int64_t nanoseconds) const noexcept {
    constexpr std::int64_t thousand = 1000; // a microsecond has as many cycles as there are megahertz
    const std::int64_t mhz = machine_.clock_mhz;
    if (nanoseconds == never || nanoseconds / thousand >= tile::agenda::never / mhz - 1) {
        return tile::agenda::never; // no cycle that will come
    }
    return nanoseconds / thousand * mhz + (nanoseconds % thousand * mhz + thousand - 1) / thousand;
}

bool tile_fabric::all_blocked(std::int64_t until) noexcept {
    something_happened();
    stopped_ = !carrier_->advance(cycle_at(until));
    program_goes_on();
    return !stopped_;
}

void tile_fabric::compute(int rank, std::int64_t cycles) noexcept {
    something_happened();
    stopped_ = false;
    carrier_->work(rank, cycles);
}

void tile_fabric::compute_reading(int rank) noexcept {
    charge_host(rank);
    something_happened();
    stopped_ = false;
    carrier_->work(rank, machine_.clock_cycles, tile::phase::library);
}

void tile_fabric::accesses(int rank, std::size_t bytes) noexcept {
    something_happened();
    stopped_ = false;
    const auto moved = static_cast<std::int64_t>(bytes);
    const tile::cycle now = carrier_->now();
    files_until_ = std::max(files_until_, now) + (moved + machine_.file_bytes - 1) / machine_.file_bytes;
    ++accesses_;
    accessed_bytes_ += moved;
    carrier_->work(rank, machine_.file_cycles + files_until_ - now, tile::phase::library);
}

void tile_fabric::touched(int rank, std::uintptr_t from, std::size_t bytes, bool writes) {
    const tile::cycle waits = memory_.access(rank, from, bytes, writes, carrier_->now());
    if (waits != 0) {
        something_happened();
        stopped_ = false;
        carrier_->work(rank, waits, tile::phase::memory);
    }
}

// A core that stands still will not come to it; the rank then goes on to where its wait can be seen.
bool tile_fabric::computing(int rank) noexcept {
    return !carrier_->caught_up(rank) && !stopped_;
}

std::string tile_fabric::standstill() const {
    return carrier_->standstill();
}

std::string tile_fabric::summary() const {
    std::string text = carrier_->summary();
    if (accesses_ != 0) {
        text += "tiles: " + std::to_string(accesses_) + " accesses to files, " +
                std::to_string(accessed_bytes_) + " bytes\n";
    }
    text += memory_.summary(carrier_->now());
    if (carrier_->codec().writes_in_place()) {
        text += "tiles: " + std::to_string(copies_) +
                " messages with data were copied when they were received, " +
                std::to_string(written_in_place_) + " written in place\n";
    }
    return text;
}

} // namespace lisle::fabric
