// SPDX-License-Identifier: Apache-2.0
// Long sequences of blocking collectives with nothing between them, drawn at random and the same for all
// ranks, on several communicators with other orders of the ranks. Now and then a rank stops for a moment,
// another one each time, so that others run ahead of it as far as they can.
#include "../check.hpp"

#include <algorithm>
#include <random>
#include <unistd.h>
#include <vector>

namespace {

using numbers = std::vector<long>;

class player {
  public:
    player() {
        MPI_Comm_rank(MPI_COMM_WORLD, &world_rank_);
        int ranks = 0;
        MPI_Comm_size(MPI_COMM_WORLD, &ranks);
        own_.seed(static_cast<unsigned>(world_rank_));
        stages_.emplace_back(MPI_COMM_WORLD);
        for (const auto &[color, key] : {std::pair{0, -world_rank_}, std::pair{world_rank_ % 2, world_rank_},
                                         std::pair{0, world_rank_ * 5 % 7}}) {
            MPI_Comm split = MPI_COMM_NULL;
            CHECK_MPI(MPI_Comm_split(MPI_COMM_WORLD, color, key, &split));
            stages_.emplace_back(split);
        }
    }
    ~player() {
        for (std::size_t i = 1; i < stages_.size(); ++i)
            MPI_Comm_free(&stages_[i].comm);
    }
    player(const player &) = delete;
    player &operator=(const player &) = delete;

    void play(int calls) {
        for (call_ = 0; call_ < calls; ++call_) {
            if (call_ == 0 || draw({0, 0, 0, 0, 0, 0, 0, 0, 0, 1}) != 0) {
                on_ = &stages_[draw({0, 0, 0, 1, 2, 3})];
                what_ = draw({0, 0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 5, 6, 7});
                root_ = static_cast<int>(common_() % static_cast<unsigned>(on_->size));
            }
            count_ = draw({0, 1, 1, 1, 1, 2, 31, 33, 200, 256, 257});
            in_place_ = draw({0, 0, 1}) != 0;
            if (own_() % 64 == 0)
                usleep(static_cast<useconds_t>(own_() % 200));
            switch (what_) {
            case 0:
                scan();
                break;
            case 1:
                exscan();
                break;
            case 2:
                gather();
                break;
            case 3:
                gatherv();
                break;
            case 4:
                alltoall();
                break;
            case 5:
                CHECK_MPI(MPI_Barrier(on_->comm));
                break;
            case 6:
                allreduce();
                break;
            default:
                bcast();
            }
        }
    }

  private:
    struct stage {
        explicit stage(MPI_Comm on) : comm{on} {
            MPI_Comm_rank(on, &rank);
            MPI_Comm_size(on, &size);
        }
        MPI_Comm comm;
        int rank = 0, size = 0;
    };

    /// The same for all ranks.
    std::size_t draw(std::initializer_list<int> from) {
        return static_cast<std::size_t>(from.begin()[common_() % from.size()]);
    }
    /// What a rank gives in this call.
    long given(int rank, std::size_t index) const {
        return call_ * 31L + rank * 7L + static_cast<long>(index);
    }
    numbers gift(int rank, std::size_t count) const {
        numbers all(count);
        for (std::size_t i = 0; i < count; ++i)
            all[i] = given(rank, i);
        return all;
    }
    /// The sum of what those ranks give.
    numbers sum(int first, int last) const {
        numbers all(count_);
        for (int rank = first; rank < last; ++rank)
            for (std::size_t i = 0; i < count_; ++i)
                all[i] += given(rank, i);
        return all;
    }
    int count() const { return static_cast<int>(count_); }

