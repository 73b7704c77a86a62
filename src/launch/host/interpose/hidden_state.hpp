// SPDX-License-Identifier: Apache-2.0
// Small things that functions of the C library keep for the next call, of which each rank has its own:
// strtok's place, hsearch's table, the sign that lgamma found.
#pragma once

#include <search.h>

namespace lisle::host {

struct hidden_state {
    char *token = nullptr; ///< strtok's place
    hsearch_data table{};  ///< hcreate's
    int own_sign = 0;
    int *sign = &own_sign; ///< `signgam`, where the program sees it
};

} // namespace lisle::host
