// SPDX-License-Identifier: Apache-2.0
// Sessions: before, beside and after the world model, again and again; process sets; groups and communicators
// from them; their error handlers and buffers.
#include "check.hpp"

#include <string>
#include <vector>

namespace {

struct session {
    MPI_Session handle = MPI_SESSION_NULL;
    session() { CHECK_MPI(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &handle)); }
    ~session() {
        CHECK_MPI(MPI_Session_finalize(&handle));
        CHECK(handle == MPI_SESSION_NULL);
    }
    session(const session &) = delete;
    session &operator=(const session &) = delete;
};

MPI_Group members(MPI_Session of, const char *name) {
    MPI_Group group = MPI_GROUP_NULL;
    CHECK_MPI(MPI_Group_from_session_pset(of, name, &group));
    return group;
}

MPI_Comm made_of(MPI_Group group, const std::string &tag, MPI_Errhandler errors = MPI_ERRORS_RETURN) {
    MPI_Comm comm = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_create_from_group(group, tag.c_str(), MPI_INFO_NULL, errors, &comm));
    return comm;
}

/// A ring of messages and a reduction: the communicator works. Its size.
int use(MPI_Comm comm) {
    int rank = -1;
    int size = 0;
    CHECK_MPI(MPI_Comm_rank(comm, &rank));
    CHECK_MPI(MPI_Comm_size(comm, &size));
    int got = -1;
    CHECK_MPI(MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 5, &got, 1, MPI_INT,
                           (rank + size - 1) % size, 5, comm, MPI_STATUS_IGNORE));
    CHECK_EQ(got, (rank + size - 1) % size);
    int sum = 0;
    CHECK_MPI(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK_EQ(sum, size * (size - 1) / 2);
    return size;
}

void process_sets(const session &of) {
    int count = 0;
    CHECK_MPI(MPI_Session_get_num_psets(of.handle, MPI_INFO_NULL, &count));
    CHECK(count >= 2);
    bool world = false;
    bool self = false;
    for (int i = 0; i < count; ++i) {
        int length = 0;
        CHECK_MPI(MPI_Session_get_nth_pset(of.handle, MPI_INFO_NULL, i, &length, nullptr));
        std::string name(static_cast<std::size_t>(length), '?');
        CHECK_MPI(MPI_Session_get_nth_pset(of.handle, MPI_INFO_NULL, i, &length, name.data()));
        CHECK_EQ(name.back(), '\0');
        name.pop_back();
        world = world || name == "mpi://WORLD";
        self = self || name == "mpi://SELF";
        MPI_Info facts = MPI_INFO_NULL;
        CHECK_MPI(MPI_Session_get_pset_info(of.handle, name.c_str(), &facts));
        char text[32];
        int length_of_value = sizeof text;
        int there = 0;
        CHECK_MPI(MPI_Info_get_string(facts, "mpi_size", &length_of_value, text, &there));
        CHECK(there != 0);
        MPI_Group group = members(of.handle, name.c_str());
        int size = 0;
        CHECK_MPI(MPI_Group_size(group, &size));
        CHECK_EQ(std::to_string(size), std::string(text));
        CHECK_MPI(MPI_Group_free(&group));
        CHECK_MPI(MPI_Info_free(&facts));
        // A short buffer gets as much as fits.
        char start[4] = "xyz";
        int room = sizeof start;
        CHECK_MPI(MPI_Session_get_nth_pset(of.handle, MPI_INFO_NULL, i, &room, start));
        CHECK_EQ(room, length);
        CHECK_EQ(std::string(start), name.substr(0, 3));
    }
    CHECK(world);
    CHECK(self);
    MPI_Group none = MPI_GROUP_NULL;
    CHECK_ERROR(MPI_ERR_ARG, MPI_Group_from_session_pset(of.handle, "nobody://HERE", &none));
    int length = 0;
    CHECK_ERROR(MPI_ERR_ARG, MPI_Session_get_nth_pset(of.handle, MPI_INFO_NULL, count, &length, nullptr));
}

void thread_level(const session &of) {
    MPI_Info facts = MPI_INFO_NULL;
    CHECK_MPI(MPI_Session_get_info(of.handle, &facts));
    char level[64];
    int length = sizeof level;
    int there = 0;
    CHECK_MPI(MPI_Info_get_string(facts, "thread_level", &length, level, &there));
    CHECK(there != 0);
    CHECK_EQ(std::string(level), std::string("MPI_THREAD_MULTIPLE"));
    CHECK_MPI(MPI_Info_free(&facts));
    MPI_Info wanted = MPI_INFO_NULL;
    CHECK_MPI(MPI_Info_create(&wanted));
    CHECK_MPI(MPI_Info_set(wanted, "thread_level", "MPI_THREAD_MANY"));
    MPI_Session none = of.handle;
    CHECK_ERROR(MPI_ERR_INFO_VALUE, MPI_Session_init(wanted, MPI_ERRORS_RETURN, &none));
    CHECK(none == MPI_SESSION_NULL);
    CHECK_MPI(MPI_Info_free(&wanted));
}

