// SPDX-License-Identifier: Apache-2.0
// The fabric of a modelled mesh: ranks are fibers of one worker thread, each has a tile, and time is that of
// the model. It passes when all ranks wait. Packets are all that this fabric offers, although its ranks share
// an address space: so every message costs what it would cost on the mesh.
//
// What a call takes: the cost of a call for each packet of the protocol, the packets of the mesh, and at the
// receiver a look-up and a copy. What a program computes takes what it declares (MPIX_Tile_compute).
#pragma once

#include <string>
#include <vector>

#include "execution/clock.hpp"
#include "execution/doorbell_row.hpp"
#include "fabric/fabric.hpp"
#include "fabric/tile/tile_carrier.hpp"

namespace lisle::fabric {

/// A machine and where ranks run on it.
struct tile_layout {
    tile::parameters machine;
    std::vector<int> tiles; ///< by rank
};
/// From the words behind "tile:" that the user has given.
/// @param mesh "WxH" @param map "", "row", "compact" or a file with a tile for each rank
/// @param machine "" or a file of parameters. Throws mpi_error (MPI_ERR_ARG) with a sentence.
[[nodiscard]] tile_layout make_tile_layout(const std::string &mesh, const std::string &map,
                                           const std::string &machine, int ranks);

class tile_fabric final : public fabric, public job_clock {
  public:
    /// @param bells of all ranks
    tile_fabric(const tile_layout &layout, const doorbell_row &bells);

    [[nodiscard]] const char *name() const noexcept override { return "tile"; }
    [[nodiscard]] bool reaches(int peer) const noexcept override { return peer >= 0 && peer < ranks(); }
    [[nodiscard]] route_limits limits(int) const noexcept override {
        return {.largest_payload = largest_payload};
    }
    [[nodiscard]] job_clock *clock() noexcept override { return this; }

    [[nodiscard]] claim_result try_claim(int self, int dest, std::size_t payload_bytes, bool solicited,
                                         packet_slot &slot) noexcept override;
    void publish(int dest, packet_slot &slot) noexcept override;
    int poll(int self, sink &into, int most) override;
    void set_congested(int self, bool congested) noexcept override;
    [[nodiscard]] bool arm(int self) noexcept override;

    // job_clock
    [[nodiscard]] std::int64_t nanoseconds() noexcept override;
    [[nodiscard]] double resolution() const noexcept override;
    [[nodiscard]] bool simulated() const noexcept override { return true; }
    [[nodiscard]] bool all_blocked() noexcept override;
    void compute(int rank, std::int64_t cycles) noexcept override;
    [[nodiscard]] bool computing(int rank) noexcept override;

    /// One screen: cycles, what they were spent on, the busiest link, packets.
    [[nodiscard]] std::string summary() const;
    [[nodiscard]] const tile::machine &model() const noexcept { return carrier_.model(); }

  private:
    static constexpr std::size_t largest_payload = 4096;

    [[nodiscard]] int ranks() const noexcept { return static_cast<int>(carrier_.tiles().size()); }
    void notify(int rank) noexcept;
    /// Lets time pass if all ranks wait, or all look for news in vain.
    void pass_time();

    tile::parameters machine_;
    doorbell_row bells_;
    std::vector<char> armed_;
    std::vector<char> congested_;
    int vain_polls_ = 0; ///< since something last happened
    tile_carrier carrier_;
};

} // namespace lisle::fabric
