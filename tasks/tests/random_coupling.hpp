// SPDX-License-Identifier: Apache-2.0
// Random jobs of coupled components: several on any ranks, in steps that need not divide each other, with
// fields of random decompositions, some regridded; and a component of such a job, which checks what it gets.
#pragma once

#include <algorithm>
#include <cmath>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include "check.hpp"
#include "lisle/communicator.hpp"
#include "lisle/couple/job.hpp"

namespace random_coupling {

namespace couple = lisle::couple;
using couple::decomposition;
using couple::global_index;
using couple::over_time;
using couple::ticks;

using random_source = std::mt19937_64;
inline std::int64_t below(random_source &random, std::int64_t end) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(end));
}

/// By rank of the job: the points that it has, in the order of its memory.
using dealt = std::vector<std::vector<global_index>>;

// What all ranks draw alike.
struct drawn_offer {
    std::string name;
    std::int64_t grid = 0, levels = 1;
    bool is_narrow = false; ///< of floats
    dealt points;
};
struct drawn_want {
    std::string name;
    std::size_t from = 0, field = 0;
    over_time how = over_time::latest;
    ticks lag = 0, every = 0;
    bool regrids = false;
    std::int64_t places = 0; ///< of its own grid
    dealt points;
    std::vector<std::vector<couple::weight>> rows; ///< by place in its own grid
};
struct drawn_component {
    std::string name;
    couple::steps when;
    std::vector<int> ranks;
    std::vector<drawn_offer> offers;
    std::vector<drawn_want> wants;
};
using drawn_job = std::vector<drawn_component>;

inline double value_of(std::size_t component, std::size_t field, std::int64_t step, std::int64_t level,
                       global_index point) {
    return static_cast<double>(
               (static_cast<std::int64_t>(component * 5 + field * 3) + step * 17 + level * 7 + point * 13) %
               64) /
           4;
}

inline dealt deal(random_source &random, std::int64_t points, const std::vector<int> &among, int ranks) {
    dealt all(static_cast<std::size_t>(ranks));
    for (global_index at = 0; at != points; ++at)
        all[static_cast<std::size_t>(
                among[static_cast<std::size_t>(below(random, static_cast<std::int64_t>(among.size())))])]
            .push_back(at);
    return all;
}

inline std::vector<int> draw_ranks(random_source &random, int ranks, std::size_t component,
                                   std::size_t components, bool shared) {
    std::vector<int> own;
    for (int rank = 0; rank != ranks; ++rank)
        if (shared ? below(random, 2) == 0 : static_cast<std::size_t>(rank) % components == component)
            own.push_back(rank);
    if (own.empty())
        own.push_back(static_cast<int>(below(random, ranks)));
    return own;
}

inline void draw_wants(drawn_job &job, random_source &random, int ranks) {
    for (std::size_t component = 0; component != job.size(); ++component)
        for (std::int64_t left = below(random, 4); left != 0; --left) {
            drawn_want next;
            next.name = "want " + std::to_string(left);
            next.from = static_cast<std::size_t>(below(random, static_cast<std::int64_t>(job.size())));
            if (next.from == component || job[next.from].offers.empty())
                continue;
            next.field = static_cast<std::size_t>(
                below(random, static_cast<std::int64_t>(job[next.from].offers.size())));
            next.how = static_cast<over_time>(below(random, 6));
            next.lag = below(random, 3) == 0 ? below(random, 6) : 0;
            next.every = below(random, 3) == 0 ? job[component].when.period * (1 + below(random, 4)) : 0;
            const drawn_offer &offer = job[next.from].offers[next.field];
            next.regrids = below(random, 3) == 0;
            next.places = next.regrids ? 1 + below(random, 40) : offer.grid;
            next.points = deal(random, next.places, job[component].ranks, ranks);
            next.rows.resize(next.regrids ? static_cast<std::size_t>(next.places) : 0);
            for (auto &row : next.rows)
                for (std::int64_t entries = 1 + below(random, 3); entries != 0; --entries)
                    row.push_back(
                        {0, below(random, offer.grid), static_cast<double>(1 + below(random, 8)) / 8});
            job[component].wants.push_back(next);
        }
}

