// SPDX-License-Identifier: Apache-2.0
// What tests of faces expect of calls by name, which no header declares.
#pragma once

#include <cstdio>

inline int mistakes = 0;

inline void expect(bool holds, const char *what) {
    if (!holds) {
        std::fprintf(stderr, "%s\n", what);
        ++mistakes;
    }
}
