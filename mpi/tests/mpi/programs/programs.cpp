// SPDX-License-Identifier: Apache-2.0
// Random programs: programs FIRST COUNT. Each number is a program, which all ranks derive alike: a list of
// actions in which, taken one by one, nobody waits for a later one. Messages go in all modes, through
// wildcards and probes; collectives in three forms; communicators are made and freed between. Every value is
// compared with what a serial program knows. Programs that cannot go on are those of
// integration/deadlock/random_programs.cpp.
#include "collectives.hpp"
#include "messages.hpp"

#include <algorithm>
#include <numeric>

namespace {

using namespace programs;

constexpr int actions = 60;
constexpr std::size_t most_places = 10;

class program {
  public:
    program(const check::job &job, std::uint64_t seed) : job_{job}, random_{seed * 2 + 1} {
        place world{.members = std::vector<int>(static_cast<std::size_t>(job.size)), .remote = {}};
        std::iota(world.members.begin(), world.members.end(), 0);
        CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &world.comm));
        places_.push_back(std::move(world));
    }

    void run() {
        for (int i = 0; i < actions; ++i)
            take();
        pending_.complete(0);
        while (!places_.empty())
            drop(places_.size() - 1);
    }

  private:
    void take() {
        const int choice = random_.below(20);
        place &where = places_[random_.below(places_.size())];
        if (choice < 10) {
            messages_.pass(plan_message(where), where, job_.rank, pending_);
        } else if (choice < 15) {
            meet(where);
        } else if (choice < 17) {
            make(where);
        } else if (choice < 18 && places_.size() > 1) {
            drop(1 + random_.below(places_.size() - 1)); // with what is under way there
        } else if (choice >= 18) {
            pending_.complete(choice - 18 + random_.below(2));
        }
    }

    message plan_message(const place &where) {
        const std::vector<int> &to = where.inter() ? where.remote : where.members;
        message made{.from = where.members[random_.below(where.members.size())],
                     .to = to[random_.below(to.size())]};
        made.mode = static_cast<send_mode>(random_.below(int(send_mode::modes)));
        made.way = static_cast<receive_way>(random_.below(int(receive_way::ways)));
        made.pairs = random_.below(4) == 0 ? random_.below(9000) : random_.below(20);
        made.send_layout = random_.below(data::layouts);
        made.receive_layout = random_.below(data::layouts);
        made.name = ++names_;
        made.any_tag = random_.below(3) == 0;
        made.any_source = !made.any_tag && random_.below(4) == 0;
        // Of any source only one with a tag of its own is certain.
        made.tag = made.any_source ? 100 + names_ : random_.below(3);
        return made;
    }

    void meet(place &where) {
        const collective now{.what = static_cast<collective_kind>(random_.below(int(collective_kind::kinds))),
                             .how = static_cast<form>(random_.below(int(form::forms))),
                             .pairs = random_.below(4) == 0 ? random_.below(3000) : random_.below(12),
                             .layout = random_.below(data::layouts),
                             .root = random_.below(where.size()),
                             .name = names_};
        names_ += job_.size;
        // Between groups others are defined; here they are for messages and for merging.
        if (!where.inter() && place::rank_in(where.members, job_.rank) >= 0)
            take_part(now, where, pending_);
    }

    void make(place &from) {
        if (places_.size() == most_places)
            return;
        place made = from.inter() ? merged(from) : made_of(from);
        places_.push_back(std::move(made));
    }
    place merged(const place &from) {
        place made{.members = from.members, .remote = {}};
        made.members.insert(made.members.end(), from.remote.begin(), from.remote.end());
        if (from.comm != MPI_COMM_NULL)
            CHECK_MPI(MPI_Intercomm_merge(from.comm, place::rank_in(from.members, job_.rank) >= 0 ? 0 : 1,
                                          &made.comm));
        return made;
    }
    place made_of(const place &from) {
        place made{.members = from.members, .remote = {}};
        const bool here = from.comm != MPI_COMM_NULL;
        switch (random_.below(5)) {
        case 0:
            if (here)
                CHECK_MPI(MPI_Comm_dup(from.comm, &made.comm));
            return made;
        case 1: {
            MPI_Request request = MPI_REQUEST_NULL;
            if (here) {
                CHECK_MPI(MPI_Comm_idup(from.comm, &made.comm, &request));
                CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
            }
            return made;
        }
        case 2: // reversed
            std::reverse(made.members.begin(), made.members.end());
            if (here)
                CHECK_MPI(MPI_Comm_split(from.comm, 0, -place::rank_in(from.members, job_.rank), &made.comm));
            return made;
        case 3:
            return part_of(from);
        default:
            return from.size() > 1 ? halves_of(from) : part_of(from);
        }
    }
    /// Some of the members, who alone call.
    place part_of(const place &from) {
        place made;
        std::vector<int> ranks;
        for (int rank = 0; rank < from.size(); ++rank)
            if (random_.below(3) != 0 || (rank + 1 == from.size() && ranks.empty())) {
                ranks.push_back(rank);
                made.members.push_back(from.members[static_cast<std::size_t>(rank)]);
            }
        const int tag = ++names_;
        if (place::rank_in(made.members, job_.rank) >= 0) {
            MPI_Group all = MPI_GROUP_NULL, some = MPI_GROUP_NULL;
            CHECK_MPI(MPI_Comm_group(from.comm, &all));
            CHECK_MPI(MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &some));
            CHECK_MPI(MPI_Comm_create_group(from.comm, some, tag, &made.comm));
            CHECK_MPI(MPI_Group_free(&some));
            CHECK_MPI(MPI_Group_free(&all));
        }
        return made;
    }
    place halves_of(const place &from) {
        const auto middle = from.members.begin() + 1 + random_.below(from.size() - 1);
        place made{.members = {from.members.begin(), middle}, .remote = {middle, from.members.end()}};
        const int tag = ++names_;
        if (from.comm != MPI_COMM_NULL) {
            MPI_Comm half = MPI_COMM_NULL;
            const bool lower = place::rank_in(made.members, job_.rank) >= 0;
            CHECK_MPI(MPI_Comm_split(from.comm, lower ? 0 : 1, 0, &half));
            CHECK_MPI(MPI_Intercomm_create(half, 0, from.comm, lower ? made.size() : 0, tag, &made.comm));
            CHECK_MPI(MPI_Comm_free(&half));
        }
        return made;
    }
    void drop(std::size_t which) {
        place &gone = places_[which];
        if (gone.comm != MPI_COMM_NULL)
            CHECK_MPI(MPI_Comm_free(&gone.comm));
        places_.erase(places_.begin() + static_cast<std::ptrdiff_t>(which));
    }

    const check::job &job_;
    random_numbers random_;
    std::vector<place> places_;
    pending pending_;
    messages messages_;
    int names_ = 0;
};

} // namespace

int main(int argc, char **argv) {
    const check::job job{&argc, &argv};
    const auto number = [&](int at, int otherwise) { return argc > at ? std::atoi(argv[at]) : otherwise; };
    const int first = number(1, 1), count = number(2, 10);
    for (int seed = first; seed < first + count; ++seed) {
        program{job, static_cast<std::uint64_t>(seed)}.run();
    }
}
