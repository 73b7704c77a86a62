// SPDX-License-Identifier: Apache-2.0
// How much memory the rank's process has, and how many messages have come to the rank before it has received
// them: looked at now and then.
#pragma once

#include <cstdint>

#include "mpi.h"

namespace lisle::report {

struct memory_sample {
    std::uint64_t resident = 0;   ///< bytes of the process
    std::uint64_t unexpected = 0; ///< messages of the rank, so far
    std::uint64_t stored = 0;     ///< bytes of those that it has not received yet
};

class memory_watch {
  public:
    memory_watch() = default;
    memory_watch(const memory_watch &) = delete;
    memory_watch &operator=(const memory_watch &) = delete;

    /// The rank has begun MPI.
    void begin() noexcept;
    /// It is about to end it.
    void end() noexcept;
    [[nodiscard]] bool has_begun() const noexcept { return has_begun_; }
    [[nodiscard]] memory_sample look() const noexcept;

  private:
    [[nodiscard]] MPI_T_pvar_handle handle_of(const char *name) const noexcept;
    [[nodiscard]] std::uint64_t value_of(MPI_T_pvar_handle variable) const noexcept;

    bool has_begun_ = false;
    bool watches_ = false; ///< variables of MPI_T
    int memory_file_ = -1; ///< /proc/self/statm
    MPI_T_pvar_session session_ = MPI_T_PVAR_SESSION_NULL;
    MPI_T_pvar_handle unexpected_ = MPI_T_PVAR_HANDLE_NULL, stored_ = MPI_T_PVAR_HANDLE_NULL;
};

} // namespace lisle::report
