// SPDX-License-Identifier: Apache-2.0
// A place as functions of Fortran take it (f08_place.f90), and how they are called.
#pragma once

#include "constructors.hpp"

struct view {
    MPI_Fint comm, grid, file, win, session, message, made;
    int dest, source, tag, partitions, count, elements, ranks;
    MPI_Offset offset;
    int *sent, *received, *both;
    int *counts, *displs, *byte_displs;
    MPI_Count *large_counts;
    MPI_Aint *large_displs, *large_byte_displs;
};

inline int call(int (*function)(view *, MPI_Fint *), place &at, MPI_Request *request) {
    view seen{.comm = MPI_Comm_c2f(at.comm),
              .grid = MPI_Comm_c2f(at.grid),
              .file = MPI_File_c2f(at.file),
              .win = MPI_Win_c2f(at.win),
              .session = MPI_Session_c2f(at.session),
              .message = MPI_Message_c2f(at.message),
              .made = MPI_Comm_c2f(at.made),
              .dest = at.dest,
              .source = at.source,
              .tag = at.tag,
              .partitions = place::partitions,
              .count = place::count,
              .elements = static_cast<int>(at.sent.size()),
              .ranks = static_cast<int>(at.counts.size()),
              .offset = at.offset,
              .sent = at.sent.data(),
              .received = at.received.data(),
              .both = at.both.data(),
              .counts = at.counts.data(),
              .displs = at.displs.data(),
              .byte_displs = at.byte_displs.data(),
              .large_counts = at.large_counts.data(),
              .large_displs = at.large_displs.data(),
              .large_byte_displs = at.large_byte_displs.data()};
    MPI_Fint made = MPI_Request_c2f(MPI_REQUEST_NULL);
    const int code = function(&seen, &made);
    at.message = MPI_Message_f2c(seen.message);
    at.made = MPI_Comm_f2c(seen.made);
    *request = MPI_Request_f2c(made);
    return code;
}
