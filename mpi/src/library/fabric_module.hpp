// SPDX-License-Identifier: Apache-2.0
// A fabric in a shared object of its own, which a job loads when it asks for it. The object is not linked
// with the library, whose names are hidden: what it needs of the library comes with the request, and what it
// knows of the library's types it has from their headers. So both must come from one build, which `build`
// shows.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/settings.hpp"
#include "fabric/fabric.hpp"

namespace lisle {

/// The turns that the ranks of one worker thread take, as a fabric that models time sees them. For the thread
/// that runs the calling rank.
class rank_turns {
  public:
    /// True if the calling rank is a fiber. It is a rank alone otherwise, and the rest is not asked for.
    [[nodiscard]] virtual bool taken() const noexcept = 0;
    // As fiber_worker's of the same names.
    [[nodiscard]] virtual unsigned switches() const noexcept = 0;
    [[nodiscard]] virtual bool others_ready() noexcept = 0;
    virtual bool let_time_pass() noexcept = 0;

  protected:
    ~rank_turns() = default;
};

/// For which process a fabric is made. What it refers to outlives the fabric.
struct fabric_request {
    std::string words;                                 ///< of the user, behind the fabric's name and a colon
    std::function<std::string(setting which)> text_of; ///< the user's settings; empty: not set
    int ranks;                                         ///< of the job
    bool one_worker;     ///< they are fibers of one process and one worker thread, or a rank alone
    bool compares_types; ///< receivers compare the types of messages with what they take
    rank_turns &turns;
    std::function<void(int rank)> wake;                                ///< rings the rank's doorbell
    std::function<void(int rank, const std::string &sentence)> refuse; ///< ends the job, does not return
};

/// What the object defines under the name lisle_fabric_module.
struct fabric_module {
    const char *build; ///< LISLE_MODULE_BUILD, a sum of the headers that both sides read
    /// Throws mpi_error with a sentence.
    std::unique_ptr<fabric::fabric> (*make)(const fabric_request &request);
};

/// Where a module of this name lies if it is installed: in lisle/ beside the library.
[[nodiscard]] std::string path_of_module(const char *file);

/// The module in this file, which stands in lisle/ beside the library. Throws mpi_error (MPI_ERR_OTHER).
/// @param asked what the user has asked for, and `product` what to install for it, for the message
[[nodiscard]] const fabric_module &load_fabric_module(const char *file, const std::string &asked,
                                                      const char *product);

} // namespace lisle
