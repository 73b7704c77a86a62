// SPDX-License-Identifier: Apache-2.0
// Random jobs of coupled components; what is got at each time against what it must be. And what does not fit
// or is misused.
//
// Usage: coupled [JOBS [SEED]]
#include <algorithm>
#include <array>
#include <cstdlib>
#include <deque>
#include <string>
#include <vector>

#include "random_coupling.hpp"

namespace {

using namespace random_coupling;

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
        world, [](small_job &job) { job.wanted.every = 3; },
        "\"flux\" of \"sea\" is wanted every 3, which is no multiple of 2, the steps of \"sea\"");
    const auto iterated_rarely = [](small_job &job) {
        job.wanted.every = 4;
        job.wanted.is_iterated = true;
    };
    check_refused(world, iterated_rarely,
                  "\"flux\" of \"sea\" is iterated, so it is got at each time, not every 4");
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
