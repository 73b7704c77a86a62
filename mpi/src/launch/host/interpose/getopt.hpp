// SPDX-License-Identifier: Apache-2.0
// getopt for ranks: its state, and optind, optarg, opterr and optopt, which are the rank's private objects.
#pragma once

#include "launch/host/rank/hosted_rank.hpp"

namespace lisle::host {

struct option_state {
    // Where the program sees its variables; these, unless it refers to others of its own.
    int own_index = 1;
    int own_error = 1;
    int own_option = '?';
    char *own_argument = nullptr;
    int *index = &own_index;
    int *error = &own_error;
    int *option = &own_option;
    char **argument = &own_argument;

    const char *next = nullptr; ///< rest of a group of short options
    // Non-options passed over so far are argv[first_passed, last_passed).
    int first_passed = 1;
    int last_passed = 1;
    bool started = false;
};

inline const rank_slot<option_state> rank_options;

} // namespace lisle::host
