// SPDX-License-Identifier: Apache-2.0
// A program that spawns itself, in all shapes, and what parents and children can do together: messages of all
// lengths, collectives, communicators made of both, windows, grandchildren, errors.
#include "check.hpp"

#include <cstring>
#include <numeric>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

int rank_in(MPI_Comm comm) {
    int rank = 0;
    CHECK_MPI(MPI_Comm_rank(comm, &rank));
    return rank;
}
int size_of(MPI_Comm comm) {
    int size = 0;
    CHECK_MPI(MPI_Comm_size(comm, &size));
    return size;
}
int remote_size_of(MPI_Comm comm) {
    int size = 0;
    CHECK_MPI(MPI_Comm_remote_size(comm, &size));
    return size;
}

/// Hints for children of the kind that CHECK_CHILDREN names.
MPI_Info hints() {
    const char *const kind = std::getenv("CHECK_CHILDREN");
    MPI_Info made = MPI_INFO_NULL;
    if (kind != nullptr) {
        CHECK_MPI(MPI_Info_create(&made));
        CHECK_MPI(MPI_Info_set(made, "lisle_ranks", kind));
    }
    return made;
}

/// Each rank of one side sends to each of the other, and hears from it.
void exchange_all(MPI_Comm inter, std::size_t length) {
    const int self = rank_in(inter);
    const int others = remote_size_of(inter);
    std::vector<std::vector<int>> sent, received;
    std::vector<MPI_Request> requests;
    for (int peer = 0; peer < others; ++peer) {
        sent.emplace_back(length, 1000 * self + peer);
        received.emplace_back(length, -1);
    }
    for (int peer = 0; peer < others; ++peer) {
        const auto at = static_cast<std::size_t>(peer);
        const auto count = static_cast<int>(length);
        requests.resize(requests.size() + 2);
        CHECK_MPI(
            MPI_Irecv(received[at].data(), count, MPI_INT, peer, 3, inter, &requests[requests.size() - 2]));
        CHECK_MPI(MPI_Isend(sent[at].data(), count, MPI_INT, peer, 3, inter, &requests.back()));
    }
    CHECK_MPI(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
    for (int peer = 0; peer < others; ++peer)
        CHECK(received[static_cast<std::size_t>(peer)] == std::vector<int>(length, 1000 * peer + self));
}

/// The ranks of `comm` are 0 to size - 1 in the order of their groups: the sum says whether all are there.
void collectives(MPI_Comm comm) {
    const int size = size_of(comm);
    int mine = rank_in(comm) + 1, sum = 0;
    CHECK_MPI(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK_EQ(sum, size * (size + 1) / 2);
    std::vector<int> all(static_cast<std::size_t>(size));
    CHECK_MPI(MPI_Allgather(&mine, 1, MPI_INT, all.data(), 1, MPI_INT, comm));
    for (int rank = 0; rank < size; ++rank)
        CHECK_EQ(all[static_cast<std::size_t>(rank)], rank + 1);
    std::vector<long> many(100000, rank_in(comm) == size - 1 ? 42 : 0);
    CHECK_MPI(MPI_Bcast(many.data(), static_cast<int>(many.size()), MPI_LONG, size - 1, comm));
    CHECK(many == std::vector<long>(many.size(), 42));
    CHECK_MPI(MPI_Barrier(comm));
}

/// Each rank puts its number into its right neighbour's window.
void windows(MPI_Comm comm) {
    int *memory = nullptr;
    MPI_Win window = MPI_WIN_NULL;
    CHECK_MPI(MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &memory, &window));
    *memory = -1;
    CHECK_MPI(MPI_Win_fence(0, window));
    const int self = rank_in(comm), size = size_of(comm);
    CHECK_MPI(MPI_Put(&self, 1, MPI_INT, (self + 1) % size, 0, 1, MPI_INT, window));
    CHECK_MPI(MPI_Win_fence(0, window));
    CHECK_EQ(*memory, (self + size - 1) % size);
    int one = 1, before = 0;
    CHECK_MPI(MPI_Win_fence(0, window));
    *memory = 0;
    CHECK_MPI(MPI_Win_fence(0, window));
    CHECK_MPI(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window));
    CHECK_MPI(MPI_Fetch_and_op(&one, &before, MPI_INT, 0, 0, MPI_SUM, window));
    CHECK_MPI(MPI_Win_unlock(0, window));
    CHECK_MPI(MPI_Win_fence(0, window));
    if (self == 0)
        CHECK_EQ(*memory, size);
    CHECK_MPI(MPI_Win_free(&window));
}

