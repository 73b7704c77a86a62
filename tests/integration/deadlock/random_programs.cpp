// SPDX-License-Identifier: Apache-2.0
// Random programs of sends, receives, collectives and waits: random_programs FIRST COUNT [plant]. Each number
// is a program, which all ranks derive alike: a list of actions in which, taken one by one, nobody waits for
// a later one. With `plant` a ring of ranks each receives from the next before it sends; rank 0 prints the
// ring.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

namespace {

constexpr int ring_tag = 999;
constexpr int most_bytes = 100'000;

int own_rank = 0, ranks = 0;

enum class kind { message, barrier, allreduce, broadcast, in_half, complete, ring };

struct action {
    kind what;
    int from = 0, to = 0; ///< ranks; of a broadcast the root
    int tag = 0, bytes = 0;
    bool sends_later = false, receives_later = false; ///< the calls are non-blocking
    bool synchronous = false;
    std::vector<int> ring{};
};

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
        constexpr kind others[] = {kind::barrier, kind::allreduce, kind::broadcast, kind::in_half,
                                   kind::complete};
        return {.what = others[choice - 7], .from = below(ranks)};
    }
    std::vector<int> ring() {
        std::vector<int> members(static_cast<std::size_t>(ranks));
        std::iota(members.begin(), members.end(), 0);
        std::shuffle(members.begin(), members.end(), random_);
        constexpr int most = 5;
        members.resize(static_cast<std::size_t>(std::min(ranks, 2 + below(most - 1))));
        return members;
    }

  private:
    action message() {
        action made{.what = kind::message, .from = below(ranks), .to = below(ranks)};
        made.tag = below(3);
        made.bytes = once_in(4) ? below(most_bytes) : below(64);
        made.sends_later = once_in(3) || made.from == made.to;
        made.receives_later = once_in(3);
        made.synchronous = once_in(4);
        return made;
    }
    std::mt19937 random_;
};

/// What one rank does of a program.
class execution {
  public:
    explicit execution(MPI_Comm half) : half_{half} {}
    ~execution() { complete(); }
    execution(const execution &) = delete;
    execution &operator=(const execution &) = delete;

    void take(const action &now) {
        int value = own_rank;
        switch (now.what) {
        case kind::message:
            pass(now);
            break;
        case kind::barrier:
            MPI_Barrier(MPI_COMM_WORLD);
            break;
        case kind::allreduce:
            MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            break;
        case kind::broadcast:
            MPI_Bcast(&value, 1, MPI_INT, now.from, MPI_COMM_WORLD);
            break;
        case kind::in_half:
            MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MAX, half_);
            break;
        case kind::complete:
            complete();
            break;
        case kind::ring:
            wait_in_ring(now.ring);
            break;
        }
    }

  private:
    std::vector<char> &buffer(int bytes) {
        return buffers_.emplace_back(static_cast<std::size_t>(std::max(bytes, 1)));
    }
    void pass(const action &now) {
        if (now.from == own_rank) {
            char *const data = buffer(now.bytes).data();
            if (now.sends_later) {
                auto *const start = now.synchronous ? MPI_Issend : MPI_Isend;
                start(data, now.bytes, MPI_CHAR, now.to, now.tag, MPI_COMM_WORLD, &requests_.emplace_back());
            } else {
                auto *const send = now.synchronous ? MPI_Ssend : MPI_Send;
                send(data, now.bytes, MPI_CHAR, now.to, now.tag, MPI_COMM_WORLD);
            }
        }
        if (now.to == own_rank) {
            char *const data = buffer(most_bytes).data(); // the order of tags decides which message comes
            if (now.receives_later) {
                MPI_Irecv(data, most_bytes, MPI_CHAR, now.from, now.tag, MPI_COMM_WORLD,
                          &requests_.emplace_back());
            } else {
                MPI_Recv(data, most_bytes, MPI_CHAR, now.from, now.tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            }
        }
    }
    void complete() {
        MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
        requests_.clear();
        buffers_.clear();
    }
    void wait_in_ring(const std::vector<int> &ring) {
        const auto self = std::find(ring.begin(), ring.end(), own_rank);
        if (self == ring.end()) {
            return;
        }
        const int next = self + 1 == ring.end() ? ring.front() : self[1];
        const int previous = self == ring.begin() ? ring.back() : self[-1];
        char token = 0;
        MPI_Recv(&token, 1, MPI_CHAR, next, ring_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&token, 1, MPI_CHAR, previous, ring_tag, MPI_COMM_WORLD);
    }

    MPI_Comm half_;
    std::vector<MPI_Request> requests_;
    std::vector<std::vector<char>> buffers_;
};

void run(unsigned seed, bool plant, MPI_Comm half) {
    constexpr int most_actions = 60;
    generator random{seed};
    const int count = 1 + random.below(most_actions);
    const int planted_at = plant ? random.below(count) : -1;
    execution mine{half};
    for (int i = 0; i < count; ++i) {
        if (i == planted_at) {
            const action ring{.what = kind::ring, .ring = random.ring()};
            if (own_rank == 0) {
                std::printf("ring:");
                std::for_each(ring.ring.begin(), ring.ring.end(), [](int rank) { std::printf(" %d", rank); });
                std::printf("\n");
                std::fflush(stdout);
            }
            mine.take(ring);
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
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, own_rank % 2, own_rank, &half);
    for (unsigned seed = first; seed < first + count; ++seed) {
        run(seed, plant, half);
        MPI_Barrier(MPI_COMM_WORLD); // messages of two programs must not meet
    }
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
