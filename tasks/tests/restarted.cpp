// SPDX-License-Identifier: Apache-2.0
// Random jobs of coupled components that are saved on the way and go on from the files, on other numbers of
// ranks with other parts of the fields: what is got is what it would have been. And files that do not fit.
//
// Usage: restarted [JOBS [SEED]]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

#include "random_coupling.hpp"

namespace {

using namespace random_coupling;

/// Where this program's files lie, the same for all ranks.
std::string scratch_path(const lisle::communicator &world) {
    const char *const folder = std::getenv("TMPDIR");
    long number = static_cast<long>(getpid());
    world.broadcast(number);
    return std::string{folder != nullptr ? folder : "/tmp"} + "/lisle-restart-" + std::to_string(number);
}

/// The last step of a component that is not after a time.
std::int64_t last_step(const drawn_component &of, ticks time) {
    return std::min(of.when.step_at(time), of.when.count() - 1);
}

/// Whether all components can get what they want up to a time when none has put anything after it.
bool can_stop(const drawn_job &job, ticks time) {
    for (const drawn_component &each : job) {
        if (each.when.count() == 0 || each.when.offset > time)
            return false;
        for (const drawn_want &want : each.wants) {
            const drawn_component &from = job[want.from];
            const couple::timetable when = timetable_of(job, each, want);
            const couple::ingredients got =
                when.of_step(last_step(each, time) / (when.receiver().period / each.when.period));
            if (!got.none() && got.last > last_step(from, time))
                return false;
        }
    }
    return true;
}

std::optional<ticks> draw_stop(random_source &random, const drawn_job &job) {
    for (int tries = 0; tries != 20; ++tries)
        if (const ticks time = below(random, 40); can_stop(job, time))
            return time;
    return std::nullopt;
}

/// The same components on other ranks, which have other points.
drawn_job dealt_anew(random_source &random, drawn_job job, int ranks) {
    const bool shared = below(random, 2) == 0 || static_cast<std::size_t>(ranks) < job.size();
    for (std::size_t at = 0; at != job.size(); ++at) {
        job[at].ranks = draw_ranks(random, ranks, at, job.size(), shared);
        for (drawn_offer &each : job[at].offers)
            each.points = deal(random, each.grid, job[at].ranks, ranks);
        for (drawn_want &each : job[at].wants)
            each.points = deal(random, each.places, job[at].ranks, ranks);
    }
    return job;
}

/// The caller's components of one job.
class ensemble {
  public:
    ensemble(const lisle::communicator &ranks, const drawn_job &drawn)
        : drawn_{drawn}, job_{ranks.native(), names(ranks.rank())} {
        for (std::size_t which = 0; which != drawn.size(); ++which)
            if (std::ranges::find(drawn[which].ranks, ranks.rank()) != drawn[which].ranks.end())
                own_.push_back({drawn[which].when, runner{job_, drawn_, which, ranks.rank()}});
        job_.begin();
    }
    void begin() {
        for (member &each : own_)
            each.model.put();
    }
    void load(const std::string &path) {
        job_.load(path);
        for (member &each : own_) {
            each.model.resume();
            if (!each.model.is_at_end())
                each.model.advance_and_put();
        }
    }
    /// To the end, or until all have done what they do up to a time.
    void run(ticks stop = couple::end_of_time) {
        for (;;) {
            ticks now = couple::end_of_time;
            for (const member &each : own_)
                if (!each.is_beyond(stop))
                    now = std::min(now, each.model.time());
            if (now == couple::end_of_time)
                return;
            for (member &each : own_)
                if (!each.is_beyond(stop) && each.model.time() == now)
                    each.got = false;
            for (member &each : own_)
                if (!each.got)
                    each.get(stop);
            for (member &each : own_)
                if (each.model.time() == now && !each.is_beyond(stop))
                    each.model.advance_and_put();
        }
    }
    void save(const std::string &path) { job_.save(path); }

  private:
    struct member {
        couple::steps when;
        runner model;
        bool got = true;
        bool stopped = false;
        /// True if nothing is left to do up to the time.
        [[nodiscard]] bool is_beyond(ticks stop) const {
            return model.is_at_end() || stopped || model.time() > stop;
        }
        /// A component that stops leaves its last fields to the file.
        void get(ticks stop) {
            got = true;
            stopped = stop != couple::end_of_time && model.time() > stop - when.period;
            if (stopped)
                model.get_to_save();
            else
                model.get_and_check();
        }
    };
    [[nodiscard]] std::vector<std::string> names(int rank) const {
        std::vector<std::string> all;
        for (const drawn_component &each : drawn_)
            if (std::ranges::find(each.ranks, rank) != each.ranks.end())
                all.push_back(each.name);
        return all;
    }

