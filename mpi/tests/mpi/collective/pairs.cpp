// SPDX-License-Identifier: Apache-2.0
// Blocking collectives of two ranks, which have a way of their own where they are short: all calls around the
// sizes where that ends, between other collectives that are under way, with one rank late or far ahead.
#include "forms.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <random>
#include <thread>

namespace {

using bytes = std::vector<unsigned char>;

/// What rank `rank` has for rank `peer` at `index`, in a call that is told from others by `call`.
unsigned char byte_of(int rank, int peer, int index, unsigned call) {
    return static_cast<unsigned char>(static_cast<unsigned>(rank * 101 + peer * 37 + index * 7) + call * 13);
}

/// The two ranks of a communicator, and what they do there.
class two_ranks {
  public:
    explicit two_ranks(MPI_Comm comm) : comm_(comm) {
        MPI_Comm_rank(comm, &rank_);
        other_ = 1 - rank_;
    }

    /// All calls that move data, with so many bytes in each block.
    void move(int length) {
        for (int root = 0; root < 2; ++root) {
            bcast(length, root);
            for (const bool in_place : {false, true}) {
                gather(length, root, in_place);
                scatter(length, root, in_place);
            }
        }
        for (const bool in_place : {false, true}) {
            allgather(length, in_place);
            alltoall(length, in_place);
        }
        CHECK_MPI(MPI_Barrier(comm_));
    }

    void bcast(int length, int root) {
        ++call_;
        bytes data = rank_ == root ? filled(root, 0, length) : cleared(length);
        CHECK_MPI(MPI_Bcast(data.data(), length, MPI_BYTE, root, comm_));
        expect(data, 0, root, 0, length);
    }

    /// Also with blocks of different sizes, of which one may be empty.
    void gather(int length, int root, bool in_place) {
        const bool here = rank_ == root;
        for (const int second : {length, length / 3, 0}) {
            ++call_;
            const int lengths[] = {length, second}, places[] = {second + 1, 0};
            const bytes own = filled(rank_, 0, lengths[rank_]);
            bytes all = cleared(length + second + 1);
            if (in_place && here)
                std::copy(own.begin(), own.end(), all.begin() + places[rank_]);
            CHECK_MPI(MPI_Gatherv(in_place && here ? MPI_IN_PLACE : own.data(), lengths[rank_], MPI_BYTE,
                                  all.data(), lengths, places, MPI_BYTE, root, comm_));
            for (int rank = 0; here && rank < 2; ++rank)
                expect(all, places[rank], rank, 0, lengths[rank]);
        }
        ++call_;
        const bytes own = filled(rank_, 0, length);
        bytes all = cleared(2 * length);
        if (in_place && here)
            std::copy(own.begin(), own.end(), all.begin() + rank_ * length);
        CHECK_MPI(MPI_Gather(in_place && here ? MPI_IN_PLACE : own.data(), length, MPI_BYTE, all.data(),
                             length, MPI_BYTE, root, comm_));
        for (int rank = 0; here && rank < 2; ++rank)
            expect(all, rank * length, rank, 0, length);
    }

    void scatter(int length, int root, bool in_place) {
        const bool here = rank_ == root;
        for (const int second : {length, length / 3, 0}) {
            ++call_;
            const int lengths[] = {length, second}, places[] = {second + 1, 0};
            bytes all = cleared(length + second + 1), own = cleared(lengths[rank_]);
            for (int rank = 0; rank < 2; ++rank)
                fill(all, places[rank], root, rank, lengths[rank]);
            CHECK_MPI(MPI_Scatterv(all.data(), lengths, places, MPI_BYTE,
                                   in_place && here ? MPI_IN_PLACE : own.data(), lengths[rank_], MPI_BYTE,
                                   root, comm_));
            if (!in_place || !here)
                expect(own, 0, root, rank_, lengths[rank_]);
        }
        ++call_;
        bytes all = cleared(2 * length), own = cleared(length);
        for (int rank = 0; rank < 2; ++rank)
            fill(all, rank * length, root, rank, length);
        CHECK_MPI(MPI_Scatter(all.data(), length, MPI_BYTE, in_place && here ? MPI_IN_PLACE : own.data(),
                              length, MPI_BYTE, root, comm_));
        if (!in_place || !here)
            expect(own, 0, root, rank_, length);
    }

