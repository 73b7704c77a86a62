// SPDX-License-Identifier: Apache-2.0
#include "couple/outgoing.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace lisle::couple::detail {

outgoing::outgoing(MPI_Comm all, int tag, const timetable &when, router routes, const decomposition &offered,
                   const field_place &field)
    : all_{all}, tag_{tag}, when_{when}, routes_{std::move(routes)}, offered_{offered},
      nothing_{offered.grid_points()}, field_{field}, from_field_{exchange_from(field)} {}

exchange outgoing::exchange_from(const field_place &from) const {
    return {all_, routes_, offered_, nothing_, {from}, {}, tag_};
}

void outgoing::put(std::int64_t step) {
    if (when_.sends_values()) {
        send_value(step);
    } else {
        add_to_messages(step);
    }
}

void outgoing::send_value(std::int64_t step) {
    if (!when_.is_wanted(step)) {
        return;
    }
    // A receiver that asks for it at this very time receives it before either side goes on: no copy is
    // needed. Who gets it only later may wait for this component until then.
    if (when_.receiver().time(when_.first_user(step)) <= when_.sender().time(step)) {
        from_field_.start();
        field_is_sent_ = true;
        return;
    }
    parcel &copy = free_parcel(when_.receiver().time(when_.first_user(step)));
    copy.values.copy_from(field_);
    copy.sends.start();
}

void outgoing::add_to_messages(std::int64_t step) {
    for (; next_message_ != when_.receiver().count(); ++next_message_) {
        if (!when_.is_sent(next_message_)) {
            continue; // the receiver knows
        }
        const ingredients made_of = when_.of_step(next_message_);
        if (made_of.first > step) {
            return;
        }
        if (!open_) {
            begin_message(next_message_);
        }
        add(*open_, step);
        if (made_of.last > step) {
            return;
        }
        send_message(*open_);
        open_.reset();
    }
}

outgoing::open_message &outgoing::begin_message(std::int64_t receiver_step) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const double nothing_yet = when_.how() == over_time::minimum   ? infinity
                               : when_.how() == over_time::maximum ? -infinity
                                                                   : 0;
    const auto size = static_cast<std::size_t>(offered_.places() * field_.levels);
    return open_.emplace(open_message{receiver_step, std::vector<double>(size, nothing_yet)});
}

void outgoing::resume(std::int64_t sender_steps) {
    if (when_.sends_values()) {
        return;
    }
    while (next_message_ != when_.receiver().count() &&
           (!when_.is_sent(next_message_) || when_.of_step(next_message_).last < sender_steps)) {
        ++next_message_;
    }
}

void outgoing::add(open_message &to, std::int64_t step) const {
    const number_kind kind = kind_of(field_.type);
    const std::size_t bytes = size_of(field_.type);
    const std::int64_t places = offered_.places();
    const double weight = when_.weight(to.receiver_step, step);
    auto sum = to.values.begin();
    for (std::int64_t level = 0; level != field_.levels; ++level) {
        for (std::int64_t place = 0; place != places; ++place, ++sum) {
            const double value = number_at(element_at(field_, bytes, places, place, level), kind);
            switch (when_.how()) {
            case over_time::minimum:
                *sum = std::min(*sum, value);
                break;
            case over_time::maximum:
                *sum = std::max(*sum, value);
                break;
            default:
                *sum += weight * value;
            }
        }
    }
}

void outgoing::send_message(const open_message &whole) {
    parcel &copy = free_parcel(when_.receiver().time(whole.receiver_step));
    for (std::size_t at = 0; at != whole.values.size(); ++at) {
        copy.values.store(static_cast<std::int64_t>(at), whole.values[at]);
    }
    copy.sends.start();
}

void outgoing::free_first_parcel() {
    parcels_.push_back(std::move(parcels_.front()));
    parcels_.pop_front();
    --on_their_way_;
}

outgoing::parcel &outgoing::free_parcel(ticks due) {
    while (on_their_way_ != 0 && parcels_.front().sends.is_done()) {
        free_first_parcel();
    }
    if (on_their_way_ == parcels_.size()) {
        dense_field values{field_.type, offered_.places(), field_.levels};
        exchange sends = exchange_from(values.place());
        parcels_.push_back({std::move(values), std::move(sends)});
    }
    parcel &taken = parcels_[on_their_way_++];
    taken.due = due;
    return taken;
}

void outgoing::settle(std::int64_t step) {
    while (on_their_way_ != 0 &&
           parcels_.front().due + when_.receiver().period <= when_.sender().time(step)) {
        parcels_.front().sends.wait();
        free_first_parcel();
    }
    if (std::exchange(field_is_sent_, false)) {
        from_field_.wait();
    }
}

void outgoing::finish() {
    if (std::exchange(field_is_sent_, false)) {
        from_field_.wait();
    }
    for (; on_their_way_ != 0; --on_their_way_) {
        parcels_[on_their_way_ - 1].sends.wait();
    }
}

} // namespace lisle::couple::detail