std::string memory_kinds(MPI_Info facts) {
    char kinds[256] = "";
    int length = sizeof kinds;
    int there = 0;
    CHECK_MPI(MPI_Info_get_string(facts, "mpi_memory_alloc_kinds", &length, kinds, &there));
    CHECK(there != 0);
    CHECK_MPI(MPI_Info_free(&facts));
    return kinds;
}

/// Of the standard's attributes those that are no facts about a world.
void attributes_of_the_standard(MPI_Comm comm) {
    for (const int key : {MPI_TAG_UB, MPI_LASTUSEDCODE}) {
        int *value = nullptr;
        int flag = 0;
        CHECK_MPI(MPI_Comm_get_attr(comm, key, static_cast<void *>(&value), &flag));
        CHECK(flag != 0 && *value >= (key == MPI_TAG_UB ? 32767 : MPI_ERR_LASTCODE));
        CHECK_ERROR(MPI_ERR_KEYVAL, MPI_Comm_set_attr(comm, key, nullptr));
    }
    for (const int key : {MPI_HOST, MPI_IO, MPI_WTIME_IS_GLOBAL, MPI_APPNUM, MPI_UNIVERSE_SIZE}) {
        int *value = nullptr;
        int flag = 1;
        CHECK_MPI(MPI_Comm_get_attr(comm, key, static_cast<void *>(&value), &flag));
        CHECK_EQ(flag, 0);
    }
}

/// What is asked for and supported comes back, with the session and with all that comes from it.
void kinds_of_memory(const std::string &tag) {
    MPI_Info wanted = MPI_INFO_NULL;
    CHECK_MPI(MPI_Info_create(&wanted));
    CHECK_MPI(MPI_Info_set(wanted, "mpi_memory_alloc_kinds", "mpi:alloc_mem:win_allocate,cuda:device,mpi:x"));
    MPI_Session handle = MPI_SESSION_NULL;
    CHECK_MPI(MPI_Session_init(wanted, MPI_ERRORS_RETURN, &handle));
    CHECK_MPI(MPI_Info_free(&wanted));
    const std::string expected = "mpi,system,mpi:alloc_mem:win_allocate";
    MPI_Info facts = MPI_INFO_NULL;
    CHECK_MPI(MPI_Session_get_info(handle, &facts));
    CHECK_EQ(memory_kinds(facts), expected);
    MPI_Group self = members(handle, "mpi://SELF");
    MPI_Comm alone = made_of(self, tag);
    MPI_Comm copy = MPI_COMM_NULL;
    CHECK_MPI(MPI_Comm_dup(alone, &copy));
    for (MPI_Comm *comm : {&alone, &copy}) {
        attributes_of_the_standard(*comm);
        CHECK_MPI(MPI_Comm_get_info(*comm, &facts));
        CHECK_EQ(memory_kinds(facts), expected);
        CHECK_MPI(MPI_Comm_free(comm));
    }
    CHECK_MPI(MPI_Group_free(&self));
    CHECK_MPI(MPI_Session_finalize(&handle));
}

/// Everything that a session offers, used once.
void whole_life(const std::string &tag) {
    const session own;
    process_sets(own);
    thread_level(own);
    kinds_of_memory(tag + "/kinds");
    MPI_Group all = members(own.handle, "mpi://world"); // any case of letters
    MPI_Group self = members(own.handle, "mpi://SELF");
    MPI_Comm world = made_of(all, tag);
    MPI_Comm alone = made_of(self, tag);
    int size = 0;
    CHECK_MPI(MPI_Group_size(all, &size));
    CHECK_EQ(use(world), size);
    CHECK_EQ(use(alone), 1);

    // Halves, and a bridge between them.
    int rank = -1;
    CHECK_MPI(MPI_Group_rank(all, &rank));
    std::vector<int> low;
    for (int i = 0; i < size / 2; ++i)
        low.push_back(i);
    MPI_Group lower = MPI_GROUP_NULL;
    MPI_Group upper = MPI_GROUP_NULL;
    CHECK_MPI(MPI_Group_incl(all, static_cast<int>(low.size()), low.data(), &lower));
    CHECK_MPI(MPI_Group_excl(all, static_cast<int>(low.size()), low.data(), &upper));
    const bool is_low = rank < size / 2;
    MPI_Comm half = made_of(is_low ? lower : upper, tag + "/half");
    CHECK_EQ(use(half), is_low ? size / 2 : size - size / 2);
    if (size > 1) {
        MPI_Comm bridge = MPI_COMM_NULL;
        CHECK_MPI(MPI_Intercomm_create_from_groups(is_low ? lower : upper, 0, is_low ? upper : lower, 0,
                                                   (tag + "/bridge").c_str(), MPI_INFO_NULL,
                                                   MPI_ERRORS_RETURN, &bridge));
        int flag = 0;
        CHECK_MPI(MPI_Comm_test_inter(bridge, &flag));
        CHECK(flag != 0);
        int sum = -1;
        CHECK_MPI(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, bridge));
        int expected = 0;
        for (int i = 0; i < size; ++i)
            expected += (i < size / 2) != is_low ? i : 0;
        CHECK_EQ(sum, expected);
        CHECK_MPI(MPI_Comm_free(&bridge));
    }
    // Nobody is in the empty group.
    MPI_Comm nothing = alone;
    CHECK_MPI(
        MPI_Comm_create_from_group(MPI_GROUP_EMPTY, tag.c_str(), MPI_INFO_NULL, MPI_ERRORS_RETURN, &nothing));
    CHECK(nothing == MPI_COMM_NULL);

    // Buffered sends through the session's buffer.
    std::vector<char> memory(4096 + MPI_BSEND_OVERHEAD);
    CHECK_MPI(MPI_Session_attach_buffer(own.handle, memory.data(), static_cast<int>(memory.size())));
    int got = -1;
    CHECK_MPI(MPI_Bsend(&rank, 1, MPI_INT, 0, 1, alone));
    CHECK_MPI(MPI_Recv(&got, 1, MPI_INT, 0, 1, alone, MPI_STATUS_IGNORE));
    CHECK_EQ(got, rank);
    void *detached = nullptr;
    int bytes = 0;
    CHECK_MPI(MPI_Session_detach_buffer(own.handle, &detached, &bytes));
    CHECK(detached == memory.data());

    for (MPI_Comm *comm : {&world, &alone, &half})
        CHECK_MPI(MPI_Comm_disconnect(comm));
    for (MPI_Group *group : {&all, &self, &lower, &upper})
        CHECK_MPI(MPI_Group_free(group));
}