/// What both sides do with an inter-communicator between them.
void together(MPI_Comm inter, bool parents) {
    for (const std::size_t length : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, std::size_t{200000}})
        exchange_all(inter, length);
    int mine = rank_in(inter) + 1, sum = 0;
    CHECK_MPI(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, inter));
    const int others = remote_size_of(inter);
    CHECK_EQ(sum, others * (others + 1) / 2);

    MPI_Comm merged = MPI_COMM_NULL, part = MPI_COMM_NULL, node = MPI_COMM_NULL, copy = MPI_COMM_NULL;
    CHECK_MPI(MPI_Intercomm_merge(inter, parents ? 0 : 1, &merged));
    CHECK_EQ(rank_in(merged), rank_in(inter) + (parents ? 0 : others));
    collectives(merged);
    windows(merged);
    CHECK_MPI(MPI_Comm_split(merged, rank_in(merged) % 2, -rank_in(merged), &part));
    CHECK_EQ(size_of(part), (size_of(merged) + 1 - rank_in(merged) % 2) / 2);
    CHECK_EQ(rank_in(part), size_of(part) - 1 - rank_in(merged) / 2);
    collectives(part);
    // Jobs share no memory, wherever they are.
    CHECK_MPI(MPI_Comm_split_type(merged, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
    CHECK(size_of(node) <= size_of(inter));
    collectives(node);
    CHECK_MPI(MPI_Comm_dup(inter, &copy));
    exchange_all(copy, 10);
    for (MPI_Comm *const each : {&merged, &part, &node, &copy})
        CHECK_MPI(MPI_Comm_free(each));
    MPI_Group remote = MPI_GROUP_NULL, world = MPI_GROUP_NULL, common = MPI_GROUP_NULL;
    CHECK_MPI(MPI_Comm_remote_group(inter, &remote));
    CHECK_MPI(MPI_Comm_group(MPI_COMM_WORLD, &world));
    CHECK_MPI(MPI_Group_intersection(remote, world, &common));
    CHECK(common == MPI_GROUP_EMPTY);
    for (MPI_Group *const each : {&remote, &world})
        CHECK_MPI(MPI_Group_free(each));
}

/// Starts children that are told `what`; all of them begin.
MPI_Comm spawn(const char *program, MPI_Comm comm, int root, int count, const char *what) {
    std::string words = what;
    char *arguments[] = {words.data(), nullptr};
    MPI_Info given = rank_in(comm) == root ? hints() : MPI_INFO_NULL;
    std::vector<int> codes(static_cast<std::size_t>(count), -1);
    MPI_Comm inter = MPI_COMM_NULL;
    const bool is_root = rank_in(comm) == root;
    CHECK_MPI(MPI_Comm_spawn(is_root ? program : nullptr, is_root ? arguments : nullptr, is_root ? count : -1,
                             given, root, comm, &inter, codes.data()));
    CHECK(codes == std::vector<int>(codes.size(), MPI_SUCCESS));
    CHECK_EQ(remote_size_of(inter), count);
    if (given != MPI_INFO_NULL)
        CHECK_MPI(MPI_Info_free(&given));
    return inter;
}

void several_programs(const check::job &job, char *program) {
    char first[] = "count", second[] = "two words";
    char *none[] = {first, nullptr}, *two[] = {first, second, nullptr};
    char **arguments[] = {none, two};
    char *commands[] = {program, program};
    const int counts[] = {1, 2};
    const MPI_Info given[] = {MPI_INFO_NULL, MPI_INFO_NULL};
    MPI_Comm inter = MPI_COMM_NULL;
    if (job.rank == 0)
        CHECK_MPI(MPI_Comm_spawn_multiple(2, commands, arguments, counts, given, 0, MPI_COMM_WORLD, &inter,
                                          MPI_ERRCODES_IGNORE));
    else
        CHECK_MPI(MPI_Comm_spawn_multiple(0, nullptr, nullptr, nullptr, nullptr, 0, MPI_COMM_WORLD, &inter,
                                          MPI_ERRCODES_IGNORE));
    CHECK_EQ(remote_size_of(inter), 3);
    if (job.rank == 0)
        for (int child = 0; child < 3; ++child) {
            int said[2] = {-1, -1}; // how many arguments, and which program
            CHECK_MPI(MPI_Recv(said, 2, MPI_INT, child, 5, inter, MPI_STATUS_IGNORE));
            CHECK_EQ(said[0], child == 0 ? 1 : 2);
            CHECK_EQ(said[1], child == 0 ? 0 : 1);
        }
    CHECK_MPI(MPI_Comm_disconnect(&inter));
}

void errors(const check::job &job, char *program) {
    MPI_Comm own = MPI_COMM_NULL, inter = MPI_COMM_WORLD;
    CHECK_MPI(MPI_Comm_dup(MPI_COMM_WORLD, &own));
    CHECK_MPI(MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN));
    int codes[2] = {-1, -1};
    // Its launcher's sentence is expected.
    CHECK_ERROR(MPI_ERR_SPAWN, MPI_Comm_spawn("no-such-program", MPI_ARGV_NULL, 2, MPI_INFO_NULL,
                                              job.size - 1, own, &inter, codes));
    CHECK(inter == MPI_COMM_NULL);
    CHECK_EQ(check::error_class(codes[0]), MPI_ERR_SPAWN);
    CHECK_EQ(check::error_class(codes[1]), MPI_ERR_SPAWN);
    CHECK_ERROR(MPI_ERR_ARG,
                MPI_Comm_spawn(program, MPI_ARGV_NULL, -1, MPI_INFO_NULL, 0, own, &inter, codes));
    CHECK_ERROR(MPI_ERR_ROOT,
                MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, MPI_INFO_NULL, job.size, own, &inter, codes));
    CHECK_MPI(MPI_Comm_free(&own));
}