    void allgather(int length, bool in_place) {
        for (const int second : {length, length / 3, 0}) {
            ++call_;
            const int lengths[] = {length, second}, places[] = {second + 1, 0};
            const bytes own = filled(rank_, 0, lengths[rank_]);
            bytes all = cleared(length + second + 1);
            if (in_place)
                std::copy(own.begin(), own.end(), all.begin() + places[rank_]);
            CHECK_MPI(MPI_Allgatherv(in_place ? MPI_IN_PLACE : own.data(), lengths[rank_], MPI_BYTE,
                                     all.data(), lengths, places, MPI_BYTE, comm_));
            for (int rank = 0; rank < 2; ++rank)
                expect(all, places[rank], rank, 0, lengths[rank]);
        }
        ++call_;
        const bytes own = filled(rank_, 0, length);
        bytes all = cleared(2 * length);
        if (in_place)
            std::copy(own.begin(), own.end(), all.begin() + rank_ * length);
        CHECK_MPI(MPI_Allgather(in_place ? MPI_IN_PLACE : own.data(), length, MPI_BYTE, all.data(), length,
                                MPI_BYTE, comm_));
        for (int rank = 0; rank < 2; ++rank)
            expect(all, rank * length, rank, 0, length);
    }

    /// Rank 0 gives rank 1 `length` bytes and gets a third of that, or nothing (in place: as many).
    void alltoall(int length, bool in_place) {
        for (const int back : {length, length / 3, 0}) {
            ++call_;
            const int give = rank_ == 0 || in_place ? length : back,
                      get = rank_ == 1 || in_place ? length : back;
            int given[] = {1, 1}, taken[] = {1, 1}, given_at[] = {give, give}, taken_at[] = {get, get};
            given[other_] = give;
            taken[other_] = get;
            given_at[other_] = taken_at[other_] = 0;
            bytes from = cleared(give + 1), to = cleared(get + 1);
            bytes &source = in_place ? to : from;
            fill(source, 0, rank_, other_, give);
            fill(source, give, rank_, rank_, 1);
            CHECK_MPI(MPI_Alltoallv(in_place ? MPI_IN_PLACE : from.data(), given, given_at, MPI_BYTE,
                                    to.data(), taken, taken_at, MPI_BYTE, comm_));
            expect(to, 0, other_, rank_, get);
            expect(to, get, rank_, rank_, 1);
        }
        ++call_;
        bytes from = cleared(2 * length), to = cleared(2 * length);
        for (int rank = 0; rank < 2; ++rank)
            fill(in_place ? to : from, rank * length, rank_, rank, length);
        CHECK_MPI(MPI_Alltoall(in_place ? MPI_IN_PLACE : from.data(), length, MPI_BYTE, to.data(), length,
                               MPI_BYTE, comm_));
        for (int rank = 0; rank < 2; ++rank)
            expect(to, rank * length, rank, rank_, length);
    }

    /// Allreduce, reduce, scan and exscan of so many numbers.
    void reduce(int count) {
        using numbers = std::vector<std::int64_t>;
        for (const bool in_place : {false, true}) {
            ++call_;
            const auto number = [&](int rank, int index) {
                return std::int64_t{byte_of(rank, 0, index, call_)} - 100;
            };
            numbers send(static_cast<std::size_t>(count)), receive;
            for (int i = 0; i < count; ++i)
                send[static_cast<std::size_t>(i)] = number(rank_, i);
            const auto sum_to = [&](int last) {
                for (int i = 0; i < count; ++i)
                    CHECK_EQ(receive[static_cast<std::size_t>(i)],
                             number(0, i) + (last == 1 ? number(1, i) : 0));
            };
            const auto start = [&](bool replace) -> const void * {
                receive = replace ? send : numbers(send.size(), -1);
                return replace ? MPI_IN_PLACE : static_cast<const void *>(send.data());
            };
            const void *from = start(in_place);
            CHECK_MPI(MPI_Allreduce(from, receive.data(), count, MPI_INT64_T, MPI_SUM, comm_));
            sum_to(1);
            for (int root = 0; root < 2; ++root) {
                from = start(in_place && rank_ == root);
                CHECK_MPI(MPI_Reduce(from, receive.data(), count, MPI_INT64_T, MPI_SUM, root, comm_));
                if (rank_ == root)
                    sum_to(1);
            }
            from = start(in_place);
            CHECK_MPI(MPI_Scan(from, receive.data(), count, MPI_INT64_T, MPI_SUM, comm_));
            sum_to(rank_);
            from = start(in_place);
            CHECK_MPI(MPI_Exscan(from, receive.data(), count, MPI_INT64_T, MPI_SUM, comm_));
            if (rank_ == 1)
                sum_to(0);
        }
    }

    /// A call of each sort, of which each rank does another one after other pauses.
    void one_late(std::mt19937 &chance, int longest_pause) {
        for (int what = 0; what < 4; ++what) {
            std::this_thread::sleep_for(
                std::chrono::microseconds(chance() % static_cast<unsigned>(longest_pause)));
            if (what == 0)
                CHECK_MPI(MPI_Barrier(comm_));
            else if (what == 1)
                allgather(300, false);
            else if (what == 2)
                bcast(8, 1);
            else
                reduce(2);
        }
    }

