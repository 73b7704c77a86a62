// SPDX-License-Identifier: Apache-2.0
// The calls of MPI about processes that join a job later, or belong to another one [MPI-5.0 11.7 to 11.10].
// The root's own arguments mean nothing at others, where they may be null.
#pragma once

#include "communicator/communicator.hpp"
#include "communicator/info.hpp"
#include "mpi.h"

namespace lisle::api {

void open_port(info *hints, char *port_name);
void close_port(const char *port_name);
void comm_accept(const char *port_name, info *hints, int root, communicator &comm, MPI_Comm *newcomm);
void comm_connect(const char *port_name, info *hints, int root, communicator &comm, MPI_Comm *newcomm);
/// @param fd a stream socket, whose other end another process joins by
void comm_join(int fd, MPI_Comm *intercomm);

void publish_name(const char *service_name, info *hints, const char *port_name);
void lookup_name(const char *service_name, info *hints, char *port_name);
void unpublish_name(const char *service_name, info *hints, const char *port_name);

/// Of the hints of the standard, "wdir" and "path" are followed; "lisle_ranks" says what the new ranks are,
/// as for lislerun --ranks. All of maxprocs are started, or none.
void comm_spawn(const char *command, char *argv[], int maxprocs, info *hints, int root, communicator &comm,
                MPI_Comm *intercomm, int array_of_errcodes[]);
void comm_spawn_multiple(int count, char *array_of_commands[], char **array_of_argv[],
                         const int array_of_maxprocs[], const MPI_Info array_of_info[], int root,
                         communicator &comm, MPI_Comm *intercomm, int array_of_errcodes[]);
void comm_get_parent(MPI_Comm *parent);

} // namespace lisle::api
