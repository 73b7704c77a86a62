// SPDX-License-Identifier: Apache-2.0
// Lets each allocation of a call fail once: the first time its first one, then its second, until the call
// needs no more. A call that fails says MPI_ERR_NO_MEM, leaves nothing allocated, and works when it is made
// again.
//
// A rank of one. What several ranks do together is in failing_together.cpp.
#include <mpi.h>

#include <cstdio>
#include <cstring>
#include <functional>

#include "counted_allocations.hpp"

namespace {

void ignore(MPI_Comm *, int *, ...) {}

struct scenario {
    const char *name;
    std::function<int()> call; ///< what may fail
    std::function<int()> undo; ///< frees what the call made
};

int wrong = 0;
long refused = 0; ///< calls that failed, as they should

void complain(const scenario &about, long number, const char *what, long value) {
    std::fprintf(stderr, "%s, allocation %ld fails: %s %ld\n", about.name, number, what, value);
    ++wrong;
}

/// Makes a call with one of its allocations failing. @return its error code
template <class Call> int call_without(long number, Call call) {
    counted_begin(number);
    const int code = call();
    counted_end();
    return code;
}

/// The same. @return how many allocations it made until its end
long call_with(const scenario &about, long number, int &code) {
    counted_begin(number);
    code = about.call();
    return counted_end();
}

/// Lets the call's allocations fail one after the other. @return how many there were
long exhaust(const scenario &about) {
    constexpr long most = 500;
    int first = MPI_SUCCESS; // the name of a call that fails is looked up once
    call_with(about, 1, first);
    if (first == MPI_SUCCESS)
        about.undo();
    for (long number = 1; number <= most; ++number) {
        int code = MPI_SUCCESS;
        const long made = call_with(about, number, code);
        if (code == MPI_SUCCESS) {
            // Either it needed fewer, or it can do without this one, as caches can.
            if (const int undone = about.undo(); undone != MPI_SUCCESS)
                complain(about, number, "what the call made cannot be freed:", undone);
            if (made < number)
                return number - 1;
            continue;
        }
        ++refused;
        int error_class = 0;
        MPI_Error_class(code, &error_class);
        if (error_class != MPI_ERR_NO_MEM)
            complain(about, number, "the error class is", error_class);
        if (const long outstanding = counted_outstanding(); outstanding > 0)
            complain(about, number, "pieces of memory that are left:", outstanding);
        call_with(about, 0, code);
        if (code != MPI_SUCCESS)
            complain(about, number, "made again it gives", code);
        else if (const int undone = about.undo(); undone != MPI_SUCCESS)
            complain(about, number, "what the call made then cannot be freed:", undone);
    }
    complain(about, most, "the call still allocates:", most);
    return most;
}

// Tables grow while receives are posted and messages stored; what a call keeps of that is no leak, and
// happens once. So these are no scenarios of the kind above.

constexpr int patterns = 300; ///< more than the tables of a rank that has just begun have room for
const scenario posting{"MPI_Irecv with many patterns", nullptr, nullptr};
const scenario storing{"MPI_Iprobe for stored messages", nullptr, nullptr};

/// Makes the call until it succeeds, with its first allocation failing, then its second and so on.
/// @return how often it has failed
template <class Call> long insist(const scenario &about, Call call) {
    long number = 0;
    for (int code = MPI_ERR_NO_MEM; code != MPI_SUCCESS;) {
        code = call_without(++number, call);
        int error_class = MPI_SUCCESS;
        MPI_Error_class(code, &error_class);
        if (code != MPI_SUCCESS && error_class != MPI_ERR_NO_MEM) {
            complain(about, number, "the error class is", error_class);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    return number - 1;
}

/// Receives that could not be posted are not; all others are matched, in the order in which they were posted.
long post_many() {
    static int in[patterns];
    static MPI_Request requests[patterns];
    long failed = 0;
    for (int i = 0; i < patterns; ++i) {
        in[i] = -1;
        const int tag = 100 + i / 2; // two of each
        failed += insist(posting,
                         [&] { return MPI_Irecv(&in[i], 1, MPI_INT, 0, tag, MPI_COMM_WORLD, &requests[i]); });
    }
    for (int i = patterns; i-- > 0;) {
        const int sent = i ^ 1; // the first of a tag to the first receive
        MPI_Send(&sent, 1, MPI_INT, 0, 100 + i / 2, MPI_COMM_WORLD);
    }
    MPI_Waitall(patterns, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < patterns; ++i) {
        if (in[i] != i)
            complain(posting, i, "another message was received:", in[i]);
    }
    return failed;
}

/// Messages for which there is no memory stay where they are until there is some.
void store_many() {
    for (int i = 0; i < patterns; ++i) {
        MPI_Request sending;
        MPI_Isend(&i, 1, MPI_INT, 0, 500 + i, MPI_COMM_WORLD, &sending);
        MPI_Wait(&sending, MPI_STATUS_IGNORE);
        for (int found = 0; found == 0;) {
            for (long number = 1; number <= 4 && found == 0; ++number) {
                call_without(number, [&] {
                    return MPI_Iprobe(0, 500 + i, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
                });
            }
        }
    }
    for (int i = patterns; i-- > 0;) {
        int got = -1;
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 500 + i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (got != i)
            complain(storing, i, "another message was received:", got);
    }
}

} // namespace

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Group group = MPI_GROUP_NULL, other = MPI_GROUP_NULL;
    MPI_Info info = MPI_INFO_NULL;
    MPI_Op op = MPI_OP_NULL;
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    int keyval = MPI_KEYVAL_INVALID;
    static char long_out[1 << 20], long_in[1 << 20];
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    const int lengths[] = {3, 1, 4}, places[] = {0, 5, 9};
    const int dims[] = {1, 1}, periods[] = {0, 1};
    const auto free_comm = [&] { return MPI_Comm_free(&comm); };
    const auto free_type = [&] { return MPI_Type_free(&type); };
    const auto wait = [&] { return MPI_Wait(&request, MPI_STATUS_IGNORE); };
    const auto free_request = [&] { return MPI_Request_free(&request); };
    const auto nothing = [] { return MPI_SUCCESS; };
    const scenario scenarios[] = {
        {"MPI_Type_contiguous", [&] { return MPI_Type_contiguous(7, MPI_INT, &type); }, free_type},
        {"MPI_Type_vector", [&] { return MPI_Type_vector(7, 2, 3, MPI_DOUBLE, &type); }, free_type},
        {"MPI_Type_indexed", [&] { return MPI_Type_indexed(3, lengths, places, MPI_INT, &type); }, free_type},
        {"MPI_Type_dup", [&] { return MPI_Type_dup(MPI_INT, &type); }, free_type},
        {"MPI_Group_incl", [&] { return MPI_Group_incl(group, 1, places, &other); },
         [&] { return MPI_Group_free(&other); }},
        {"MPI_Info_create", [&] { return MPI_Info_create(&info); }, [&] { return MPI_Info_free(&info); }},
        {"MPI_Op_create", [&] { return MPI_Op_create([](void *, void *, int *, MPI_Datatype *) {}, 1, &op); },
         [&] { return MPI_Op_free(&op); }},
        {"MPI_Comm_create_errhandler", [&] { return MPI_Comm_create_errhandler(ignore, &handler); },
         [&] { return MPI_Errhandler_free(&handler); }},
        {"MPI_Comm_create_keyval",
         [&] {
             return MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval, nullptr);
         },
         [&] { return MPI_Comm_free_keyval(&keyval); }},
        {"MPI_Isend of 1 MiB",
         [&] { return MPI_Isend(long_out, sizeof long_out, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &request); },
         [&] {
             const int received =
                 MPI_Recv(long_in, sizeof long_in, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
             return received == MPI_SUCCESS ? wait() : received;
         }},
        {"MPI_Irecv", [&] { return MPI_Irecv(long_in, 8, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &request); },
         [&] {
             const int sent = MPI_Send(long_out, 8, MPI_BYTE, 0, 2, MPI_COMM_WORLD);
             return sent == MPI_SUCCESS ? wait() : sent;
         }},
        {"MPI_Send_init",
         [&] { return MPI_Send_init(long_out, 8, MPI_BYTE, 0, 3, MPI_COMM_WORLD, &request); }, free_request},
        {"MPI_Allreduce_init",
         [&] {
             return MPI_Allreduce_init(long_out, long_in, 8, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                                       &request);
         },
         free_request},
        {"MPI_Iallreduce",
         [&] { return MPI_Iallreduce(long_out, long_in, 8, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request); },
         wait},
        {"MPI_Allreduce",
         [&] { return MPI_Allreduce(long_out, long_in, 1000, MPI_INT, MPI_SUM, MPI_COMM_WORLD); }, nothing},
        {"MPI_Comm_dup", [&] { return MPI_Comm_dup(MPI_COMM_WORLD, &comm); }, free_comm},
        {"MPI_Comm_split", [&] { return MPI_Comm_split(MPI_COMM_WORLD, 3, 4, &comm); }, free_comm},
        {"MPI_Cart_create", [&] { return MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &comm); },
         free_comm},
    };
    for (const scenario &each : scenarios) {
        if (argc > 1 && std::strcmp(argv[1], each.name) != 0)
            continue;
        // What it keeps from its first time on, caches and tables, is no leak.
        if (int code = 0; (call_with(each, 0, code), code) != MPI_SUCCESS || each.undo() != MPI_SUCCESS)
            complain(each, 0, "the call fails without that:", code);
        const long found = exhaust(each);
        std::printf("%s: %ld allocations\n", each.name, found);
        std::fflush(stdout);
    }
    if (argc == 1) {
        const long failed = post_many();
        std::printf("%s: failed %ld times\n", posting.name, failed);
        if (failed < patterns + 3) // the requests, and the tables
            complain(posting, 0, "it has failed only so often:", failed);
        store_many();
    }
    MPI_Group_free(&group);
    MPI_Finalize();
    if (argc == 1 && refused < 50) {
        std::fprintf(stderr, "only %ld calls have failed: allocations do not fail as they should\n", refused);
        ++wrong;
    }
    return wrong == 0 ? 0 : 1;
}