  private:
    bytes cleared(int length) const { return bytes(static_cast<std::size_t>(length), 0xee); }
    void fill(bytes &data, int place, int rank, int peer, int length) const {
        for (int i = 0; i < length; ++i)
            data[static_cast<std::size_t>(place + i)] = byte_of(rank, peer, i, call_);
    }
    bytes filled(int rank, int peer, int length) const {
        bytes data = cleared(length);
        fill(data, 0, rank, peer, length);
        return data;
    }
    void expect(const bytes &data, int place, int rank, int peer, int length) const {
        for (int i = 0; i < length; ++i)
            CHECK_EQ(data[static_cast<std::size_t>(place + i)], byte_of(rank, peer, i, call_));
    }

    MPI_Comm comm_;
    int rank_ = 0, other_ = 0;
    unsigned call_ = 0;
};

/// One rank gives again and again without ever waiting, then the other one.
void streams(two_ranks &two) {
    for (const int length : {8, 200, 1000})
        for (int root = 0; root < 2; ++root)
            for (int i = 0; i < 300; ++i)
                two.bcast(length, root);
}

/// Non-blocking and persistent collectives of two communicators are under way, begun by each rank in an order
/// of its own, and receives that would take any message.
void between_others(MPI_Comm comm) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm twins[2];
    for (MPI_Comm &twin : twins)
        CHECK_MPI(MPI_Comm_dup(comm, &twin));
    two_ranks first(twins[0]), second(twins[1]);
    int caught = -1;
    MPI_Request any = MPI_REQUEST_NULL;
    CHECK_MPI(MPI_Irecv(&caught, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, twins[0], &any));
    int mine = rank + 1, product = 0;
    MPI_Request lasting = MPI_REQUEST_NULL;
    CHECK_MPI(MPI_Allreduce_init(&mine, &product, 1, MPI_INT, MPI_PROD, twins[1], MPI_INFO_NULL, &lasting));
    for (int round = 0; round < 40; ++round) {
        int sums[2] = {}, heads[2] = {};
        MPI_Request requests[4];
        for (int i = 0; i < 2; ++i) {
            const int which = (i + rank) % 2;
            CHECK_MPI(
                MPI_Iallreduce(&mine, &sums[which], 1, MPI_INT, MPI_SUM, twins[which], &requests[which]));
            heads[which] = rank == round % 2 ? round : -1;
            CHECK_MPI(MPI_Ibcast(&heads[which], 1, MPI_INT, round % 2, twins[which], &requests[2 + which]));
        }
        CHECK_MPI(MPI_Start(&lasting));
        first.move(8);
        second.reduce(3);
        first.allgather(1000, false);
        second.bcast(600, round % 2);
        CHECK_MPI(MPI_Wait(&lasting, MPI_STATUS_IGNORE));
        CHECK_MPI(MPI_Waitall(4, requests, MPI_STATUSES_IGNORE));
        for (int i = 0; i < 2; ++i) {
            CHECK_EQ(sums[i], 3);
            CHECK_EQ(heads[i], round);
        }
        CHECK_EQ(product, 2);
    }
    CHECK_MPI(MPI_Request_free(&lasting));
    CHECK_MPI(MPI_Send(&mine, 1, MPI_INT, 1 - rank, 0, twins[0]));
    CHECK_MPI(MPI_Wait(&any, MPI_STATUS_IGNORE));
    CHECK_EQ(caught, 2 - rank);
    for (MPI_Comm &twin : twins)
        CHECK_MPI(MPI_Comm_free(&twin));
}

} // namespace

int main(int argc, char **argv) {
    const check::job job(&argc, &argv);
    MPI_Comm near = MPI_COMM_NULL, far = MPI_COMM_NULL; // neighbours, and ranks half of the job apart
    CHECK_MPI(MPI_Comm_split(MPI_COMM_WORLD, job.rank / 2, job.rank, &near));
    CHECK_MPI(MPI_Comm_split(MPI_COMM_WORLD, job.rank % (job.size / 2), -job.rank, &far));
    for (const MPI_Comm comm : {near, far}) {
        two_ranks two(comm);
        for (const int length : {0, 1, 8, 9, 56, 57, 64, 240, 248, 249, 1000, 1024, 1025, 5000})
            two.move(length);
        for (const int count : {0, 1, 2, 7, 8, 9, 31, 32, 127, 128, 129, 2000})
            two.reduce(count);
        streams(two);
        std::mt19937 chance(static_cast<unsigned>(job.rank));
        for (int round = 0; round < 20; ++round)
            two.one_late(chance, round % 5 == 0 ? 20000 : 200); // the longer ones let the other rank sleep
        between_others(comm);
    }
    CHECK_MPI(MPI_Comm_free(&near));
    CHECK_MPI(MPI_Comm_free(&far));
    return 0;
}