/// A hint says in which folder the children begin.
void folders(char *program) {
    MPI_Info given = MPI_INFO_NULL;
    CHECK_MPI(MPI_Info_create(&given));
    CHECK_MPI(MPI_Info_set(given, "wdir", "/usr"));
    char what[] = "folder";
    char *arguments[] = {what, nullptr};
    MPI_Comm inter = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_spawn(program, arguments, 1, given, 0, MPI_COMM_SELF, &inter, MPI_ERRCODES_IGNORE));
    CHECK_MPI(MPI_Info_free(&given));
    char folder[64] = "";
    CHECK_MPI(MPI_Recv(folder, sizeof folder, MPI_CHAR, 0, 6, inter, MPI_STATUS_IGNORE));
    CHECK_EQ(std::string{folder}, "/usr");
    CHECK_MPI(MPI_Comm_disconnect(&inter));
}

void parents_work(const check::job &job, char *program) {
    for (const int count : {1, 3}) {
        MPI_Comm inter = spawn(program, MPI_COMM_WORLD, job.size - 1, count, "together");
        together(inter, true);
        CHECK_MPI(MPI_Comm_disconnect(&inter));
        CHECK(inter == MPI_COMM_NULL);
    }
    // All at once, each for itself.
    MPI_Comm own = spawn(program, MPI_COMM_SELF, 0, 2, "together");
    together(own, true);
    CHECK_MPI(MPI_Comm_free(&own));
    MPI_Comm inter = spawn(program, MPI_COMM_WORLD, 0, 1, "grandchildren");
    together(inter, true);
    CHECK_MPI(MPI_Comm_disconnect(&inter));
    several_programs(job, program);
    folders(program);
    errors(job, program);
}

void children_work(int argc, char **argv, MPI_Comm parents) {
    const std::string what = argc > 1 ? argv[1] : "";
    if (what == "together" || what == "grandchildren") {
        together(parents, false);
        if (what == "grandchildren") {
            MPI_Comm below = spawn(argv[0], MPI_COMM_WORLD, 0, 2, "together");
            together(below, true);
            CHECK_MPI(MPI_Comm_disconnect(&below));
        }
    } else if (what == "count") {
        int *number = nullptr, found = 0;
        CHECK_MPI(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, static_cast<void *>(&number), &found));
        const int said[2] = {argc - 1, found != 0 ? *number : -1};
        CHECK(argc == 2 || std::string{argv[2]} == "two words");
        CHECK_MPI(MPI_Send(said, 2, MPI_INT, 0, 5, parents));
    } else if (what == "folder") {
        char folder[64] = "";
        CHECK(getcwd(folder, sizeof folder) != nullptr);
        CHECK_MPI(MPI_Send(folder, sizeof folder, MPI_CHAR, 0, 6, parents));
    }
    MPI_Comm same = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_get_parent(&same));
    CHECK(same == parents);
    CHECK_MPI(MPI_Comm_disconnect(&parents));
    CHECK_MPI(MPI_Comm_get_parent(&same));
    CHECK(same == MPI_COMM_NULL);
}

} // namespace

int main(int argc, char **argv) {
    const check::job job{&argc, &argv};
    MPI_Comm parents = MPI_COMM_WORLD;
    CHECK_MPI(MPI_Comm_get_parent(&parents));
    if (parents == MPI_COMM_NULL)
        parents_work(job, argv[0]);
    else
        children_work(argc, argv, parents);
}
