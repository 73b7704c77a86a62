// SPDX-License-Identifier: Apache-2.0
// Coupled components of any number of ranks each. A component declares the fields that it offers and those
// that it wants, each rank its own points of them; what all have declared is compared before the first step.
// Then each goes its own way in time: puts what it has, gets what it wants, and takes a step. See
// docs/coupling.md.
//
//     couple::job job{MPI_COMM_WORLD, {"ocean"}};              // this rank is one of the ocean's
//     couple::component &ocean = job["ocean"];
//     ocean.runs({.period = 4, .end = 200});
//     ocean.offers({.name = "temperature", .place = couple::field_place::of(water.data()), .points = mine});
//     ocean.wants({.name = "heat", .place = couple::field_place::of(flux.data()), .points = mine,
//                  .from = "atmosphere", .how = couple::over_time::mean});
//     job.begin();
//     while (!ocean.is_at_end()) {
//         ocean.put();
//         ocean.get();
//         ocean.advance();
//         step(water, flux);                                   // to the new time
//     }
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <mpi.h>

#include "lisle/couple/decomposition.hpp"
#include "lisle/couple/exchange.hpp"
#include "lisle/couple/regridding.hpp"
#include "lisle/couple/timing.hpp"

namespace lisle::couple {

/// A field that a component has. Its memory stays where it is until the job ends.
struct offer {
    std::string name;
    field_place place;    ///< the caller's part
    decomposition points; ///< of the caller, in its component's grid
    std::string unit{};
};

/// A field that a component gets from another one.
struct want {
    std::string name;
    field_place place; ///< the caller's part, as in an offer
    /// The caller's points in the sender's grid; with weights, those of the sender that they name need not be
    /// said.
    decomposition points;
    std::string from{};  ///< the other component, unless a configuration file says it
    std::string field{}; ///< its name there; empty: the same
    over_time how = over_time::latest;
    ticks lag = 0; ///< what belongs to a time so much earlier
    /// The coupling period, a multiple of the component's steps: from its first time on, it gets the field at
    /// times so far apart, and between them the field stays as it is. 0: at each of its times.
    ticks every = 0;
    /// Where the grids differ: the caller's rows, for the places of `points`, which then counts places alone.
    std::vector<weight> weights{};
    bool regrids = false; ///< by the weights, of which a rank may have none
    std::string unit{};
    /// Both sides may do a step again, and again, until they agree: see component::repeat(). One of them may
    /// get what the other has before it puts its answer.
    bool is_iterated = false;
};

/// One component, as one of its ranks sees it. One thread uses it.
class component {
  public:
    class state;
    explicit component(std::unique_ptr<state> made);
    component(component &&) noexcept;
    component &operator=(component &&) = delete;
    ~component();

    [[nodiscard]] const std::string &name() const noexcept;
    /// The ranks of this component, for its own messages.
    [[nodiscard]] MPI_Comm ranks() const noexcept;

    // Before job::begin(). All ranks of the component declare alike, but for places, points and weights.

    void runs(const steps &when);
    void offers(offer what);
    void wants(want what);
    /// What else belongs to the component's state, for restart files.
    void keeps(offer what);

    // After it. At each of its times a component puts, gets, and goes on to the next.

    [[nodiscard]] ticks time() const noexcept;
    [[nodiscard]] bool is_at_end() const noexcept;
    /// Gives away a field as it is now: once at each time, and before anything is got at that time. The
    /// memory must not change until settle(), repeat() or advance().
    void put(const std::string &name);
    /// All fields that have not been put at this time.
    void put();
    /// Waits for a field's values at this time. Points that nobody offers keep theirs.
    void get(const std::string &name);
    /// All fields that have not been got at this time.
    void get();
    /// Waits until receivers have taken what was put, so that its memory may change. All components of the
    /// caller must have got what they want at this time.
    void settle();
    /// To the next time. Gets what has not been got, since others may wait for that.
    /// Throws std::logic_error if something has not been put.
    void advance();
    /// This time once more: what is iterated can be put and got again. Both components of such a field do
    /// that, equally often. Gets what has not been got. Throws like advance().
    void repeat();

  private:
    friend class job;
    std::unique_ptr<state> state_;
};

class job {
  public:
    /// Collective over all ranks of all components.
    /// @param own the names of the components that the caller is a rank of
    job(MPI_Comm all, const std::vector<std::string> &own);
    job(const job &) = delete;
    job &operator=(const job &) = delete;
    /// Waits until what was put has left, unless an exception is on its way. If that fails, it says so and
    /// aborts the program: others would wait for it.
    ~job();

    /// One of the caller's own. Throws std::invalid_argument for another name.
    [[nodiscard]] component &operator[](const std::string &name);
    /// Collective, before begin(), when all is declared. The file says for wants whose they are and how, a
    /// line for each: `sea.heat <- air.flux sum lag 4`. What it says takes the place of what the program
    /// says. Throws std::invalid_argument, at all ranks the same, with the line and the column of a mistake.
    void configure(const std::string &path);
    /// Before begin(), at all ranks: how long each component waits for the others is measured, for draw().
    void watch();
    /// Collective, once. Throws std::invalid_argument, at all ranks the same, if what they have declared does
    /// not fit.
    void begin();
    /// Collective, after begin(): a picture (SVG) of the components, their fields, and the part of their time
    /// that they have waited.
    /// Throws std::invalid_argument, at all ranks the same, if it cannot be written or the job is not
    /// watched.
    void draw(const std::string &path);
    /// Collective, after put() and before advance() of all components, at a time that all have reached, or at
    /// their ends. Writes a file for each component, PATH.NAME, in place of one that is there once all are
    /// whole. They have the fields that components offer, want and keep, and what is on its way, so that a
    /// job that loads them goes on to the last bit as this one would, whatever ranks it has. Throws
    /// std::invalid_argument, at all ranks the same, if a file cannot be written.
    void save(const std::string &path);
    /// Collective, once, after begin() and before anything is put. All stand as they stood when they were
    /// saved: what was put and got at that time counts as put and got.
    /// Throws std::invalid_argument, at all ranks the same, if there is no such file, or it is one of other
    /// steps or fields. The components can do nothing then.
    void load(const std::string &path);

  private:
    class state;
    std::unique_ptr<state> state_;
};

} // namespace lisle::couple
