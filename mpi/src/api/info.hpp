// SPDX-License-Identifier: Apache-2.0
// The info calls of MPI. All may be called at any time, even before MPI_Init.
#pragma once

#include "communicator/info.hpp"
#include "mpi.h"

namespace lisle::api {

void info_create(MPI_Info *created);
void info_create_env(int argc, char *argv[], MPI_Info *created);
void info_delete(info *target, const char *key);
void info_dup(info *source, MPI_Info *newinfo);
void info_free(MPI_Info *target);
void info_get(info *source, const char *key, int valuelen, char *value, int *flag);
void info_get_nkeys(info *source, int *nkeys);
void info_get_nthkey(info *source, int n, char *key);
void info_get_string(info *source, const char *key, int *buflen, char *value, int *flag);
void info_get_valuelen(info *source, const char *key, int *valuelen, int *flag);
void info_set(info *target, const char *key, const char *value);

} // namespace lisle::api
