// SPDX-License-Identifier: Apache-2.0
// Two threads of a rank in blocking collectives of one communicator at once (LISLE_CHECK): the order of the
// calls would be a matter of chance, and the ranks' memory for them is made for one.
#pragma once

#include "base/checks.hpp"
#include "communicator/communicator.hpp"
#include "execution/rank.hpp"

namespace lisle::collective {

class one_caller {
  public:
    /// Throws mpi_error (MPI_ERR_OTHER) if another thread is in such a call. @param call without MPI_
    one_caller(const communicator &comm, const char *call) : comm_{comm} {
        if (checks(check_level::cheap) && !this_rank().calls_alone()) [[unlikely]] {
            enter(call);
        }
    }
    ~one_caller() {
        if (inside_) [[unlikely]] {
            leave();
        }
    }
    one_caller(const one_caller &) = delete;
    one_caller &operator=(const one_caller &) = delete;

  private:
    void enter(const char *call);
    void leave() noexcept;

    const communicator &comm_;
    bool inside_ = false;
};

} // namespace lisle::collective