int session_errors = 0;
int communicator_errors = 0;
MPI_Comm blamed = MPI_COMM_WORLD;

extern "C" void count_session(MPI_Session *, int *, ...) {
    ++session_errors;
}
extern "C" void count_communicator(MPI_Comm *comm, int *, ...) {
    blamed = *comm;
    ++communicator_errors;
}

/// The handler that a call brings along hears of the errors of that call, also of those in its arguments.
void handlers() {
    MPI_Errhandler of_session = MPI_ERRHANDLER_NULL;
    MPI_Errhandler of_comm = MPI_ERRHANDLER_NULL;
    CHECK_MPI(MPI_Session_create_errhandler(count_session, &of_session));
    MPI_Session own = MPI_SESSION_NULL;
    CHECK_MPI(MPI_Session_init(MPI_INFO_NULL, of_session, &own));
    MPI_Group none = MPI_GROUP_NULL;
    CHECK_ERROR(MPI_ERR_ARG, MPI_Group_from_session_pset(own, "mpi://NONE", &none));
    CHECK_EQ(session_errors, 1);
    CHECK_MPI(MPI_Session_call_errhandler(own, MPI_ERR_OTHER));
    CHECK_EQ(session_errors, 2);
    CHECK_ERROR(MPI_ERR_ARG, MPI_Session_init(MPI_INFO_NULL, of_session, nullptr));
    CHECK_EQ(session_errors, 3);

    CHECK_MPI(MPI_Comm_create_errhandler(count_communicator, &of_comm));
    MPI_Group self = members(own, "mpi://SELF");
    CHECK_ERROR(MPI_ERR_ARG, MPI_Comm_create_from_group(self, "x", MPI_INFO_NULL, of_comm, nullptr));
    CHECK_EQ(communicator_errors, 1);
    CHECK(blamed == MPI_COMM_NULL);
    MPI_Comm comm = made_of(self, "x", of_comm);
    CHECK_ERROR(MPI_ERR_RANK, MPI_Send(nullptr, 0, MPI_INT, 9, 0, comm));
    CHECK_EQ(communicator_errors, 2);
    CHECK(blamed == comm);
    CHECK_MPI(MPI_Comm_free(&comm));
    CHECK_MPI(MPI_Group_free(&self));
    CHECK_MPI(MPI_Errhandler_free(&of_comm));
    CHECK_MPI(MPI_Errhandler_free(&of_session));
    CHECK_MPI(MPI_Session_finalize(&own));
}

} // namespace

int main(int argc, char **argv) {
    whole_life("before");
    handlers();
    const session across; // open all the time
    MPI_Group all = members(across.handle, "mpi://WORLD");
    MPI_Comm early = made_of(all, "across");
    MPI_Init(&argc, &argv);
    use(MPI_COMM_WORLD);
    whole_life("beside");
    for (int again = 0; again < 3; ++again)
        whole_life("again");
    // One from the sets has the world's ranks, but is another communicator.
    int result = MPI_UNEQUAL;
    CHECK_MPI(MPI_Comm_compare(early, MPI_COMM_WORLD, &result));
    CHECK_EQ(result, MPI_CONGRUENT);
    CHECK_EQ(use(early), use(MPI_COMM_WORLD));
    MPI_Finalize();
    use(early);
    whole_life("after");
    CHECK_MPI(MPI_Comm_free(&early));
    CHECK_MPI(MPI_Group_free(&all));
    return 0;
}
