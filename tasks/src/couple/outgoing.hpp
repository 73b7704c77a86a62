// SPDX-License-Identifier: Apache-2.0
// The sender's side of one coupling: what becomes of a field's values until they leave.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include <lisle/couple/exchange.hpp>
#include <lisle/couple/timing.hpp>

#include "couple/elements.hpp"

namespace lisle::couple::detail {

class outgoing {
  public:
    outgoing(MPI_Comm all, int tag, const timetable &when, router routes, const decomposition &offered,
             const field_place &field);

    /// The field has its values of this step. Sends what the receiver gets at its times up to then. Does not
    /// wait for the receiver, but for what left long ago.
    void put(std::int64_t step);
    /// The component goes on from this step, so its field may change: waits until the receiver has got what
    /// was sent from the field's memory, and what it was to get more than one of its own steps ago.
    void settle(std::int64_t step);
    /// Waits for all that has been sent.
    void finish();

    // For restart files.

    /// What the receiver gets at one step, as far as it is known.
    struct open_message {
        std::int64_t receiver_step;
        std::vector<double> values; ///< level after level, by the places of the offered points
    };
    [[nodiscard]] const std::optional<open_message> &open() const noexcept { return open_; }
    [[nodiscard]] std::optional<open_message> &open() noexcept { return open_; }
    /// A message that has no values yet, so that the next step, or the caller, adds to it.
    open_message &begin_message(std::int64_t receiver_step);
    /// The sender has put its steps below this one, and all that has left for that has arrived.
    void resume(std::int64_t sender_steps);

  private:
    /// A copy that is on its way, or free.
    struct parcel {
        dense_field values;
        exchange sends;
        ticks due = 0; ///< when the receiver gets it
    };
    void send_value(std::int64_t step);
    void add_to_messages(std::int64_t step);
    void add(open_message &to, std::int64_t step) const;
    void send_message(const open_message &whole);
    /// @param due when the receiver gets what it will have
    [[nodiscard]] parcel &free_parcel(ticks due);
    void free_first_parcel();
    [[nodiscard]] exchange exchange_from(const field_place &from) const;

    MPI_Comm all_;
    int tag_;
    timetable when_;
    router routes_;
    decomposition offered_, nothing_;
    field_place field_;
    exchange from_field_;
    bool field_is_sent_ = false;
    std::deque<parcel>
        parcels_; ///< those that are on their way in the order in which they left, then free ones
    std::size_t on_their_way_ = 0;
    std::optional<open_message> open_;
    std::int64_t next_message_ = 0; ///< the receiver's first step of which nothing has left
};

} // namespace lisle::couple::detail
