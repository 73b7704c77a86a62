// SPDX-License-Identifier: Apache-2.0
// Random programs of sends, receives, collectives and waits: random_programs FIRST COUNT [plant]. Each number
// is a program, which all ranks derive alike: a list of actions in which, taken one by one, nobody waits for
// a later one. With `plant` one action more is drawn, with which the program cannot go on; rank 0 prints what
// the report has to say of it: lines "row|RANK|CALL|WAITS FOR" and "words|SENTENCE".
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace {

constexpr int planted_tag = 999;
constexpr int first_single_tag = 1000; ///< from here on each message has a tag of its own
constexpr int most_bytes = 100'000;

int own_rank = 0, ranks = 0;

enum class kind { message, shift, collective, complete, complete_one_by_one };
enum class call { barrier, allreduce, broadcast, alltoall, later_barrier, later_allreduce };

/// The communicators that programs use. Only `twin` has receives of any tag.
enum place : int { world, twin, half, reversed, places };
MPI_Comm comms[places];
/// For planted collectives alone, so that no other one meets them.
MPI_Comm apart[2];

struct action {
    kind what = kind::complete;
    place where = world;
    call collective = call::barrier;
    int from = 0, to = 0; ///< numbers in the job; of a broadcast the root's in the communicator
    int tag = 0, bytes = 0;
    bool sends_later = false, receives_later = false; ///< the calls are non-blocking
    bool synchronous = false;
    bool any_source = false, any_tag = false;
    bool probes = false;
};

int rank_in(place where, int number) {
    switch (where) {
    case half:
        return number / 2;
    case reversed:
        return ranks - 1 - number;
    default:
        return number;
    }
}

class generator {
  public:
    explicit generator(unsigned seed) : random_{seed} {}
    int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }
    bool once_in(int times) { return below(times) == 0; }

    action next() {
        const int choice = below(12);
        if (choice < 7) {
            return message();
        }
        if (choice < 8) {
            return {.what = kind::shift, .where = twin, .from = 1 + below(ranks), .bytes = bytes()};
        }
        if (choice < 10) {
            action made{
                .what = kind::collective, .where = place(below(places)), .collective = call(below(6))};
            made.from = below(made.where == half ? std::max(1, ranks / 2) : ranks);
            return made;
        }
        return {.what = choice == 10 ? kind::complete : kind::complete_one_by_one};
    }
    std::vector<int> some_ranks(int most) {
        std::vector<int> members(static_cast<std::size_t>(ranks));
        std::iota(members.begin(), members.end(), 0);
        std::shuffle(members.begin(), members.end(), random_);
        members.resize(static_cast<std::size_t>(std::min(ranks, 2 + below(most - 1))));
        return members;
    }

  private:
    int bytes() { return once_in(4) ? below(most_bytes) : below(64); }
    action message() {
        action made{.what = kind::message, .from = below(ranks), .to = below(ranks)};
        made.where = place(below(places));
        if (made.where == half && made.from % 2 != made.to % 2) {
            made.where = world;
        }
        made.tag = below(3);
        made.bytes = bytes();
        made.sends_later = once_in(3) || made.from == made.to;
        made.receives_later = once_in(3);
        made.synchronous = once_in(4);
        made.probes = !made.receives_later && once_in(4);
        // Messages of one pair come in the order of their receives, so any tag is this one. Of any source
        // only one with a tag of its own is certain, and no other receive may want that.
        made.any_tag = made.where == twin && once_in(3);
        made.any_source = !made.any_tag && once_in(4);
        made.tag = made.any_source ? first_single_tag + singles_++ : made.tag;
        return made;
    }
    std::mt19937 random_;
    int singles_ = 0;
};

/// What one rank does of a program.
class execution {
  public:
    execution() = default;
    ~execution() { complete(); }
    execution(const execution &) = delete;
    execution &operator=(const execution &) = delete;

    void take(const action &now) {
        switch (now.what) {
        case kind::message:
            pass(now);
            break;
        case kind::shift:
            shift(now);
            break;
        case kind::collective:
            meet(now);
            break;
        case kind::complete:
            complete();
            break;
        case kind::complete_one_by_one:
            complete_one_by_one();
            break;
        }
    }

