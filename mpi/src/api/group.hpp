// SPDX-License-Identifier: Apache-2.0
// The group calls of MPI, after the entry points have checked what can be checked without knowing what a
// call means.
#pragma once

#include "communicator/session.hpp"
#include "mpi.h"
#include "world/group.hpp"

namespace lisle::api {

void group_compare(const group &group1, const group &group2, int *result);
void group_difference(const group &group1, const group &group2, MPI_Group *newgroup);
void group_excl(const group &source, int n, const int ranks[], MPI_Group *newgroup);
void group_free(MPI_Group *group);
void group_incl(const group &source, int n, const int ranks[], MPI_Group *newgroup);
void group_intersection(const group &group1, const group &group2, MPI_Group *newgroup);
void group_range_excl(const group &source, int n, int ranges[][3], MPI_Group *newgroup);
void group_range_incl(const group &source, int n, int ranges[][3], MPI_Group *newgroup);
void group_rank(const group &source, int *rank);
void group_size(const group &source, int *size);
void group_translate_ranks(const group &group1, int n, const int ranks1[], const group &group2, int ranks2[]);
void group_from_session_pset(session &session, const char *pset_name, MPI_Group *newgroup);
void group_union(const group &group1, const group &group2, MPI_Group *newgroup);

} // namespace lisle::api
