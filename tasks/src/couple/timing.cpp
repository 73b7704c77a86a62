// SPDX-License-Identifier: Apache-2.0
#include <lisle/couple/timing.hpp>

#include <algorithm>

namespace lisle::couple {

timetable::timetable(const steps &sender, const steps &receiver, over_time how, ticks lag) noexcept
    : sender_{sender}, receiver_{receiver}, how_{how}, lag_{lag}, last_{sender.count() - 1} {}

std::int64_t timetable::clamped(std::int64_t sender_step) const noexcept {
    return std::clamp<std::int64_t>(sender_step, 0, last_);
}

ingredients timetable::of_step(std::int64_t receiver_step) const noexcept {
    if (last_ < 0) {
        return {};
    }
    if (!sends_values()) {
        return of_interval(receiver_step);
    }
    const std::int64_t before = sender_.step_at(wanted_time(receiver_step));
    const bool between = how_ == over_time::linear && before >= 0 && before < last_ &&
                         sender_.time(before) != wanted_time(receiver_step);
    return {clamped(before), between ? before + 1 : clamped(before)};
}

ingredients timetable::of_interval(std::int64_t receiver_step) const noexcept {
    const ticks end = wanted_time(receiver_step);
    const std::int64_t first = sender_.step_at(end - receiver_.period), last = sender_.step_at(end - 1);
    if (last >= 0 && first <= last_) {
        return {std::max<std::int64_t>(first, 0), std::min(last, last_)};
    }
    // The interval lies before the sender's first step or after its last one.
    const std::int64_t nearest = clamped(first);
    if (how_ != over_time::sum) {
        return {nearest, nearest};
    }
    return last < 0 ? ingredients{} : ingredients{last_ + 1, last_}; // none; the last ones never go back
}

ticks timetable::overlap(std::int64_t receiver_step, std::int64_t sender_step) const noexcept {
    const ticks end = wanted_time(receiver_step);
    const ticks from = std::max(end - receiver_.period, sender_.time(sender_step));
    const ticks to = std::min(end, sender_.time(sender_step) + sender_.period);
    return std::max<ticks>(to - from, 0);
}

double timetable::weight(std::int64_t receiver_step, std::int64_t sender_step) const noexcept {
    const ingredients all = of_step(receiver_step);
    switch (how_) {
    case over_time::linear: {
        if (all.first == all.last) {
            return 1;
        }
        const double after = static_cast<double>(wanted_time(receiver_step) - sender_.time(all.first)) /
                             static_cast<double>(sender_.period);
        return sender_step == all.first ? 1 - after : after;
    }
    case over_time::sum:
        return static_cast<double>(overlap(receiver_step, sender_step)) / static_cast<double>(sender_.period);
    case over_time::mean: {
        ticks whole = 0;
        for (std::int64_t each = all.first; each <= all.last; ++each) {
            whole += overlap(receiver_step, each);
        }
        return whole == 0
                   ? 1
                   : static_cast<double>(overlap(receiver_step, sender_step)) / static_cast<double>(whole);
    }
    case over_time::latest:
    case over_time::minimum:
    case over_time::maximum:
        break;
    }
    return 1;
}

bool timetable::repeats(std::int64_t receiver_step) const noexcept {
    if (receiver_step == 0 || how_ == over_time::sum) {
        return false;
    }
    const ingredients made_of = of_step(receiver_step);
    return made_of.first == made_of.last && made_of == of_step(receiver_step - 1);
}

// Longer steps than the sender's have other values each time, but before the sender's first step and after
// its last one.
bool timetable::may_repeat() const noexcept {
    const std::int64_t count = receiver_.count();
    return count > 1 && (receiver_.period < sender_.period || repeats(1) || repeats(count - 1));
}

bool timetable::is_wanted(std::int64_t sender_step) const noexcept {
    const std::int64_t count = receiver_.count(), user = first_user(sender_step);
    return user < count && of_step(user).first <= sender_step && sender_step <= of_step(user).last;
}

// The last ingredient never goes back from one step of the receiver to the next, so this is a search by
// halves.
std::int64_t timetable::first_user(std::int64_t sender_step) const noexcept {
    std::int64_t begin = 0, end = receiver_.count();
    while (begin != end) {
        const std::int64_t middle = begin + (end - begin) / 2;
        if (of_step(middle).last >= sender_step) {
            end = middle;
        } else {
            begin = middle + 1;
        }
    }
    return begin;
}

} // namespace lisle::couple