  private:
    std::vector<char> &buffer(int bytes) {
        return buffers_.emplace_back(static_cast<std::size_t>(std::max(bytes, 1)));
    }
    void pass(const action &now) {
        MPI_Comm const comm = comms[now.where];
        if (now.from == own_rank) {
            char *const data = buffer(now.bytes).data();
            const int to = rank_in(now.where, now.to);
            if (now.sends_later) {
                auto *const start = now.synchronous ? MPI_Issend : MPI_Isend;
                start(data, now.bytes, MPI_CHAR, to, now.tag, comm, &requests_.emplace_back());
            } else {
                auto *const send = now.synchronous ? MPI_Ssend : MPI_Send;
                send(data, now.bytes, MPI_CHAR, to, now.tag, comm);
            }
        }
        if (now.to == own_rank) {
            const int from = now.any_source ? MPI_ANY_SOURCE : rank_in(now.where, now.from);
            const int tag = now.any_tag ? MPI_ANY_TAG : now.tag;
            char *const data = buffer(most_bytes).data();
            if (now.receives_later) {
                MPI_Irecv(data, most_bytes, MPI_CHAR, from, tag, comm, &requests_.emplace_back());
                return;
            }
            // A probe would see what a receive that was posted before takes: then it may wait in vain.
            if (now.probes && requests_.empty()) {
                MPI_Probe(from, tag, comm, MPI_STATUS_IGNORE);
            }
            MPI_Recv(data, most_bytes, MPI_CHAR, from, tag, comm, MPI_STATUS_IGNORE);
        }
    }
    void shift(const action &now) {
        char *const out = buffer(now.bytes).data();
        char *const in = buffer(most_bytes).data();
        MPI_Sendrecv(out, now.bytes, MPI_CHAR, (own_rank + now.from) % ranks, 5, in, most_bytes, MPI_CHAR,
                     (own_rank + 2 * ranks - now.from) % ranks, 5, comms[now.where], MPI_STATUS_IGNORE);
    }
    void meet(const action &now) {
        MPI_Comm const comm = comms[now.where];
        char *const data = buffer(2 * ranks * static_cast<int>(sizeof(int))).data();
        auto *const values = reinterpret_cast<int *>(data);
        switch (now.collective) {
        case call::barrier:
            MPI_Barrier(comm);
            break;
        case call::allreduce:
            MPI_Allreduce(MPI_IN_PLACE, values, 1, MPI_INT, MPI_SUM, comm);
            break;
        case call::broadcast:
            MPI_Bcast(values, 1, MPI_INT, now.from, comm);
            break;
        case call::alltoall:
            MPI_Alltoall(values, 1, MPI_INT, values + ranks, 1, MPI_INT, comm);
            break;
        case call::later_barrier:
            MPI_Ibarrier(comm, &requests_.emplace_back());
            break;
        case call::later_allreduce:
            MPI_Iallreduce(MPI_IN_PLACE, values, 1, MPI_INT, MPI_SUM, comm, &requests_.emplace_back());
            break;
        }
    }
    void complete() {
        MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
        forget();
    }
    void complete_one_by_one() {
        for (int index = 0; index != MPI_UNDEFINED;) {
            MPI_Waitany(static_cast<int>(requests_.size()), requests_.data(), &index, MPI_STATUS_IGNORE);
        }
        forget();
    }
    void forget() {
        requests_.clear();
        buffers_.clear();
    }

    std::vector<MPI_Request> requests_;
    std::vector<std::vector<char>> buffers_;
};

// ---- what a program cannot get past ----

std::string rank_text(int rank) {
    return "rank " + std::to_string(rank);
}

/// "ranks 0-3, 5", as reports write it.
std::string ranks_text(const std::vector<int> &list) {
    std::string text;
    for (std::size_t i = 0; i < list.size();) {
        std::size_t last = i;
        while (last + 1 < list.size() && list[last + 1] == list[last] + 1) {
            ++last;
        }
        text += text.empty() ? "" : ", ";
        text += std::to_string(list[i]);
        text += last == i ? "" : (last == i + 1 ? ", " : "-") + std::to_string(list[last]);
        i = last + 1;
    }
    return (list.size() > 1 ? "ranks " : "rank ") + text;
}

