// SPDX-License-Identifier: Apache-2.0
// The receiver's side of one coupling: how what arrives becomes the field's values at a time.
#pragma once

#include <array>
#include <deque>
#include <optional>

#include <lisle/couple/exchange.hpp>
#include <lisle/couple/timing.hpp>

#include "couple/elements.hpp"
#include "couple/weight_rows.hpp"

namespace lisle::couple::detail {

class incoming {
  public:
    /// @param wanted points of the sender's grid that the caller receives: those of its field, or the sources
    /// of its rows
    /// @param places of the field @param rows none: the field's points are the sender's
    incoming(MPI_Comm all, int tag, const timetable &when, router routes, const decomposition &wanted,
             const field_place &field, std::int64_t places, std::optional<weight_rows> rows);

    /// Waits for what the field has at this step, and stores it.
    void get(std::int64_t step);

    // For restart files. What a coupling holds are values that have arrived and may be needed again, and
    // values that have come early.

    /// Receives all that has left: the sender has put its steps below the first number, the caller has got
    /// its own below the second. Waits for nothing that has not been sent.
    void collect(std::int64_t sender_steps, std::int64_t own_steps);
    /// The steps of all that it holds: first those that have arrived, as many always.
    [[nodiscard]] std::vector<std::int64_t> held_steps() const;
    /// Makes room for values of these steps, to be filled by for_held().
    /// @return false: it never holds what belongs to such a list
    [[nodiscard]] bool hold(const std::vector<std::int64_t> &steps);
    /// Calls visit(values) for all, by the places of points().
    template <class Visit> void for_held(const Visit &visit) {
        for (arrival &each : arrivals_) {
            visit(each.values);
        }
        for (early_values &each : early_) {
            visit(each.values);
        }
    }
    /// Of the sender's grid, those that the caller receives.
    [[nodiscard]] const decomposition &points() const noexcept { return wanted_; }
    [[nodiscard]] const timetable &when() const noexcept { return when_; }

  private:
    /// What has arrived, of one step of the sender, or made for one of the receiver.
    struct arrival {
        dense_field values;
        exchange receives;
        std::int64_t step = -1;
    };
    /// What arrived before it was needed, and the step that it belongs to.
    struct early_values {
        dense_field values;
        std::int64_t step;
    };

    [[nodiscard]] bool receives_in_place() const noexcept {
        return !rows_ && !when_.may_repeat() && when_.how() != over_time::linear;
    }
    [[nodiscard]] dense_field make_values() const { return {field_.type, wanted_.places(), field_.levels}; }
    [[nodiscard]] exchange make_exchange(dense_field &into) const;
    [[nodiscard]] arrival make_arrival() const;
    /// The next message, which may be here already.
    void receive(arrival &into);
    void receive_early(std::int64_t step);
    /// Receives the sender's values up to this step; the last two stay.
    void receive_values_until(std::int64_t sender_step);
    [[nodiscard]] const arrival &value_of(std::int64_t sender_step) const noexcept;
    void store_made(std::int64_t step);
    /// @param value_at of an element of what arrives, by its index
    template <class Value> void store_numbers(const Value &value_at);
    void store_as_it_is(const dense_field &from);
    /// Calls store(element of the field, index of what arrives) for all elements that are served.
    template <class Store> void for_served(const Store &store);

    MPI_Comm all_;
    int tag_;
    timetable when_;
    router routes_;
    decomposition wanted_, nothing_;
    std::vector<point_run> served_; ///< of the caller's points, those that somebody offers
    field_place field_;
    std::int64_t places_;
    std::optional<weight_rows> rows_;
    std::optional<exchange> in_place_;
    std::vector<arrival> arrivals_; ///< the older one first; a single one unless two are needed at once
    std::deque<early_values> early_;
};

} // namespace lisle::couple::detail
