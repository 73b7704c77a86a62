// SPDX-License-Identifier: Apache-2.0
// Collectives that move data: every call in every form, for counts from none to large, all roots, contiguous
// and spread out data, in place or not, on all ranks and on a part of them in another order.
#include "forms.hpp"

namespace {

struct scene {
    MPI_Comm comm;
    int rank, size;
    form how;
    int count;
    int send_stride, receive_stride;
};

void fill(strided &data, int first, int count, int rank) {
    for (int i = 0; i < count; ++i)
        data[first + i] = value(rank, i);
}

void expect(strided &data, int first, int count, int rank) {
    for (int i = 0; i < count; ++i)
        CHECK_EQ(data[first + i], value(rank, i));
}

void barrier(const scene &s) {
    call(
        s.how, [] {}, MPI_Barrier, MPI_Ibarrier, MPI_Barrier_init, s.comm);
}

void bcast(const scene &s, int root) {
    strided data(s.count, s.send_stride);
    const int_type type(s.send_stride);
    const auto prepare = [&] {
        data.clear();
        if (s.rank == root)
            fill(data, 0, s.count, root);
    };
    call(s.how, prepare, MPI_Bcast, MPI_Ibcast, MPI_Bcast_init, data.data(), s.count, type, root, s.comm);
    expect(data, 0, s.count, root);
    data.check_gaps();
}

void gather(const scene &s, int root, bool in_place) {
    const bool here = s.rank == root;
    strided own(s.count, s.send_stride), all(here ? s.count * s.size : 0, s.receive_stride);
    const int_type send_type(s.send_stride), receive_type(s.receive_stride);
    const auto prepare = [&] {
        all.clear();
        fill(own, 0, s.count, s.rank);
        if (here && in_place)
            fill(all, s.rank * s.count, s.count, s.rank);
    };
    const void *sent = here && in_place ? MPI_IN_PLACE : own.data();
    call(s.how, prepare, MPI_Gather, MPI_Igather, MPI_Gather_init, sent, s.count, send_type,
         here ? all.data() : nullptr, here ? s.count : -7,
         here ? static_cast<MPI_Datatype>(receive_type) : MPI_DATATYPE_NULL, root, s.comm);
    for (int peer = 0; here && peer < s.size; ++peer)
        expect(all, peer * s.count, s.count, peer);
    all.check_gaps();
}

void scatter(const scene &s, int root, bool in_place) {
    const bool here = s.rank == root;
    strided own(s.count, s.receive_stride), all(here ? s.count * s.size : 0, s.send_stride);
    const int_type send_type(s.send_stride), receive_type(s.receive_stride);
    const auto prepare = [&] {
        own.clear();
        for (int peer = 0; here && peer < s.size; ++peer)
            fill(all, peer * s.count, s.count, peer);
    };
    void *received = here && in_place ? MPI_IN_PLACE : own.data();
    call(s.how, prepare, MPI_Scatter, MPI_Iscatter, MPI_Scatter_init, here ? all.data() : nullptr,
         here ? s.count : -7, here ? static_cast<MPI_Datatype>(send_type) : MPI_DATATYPE_NULL, received,
         s.count, receive_type, root, s.comm);
    if (received != MPI_IN_PLACE)
        expect(own, 0, s.count, s.rank);
    own.check_gaps();
}

/// Blocks of different lengths in reverse order with gaps between: rank r has count + r elements.
struct blocks {
    std::vector<int> counts, displacements;
    int total = 0;
    blocks(int size, int count) : counts(static_cast<std::size_t>(size)), displacements(counts) {
        for (int rank = size - 1; rank >= 0; --rank) {
            at(counts, rank) = count == 0 ? 0 : count + rank;
            at(displacements, rank) = total + 1;
            total += at(counts, rank) + 2;
        }
    }
    static int &at(std::vector<int> &list, int rank) { return list[static_cast<std::size_t>(rank)]; }
    int count(int rank) { return at(counts, rank); }
    int place(int rank) { return at(displacements, rank); }
};

void gatherv(const scene &s, int root, bool in_place) {
    const bool here = s.rank == root;
    blocks parts(s.size, s.count);
    strided own(parts.count(s.rank), s.send_stride), all(here ? parts.total : 0, s.receive_stride);
    const int_type send_type(s.send_stride), receive_type(s.receive_stride);
    const auto prepare = [&] {
        all.clear();
        fill(own, 0, own.count(), s.rank);
        if (here && in_place)
            fill(all, parts.place(s.rank), own.count(), s.rank);
    };
    const void *sent = here && in_place ? MPI_IN_PLACE : own.data();
    call(s.how, prepare, MPI_Gatherv, MPI_Igatherv, MPI_Gatherv_init, sent, own.count(), send_type,
         here ? all.data() : nullptr, here ? parts.counts.data() : nullptr,
         here ? parts.displacements.data() : nullptr, receive_type, root, s.comm);
    for (int peer = 0; here && peer < s.size; ++peer) {
        expect(all, parts.place(peer), parts.count(peer), peer);
        CHECK_EQ(all[parts.place(peer) - 1], strided::guard);
    }
    all.check_gaps();
}

void scatterv(const scene &s, int root, bool in_place) {
    const bool here = s.rank == root;
    blocks parts(s.size, s.count);
    strided own(parts.count(s.rank), s.receive_stride), all(here ? parts.total : 0, s.send_stride);
    const int_type send_type(s.send_stride), receive_type(s.receive_stride);
    const auto prepare = [&] {
        own.clear();
        for (int peer = 0; here && peer < s.size; ++peer)
            fill(all, parts.place(peer), parts.count(peer), peer);
    };
    void *received = here && in_place ? MPI_IN_PLACE : own.data();
    call(s.how, prepare, MPI_Scatterv, MPI_Iscatterv, MPI_Scatterv_init, here ? all.data() : nullptr,
         here ? parts.counts.data() : nullptr, here ? parts.displacements.data() : nullptr, send_type,
         received, own.count(), receive_type, root, s.comm);
    if (received != MPI_IN_PLACE)
        expect(own, 0, own.count(), s.rank);
    own.check_gaps();
}

void allgather(const scene &s, bool in_place) {
    strided own(s.count, s.send_stride), all(s.count * s.size, s.receive_stride);
    const int_type send_type(s.send_stride), receive_type(s.receive_stride);
    const auto prepare = [&] {
        all.clear();
        fill(own, 0, s.count, s.rank);
        if (in_place)
            fill(all, s.rank * s.count, s.count, s.rank);
    };
    const void *sent = in_place ? MPI_IN_PLACE : own.data();
    call(s.how, prepare, MPI_Allgather, MPI_Iallgather, MPI_Allgather_init, sent, s.count, send_type,
         all.data(), s.count, receive_type, s.comm);
    for (int peer = 0; peer < s.size; ++peer)
        expect(all, peer * s.count, s.count, peer);
    all.check_gaps();
}

void allgatherv(const scene &s, bool in_place) {
    blocks parts(s.size, s.count);
    strided own(parts.count(s.rank), s.send_stride), all(parts.total, s.receive_stride);
    const int_type send_type(s.send_stride), receive_type(s.receive_stride);
    const auto prepare = [&] {
        all.clear();
        fill(own, 0, own.count(), s.rank);
        if (in_place)
            fill(all, parts.place(s.rank), own.count(), s.rank);
    };
    const void *sent = in_place ? MPI_IN_PLACE : own.data();
    call(s.how, prepare, MPI_Allgatherv, MPI_Iallgatherv, MPI_Allgatherv_init, sent, own.count(), send_type,
         all.data(), parts.counts.data(), parts.displacements.data(), receive_type, s.comm);
    for (int peer = 0; peer < s.size; ++peer) {
        expect(all, parts.place(peer), parts.count(peer), peer);
        CHECK_EQ(all[parts.place(peer) - 1], strided::guard);
    }
    all.check_gaps();
}

/// What `from` sends to `to`.
int pair_value(int from, int to, int i) {
    return value(from * 31 + to, i);
}

void alltoall(const scene &s, bool in_place) {
    strided sent(s.count * s.size, s.send_stride), received(s.count * s.size, s.receive_stride);
    const int_type send_type(s.send_stride), receive_type(s.receive_stride);
    const auto prepare = [&] {
        received.clear();
        strided &from = in_place ? received : sent;
        for (int i = 0; i < s.count * s.size; ++i)
            from[i] = pair_value(s.rank, i / s.count, i % s.count);
    };
    const void *buffer = in_place ? MPI_IN_PLACE : sent.data();
    call(s.how, prepare, MPI_Alltoall, MPI_Ialltoall, MPI_Alltoall_init, buffer, s.count, send_type,
         received.data(), s.count, receive_type, s.comm);
    for (int i = 0; i < s.count * s.size; ++i)
        CHECK_EQ(received[i], pair_value(i / s.count, s.rank, i % s.count));
    received.check_gaps();
}

/// Rank a sends count * ((a + b) % 3) elements to rank b: often none.
void alltoallv(const scene &s, bool in_place, bool types) {
    const auto length = [&](int peer) { return s.count * ((s.rank + peer) % 3); };
    const int room = 2 * s.count + 1;
    strided sent(room * s.size, s.send_stride), received(room * s.size, s.receive_stride);
    const int_type send_type(s.send_stride), receive_type(s.receive_stride);
    std::vector<int> counts, sent_places, received_places;
    std::vector<MPI_Datatype> sent_types, received_types;
    const int bytes = static_cast<int>(sizeof(int));
    for (int peer = 0; peer < s.size; ++peer) {
        counts.push_back(length(peer));
        sent_places.push_back(peer * room * (types ? bytes * s.send_stride : 1));
        received_places.push_back(peer * room * (types ? bytes * s.receive_stride : 1));
        sent_types.push_back(send_type);
        received_types.push_back(receive_type);
    }
    const auto prepare = [&] {
        received.clear();
        strided &from = in_place ? received : sent;
        for (int peer = 0; peer < s.size; ++peer)
            for (int i = 0; i < length(peer); ++i)
                from[peer * room + i] = pair_value(s.rank, peer, i);
    };
    const void *buffer = in_place ? MPI_IN_PLACE : sent.data();
    if (types)
        call(s.how, prepare, MPI_Alltoallw, MPI_Ialltoallw, MPI_Alltoallw_init, buffer, counts.data(),
             sent_places.data(), sent_types.data(), received.data(), counts.data(), received_places.data(),
             received_types.data(), s.comm);
    else
        call(s.how, prepare, MPI_Alltoallv, MPI_Ialltoallv, MPI_Alltoallv_init, buffer, counts.data(),
             sent_places.data(), send_type, received.data(), counts.data(), received_places.data(),
             receive_type, s.comm);
    for (int peer = 0; peer < s.size; ++peer) {
        for (int i = 0; i < length(peer); ++i)
            CHECK_EQ(received[peer * room + i], pair_value(peer, s.rank, i));
        CHECK_EQ(received[peer * room + length(peer)], strided::guard);
    }
    received.check_gaps();
}

void run(const scene &s) {
    barrier(s);
    for (const bool in_place : {false, true}) {
        for (int root = 0; root<s.size; root += s.count> 100 && s.size > 4 ? s.size - 1 : 1) {
            if (!in_place)
                bcast(s, root);
            gather(s, root, in_place);
            scatter(s, root, in_place);
            gatherv(s, root, in_place);
            scatterv(s, root, in_place);
        }
        allgather(s, in_place);
        allgatherv(s, in_place);
        alltoall(s, in_place);
        alltoallv(s, in_place, false);
        alltoallv(s, in_place, true);
    }
}

/// Blocks of which all together are more than the caches of most machines hold.
void exceed_caches(scene s) {
    s.count = 2'500'000;
    s.send_stride = s.receive_stride = 1;
    for (const form how : {form::blocking, form::non_blocking}) {
        s.how = how;
        allgather(s, false);
        alltoall(s, false);
    }
}

} // namespace

