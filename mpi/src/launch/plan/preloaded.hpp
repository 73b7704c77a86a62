// SPDX-License-Identifier: Apache-2.0
// Which preloaded libraries (LD_PRELOAD) thread and fiber ranks have a copy of each: those that use MPI, as
// tools for MPI do, whose variables are a rank's. Others are there once for a process: they take the place of
// functions of the C library, for all of it.
#pragma once

#include <string>
#include <string_view>

namespace lisle::launch {

struct preloaded_libraries {
    std::string of_process; ///< as LD_PRELOAD has them
    std::string of_ranks;
};

/// What --private-libraries and --shared-libraries say (patterns), counts first. `folders`: LD_LIBRARY_PATH,
/// for libraries that are named without one.
[[nodiscard]] preloaded_libraries divide_preloaded(std::string_view preloaded,
                                                   std::string_view private_patterns,
                                                   std::string_view shared_patterns,
                                                   std::string_view folders);

} // namespace lisle::launch