    void scan() {
        numbers give = gift(on_->rank, count_), take = in_place_ ? give : numbers(count_, -1);
        CHECK_MPI(MPI_Scan(in_place_ ? MPI_IN_PLACE : give.data(), take.data(), count(), MPI_LONG, MPI_SUM,
                           on_->comm));
        CHECK(take == sum(0, on_->rank + 1));
    }
    void exscan() {
        numbers give = gift(on_->rank, count_), take = in_place_ ? give : numbers(count_, -1);
        CHECK_MPI(MPI_Exscan(in_place_ ? MPI_IN_PLACE : give.data(), take.data(), count(), MPI_LONG, MPI_SUM,
                             on_->comm));
        if (on_->rank > 0)
            CHECK(take == sum(0, on_->rank));
    }
    void allreduce() {
        numbers give = gift(on_->rank, count_), take(count_, -1);
        CHECK_MPI(MPI_Allreduce(give.data(), take.data(), count(), MPI_LONG, MPI_SUM, on_->comm));
        CHECK(take == sum(0, on_->size));
    }
    void bcast() {
        numbers data = on_->rank == root_ ? gift(root_, count_) : numbers(count_, -1);
        CHECK_MPI(MPI_Bcast(data.data(), count(), MPI_LONG, root_, on_->comm));
        CHECK(data == gift(root_, count_));
    }
    void gather() {
        const numbers give = gift(on_->rank, count_);
        numbers take(on_->rank == root_ ? count_ * static_cast<std::size_t>(on_->size) : 0, -1);
        CHECK_MPI(
            MPI_Gather(give.data(), count(), MPI_LONG, take.data(), count(), MPI_LONG, root_, on_->comm));
        for (std::size_t i = 0; i < take.size(); ++i)
            CHECK_EQ(take[i], given(static_cast<int>(i / count_), i % count_));
    }
    void gatherv() {
        std::vector<int> counts, places;
        int end = 1;
        for (int rank = 0; rank < on_->size; ++rank) {
            counts.push_back(rank % 3 == 1 ? 0 : count() + rank % 2);
            places.push_back(end);
            end += counts.back() + 1; // what lies between stays as it is
        }
        const numbers give =
            gift(on_->rank, static_cast<std::size_t>(counts[static_cast<std::size_t>(on_->rank)]));
        numbers take(on_->rank == root_ ? static_cast<std::size_t>(end) : 0, -1), expected = take;
        CHECK_MPI(MPI_Gatherv(give.data(), static_cast<int>(give.size()), MPI_LONG, take.data(),
                              counts.data(), places.data(), MPI_LONG, root_, on_->comm));
        for (int rank = 0; rank < on_->size && on_->rank == root_; ++rank) {
            const auto index = static_cast<std::size_t>(rank);
            const numbers block = gift(rank, static_cast<std::size_t>(counts[index]));
            std::copy(block.begin(), block.end(), expected.begin() + places[index]);
        }
        CHECK(take == expected);
    }
    void alltoall() {
        const std::size_t block = std::min<std::size_t>(count_, 33);
        const auto ranks = static_cast<std::size_t>(on_->size), self = static_cast<std::size_t>(on_->rank);
        const numbers give = gift(on_->rank, block * ranks);
        numbers take(give.size(), -1);
        CHECK_MPI(MPI_Alltoall(give.data(), static_cast<int>(block), MPI_LONG, take.data(),
                               static_cast<int>(block), MPI_LONG, on_->comm));
        for (std::size_t i = 0; i < take.size(); ++i)
            CHECK_EQ(take[i], given(static_cast<int>(i / block), self * block + i % block));
    }

    std::mt19937 common_{20261123}, own_; // NOLINT(cert-msc51-cpp): failures are to come again
    std::vector<stage> stages_;
    int world_rank_ = 0;
    // Of the call that is made.
    stage *on_ = nullptr;
    int call_ = 0, root_ = 0;
    std::size_t what_ = 0, count_ = 0;
    bool in_place_ = false;
};

} // namespace

int main(int argc, char **argv) {
    const check::job job(&argc, &argv);
    player{}.play(3000);
    return 0;
}
