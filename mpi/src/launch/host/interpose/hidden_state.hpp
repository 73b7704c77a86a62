// SPDX-License-Identifier: Apache-2.0
// What small functions of the C library keep between calls, for each rank: strtok's place, hsearch's table,
// the sign that lgamma found.
#pragma once

#include "launch/host/rank/hosted_rank.hpp"

#include <search.h>

namespace lisle::host {

struct hidden_state {
    char *token = nullptr; ///< strtok's place
    hsearch_data table{};  ///< hcreate's
    int own_sign = 0;
    int *sign = &own_sign; ///< `signgam`, where the program sees it
};

inline const rank_slot<hidden_state> rank_hidden_state;

} // namespace lisle::host
