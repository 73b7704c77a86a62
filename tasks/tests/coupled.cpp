// SPDX-License-Identifier: Apache-2.0
// Random jobs of coupled components: several on any ranks, in steps that need not divide each other, with
// fields of random decompositions, some regridded; what is got at each time against what it must be.
//
// Usage: coupled [JOBS [SEED]]
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include "check.hpp"
#include "lisle/communicator.hpp"
#include "lisle/couple/job.hpp"

namespace {

namespace couple = lisle::couple;
using couple::decomposition;
using couple::global_index;
using couple::over_time;
using couple::ticks;

using random_source = std::mt19937_64;
std::int64_t below(random_source &random, std::int64_t end) {
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
    ticks lag = 0;
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

double value_of(std::size_t component, std::size_t field, std::int64_t step, std::int64_t level,
                global_index point) {
    return static_cast<double>(
               (static_cast<std::int64_t>(component * 5 + field * 3) + step * 17 + level * 7 + point * 13) %
               64) /
           4;
}

dealt deal(random_source &random, std::int64_t points, const std::vector<int> &among, int ranks) {
    dealt all(static_cast<std::size_t>(ranks));
    for (global_index at = 0; at != points; ++at)
        all[static_cast<std::size_t>(
                among[static_cast<std::size_t>(below(random, static_cast<std::int64_t>(among.size())))])]
            .push_back(at);
    return all;
}

std::vector<int> draw_ranks(random_source &random, int ranks, std::size_t component, std::size_t components,
                            bool shared) {
    std::vector<int> own;
    for (int rank = 0; rank != ranks; ++rank)
        if (shared ? below(random, 2) == 0 : static_cast<std::size_t>(rank) % components == component)
            own.push_back(rank);
    if (own.empty())
        own.push_back(static_cast<int>(below(random, ranks)));
    return own;
}

void draw_wants(drawn_job &job, random_source &random, int ranks) {
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

drawn_job draw(random_source &random, int ranks) {
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

/// What a point of the sender's grid gives for a step of the receiver.
double made(const drawn_want &wanted, const couple::timetable &when, std::int64_t step, std::int64_t level,
            global_index point) {
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
        self_.put();
    }
    void get_and_check() {
        self_.get();
        for (std::size_t at = 0; at != own().wants.size(); ++at)
            check(own().wants[at], got_[at]);
        // What a model does with its fields changes nothing of what comes next.
        for (memory &each : got_)
            std::ranges::fill(each.wide, -7), std::ranges::fill(each.narrow, -7.0F);
    }
    void advance_and_put() {
        self_.advance();
        ++step_;
        put();
    }

  private:
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
        declared.regrids = each.regrids;
        if (each.regrids)
            for (std::size_t place = 0; place != points.size(); ++place)
                for (const couple::weight &entry : each.rows[static_cast<std::size_t>(points[place])])
                    declared.weights.push_back(
                        {static_cast<std::int64_t>(place), entry.source, entry.factor});
        self_.wants(declared);
    }

    void check(const drawn_want &want, const memory &got) const {
        const couple::timetable when{drawn_[want.from].when, own().when, want.how, want.lag};
        const bool comes = !when.of_step(step_).none() || want.how == over_time::sum;
        for_each_element(mine(want.points), offer_of(want).levels,
                         [&](std::size_t at, std::int64_t level, global_index point) {
                             double expected = 0;
                             if (!comes)
                                 expected = step_ == 0 ? -1 : -7;
                             else if (!want.regrids)
                                 expected = made(want, when, step_, level, point);
                             else
                                 for (const couple::weight &each : want.rows[static_cast<std::size_t>(point)])
                                     expected += each.factor * made(want, when, step_, level, each.source);
                             if (!(std::abs(got[at] - expected) <= 1e-4)) {
                                 check::fail(__FILE__, __LINE__,
                                             own().name + " has " + std::to_string(got[at]) + " for " +
                                                 want.name + " at step " + std::to_string(step_) + " (how " +
                                                 std::to_string(static_cast<int>(want.how)) +
                                                 (want.regrids ? ", regridded" : "") + ", lag " +
                                                 std::to_string(want.lag) + ") not " +
                                                 std::to_string(expected));
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
    std::int64_t step_ = 0;
};

/// All of the caller's components in turn: those that are behind first, and what they have before what they
/// get.
void run(const lisle::communicator &world, const drawn_job &drawn) {
    const int rank = world.rank();
    std::vector<std::string> names;
    for (const drawn_component &each : drawn)
        if (std::ranges::find(each.ranks, rank) != each.ranks.end())
            names.push_back(each.name);
    couple::job job{world.native(), names};
    std::deque<runner> own;
    for (std::size_t which = 0; which != drawn.size(); ++which)
        if (std::ranges::find(names, drawn[which].name) != names.end())
            own.emplace_back(job, drawn, which, rank);
    job.begin();
    for (runner &each : own)
        each.put();
    for (;;) {
        ticks now = couple::end_of_time;
        for (const runner &each : own)
            now = each.is_at_end() ? now : std::min(now, each.time());
        if (now == couple::end_of_time)
            break;
        const auto for_those_now = [&](auto call) {
            for (runner &each : own)
                if (!each.is_at_end() && each.time() == now)
                    (each.*call)();
        };
        for_those_now(&runner::get_and_check);
        for_those_now(&runner::advance_and_put);
    }
}

// ---- what does not fit is said at all ranks, before the first step ----

constexpr std::array<global_index, 2> two_points{0, 1};

/// A component that offers "heat": two points at rank 0, one level of doubles in K, unless `change` says
/// otherwise; and one that wants it. All ranks are of both.
class small_job {
  public:
    explicit small_job(const lisle::communicator &world) : job_{world.native(), {"air", "sea"}}, points_{2} {
        if (world.rank() == 0)
            points_ = decomposition::list(2, two_points);
        heat = {"heat", couple::field_place::of(sent_.data()), points_, "K"};
        wanted = {"flux", couple::field_place::of(got_.data()), points_, "air", "heat"};
        wanted.unit = "K";
    }
    couple::component &air() { return job_["air"]; }
    couple::component &sea() { return job_["sea"]; }
    void begin() {
        air().runs(of_air);
        air().offers(heat);
        sea().runs({2, 0, 4});
        sea().wants(wanted);
        job_.begin();
    }

    couple::offer heat{"", {}, decomposition{0}};
    couple::want wanted{"", {}, decomposition{0}, ""};
    couple::steps of_air{1, 0, 4};

  private:
    std::array<double, 2> sent_{}, got_{};
    couple::job job_;
    decomposition points_;
};

/// The sentence of the error that a call throws.
template <class Error, class Call> std::string refusal(const Call &call) {
    try {
        call();
    } catch (const Error &error) {
        return error.what();
    }
    return "";
}

template <class Change>
void check_refused(const lisle::communicator &world, const Change &change, const std::string &sentence) {
    small_job job{world};
    change(job);
    CHECK_EQ(refusal<std::invalid_argument>([&] { job.begin(); }), "couple: " + sentence);
}

void check_declarations(const lisle::communicator &world) {
    check_refused(
        world, [](small_job &job) { job.wanted.from = "ice"; },
        "\"flux\" of \"sea\" is wanted from \"ice\", but no component has this name: air, sea");
    check_refused(
        world, [](small_job &job) { job.wanted.field = "haet"; },
        "\"flux\" of \"sea\" is \"haet\" of \"air\", which does not offer it, but: heat");
    check_refused(
        world, [](small_job &job) { job.wanted.unit = "J"; },
        "\"flux\" of \"sea\" is declared with the unit J, but \"air\" offers it with the unit K");
    check_refused(
        world, [](small_job &job) { job.wanted.place.levels = 2; },
        "\"flux\" of \"sea\" is declared with 2 levels of real64, but \"air\" offers it with 1 level of "
        "real64");
    check_refused(
        world, [](small_job &job) { job.heat.place.type = MPI_FLOAT; },
        "\"flux\" of \"sea\" is declared with 1 level of real64, but \"air\" offers it with 1 level of "
        "real32");
    check_refused(
        world, [](small_job &job) { job.wanted.points = decomposition{3}; },
        "\"flux\" of \"sea\" is declared with a grid of 3 points and no weights, but \"air\" offers it with "
        "a grid of 2 points");
    check_refused(
        world, [](small_job &job) { job.wanted.lag = -1; },
        "\"flux\" of \"sea\" has a lag of -1: what is still to come cannot be had");
    check_refused(
        world, [](small_job &job) { job.air().offers(job.heat); }, "\"air\" offers \"heat\" twice");
    check_refused(
        world, [](small_job &job) { job.of_air.period = 0; }, "\"air\" has steps of 0; they take at least 1");
    const auto whole_numbers = [](small_job &job) {
        job.heat.place.type = job.wanted.place.type = MPI_INT64_T;
        job.wanted.how = over_time::mean;
    };
    check_refused(world, whole_numbers,
                  "\"flux\" of \"sea\" asks for the mean of what is no field of floating-point numbers");
    if (world.size() > 1)
        check_refused(
            world, [&](small_job &job) { job.of_air.end += world.rank() == 1 ? 1 : 0; },
            "the ranks of \"air\" have not all declared the same steps and fields (rank 1)");
}

void check_misuse(const lisle::communicator &world) {
    const auto misuse = [](const auto &call) { return refusal<std::logic_error>(call); };
    small_job job{world};
    couple::component &air = job.air(), &sea = job.sea();
    CHECK_EQ(misuse([&] { air.put(); }), std::string{"couple: \"air\" calls put before the job has begun"});
    job.begin();
    CHECK_EQ(misuse([&] { air.offers(job.heat); }),
             std::string{"couple: \"air\" declares something after the job has begun"});
    CHECK_EQ(misuse([&] { air.put("cold"); }), std::string{"couple: \"air\" offers no field \"cold\""});
    CHECK_EQ(misuse([&] { air.advance(); }),
             std::string{"couple: \"air\" goes on from 0 without having put \"heat\""});
    air.put();
    CHECK_EQ(misuse([&] { air.put("heat"); }),
             std::string{"couple: \"air\" puts \"heat\" a second time at 0"});
    sea.get();
    CHECK_EQ(misuse([&] { sea.get("flux"); }),
             std::string{"couple: \"sea\" gets \"flux\" a second time at 0"});
    while (!air.is_at_end()) {
        air.put();
        if (!sea.is_at_end() && sea.time() == air.time())
            sea.advance();
        air.advance();
    }
    CHECK_EQ(misuse([&] { sea.advance(); }), std::string{"couple: \"sea\" calls advance after its end at 4"});
}

} // namespace

int main(int argc, char **argv) {
    const check::job job(&argc, &argv);
    const int jobs = argc > 1 ? std::atoi(argv[1]) : 40;
    random_source random{argc > 2 ? static_cast<std::uint64_t>(std::atoll(argv[2])) : 1};
    const lisle::communicator world = lisle::world();
    check_declarations(world);
    check_misuse(world);
    for (int number = 0; number != jobs; ++number) {
        const std::uint64_t seed = random();
        random_source own{seed};
        run(world, draw(own, world.size()));
    }
}
