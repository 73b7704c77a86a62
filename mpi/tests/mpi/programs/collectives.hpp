// SPDX-License-Identifier: Apache-2.0
// One collective of a random program, in any of its three forms.
#pragma once

#include "parts.hpp"

namespace programs {

enum class collective_kind {
    barrier,
    bcast,
    gather,
    scatter,
    allgather,
    alltoall,
    reduce,
    allreduce,
    reduce_scatter_block,
    scan,
    exscan,
    kinds
};
enum class form { blocking, non_blocking, persistent, forms };

struct collective {
    collective_kind what;
    form how;
    int pairs, layout, root;
    int name; ///< of the first rank's data; those of the others follow
};

/// Makes the call in its form; what is to be checked is checked when it is complete.
template <class Blocking, class Begin, class Make, class... Arguments>
void call(form how, pending &unfinished, std::function<void()> check, Blocking blocking, Begin begin,
          Make make, Arguments... arguments) {
    MPI_Request request = MPI_REQUEST_NULL;
    switch (how) {
    case form::blocking:
        CHECK_MPI(blocking(arguments...));
        check();
        return;
    case form::non_blocking:
        CHECK_MPI(begin(arguments..., &unfinished.add(std::move(check))));
        return;
    default:
        CHECK_MPI(make(arguments..., MPI_INFO_NULL, &request));
        CHECK_MPI(MPI_Start(&request));
        CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK_MPI(MPI_Request_free(&request));
        check();
    }
}

/// Reductions of vectors of integers: the sum over ranks first to last - 1 of what they give.
inline void check_sum(const std::vector<int> &found, const collective &now, int first, int last, int offset) {
    for (std::size_t i = 0; i < found.size(); ++i) {
        int sum = 0;
        for (int rank = first; rank < last; ++rank)
            sum += value_of(now.name + rank, offset + static_cast<int>(i));
        CHECK_EQ(found[i], sum);
    }
}

inline void reduce(const collective &now, const place &where, pending &unfinished) {
    int rank = 0, size = 0;
    CHECK_MPI(MPI_Comm_rank(where.comm, &rank));
    CHECK_MPI(MPI_Comm_size(where.comm, &size));
    const int count = 2 * now.pairs;
    const bool scatters = now.what == collective_kind::reduce_scatter_block;
    const auto give =
        std::make_shared<std::vector<int>>(static_cast<std::size_t>(scatters ? size * count : count));
    const auto take = std::make_shared<std::vector<int>>(static_cast<std::size_t>(count), -1);
    for (std::size_t i = 0; i < give->size(); ++i)
        (*give)[i] = value_of(now.name + rank, static_cast<int>(i));
    const void *const from = give->data();
    void *const to = take->data();
    const auto check = [give, take, now](int first, int last, int offset) {
        return [give, take, now, first, last, offset] { check_sum(*take, now, first, last, offset); };
    };
    switch (now.what) {
    case collective_kind::reduce:
        call(
            now.how, unfinished,
            rank == now.root ? std::function<void()>{check(0, size, 0)} : [give, take] {}, MPI_Reduce,
            MPI_Ireduce, MPI_Reduce_init, from, to, count, MPI_INT, MPI_SUM, now.root, where.comm);
        return;
    case collective_kind::allreduce:
        call(now.how, unfinished, check(0, size, 0), MPI_Allreduce, MPI_Iallreduce, MPI_Allreduce_init, from,
             to, count, MPI_INT, MPI_SUM, where.comm);
        return;
    case collective_kind::reduce_scatter_block:
        call(now.how, unfinished, check(0, size, rank * count), MPI_Reduce_scatter_block,
             MPI_Ireduce_scatter_block, MPI_Reduce_scatter_block_init, from, to, count, MPI_INT, MPI_SUM,
             where.comm);
        return;
    case collective_kind::scan:
        call(now.how, unfinished, check(0, rank + 1, 0), MPI_Scan, MPI_Iscan, MPI_Scan_init, from, to, count,
             MPI_INT, MPI_SUM, where.comm);
        return;
    default:
        call(
            now.how, unfinished, rank > 0 ? std::function<void()>{check(0, rank, 0)} : [give, take] {},
            MPI_Exscan, MPI_Iexscan, MPI_Exscan_init, from, to, count, MPI_INT, MPI_SUM, where.comm);
    }
}

inline void move(const collective &now, const place &where, pending &unfinished) {
    int rank = 0, size = 0;
    CHECK_MPI(MPI_Comm_rank(where.comm, &rank));
    CHECK_MPI(MPI_Comm_size(where.comm, &size));
    const int pairs = now.pairs;
    // Whole blocks of one name each, so that a block says whose it is.
    const auto give = std::make_shared<data>(now.layout, pairs);
    const auto take = std::make_shared<data>((now.layout + rank) % data::layouts, pairs * size);
    const auto one = std::make_shared<data>((now.layout + rank) % data::layouts, pairs);
    const auto all = std::make_shared<data>(now.layout, pairs * size);
    give->fill(now.name + rank);
    all->fill(now.name + rank);
    const auto check_all = [=] {
        for (int from = 0; from < size; ++from)
            take->check(now.name + from, from * pairs, pairs);
        take->check_gaps();
        give->check_gaps();
    };
    switch (now.what) {
    case collective_kind::bcast:
        if (rank == now.root)
            one->fill(now.name + now.root);
        call(
            now.how, unfinished,
            [=] {
                one->check(now.name + now.root, 0, pairs);
                one->check_gaps();
            },
            MPI_Bcast, MPI_Ibcast, MPI_Bcast_init, one->at(), pairs, one->type(), now.root, where.comm);
        return;
    case collective_kind::gather:
        call(
            now.how, unfinished, rank == now.root ? std::function<void()>{check_all} : [give] {}, MPI_Gather,
            MPI_Igather, MPI_Gather_init, give->at(), pairs, give->type(), take->at(), pairs, take->type(),
            now.root, where.comm);
        return;
    case collective_kind::scatter:
        call(
            now.how, unfinished,
            [=] {
                for (int i = 0; i < 2 * pairs; ++i) // its block of the root's values
                    CHECK_EQ(one->value(i), value_of(now.name + now.root, 2 * pairs * rank + i));
                one->check_gaps();
                all->check_gaps();
            },
            MPI_Scatter, MPI_Iscatter, MPI_Scatter_init, all->at(), pairs, all->type(), one->at(), pairs,
            one->type(), now.root, where.comm);
        return;
    case collective_kind::allgather:
        call(now.how, unfinished, check_all, MPI_Allgather, MPI_Iallgather, MPI_Allgather_init, give->at(),
             pairs, give->type(), take->at(), pairs, take->type(), where.comm);
        return;
    default:
        call(
            now.how, unfinished,
            [=] {
                for (int i = 0; i < 2 * pairs * size; ++i)
                    CHECK_EQ(take->value(i), value_of(now.name + i / std::max(2 * pairs, 1),
                                                      2 * pairs * rank + i % std::max(2 * pairs, 1)));
                take->check_gaps();
                all->check_gaps();
            },
            MPI_Alltoall, MPI_Ialltoall, MPI_Alltoall_init, all->at(), pairs, all->type(), take->at(), pairs,
            take->type(), where.comm);
    }
}

/// @pre the calling rank is a member
inline void take_part(const collective &now, const place &where, pending &unfinished) {
    if (now.what == collective_kind::barrier)
        call(
            now.how, unfinished, [] {}, MPI_Barrier, MPI_Ibarrier, MPI_Barrier_init, where.comm);
    else if (now.what < collective_kind::reduce)
        move(now, where, unfinished);
    else
        reduce(now, where, unfinished);
}

} // namespace programs
