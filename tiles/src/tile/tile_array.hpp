// SPDX-License-Identifier: Apache-2.0
// Runs one program on all tiles of a machine: a fiber for each, under the machine's clock. Between two
// operations a program takes no virtual time. Everything is deterministic: fibers that are due in one cycle
// run in the order of their tiles.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "execution/fiber_stacks.hpp"
#include "execution/fiber_switch.hpp"
#include "tile/machine.hpp"
#include "tile/standstill.hpp"

namespace lisle::tile {

class tile_array;
class core;

/// The interrupt handler, which runs when words arrive and interrupts are on. It runs with interrupts off,
/// between two operations or two words of the program's own, on its stack.
class interrupt_handler {
  public:
    virtual void words_arrived(core &here) = 0;

  protected:
    ~interrupt_handler() = default;
};

/// A core as its program sees it. All calls but the first few take virtual time, and are for the tile's own
/// fiber.
class core {
  public:
    core(tile_array &array, int tile) : array_{array}, tile_{tile} {}

    [[nodiscard]] int tile() const noexcept { return tile_; }
    [[nodiscard]] const mesh_shape &shape() const noexcept;
    [[nodiscard]] const parameters &costs() const noexcept;
    [[nodiscard]] cycle now() const noexcept;
    /// Words that can be read at once.
    [[nodiscard]] int waiting() const noexcept;

    /// Computes. An interrupt makes it longer by the time of its handler.
    void work(cycle cycles);
    /// The class of the packets that it sends from now on; at first packet_class::large.
    void carry_as(packet_class next);
    /// Writes words to the port, header first, each taking `each` cycles. @param whole interrupts wait until
    /// the last word, but while there is no room
    void send(std::span<word> words, cycle each, bool whole = false);
    /// Reads words from the port; waits for each. @param awaits the tile they come from if that is known
    void receive(std::span<word> words, cycle each, int awaits = -1);
    /// Reads words as long as one is there. @return how many
    std::size_t receive_waiting(std::span<word> words, cycle each);
    /// Waits until a word can be read or, if interrupts are on, until a handler has run.
    void rest(int awaits = -1);
    /// Waits until machine::wake(), or until a handler has run. @param or_words or until a word can be read
    void pause(bool or_words = false);

    /// @param handler null: interrupts are off.
    void set_handler(interrupt_handler *handler);
    /// True: the handler does not run until this is called with false, by any fiber. May be called by the
    /// handler.
    void hold_interrupts(bool held);
    /// Books time under `next`; returns the former phase.
    phase set_phase(phase next) noexcept;

  private:
    /// Runs handlers in between as they are due.
    void perform(operation &performed);

    tile_array &array_;
    int tile_;
    void set_interrupts();

    interrupt_handler *handler_ = nullptr;
    bool held_ = false;     ///< by hold_interrupts()
    bool handling_ = false; ///< the handler runs
};

/// Books the time of a block of a program under one phase.
class in_phase {
  public:
    in_phase(core &booked, phase under) noexcept : core_{booked}, before_{booked.set_phase(under)} {}
    ~in_phase() { core_.set_phase(before_); }
    in_phase(const in_phase &) = delete;
    in_phase &operator=(const in_phase &) = delete;

  private:
    core &core_;
    phase before_;
};

class tile_array {
  public:
    using program = std::function<void(core &)>;

    /// Throws mpi_error if there is no memory for the stacks.
    explicit tile_array(const parameters &built);
    ~tile_array();
    tile_array(const tile_array &) = delete;
    tile_array &operator=(const tile_array &) = delete;

    /// Runs `run` on each tile until all have returned. To be called once. What a program throws ends the run
    /// and is thrown again here.
    /// @return the reason if some programs did not return; those were stopped
    std::optional<standstill> run(const program &run);

    // ---- run() in steps, for a caller that has something to do in between ----

    /// Begins `run` on each tile. To be called once.
    void begin(program run);
    /// Lets time pass until some programs go on, and runs them until they wait; or to the end of cycle
    /// `until`. Throws what a program throws. False: no program goes on by then; with agenda::never, nothing
    /// can happen any more until a core is woken.
    bool advance(cycle until = agenda::never);
    /// Stops the programs that have not returned.
    void finish();

    [[nodiscard]] machine &model() noexcept { return machine_; }
    [[nodiscard]] const machine &model() const noexcept { return machine_; }

  private:
    friend class core;
    struct fiber;
    /// Thrown through a program that has to end.
    struct stop {};

    [[nodiscard]] wake_reason perform(int tile, operation &performed);
    static void enter(void *which) noexcept;
    void resume(int tile, wake_reason reason);
    [[nodiscard]] bool all_ended() const noexcept;
    void check_failure();

    machine machine_;
    fiber_stacks stacks_;
    std::vector<std::unique_ptr<fiber>> fibers_;
    flow *caller_ = nullptr; ///< the flow that runs the programs, while one of them runs
    program program_;
    std::exception_ptr failure_;
};

} // namespace lisle::tile