inline drawn_job draw(random_source &random, int ranks) {
    const std::size_t components = static_cast<std::size_t>(2 + below(random, 3));
    const bool shared = static_cast<std::size_t>(ranks) < components || below(random, 3) == 0;
    drawn_job job(components);
    for (std::size_t at = 0; at != components; ++at) {
        drawn_component &each = job[at];
        each.name = "component " + std::to_string(at);
        each.when = {1 + below(random, 6), below(random, 8), 0};
        each.when.end = each.when.offset + below(random, 40);
        each.ranks = draw_ranks(random, ranks, at, components, shared);
        for (std::int64_t field = below(random, 3); field >= 0; --field) {
            drawn_offer next{"field " + std::to_string(field),
                             1 + below(random, 50),
                             1 + below(random, 2),
                             below(random, 2) == 0,
                             {}};
            next.points = deal(random, next.grid, each.ranks, ranks);
            each.offers.push_back(next);
        }
    }
    draw_wants(job, random, ranks);
    return job;
}

/// A field in the caller's memory: doubles or floats.
struct memory {
    bool is_narrow;
    std::vector<double> wide;
    std::vector<float> narrow;
    memory(bool is_narrow, std::size_t size) : is_narrow{is_narrow}, wide(size, -1), narrow(size, -1) {}
    [[nodiscard]] couple::field_place place(std::int64_t levels) {
        return is_narrow ? couple::field_place::of(narrow.data(), levels)
                         : couple::field_place::of(wide.data(), levels);
    }
    void store(std::size_t at, double value) {
        wide[at] = value;
        narrow[at] = static_cast<float>(value);
    }
    [[nodiscard]] double operator[](std::size_t at) const {
        return is_narrow ? static_cast<double>(narrow[at]) : wide[at];
    }
};

inline couple::timetable timetable_of(const drawn_job &job, const drawn_component &receiver,
                                      const drawn_want &wanted) {
    return {job[wanted.from].when, receiver.when.spaced(wanted.every), wanted.how, wanted.lag};
}

/// What a point of the sender's grid gives for a step of the receiver.
inline double made(const drawn_want &wanted, const couple::timetable &when, std::int64_t step,
                   std::int64_t level, global_index point) {
    const couple::ingredients of = when.of_step(step);
    double result = 0;
    for (std::int64_t each = of.first; each <= of.last; ++each) {
        const double value = value_of(wanted.from, wanted.field, each, level, point);
        if (wanted.how == over_time::minimum)
            result = each == of.first ? value : std::min(result, value);
        else if (wanted.how == over_time::maximum)
            result = each == of.first ? value : std::max(result, value);
        else
            result += when.weight(step, each) * value;
    }
    return result;
}

/// One of the caller's components: its fields, and the loop that a model has.
class runner {
  public:
    runner(couple::job &job, const drawn_job &drawn, std::size_t which, int rank)
        : drawn_{drawn}, which_{which}, rank_{rank}, self_{job[own().name]} {
        self_.runs(own().when);
        for (const drawn_offer &each : own().offers) {
            const auto &points = mine(each.points);
            offered_.emplace_back(each.is_narrow, points.size() * static_cast<std::size_t>(each.levels));
            self_.offers(
                {each.name, offered_.back().place(each.levels), decomposition::list(each.grid, points), "K"});
        }
        for (const drawn_want &each : own().wants)
            declare(each);
        const drawn_offer &first = own().offers.front();
        kept_.resize(mine(first.points).size(), -1);
        self_.keeps({"state", couple::field_place::of(kept_.data()),
                     decomposition::list(first.grid, mine(first.points))});
    }
    [[nodiscard]] bool is_at_end() const { return self_.is_at_end(); }
    [[nodiscard]] ticks time() const { return self_.time(); }

