// SPDX-License-Identifier: Apache-2.0
// The communicator calls of MPI, after the entry points have checked what can be checked without knowing
// what a call means.
#pragma once

#include "communicator/communicator.hpp"
#include "communicator/info.hpp"
#include "mpi.h"

namespace lisle::api {

void comm_compare(communicator &comm1, communicator &comm2, int *result);
void comm_create(communicator &comm, const group &members, MPI_Comm *newcomm);
void comm_create_from_group(const group &members, const char *stringtag, info *hints, errhandler &errors,
                            MPI_Comm *newcomm);
void comm_create_group(communicator &comm, const group &members, int tag, MPI_Comm *newcomm);
void comm_disconnect(MPI_Comm *comm);
void comm_dup(communicator &comm, MPI_Comm *newcomm);
void comm_dup_with_info(communicator &comm, info *hints, MPI_Comm *newcomm);
void comm_free(MPI_Comm *comm);
void comm_get_info(communicator &comm, MPI_Info *info_used);
void comm_get_name(communicator *comm, char *comm_name, int *resultlen);
void comm_group(communicator &comm, MPI_Group *group);
void comm_idup(communicator &comm, MPI_Comm *newcomm, MPI_Request *request);
void comm_idup_with_info(communicator &comm, info *hints, MPI_Comm *newcomm, MPI_Request *request);
void comm_rank(communicator &comm, int *rank);
void comm_remote_group(communicator &comm, MPI_Group *group);
void comm_remote_size(communicator &comm, int *size);
void comm_set_info(communicator &comm, info *hints);
void comm_set_name(communicator &comm, const char *comm_name);
void comm_size(communicator &comm, int *size);
void comm_split(communicator &comm, int color, int key, MPI_Comm *newcomm);
void comm_split_type(communicator &comm, int split_type, int key, info *hints, MPI_Comm *newcomm);
void comm_test_inter(communicator &comm, int *flag);
void intercomm_create(communicator &local_comm, int local_leader, communicator *peer_comm, int remote_leader,
                      int tag, MPI_Comm *newintercomm);
void intercomm_create_from_groups(const group &local_group, int local_leader, const group *remote_group,
                                  int remote_leader, const char *stringtag, info *hints, errhandler &errors,
                                  MPI_Comm *newintercomm);
void intercomm_merge(communicator &intercomm, int high, MPI_Comm *newintracomm);

} // namespace lisle::api
