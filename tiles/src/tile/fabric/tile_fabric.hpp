// SPDX-License-Identifier: Apache-2.0
// The fabric of a modelled machine: ranks are fibers of one worker thread, each has a tile, and time is that
// of the model. It passes when all ranks wait. Packets are all that this fabric offers, although its ranks
// share an address space: so every message costs what it would cost on the mesh.
//
// What a call takes: the cost of a call for each packet of the protocol, the packets of the mesh, and at the
// receiver a look-up and a copy (none if rMPI's V3 finds the receive posted, whose handler writes to its
// buffer). What a program computes takes what it declares (MPIX_Tile_compute), or what it takes on this
// machine, scaled.
//
// Time passes when no rank can go on without it: when all wait, or when a rank that looks again and again has
// done so for some turns of all that could run. What the host's time is has no part in it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "execution/clock.hpp"
#include "execution/file_times.hpp"
#include "execution/memory_times.hpp"
#include "fabric/fabric.hpp"
#include "fabric/standstill_note.hpp"
#include "library/fabric_module.hpp"
#include "tile/collective/staged_collectives.hpp"
#include "tile/fabric/carrier.hpp"
#include "tile/fabric/host_meter.hpp"
#include "tile/memory/memory.hpp"

namespace lisle::fabric {

/// A machine, where ranks run on it, and how.
struct tile_layout {
    tile::parameters machine;
    std::vector<int> tiles; ///< by rank; as flows, several ranks may have the same
    mesh_packets packets = mesh_packets::lisle;
    host_meter::kind computing; ///< what a rank's program costs between two calls
};
/// What the user has given, each "" for the default.
struct tile_words {
    std::string mesh;    ///< "WxH", behind "tile:"
    std::string map;     ///< "row", "compact" or a file with a tile for each rank
    std::string machine; ///< a file of parameters
    std::string packets; ///< "lisle", "v1", "v2", "v3" or "own"
    std::string compute; ///< "declared", "host" or "instructions", the latter two with ":PERCENT" or without
};
/// Throws mpi_error (MPI_ERR_ARG) with a sentence.
[[nodiscard]] tile_layout make_tile_layout(const tile_words &given, int ranks);

class tile_fabric final : public fabric,
                          public job_clock,
                          public file_times,
                          public memory_times,
                          public standstill_note,
                          public tile::mesh_places,
                          public collective::fabric_collectives {
  public:
    tile_fabric(const tile_layout &layout, const fabric_request &request);

    [[nodiscard]] const char *name() const noexcept override { return "tile"; }
    [[nodiscard]] bool reaches(int peer) const noexcept override { return peer >= 0 && peer < ranks(); }
    [[nodiscard]] route_limits limits(int) const noexcept override {
        return {.largest_payload = largest_payload_, .eager = eager_};
    }
    [[nodiscard]] job_clock *clock() noexcept override { return this; }

    [[nodiscard]] claim_result try_claim(int self, int dest, std::size_t payload_bytes, bool solicited,
                                         packet_slot &slot) noexcept override;
    void publish(int dest, packet_slot &slot) noexcept override;
    int poll(int self, sink &into, int most) override;
    void set_congested(int self, bool congested) noexcept override;
    [[nodiscard]] bool arm(int self) noexcept override;
    void leave(int self) noexcept override { sinks_[static_cast<std::size_t>(self)] = nullptr; }

    // mesh_places
    [[nodiscard]] tile::mesh_place place_of(int rank) const noexcept override;

    // fabric_collectives
    [[nodiscard]] std::unique_ptr<collective::member_collectives> among(const group &members,
                                                                        int own) const override;

    // job_clock
    [[nodiscard]] std::int64_t nanoseconds() noexcept override;
    [[nodiscard]] double resolution() const noexcept override;
    [[nodiscard]] bool simulated() const noexcept override { return true; }
    [[nodiscard]] bool all_blocked(std::int64_t until) noexcept override;
    void found_nothing(int rank) noexcept override;
    void compute(int rank, std::int64_t cycles) noexcept override;
    std::int64_t charge_program(int rank) noexcept override { return charge_host(rank); }
    void compute_reading(int rank) noexcept override;
    [[nodiscard]] bool computing(int rank) noexcept override;
    void program_pauses() noexcept override { meter_.stop(); }
    void program_goes_on() noexcept override { meter_.begin(); }
    [[nodiscard]] std::string standstill() const override;

    // file_times
    void accesses(int rank, std::size_t bytes) noexcept override;

    // memory_times
    void touched(int rank, std::uintptr_t from, std::size_t bytes, bool writes) override;

    /// As carrier::measure().
    void measure() { carrier_->measure(); }
    /// One screen: cycles, what they were spent on, the busiest link, packets.
    [[nodiscard]] std::string summary() const;
    [[nodiscard]] const carrier &carried() const noexcept { return *carrier_; }

  private:
    [[nodiscard]] int ranks() const noexcept { return carrier_->ranks(); }
    void notify(int rank) noexcept;
    /// A posted receive of the rank takes the message.
    [[nodiscard]] bool awaits(int rank, const packet_header &header) const;
    /// The first cycle that is not before this time.
    [[nodiscard]] tile::cycle cycle_at(std::int64_t nanoseconds) const noexcept;
    /// A rank has done something, or time has passed: looks in vain begin anew.
    void something_happened() noexcept { ++happened_; }
    /// Has the rank's core compute for as long as the program has since the end of the last call here.
    /// @return the cycles
    tile::cycle charge_host(int rank);

    /// A rank's looks in vain since something last happened, one for each turn that it had.
    struct vain_looks {
        std::int64_t since = -1; ///< the count of what has happened
        unsigned turn = 0;       ///< of the worker's switches
        int turns = 0;
    };

    tile::parameters machine_;
    host_meter meter_;
    fabric_request request_;
    std::size_t largest_payload_;
    std::size_t eager_;
    bool stopped_ = false; ///< nothing could happen when time was to pass last
    std::int64_t happened_ = 0;
    std::vector<vain_looks> looks_; ///< by rank
    std::vector<char> armed_;
    std::vector<char> congested_;
    std::vector<char> refused_; ///< for want of a buffer, since the rank last armed
    std::vector<sink *> sinks_; ///< by rank, from its first look on
    std::int64_t copies_ = 0;
    std::int64_t written_in_place_ = 0;
    tile::cycle files_until_ = 0; ///< the device of all files is in use
    std::int64_t accesses_ = 0, accessed_bytes_ = 0;
    tile::memory memory_;
    std::unique_ptr<tile::rank_collectives> own_collectives_; ///< of the machine's extension, or null
    std::unique_ptr<carrier> carrier_;
};

} // namespace lisle::fabric
