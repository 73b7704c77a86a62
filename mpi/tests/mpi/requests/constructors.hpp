// SPDX-License-Identifier: Apache-2.0
// Every call of the standard that makes a request, as a table. generate_constructors.py writes it from data/.
#pragma once

#include "../check.hpp"

#include <vector>

/// What the arguments of such a call are taken from.
struct place {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm grid = MPI_COMM_NULL; ///< with a topology, for neighbourhood collectives
    MPI_File file = MPI_FILE_NULL;
    MPI_Win win = MPI_WIN_NULL;
    MPI_Session session = MPI_SESSION_NULL;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Comm made = MPI_COMM_NULL; ///< what MPI_Comm_idup gives
    int dest = MPI_PROC_NULL;
    int source = MPI_PROC_NULL;
    int tag = 0;
    MPI_Offset offset = 0;
    std::vector<int> sent, received, both;
    // One for each rank of comm.
    std::vector<int> counts, displs, byte_displs;
    std::vector<MPI_Count> large_counts;
    std::vector<MPI_Aint> large_displs, large_byte_displs;
    std::vector<MPI_Datatype> types;

    static constexpr int partitions = 2;
    static constexpr int count = 2; ///< elements of a message, a block or a partition

    static int query(void *, MPI_Status *status);
    static int release(void *);
    static int cancel(void *, int);
};

/// What an operation does with messages between two ranks.
enum class part { none, sends, receives, both, receives_matched, sends_partitions, receives_partitions };

struct constructor {
    const char *name;
    bool persistent;
    part role;
    bool has_peer;   ///< a rank that may be MPI_PROC_NULL
    bool collective; ///< of a communicator: cannot be cancelled or freed while active
    bool of_comm;    ///< takes a communicator of ranks (not a file, a window, a session)
    bool ready;      ///< its receive must have been posted
    int (*make)(place &, MPI_Request *);
};

extern const std::vector<constructor> constructors;