    void put() {
        if (self_.is_at_end())
            return;
        for (std::size_t field = 0; field != own().offers.size(); ++field) {
            const drawn_offer &each = own().offers[field];
            for_each_element(mine(each.points), each.levels,
                             [&](std::size_t at, std::int64_t level, global_index point) {
                                 offered_[field].store(at, value_of(which_, field, step_, level, point));
                             });
        }
        for (std::size_t at = 0; at != kept_.size(); ++at)
            kept_[at] = state_of(at);
        self_.put();
    }
    /// What a component gets last stays as it is, for a file.
    void get_to_save() {
        const std::deque<memory> before = got_;
        self_.get();
        check(&before);
    }
    void get_and_check() {
        get_to_save();
        // What a model does with its fields changes nothing of what comes next.
        for (memory &each : got_)
            std::ranges::fill(each.wide, -7), std::ranges::fill(each.narrow, -7.0F);
    }
    /// What was saved: the component goes on from its time.
    void resume() {
        step_ = own().when.step_at(self_.time());
        if (self_.is_at_end())
            return;
        check(nullptr);
        for (std::size_t field = 0; field != own().offers.size(); ++field) {
            const drawn_offer &each = own().offers[field];
            for_each_element(mine(each.points), each.levels,
                             [&](std::size_t at, std::int64_t level, global_index point) {
                                 CHECK_EQ(offered_[field][at], value_of(which_, field, step_, level, point));
                             });
        }
        for (std::size_t at = 0; at != kept_.size(); ++at)
            CHECK_EQ(kept_[at], state_of(at));
        self_.put(); // has been put, so that nothing leaves
    }
    /// @param before what the fields had before they were got; null: they were saved
    void check(const std::deque<memory> *before) const {
        for (std::size_t at = 0; at != own().wants.size(); ++at)
            check(own().wants[at], got_[at], before == nullptr ? nullptr : &(*before)[at]);
    }
    void advance_and_put() {
        self_.advance();
        ++step_;
        put();
    }

  private:
    [[nodiscard]] double state_of(std::size_t at) const {
        return static_cast<double>(mine(own().offers.front().points)[at] * 3 + step_) / 7;
    }
    [[nodiscard]] const drawn_component &own() const { return drawn_[which_]; }
    [[nodiscard]] const std::vector<global_index> &mine(const dealt &all) const {
        return all[static_cast<std::size_t>(rank_)];
    }
    [[nodiscard]] const drawn_offer &offer_of(const drawn_want &want) const {
        return drawn_[want.from].offers[want.field];
    }

    void declare(const drawn_want &each) {
        const auto &points = mine(each.points);
        const drawn_offer &offer = offer_of(each);
        got_.emplace_back(offer.is_narrow, points.size() * static_cast<std::size_t>(offer.levels));
        couple::want declared{each.name,
                              got_.back().place(offer.levels),
                              decomposition::list(each.places, points),
                              drawn_[each.from].name,
                              offer.name,
                              each.how,
                              each.lag};
        declared.every = each.every;
        declared.regrids = each.regrids;
        if (each.regrids)
            for (std::size_t place = 0; place != points.size(); ++place)
                for (const couple::weight &entry : each.rows[static_cast<std::size_t>(points[place])])
                    declared.weights.push_back(
                        {static_cast<std::int64_t>(place), entry.source, entry.factor});
        self_.wants(declared);
    }

    void check(const drawn_want &want, const memory &got, const memory *before) const {
        const couple::timetable when = timetable_of(drawn_, own(), want);
        const std::int64_t times = when.receiver().period / own().when.period, step = step_ / times;
        const bool comes = step_ % times == 0 && (!when.of_step(step).none() || want.how == over_time::sum);
        for_each_element(
            mine(want.points), offer_of(want).levels,
            [&](std::size_t at, std::int64_t level, global_index point) {
                double expected = 0;
                if (!comes)
                    expected = before != nullptr ? (*before)[at] : step_ == 0 ? -1 : -7;
                else if (!want.regrids)
                    expected = made(want, when, step, level, point);
                else
                    for (const couple::weight &each : want.rows[static_cast<std::size_t>(point)])
                        expected += each.factor * made(want, when, step, level, each.source);
                if (!(std::abs(got[at] - expected) <= 1e-4)) {
                    check::fail(
                        __FILE__, __LINE__,
                        own().name + " has " + std::to_string(got[at]) + " for " + want.name + " at step " +
                            std::to_string(step_) + " (how " + std::to_string(static_cast<int>(want.how)) +
                            (want.regrids ? ", regridded" : "") + ", lag " + std::to_string(want.lag) +
                            ", every " + std::to_string(want.every) + ") not " + std::to_string(expected));
                }
            });
    }

    template <class Do> static void for_each_element(const std::vector<global_index> &points,
                                                     std::int64_t levels, const Do &function) {
        std::size_t at = 0;
        for (std::int64_t level = 0; level != levels; ++level)
            for (const global_index point : points)
                function(at++, level, point);
    }

    const drawn_job &drawn_;
    std::size_t which_;
    int rank_;
    couple::component &self_;
    std::deque<memory> offered_, got_;
    std::vector<double> kept_;
    std::int64_t step_ = 0;
};

} // namespace random_coupling
