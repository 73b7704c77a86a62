// SPDX-License-Identifier: Apache-2.0
// Cores and network under one virtual clock. The machine runs no software: it carries out operations that
// software starts, and says which cores need software next. Whether that software is a fiber, a coroutine or
// a test that calls in turn is of no concern here. Time passes in advance() only, and it passes over cycles
// in which nothing happens.
//
// Order within a cycle: first all cores act that have something to do now (and the software that this wakes
// runs and may start more), then the network moves words by one hop. So a word that is written in cycle t can
// be read h hops away in cycle t + h.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "tile/agenda.hpp"
#include "tile/network/network.hpp"
#include "tile/network/report.hpp"
#include "tile/operation.hpp"

namespace lisle::tile {

/// The counts of a core.
struct core_counts {
    std::array<cycle, phases> cycles{};
    std::int64_t interrupts = 0;
    std::int64_t watchdog_words = 0; ///< drained to memory by the watchdog
};

/// Not thread-safe: one thread runs a whole model.
class machine {
  public:
    struct resumption {
        int tile;
        wake_reason reason;
    };

    /// Throws std::invalid_argument if the parameters do not fit each other.
    explicit machine(const parameters &built);

    [[nodiscard]] const parameters &built() const noexcept { return built_; }
    [[nodiscard]] const mesh_shape &shape() const noexcept { return network_->shape(); }
    [[nodiscard]] const class network &network() const noexcept { return *network_; }
    /// Has packets' latencies and the depths of queues recorded. To be called before anything has run.
    void measure() {
        network_->measure_latencies();
        queues_ = std::make_unique<queue_log>();
    }
    /// What the network did so far. @pre measure() has been called
    [[nodiscard]] network_report report() const { return report_of(*network_, now_, *queues_); }
    [[nodiscard]] cycle now() const noexcept { return now_; }
    [[nodiscard]] const core_counts &counts(int tile) const noexcept { return at(tile).counts; }

    // ---- for the software of a core that runs now ----

    /// Begins an operation, or goes on with an interrupted one. @pre the core has none
    void start(int tile, operation &started);
    /// Words that can be read at once.
    [[nodiscard]] int waiting(int tile) const noexcept {
        return network_->waiting(tile) + static_cast<int>(at(tile).drained.size());
    }
    /// The class of the packets that the core writes from now on.
    void carry_as(int tile, packet_class next) { network_->carry_as(tile, next); }
    /// Off at first. An interrupt is due whenever a word waits and they are on.
    void set_interrupts(int tile, bool on);
    [[nodiscard]] bool interrupts(int tile) const noexcept { return at(tile).interrupts_on; }
    /// Books the core's time from now on under `next`. @return what it was booked under
    phase set_phase(int tile, phase next) noexcept;

    // ---- for the caller that runs the software ----

    /// Ends a pause of this core, or the next one if there is none now.
    void wake(int tile);

    /// Lets time pass until software has to run, or to the end of cycle `until`. False: no software has to
    /// run by then; with agenda::never, nothing can happen any more.
    [[nodiscard]] bool advance(cycle until = agenda::never);
    /// The cores whose software has to run now, in ascending order.
    [[nodiscard]] std::span<const resumption> resumed() const noexcept { return resumed_; }
    /// The operation that a core waits in, or null.
    [[nodiscard]] const operation *running(int tile) const noexcept { return at(tile).current; }
    /// Operations that have been started, and cycles of the mesh that have been computed one by one.
    [[nodiscard]] std::int64_t stepped() const noexcept { return stepped_; }

  private:
    struct core {
        operation *current = nullptr;
        cycle ends = 0;         ///< of work
        bool finishing = false; ///< the last word has been moved: done at the next appointment
        bool stalled = false;
        bool draining = false; ///< the watchdog has fired in this operation
        bool interrupts_on = false;
        bool woken = false; ///< by wake(), and not from a pause yet
        phase now_in = phase::compute;
        phase before_stall = phase::compute;
        cycle since = 0;
        std::deque<word> drained; ///< by the watchdog: read before the port's own words
        core_counts counts;
    };

    [[nodiscard]] core &at(int tile) noexcept { return cores_[static_cast<std::size_t>(tile)]; }
    [[nodiscard]] const core &at(int tile) const noexcept { return cores_[static_cast<std::size_t>(tile)]; }
    void appoint(int tile, cycle when) { agenda_.set(tile, when, now_); }
    void act(int tile);
    void work(int tile);
    void send(int tile);
    void receive(int tile);
    void hand_back(int tile, wake_reason reason);
    void stall(int tile, phase as);
    void end_stall(int tile);
    void words_arrived(int tile);
    void word_left(int tile);
    void drain(int tile);
    [[nodiscard]] bool interrupt_due(int tile) const noexcept {
        return at(tile).interrupts_on && waiting(tile) != 0;
    }

    parameters built_;
    std::unique_ptr<class network> network_;
    std::unique_ptr<queue_log> queues_; ///< null: they are not measured
    agenda agenda_;
    std::vector<core> cores_;
    std::vector<int> acting_;
    std::vector<resumption> resumed_;
    cycle now_ = 0;
    std::int64_t stepped_ = 0;
};

} // namespace lisle::tile
