// SPDX-License-Identifier: Apache-2.0
// Mistakes with windows that are no errors of one call (LISLE_CHECK=2): epochs that cross, a fence that is
// missing, memory that is no longer there.
#pragma once

#include <mutex>
#include <optional>
#include <unordered_map>

#include "abi/call_address.hpp"
#include "abi/stack_frames.hpp"

namespace lisle::rma {
class window;
}

namespace lisle::abi {

/// Of one rank. Thread-safe. Each function is called in the MPI call that it is named after.
class window_mistakes {
  public:
    /// @param base of the program's memory
    void created(const rma::window &made, const void *base);
    /// @param closes,opens as the assertion says
    void fences(const rma::window &on, bool closes, bool opens);
    void locks(const rma::window &on);
    void accesses(const rma::window &on);
    void frees(rma::window &ended);

  private:
    struct known {
        call_address made{};
        std::optional<stack_frame> holder{}; ///< the call whose variable the memory is
        std::optional<call_address> fence{}; ///< the latest, if an epoch may have begun there
        std::optional<call_address> lock{};  ///< the first since
        bool accessed_locked = false;
    };
    void look_for_memory_locked(known &of);

    std::mutex mutex_; ///< protects windows_
    std::unordered_map<const rma::window *, known> windows_;
};

} // namespace lisle::abi
