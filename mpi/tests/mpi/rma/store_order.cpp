// SPDX-License-Identifier: Apache-2.0
// Two ranks each put a one where the other looks, flush, and look where the other puts: at least one of them
// must find it, whatever call it looks with. A processor that reads before its own store has left it would
// let both find nothing. Each puts through another window than it looks through. With more than two ranks
// the first one tells its neighbour that it has put, and that one looks in its place: the two may share a
// processor.
//     store_order [rounds]
#include "payload.hpp"
#include "window.hpp"

#include <array>
#include <cstdint>
#include <string>

namespace {

using element = std::int64_t;
const MPI_Datatype element_type = MPI_INT64_T;
constexpr int several = 4; ///< elements in each part

enum class look { get, get_several, fetch, compare_and_swap, load };
constexpr std::array all_looks{look::get, look::get_several, look::fetch, look::compare_and_swap, look::load};

/// One side of the contest.
struct side {
    int puts;              ///< rank
    int looks;             ///< rank: the same, or one that it tells
    window_of<element> at; ///< where it looks
};

/// What the calling rank, whose part it is, finds in the first element of its own part.
element find(const window_of<element> &window, int self, look how) {
    std::array<element, several> found{};
    const element zero = 0;
    const element never = -1;
    switch (how) {
    case look::get:
        CHECK_MPI(MPI_Get(found.data(), 1, element_type, self, 0, 1, element_type, window.handle()));
        break;
    case look::get_several:
        CHECK_MPI(
            MPI_Get(found.data(), several, element_type, self, 0, several, element_type, window.handle()));
        break;
    case look::fetch:
        CHECK_MPI(MPI_Fetch_and_op(&zero, found.data(), element_type, self, 0, MPI_NO_OP, window.handle()));
        break;
    case look::compare_and_swap:
        CHECK_MPI(MPI_Compare_and_swap(&zero, &never, found.data(), element_type, self, 0, window.handle()));
        break;
    case look::load:
        CHECK_MPI(MPI_Win_sync(window.handle()));
        found[0] = static_cast<const volatile element &>(window[0]);
        break;
    }
    CHECK_MPI(MPI_Win_flush(self, window.handle()));
    return found[0];
}

class contest {
  public:
    explicit contest(const check::job &job)
        : job_{job}, random_{static_cast<std::uint64_t>(job.rank) + 1},
          sides_{side{0, job.size > 2 ? 1 : 0, {flavour::allocated, several}},
                 side{job.size - 1, job.size - 1, {flavour::allocated, several}}} {
        for (const side &each : sides_)
            CHECK_MPI(MPI_Win_lock_all(0, each.at.handle()));
    }
    ~contest() {
        for (const side &each : sides_)
            CHECK_MPI(MPI_Win_unlock_all(each.at.handle()));
    }
    contest(const contest &) = delete;
    contest &operator=(const contest &) = delete;

    void run(look how, int rounds) {
        for (int round = 0; round < rounds; ++round) {
            clear();
            element found = take_part(sides_[0], sides_[1], how) + take_part(sides_[1], sides_[0], how);
            CHECK_MPI(MPI_Allreduce(MPI_IN_PLACE, &found, 1, element_type, MPI_SUM, MPI_COMM_WORLD));
            if (found == 0)
                check::fail(__FILE__, __LINE__,
                            "both looked past each other's put in round " + std::to_string(round) +
                                " of way " + std::to_string(static_cast<int>(how)));
        }
    }

  private:
    void clear() {
        for (const side &each : sides_) {
            each.at[0] = 0;
            CHECK_MPI(MPI_Win_sync(each.at.handle()));
        }
        CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
        for (int left = random_.below(300); left > 0; --left) // so that the ranks meet in different ways
            static_cast<void>(random_.next());
    }

    /// What the calling rank finds where one side looks; 0 if it is not the one that looks.
    element take_part(const side &own, const side &other, look how) {
        if (job_.rank == own.puts) {
            const element one = 1;
            CHECK_MPI(MPI_Put(&one, 1, element_type, other.looks, 0, 1, element_type, other.at.handle()));
            CHECK_MPI(MPI_Win_flush(other.looks, other.at.handle()));
            if (own.looks != own.puts)
                CHECK_MPI(MPI_Send(nullptr, 0, MPI_BYTE, own.looks, 0, MPI_COMM_WORLD));
        }
        if (job_.rank != own.looks)
            return 0;
        if (own.looks != own.puts)
            CHECK_MPI(MPI_Recv(nullptr, 0, MPI_BYTE, own.puts, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        return find(own.at, job_.rank, how);
    }

    const check::job &job_;
    random_numbers random_;
    std::array<side, 2> sides_;
};

} // namespace

int main(int argc, char **argv) {
    const check::job job(&argc, &argv);
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 100;
    contest both(job);
    for (const look how : all_looks)
        both.run(how, rounds);
}
