// SPDX-License-Identifier: Apache-2.0
#include "couple/incoming.hpp"

#include <cstring>
#include <utility>

namespace lisle::couple::detail {

namespace {

std::vector<point_run> runs_of(const std::vector<route> &routes) {
    std::vector<point_run> all;
    for (const route &each : routes) {
        all.insert(all.end(), each.runs.begin(), each.runs.end());
    }
    return all;
}

} // namespace

incoming::incoming(MPI_Comm all, int tag, const timetable &when, router routes, const decomposition &wanted,
                   const field_place &field, std::int64_t places, std::optional<weight_rows> rows)
    : all_{all}, tag_{tag}, when_{when}, routes_{std::move(routes)}, wanted_{wanted},
      nothing_{wanted.grid_points()}, served_{runs_of(routes_.receives())}, field_{field}, places_{places},
      rows_{std::move(rows)} {
    if (receives_in_place()) {
        in_place_.emplace(all, routes_, nothing_, wanted, std::vector<field_place>{}, std::vector{field},
                          tag);
        return;
    }
    arrivals_.push_back(make_arrival());
    if (when.how() == over_time::linear) {
        arrivals_.push_back(make_arrival());
    }
}

exchange incoming::make_exchange(dense_field &into) const {
    return {all_, routes_, nothing_, wanted_, {}, {into.place()}, tag_};
}

incoming::arrival incoming::make_arrival() const {
    dense_field values = make_values();
    exchange receives = make_exchange(values);
    return {std::move(values), std::move(receives)};
}

void incoming::receive(arrival &into) {
    if (early_.empty()) {
        into.receives();
        return;
    }
    into.values.copy_from(early_.front().values.place());
    early_.pop_front();
}

void incoming::get(std::int64_t step) {
    const ingredients made_of = when_.of_step(step);
    if (when_.how() == over_time::linear) {
        receive_values_until(made_of.last);
        store_made(step);
        return;
    }
    if (made_of.none()) {
        if (when_.how() == over_time::sum) {
            store_numbers([](std::int64_t) { return 0.0; });
        }
        return;
    }
    if (in_place_) {
        if (early_.empty()) {
            (*in_place_)();
        } else {
            store_as_it_is(early_.front().values);
            early_.pop_front();
        }
        return;
    }
    if (!when_.repeats(step)) {
        receive(arrivals_.front());
    }
    store_made(step);
}

void incoming::receive_values_until(std::int64_t sender_step) {
    for (std::int64_t next = arrivals_.back().step + 1; next <= sender_step; ++next) {
        if (when_.is_wanted(next)) {
            std::swap(arrivals_.front(), arrivals_.back());
            receive(arrivals_.back());
            arrivals_.back().step = next;
        }
    }
}

const incoming::arrival &incoming::value_of(std::int64_t sender_step) const noexcept {
    return arrivals_.back().step == sender_step ? arrivals_.back() : arrivals_.front();
}

void incoming::receive_early(std::int64_t step) {
    early_values next{make_values(), step};
    make_exchange(next.values)();
    early_.push_back(std::move(next));
}

void incoming::collect(std::int64_t sender_steps, std::int64_t own_steps) {
    if (when_.sends_values()) {
        std::int64_t next = own_steps == 0 ? 0 : when_.of_step(own_steps - 1).last + 1;
        next = early_.empty() ? next : early_.back().step + 1;
        for (; next < sender_steps; ++next) {
            if (when_.is_wanted(next)) {
                receive_early(next);
            }
        }
        return;
    }
    std::int64_t next = early_.empty() ? own_steps : early_.back().step + 1;
    for (; next < when_.receiver().count(); ++next) {
        if (when_.is_sent(next)) {
            if (when_.of_step(next).last >= sender_steps) {
                return;
            }
            receive_early(next);
        }
    }
}

std::vector<std::int64_t> incoming::held_steps() const {
    std::vector<std::int64_t> all;
    for (const arrival &each : arrivals_) {
        all.push_back(each.step);
    }
    for (const early_values &each : early_) {
        all.push_back(each.step);
    }
    return all;
}

bool incoming::hold(const std::vector<std::int64_t> &steps) {
    if (steps.size() < arrivals_.size()) {
        return false;
    }
    auto next = steps.begin();
    for (arrival &each : arrivals_) {
        each.step = *next++;
    }
    early_.clear();
    for (; next != steps.end(); ++next) {
        early_.push_back({make_values(), *next});
    }
    return true;
}

void incoming::store_made(std::int64_t step) {
    const ingredients made_of = when_.of_step(step);
    if (when_.how() == over_time::linear && made_of.none()) {
        return;
    }
    if (when_.how() == over_time::linear && made_of.first != made_of.last) {
        const dense_field &before = value_of(made_of.first).values, &after = value_of(made_of.last).values;
        const double of_before = when_.weight(step, made_of.first),
                     of_after = when_.weight(step, made_of.last);
        store_numbers(
            [&](std::int64_t index) { return of_before * before[index] + of_after * after[index]; });
        return;
    }
    const dense_field &value =
        when_.how() == over_time::linear ? value_of(made_of.last).values : arrivals_.front().values;
    if (rows_) {
        store_numbers([&](std::int64_t index) { return value[index]; });
    } else {
        store_as_it_is(value);
    }
}

template <class Store> void incoming::for_served(const Store &store) {
    const std::size_t bytes = size_of(field_.type);
    for (std::int64_t level = 0; level != field_.levels; ++level) {
        for (const point_run &each : served_) {
            for (std::int64_t at = 0; at != each.count; ++at) {
                const std::int64_t place = each.local + at;
                store(element_at(field_, bytes, places_, place, level), level * wanted_.places() + place);
            }
        }
    }
}

template <class Value> void incoming::store_numbers(const Value &value_at) {
    const number_kind kind = kind_of(field_.type);
    if (!rows_) {
        for_served(
            [&](std::byte *element, std::int64_t index) { store_number(element, kind, value_at(index)); });
        return;
    }
    const std::size_t bytes = size_of(field_.type);
    for (std::int64_t level = 0; level != field_.levels; ++level) {
        rows_->multiply([&](std::int64_t source) { return value_at(level * wanted_.places() + source); },
                        [&](std::int64_t place, double sum) {
                            store_number(element_at(field_, bytes, places_, place, level), kind, sum);
                        });
    }
}

void incoming::store_as_it_is(const dense_field &from) {
    const std::size_t bytes = size_of(field_.type);
    for_served(
        [&](std::byte *element, std::int64_t index) { std::memcpy(element, from.element(index), bytes); });
}

} // namespace lisle::couple::detail