int main(int argc, char **argv) {
    const check::job job(&argc, &argv);
    const bool thorough = argc > 1;    // long blocks in every layout and on both communicators
    constexpr int in_two_parts = 2501; // elements that are published when half of them is there
    constexpr int in_pieces = 150000;  // elements that some algorithms move forwards or backwards
    MPI_Comm reversed = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_split(MPI_COMM_WORLD, job.rank % 3 == 2 ? 1 : 0, -job.rank, &reversed));
    const MPI_Comm comms[] = {MPI_COMM_WORLD, reversed};
    for (const MPI_Comm comm : comms) {
        scene s{};
        s.comm = comm;
        MPI_Comm_rank(comm, &s.rank);
        MPI_Comm_size(comm, &s.size);
        for (const form how : all_forms) {
            for (const int count : {0, 1, 7, in_two_parts, 30001, in_pieces}) {
                if (count > 100 && how != form::blocking)
                    continue; // the forms differ in nothing that depends on the length
                if (count == in_pieces && s.size > 3)
                    continue;
                const bool is_long = count > in_two_parts;
                if (is_long && comm == reversed && !thorough)
                    continue;
                for (const int stride : {1, 3}) {
                    if (is_long && stride != 1 && !thorough)
                        continue; // one side of the odd count is spread out all the same
                    s.how = how;
                    s.count = count;
                    s.send_stride = stride;
                    s.receive_stride = count % 2 == 0 ? stride : 4 - stride;
                    run(s);
                    if (count == in_pieces) { // each call the other way round, too
                        if (s.size % 2 != 0)
                            barrier(s);
                        run(s);
                    }
                }
            }
        }
    }
    if (job.size == 2) {
        scene s{};
        s.comm = MPI_COMM_WORLD;
        s.rank = job.rank;
        s.size = job.size;
        exceed_caches(s);
    }
    CHECK_MPI(MPI_Comm_free(&reversed));
    return 0;
}
