// SPDX-License-Identifier: Apache-2.0
// A hash table that lies across all ranks, in a window: whoever has a key claims its slot by
// compare_and_swap, wherever that is, and counts it by an accumulate. No rank serves the others. Counts how
// often each sum of three dice comes. Use: hash_table [throws]
#include "parts/dice.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace {

/// A slot has a key, or 0, and how often it was counted.
struct slot {
    std::int64_t key;
    std::int64_t count;
};

/// A table of the same number of slots in each rank. [MPI_Win_allocate, MPI_Compare_and_swap, MPI_Accumulate]
class hash_table {
  public:
    explicit hash_table(MPI_Aint slots_of_rank) : slots_{slots_of_rank} {
        MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
        MPI_Win_allocate(slots_ * static_cast<MPI_Aint>(sizeof(slot)), sizeof(std::int64_t), MPI_INFO_NULL,
                         MPI_COMM_WORLD, static_cast<void *>(&own_), &window_);
        std::fill_n(own_, slots_, slot{});
        MPI_Barrier(MPI_COMM_WORLD); // nobody claims a slot before it is empty
        MPI_Win_lock_all(0, window_);
    }
    ~hash_table() {
        MPI_Win_unlock_all(window_);
        MPI_Win_free(&window_);
    }
    hash_table(const hash_table &) = delete;
    hash_table &operator=(const hash_table &) = delete;

    /// Counts a key, which is not 0. @pre the table has room
    void count(std::int64_t key) const {
        const std::uint64_t all = static_cast<std::uint64_t>(slots_) * static_cast<std::uint64_t>(ranks_);
        for (std::uint64_t at = static_cast<std::uint64_t>(key) * 0x9e3779b97f4a7c15u;; ++at) {
            const auto place = static_cast<MPI_Aint>(at % all);
            const int rank = static_cast<int>(place / slots_);
            const MPI_Aint word = place % slots_ * 2; // of the key; the count is the next one
            const std::int64_t empty = 0;
            std::int64_t found = 0;
            MPI_Compare_and_swap(&key, &empty, &found, MPI_INT64_T, rank, word, window_);
            MPI_Win_flush(rank, window_);
            if (found != empty && found != key)
                continue; // another key has this slot
            const std::int64_t one = 1;
            MPI_Accumulate(&one, 1, MPI_INT64_T, rank, word + 1, 1, MPI_INT64_T, MPI_SUM, window_);
            MPI_Win_flush_local(rank, window_);
            return;
        }
    }

    /// This rank's part, when all ranks have counted what they had.
    [[nodiscard]] std::vector<slot> part() const {
        MPI_Win_flush_all(window_);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_sync(window_);
        return {own_, own_ + slots_};
    }

  private:
    MPI_Win window_ = MPI_WIN_NULL;
    MPI_Aint slots_;
    slot *own_ = nullptr;
    int ranks_ = 0;
};

} // namespace

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    int size = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const long throws = argc > 1 ? std::atol(argv[1]) : 100'000;
    std::vector<std::int64_t> counts(19, 0); // sums of three dice are 3 to 18
    {
        const hash_table table(64);
        for (long number = rank; number < throws; number += size)
            table.count(thrown(static_cast<std::uint64_t>(number)));
        for (const slot &each : table.part())
            if (each.key != 0)
                counts[static_cast<std::size_t>(each.key)] += each.count;
    }
    MPI_Allreduce(MPI_IN_PLACE, counts.data(), static_cast<int>(counts.size()), MPI_INT64_T, MPI_SUM,
                  MPI_COMM_WORLD);
    if (rank == 0)
        print_sums(counts);
    MPI_Finalize();
}
