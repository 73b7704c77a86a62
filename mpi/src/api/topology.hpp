// SPDX-License-Identifier: Apache-2.0
// Virtual topologies [MPI-5.0 8.5].
#pragma once

#include "communicator/communicator.hpp"
#include "communicator/info.hpp"
#include "mpi.h"

namespace lisle::api {

void cart_create(communicator &comm_old, int ndims, const int dims[], const int periods[], int reorder,
                 MPI_Comm *comm_cart);
void dims_create(int nnodes, int ndims, int dims[]);
void graph_create(communicator &comm_old, int nnodes, const int indx[], const int edges[], int reorder,
                  MPI_Comm *comm_graph);
void dist_graph_create(communicator &comm_old, int n, const int sources[], const int degrees[],
                       const int destinations[], const int weights[], info *hints, int reorder,
                       MPI_Comm *comm_dist_graph);
void dist_graph_create_adjacent(communicator &comm_old, int indegree, const int sources[],
                                const int sourceweights[], int outdegree, const int destinations[],
                                const int destweights[], info *hints, int reorder, MPI_Comm *comm_dist_graph);

void topo_test(communicator &comm, int *status);
void graphdims_get(communicator &comm, int *nnodes, int *nedges);
void graph_get(communicator &comm, int maxindex, int maxedges, int indx[], int edges[]);
void cartdim_get(communicator &comm, int *ndims);
void cart_get(communicator &comm, int maxdims, int dims[], int periods[], int coords[]);
void cart_rank(communicator &comm, const int coords[], int *rank);
void cart_coords(communicator &comm, int rank, int maxdims, int coords[]);
void graph_neighbors_count(communicator &comm, int rank, int *nneighbors);
void graph_neighbors(communicator &comm, int rank, int maxneighbors, int neighbors[]);
void dist_graph_neighbors_count(communicator &comm, int *indegree, int *outdegree, int *weighted);
void dist_graph_neighbors(communicator &comm, int maxindegree, int sources[], int sourceweights[],
                          int maxoutdegree, int destinations[], int destweights[]);
void cart_shift(communicator &comm, int direction, int disp, int *rank_source, int *rank_dest);
void cart_sub(communicator &comm, const int remain_dims[], MPI_Comm *newcomm);
void cart_map(communicator &comm, int ndims, const int dims[], const int periods[], int *newrank);
void graph_map(communicator &comm, int nnodes, const int indx[], const int edges[], int *newrank);

} // namespace lisle::api