void foretell_row(int rank, const char *in, const std::string &awaited) {
    if (own_rank == 0) {
        std::printf("row|%d|%s|%s\n", rank, in, awaited.c_str());
    }
}
void foretell_link(int rank, const char *in, int awaited) {
    if (own_rank == 0) {
        std::printf("words|rank %d waits in %s for rank %d\n", rank, in, awaited);
    }
}

/// How a rank waits for one message that it never gets, or whose receiver never comes.
enum class wait { receive, wait_for, probe, send, wait_for_send, ways };
const char *name_of(wait how) {
    constexpr const char *names[] = {"MPI_Recv", "MPI_Wait", "MPI_Probe", "MPI_Ssend", "MPI_Wait"};
    return names[static_cast<int>(how)];
}
std::string awaited_text(wait how, int peer) {
    const bool sends = how == wait::send || how == wait::wait_for_send;
    return sends ? rank_text(peer) + " to receive" : "a message from " + rank_text(peer);
}
void wait_in_vain(wait how, int peer) {
    static char token;
    MPI_Request request;
    switch (how) {
    case wait::receive:
        MPI_Recv(&token, 1, MPI_CHAR, peer, planted_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        break;
    case wait::wait_for:
        MPI_Irecv(&token, 1, MPI_CHAR, peer, planted_tag, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
    case wait::probe:
        MPI_Probe(peer, planted_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        break;
    case wait::send:
        MPI_Ssend(&token, 1, MPI_CHAR, peer, planted_tag, MPI_COMM_WORLD);
        break;
    case wait::wait_for_send:
        MPI_Issend(&token, 1, MPI_CHAR, peer, planted_tag, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
    case wait::ways:
        break;
    }
}

/// Ranks that each wait for the next: all for messages, or all to be received from.
std::function<void()> ring(generator &random) {
    const std::vector<int> members = random.some_ranks(5);
    const auto how = wait(random.below(int(wait::ways)));
    std::function<void()> own;
    for (std::size_t i = 0; i < members.size(); ++i) {
        const int next = members[(i + 1) % members.size()];
        foretell_row(members[i], name_of(how), awaited_text(how, next));
        foretell_link(members[i], name_of(how), next);
        if (members[i] == own_rank) {
            own = [how, next] { wait_in_vain(how, next); };
        }
    }
    return own;
}

/// One rank waits for a message that nobody sends, or that nobody receives. All others go on as far as they
/// can without it.
std::function<void()> missing_message(generator &random) {
    const std::vector<int> pair = random.some_ranks(2);
    const auto how = wait(random.below(int(wait::ways)));
    foretell_row(pair[0], name_of(how), awaited_text(how, pair[1]));
    foretell_link(pair[0], name_of(how), pair[1]);
    return pair[0] == own_rank ? [how, to = pair[1]] { wait_in_vain(how, to); } : std::function<void()>{};
}

/// The same for a message of any rank.
std::function<void()> missing_from_anybody(generator &random) {
    const int rank = random.below(ranks);
    const bool probes = random.once_in(2);
    foretell_row(rank, probes ? "MPI_Probe" : "MPI_Recv", "a message from any rank");
    return rank == own_rank ? [probes] { wait_in_vain(probes ? wait::probe : wait::receive, MPI_ANY_SOURCE); }
                            : std::function<void()>{};
}

/// One of several requests is never completed.
std::function<void()> missing_of_several(generator &random) {
    const std::vector<int> pair = random.some_ranks(2);
    foretell_row(pair[0], "MPI_Waitall", "a message from " + rank_text(pair[1]));
    foretell_link(pair[0], "MPI_Waitall", pair[1]);
    if (pair[0] != own_rank) {
        return {};
    }
    return [from = pair[1]] {
        MPI_Request all[3];
        char in[2], out = 0;
        MPI_Irecv(&in[0], 1, MPI_CHAR, 0, planted_tag, MPI_COMM_SELF, &all[0]);
        MPI_Irecv(&in[1], 1, MPI_CHAR, from, planted_tag, MPI_COMM_WORLD, &all[1]);
        MPI_Isend(&out, 1, MPI_CHAR, 0, planted_tag, MPI_COMM_SELF, &all[2]);
        MPI_Waitall(3, all, MPI_STATUSES_IGNORE);
    };
}

/// One rank leaves out a collective that all others wait in.
std::function<void()> missing_in_collective(generator &random) {
    struct choice {
        const char *name;
        std::function<void()> take;
    };
    const int absent = random.below(ranks);
    static int values[64];
    const choice all[] = {
        {"MPI_Barrier", [] { MPI_Barrier(apart[0]); }},
        {"MPI_Allreduce", [] { MPI_Allreduce(MPI_IN_PLACE, values, 1, MPI_INT, MPI_SUM, apart[0]); }},
        {"MPI_Alltoall", [] { MPI_Alltoall(values, 1, MPI_INT, values + 32, 1, MPI_INT, apart[0]); }},
        {"MPI_Allgather", [] { MPI_Allgather(values, 1, MPI_INT, values + 32, 1, MPI_INT, apart[0]); }},
        {"MPI_Bcast", [absent] { MPI_Bcast(values, 1, MPI_INT, absent, apart[0]); }},
        {"MPI_Scatter",
         [absent] { MPI_Scatter(values, 1, MPI_INT, values + 32, 1, MPI_INT, absent, apart[0]); }},
        {"MPI_Wait",
         [] {
             MPI_Request request;
             MPI_Ibarrier(apart[0], &request);
             MPI_Wait(&request, MPI_STATUS_IGNORE);
         }},
    };
    const choice &chosen = all[random.below(static_cast<int>(std::size(all)))];
    for (int rank = 0; rank < ranks; ++rank) {
        if (rank != absent) {
            foretell_row(rank, chosen.name, rank_text(absent));
        }
    }
    if (own_rank == 0) {
        std::printf("words|waits in %s for rank %d\n", chosen.name, absent);
    }
    return own_rank != absent ? chosen.take : std::function<void()>{};
}

/// Two collectives that some ranks call in another order than the others.
std::function<void()> other_order(generator &random) {
    std::vector<int> here, there;
    const int first = random.below(ranks);
    for (int rank = 0; rank < ranks; ++rank) {
        const bool is_here = rank == first || (rank != (first + 1) % ranks && random.once_in(2));
        (is_here ? here : there).push_back(rank);
    }
    for (const int rank : here) {
        foretell_row(rank, "MPI_Barrier", ranks_text(there));
    }
    for (const int rank : there) {
        foretell_row(rank, "MPI_Barrier", ranks_text(here));
    }
    const int own_first = std::count(here.begin(), here.end(), own_rank) != 0 ? 0 : 1;
    return [own_first] {
        MPI_Barrier(apart[own_first]);
        MPI_Barrier(apart[1 - own_first]);
    };
}

std::function<void()> draw_deadlock(generator &random) {
    constexpr std::function<void()> (*all[])(generator &) = {
        ring, missing_message, missing_from_anybody, missing_of_several, missing_in_collective, other_order};
    auto own = all[random.below(static_cast<int>(std::size(all)))](random);
    std::fflush(stdout);
    return own;
}

void run(unsigned seed, bool plant) {
    constexpr int most_actions = 60;
    generator random{seed};
    const int count = 1 + random.below(most_actions);
    const int planted_at = plant ? random.below(count) : -1;
    execution mine;
    for (int i = 0; i < count; ++i) {
        if (i == planted_at) {
            if (const auto own = draw_deadlock(random)) {
                own();
            }
        }
        mine.take(random.next());
    }
}

} // namespace

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &own_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const unsigned first = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 1;
    const unsigned count = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 1;
    const bool plant = argc > 3 && std::strcmp(argv[3], "plant") == 0;
    comms[world] = MPI_COMM_WORLD;
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[twin]);
    MPI_Comm_split(MPI_COMM_WORLD, own_rank % 2, own_rank, &comms[half]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -own_rank, &comms[reversed]);
    MPI_Comm_dup(MPI_COMM_WORLD, &apart[0]);
    MPI_Comm_dup(MPI_COMM_WORLD, &apart[1]);
    for (unsigned seed = first; seed < first + count; ++seed) {
        run(seed, plant);
        MPI_Barrier(MPI_COMM_WORLD); // messages of two programs must not meet
    }
    for (MPI_Comm *const each : {&comms[twin], &comms[half], &comms[reversed], &apart[0], &apart[1]}) {
        MPI_Comm_free(each);
    }
    MPI_Finalize();
    return 0;
}
