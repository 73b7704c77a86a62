// SPDX-License-Identifier: Apache-2.0
// The version of these headers, whatever MPI they are used with.
#pragma once

#define LISLE_CXX_VERSION_MAJOR 0
#define LISLE_CXX_VERSION_MINOR 1
#define LISLE_CXX_VERSION_PATCH 0
/// For comparisons: `#if LISLE_CXX_VERSION >= 10203` is 1.2.3 or newer.
#define LISLE_CXX_VERSION                                                                                    \
    (LISLE_CXX_VERSION_MAJOR * 10000 + LISLE_CXX_VERSION_MINOR * 100 + LISLE_CXX_VERSION_PATCH)