    const drawn_job &drawn_;
    couple::job job_;
    std::deque<member> own_;
};

/// Calls what some of the ranks do, from the first on.
template <class Call> void on_some(const lisle::communicator &world, int count, const Call &call) {
    MPI_Comm some = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_split(world.native(), world.rank() < count ? 0 : MPI_UNDEFINED, 0, &some));
    if (some != MPI_COMM_NULL) {
        call(lisle::communicator{some});
        CHECK_MPI(MPI_Comm_free(&some));
    }
    world.barrier();
}

void remove_files(const lisle::communicator &world, const std::string &path, const drawn_job &job) {
    world.barrier();
    if (world.rank() == 0)
        for (const drawn_component &each : job)
            std::remove((path + "." + each.name).c_str());
    world.barrier();
}

/// @return whether the job had a time at which it could stop
bool check_restart(const lisle::communicator &world, random_source &random, const std::string &path) {
    const int first_ranks = 1 + static_cast<int>(below(random, world.size())),
              other_ranks = 1 + static_cast<int>(below(random, world.size()));
    const drawn_job first = draw(random, first_ranks), other = dealt_anew(random, first, other_ranks);
    const std::optional<ticks> stop = draw_stop(random, first);
    if (!stop)
        return false;
    on_some(world, first_ranks, [&](const lisle::communicator &ranks) {
        ensemble whole{ranks, first};
        whole.begin();
        whole.run(*stop);
        whole.save(path);
    });
    on_some(world, other_ranks, [&](const lisle::communicator &ranks) {
        ensemble rest{ranks, other};
        rest.load(path);
        rest.run();
    });
    remove_files(world, path, first);
    return true;
}

// ---- files that do not fit ----

std::string refusal(const lisle::communicator &world, const drawn_job &job, const std::string &path) {
    try {
        ensemble{world, job}.load(path);
    } catch (const std::invalid_argument &error) {
        return error.what();
    }
    return "";
}

void spoil(const lisle::communicator &world, const std::string &file, std::streamoff at, char with) {
    world.barrier();
    if (world.rank() == 0) {
        std::fstream opened{file, std::ios::in | std::ios::out | std::ios::binary};
        opened.seekp(at);
        opened.put(with);
    }
    world.barrier();
}

void check_refusals(const lisle::communicator &world, const std::string &path) {
    drawn_job job(1);
    job[0].name = "air";
    job[0].when = {1, 0, 3};
    for (int rank = 0; rank != world.size(); ++rank)
        job[0].ranks.push_back(rank);
    random_source random{1};
    job[0].offers.push_back({"heat", 5, 1, false, deal(random, 5, job[0].ranks, world.size())});
    const std::string file = path + ".air", of = "couple: the restart file \"" + file + "\" ",
                      by = " (rank 0)";
    CHECK_EQ(refusal(world, job, path).substr(0, of.size()), of);
    {
        ensemble whole{world, job};
        whole.begin();
        whole.run(1);
        whole.save(path);
    }
    CHECK_EQ(refusal(world, job, path), std::string{});
    drawn_job longer = job;
    longer[0].when.period = 2;
    CHECK_EQ(refusal(world, longer, path),
             of + "is of a component with other steps or fields than \"air\" has declared" + by);
    spoil(world, file, 40, 'x'); // where the header begins
    const std::string damaged = refusal(world, job, path), cannot = of + "has a header that cannot be read";
    CHECK_EQ(damaged.substr(0, cannot.size()), cannot);
    spoil(world, file, 0, 'L');
    CHECK_EQ(refusal(world, job, path), of + "is no restart file" + by);
    spoil(world, file, 0, 'l');
    if (world.rank() == 0)
        CHECK_EQ(truncate(file.c_str(), 100), 0);
    world.barrier();
    const std::string cut = refusal(world, job, path), whole = of + "is not whole: it has 100 bytes of ";
    CHECK_EQ(cut.substr(0, whole.size()), whole);
    remove_files(world, path, job);
}

} // namespace

int main(int argc, char **argv) {
    const check::job job(&argc, &argv);
    const int jobs = argc > 1 ? std::atoi(argv[1]) : 30;
    random_source random{argc > 2 ? static_cast<std::uint64_t>(std::atoll(argv[2])) : 1};
    const lisle::communicator world = lisle::world();
    const std::string path = scratch_path(world);
    check_refusals(world, path);
    int restarted = 0;
    for (int number = 0; number != jobs; ++number) {
        random_source own{random()};
        restarted += check_restart(world, own, path) ? 1 : 0;
    }
    CHECK(restarted > jobs / 4);
}
