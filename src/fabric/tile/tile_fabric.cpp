// SPDX-License-Identifier: Apache-2.0
#include "fabric/tile/tile_fabric.hpp"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <utility>

#include "execution/fiber_worker.hpp"

namespace lisle::fabric {

namespace {

constexpr std::size_t words_for(std::size_t bytes) noexcept {
    return (bytes + sizeof(tile::word) - 1) / sizeof(tile::word);
}

constexpr std::size_t payload_of_own_packets = 4096;
constexpr std::size_t payload_of_rmpi_packets = std::size_t{1} << 30; // a message is one packet

// What takes less is the library's own, between two looks for news.
constexpr std::int64_t least_host_nanoseconds = 2000;

std::int64_t processor_time() noexcept {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

std::size_t largest_payload_of(mesh_packets packets) noexcept {
    return packets == mesh_packets::lisle ? payload_of_own_packets : payload_of_rmpi_packets;
}

tile_carrier::packet *packet_of(const packet_slot &slot) noexcept {
    return reinterpret_cast<tile_carrier::packet *>(slot.token);
}

} // namespace

tile_fabric::tile_fabric(const tile_layout &layout, const doorbell_row &bells, refusal refuse)
    : machine_{layout.machine}, compute_percent_{layout.compute_percent}, refuse_{std::move(refuse)},
      largest_payload_{largest_payload_of(layout.packets)}, bells_{bells}, armed_(layout.tiles.size()),
      congested_(layout.tiles.size()),
      refused_(layout.tiles.size()), carrier_{layout.machine, layout.tiles,
                                              sizeof(packet_header) + largest_payload_,
                                              [this](int rank) { notify(rank); }, layout.packets} {}

void tile_fabric::notify(int rank) noexcept {
    char &armed = armed_[static_cast<std::size_t>(rank)];
    if (armed != 0) {
        armed = 0;
        bells_[rank].ring();
    }
}

claim_result tile_fabric::try_claim(int self, int dest, std::size_t payload_bytes, bool solicited,
                                    packet_slot &slot) noexcept {
    charge_host_time(self);
    // rMPI announces nothing: it keeps what comes.
    const bool may_announce = !carrier_.codec().standard_mode_only();
    if (may_announce && !solicited && congested_[static_cast<std::size_t>(dest)] != 0) {
        return claim_result::congested;
    }
    tile_carrier::packet *const claimed = carrier_.claim(self, sizeof(packet_header) + payload_bytes);
    if (claimed == nullptr) {
        refused_[static_cast<std::size_t>(self)] = 1;
        return claim_result::full;
    }
    claimed->peer = dest;
    slot.header = reinterpret_cast<packet_header *>(claimed->begin());
    slot.payload = claimed->begin() + sizeof(packet_header);
    slot.token = reinterpret_cast<std::uint64_t>(claimed);
    return claim_result::claimed;
}

void tile_fabric::publish(int, packet_slot &slot) noexcept {
    tile_carrier::packet *const filled = packet_of(slot);
    if (const std::string sentence = carrier_.codec().refusal(*slot.header); !sentence.empty()) {
        refuse_(filled->owner, sentence);
    }
    vain_polls_ = 0;
    carrier_.work(filled->owner, machine_.call_cycles, tile::phase::library);
    carrier_.send(filled->owner, filled);
    begin_host_time();
}

int tile_fabric::poll(int self, sink &into, int most) {
    charge_host_time(self);
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
        carrier_.work(self,
                      machine_.match_cycles +
                          machine_.copy_word_cycles * static_cast<tile::cycle>(words_for(bytes)),
                      tile::phase::library);
    }
    begin_host_time();
    return taken;
}

void tile_fabric::charge_host_time(int rank) {
    if (compute_percent_ == 0 || program_since_ < 0) {
        return;
    }
    const std::int64_t nanoseconds = processor_time() - program_since_;
    if (nanoseconds >= least_host_nanoseconds) {
        constexpr double per_percent = 1e-5; // and megahertz are cycles in a thousandth of a nanosecond
        carrier_.work(rank, static_cast<tile::cycle>(static_cast<double>(nanoseconds * machine_.clock_mhz) *
                                                     static_cast<double>(compute_percent_) * per_percent));
        program_since_ = processor_time();
    }
}

void tile_fabric::begin_host_time() noexcept {
    if (compute_percent_ != 0) {
        program_since_ = processor_time();
    }
}

void tile_fabric::pass_time() {
    fiber_worker *const worker = fiber_worker::current();
    const bool others_run = worker != nullptr && worker->others_ready();
    if (others_run && ++vain_polls_ < 2 * worker->fibers()) {
        return;
    }
    vain_polls_ = 0;
    stopped_ = !carrier_.advance();
}

void tile_fabric::set_congested(int self, bool congested) noexcept {
    congested_[static_cast<std::size_t>(self)] = congested ? 1 : 0;
}

bool tile_fabric::arm(int self) noexcept {
    if (carrier_.arrived(self) != nullptr) {
        return false;
    }
    if (char &refused = refused_[static_cast<std::size_t>(self)]; refused != 0 && carrier_.may_claim(self)) {
        refused = 0;
        return false; // there is room again, and nobody was to be told
    }
    if (fiber_worker::current() == nullptr && all_blocked()) {
        return false; // the only rank, of a program that no worker runs: nobody else lets time pass
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
    stopped_ = !carrier_.advance();
    begin_host_time();
    return !stopped_;
}

void tile_fabric::compute(int rank, std::int64_t cycles) noexcept {
    vain_polls_ = 0;
    stopped_ = false;
    carrier_.work(rank, cycles);
}

// A core that stands still will not come to it; the rank then goes on to where its wait can be seen.
bool tile_fabric::computing(int rank) noexcept {
    return !carrier_.caught_up(rank) && !stopped_;
}

std::string tile_fabric::standstill() const {
    tile::standstill found = explain_standstill(carrier_.model());
    std::erase_if(found.waits, [](const tile::wait_of_tile &wait) { return !wait.sending; });
    if (found.waits.empty()) {
        return {}; // the mesh is idle: it is the ranks that wait
    }
    constexpr std::size_t most_sentences = 16;
    return "The mesh stands still as well, with " + std::string(carrier_.codec().format().name) +
           " packets: " + describe(found, most_sentences);
}

} // namespace lisle::fabric
