// SPDX-License-Identifier: Apache-2.0
// What LISLE_CHECK adds to each collective: before it begins, the ranks tell each other what they are about
// to call, and all of them refuse if that does not fit together. Blocking calls of ranks that share memory
// show sums through their area, which costs what a barrier does; a barrier is done with it. All others, and
// those whose sums differ, send messages.
#pragma once

#include <cstdint>
#include <optional>

#include "base/error.hpp"
#include "collective/call.hpp"
#include "collective/signature.hpp"
#include "collective/steps/executor.hpp"

namespace lisle::collective {

/// Compares what the ranks are about to call, for a blocking call. Returns once all of them have called, and
/// throws in all of them if the calls do not fit together. @pre comparing()
void compare_calls(communicator &comm, const call_signature &own);

/// When the last rank entered the latest blocking collective on an intra-communicator that the calling rank
/// has had checked and that nobody has taken yet; 0: there is none. What the ranks hear of each other in such
/// a call, they knew when they entered it.
[[nodiscard]] std::int64_t take_last_entry() noexcept;
void note_last_entry(std::int64_t entry) noexcept;

/// The check of one call by messages.
class call_check {
  public:
    call_check(const communicator &comm, const call_signature &own);

    /// As for the collective's own messages, and another one.
    void use_tag(int tag) noexcept { executor_.use_tag(tag); }
    /// As executor's.
    bool advance() { return executor_.advance(); }
    void run() { executor_.run(); }
    void restart() noexcept { executor_.restart(); }
    /// What is wrong, if anything; nothing if the check itself has failed, since the call then will, too.
    /// Rank 0 also says so on standard error, since users who handle errors themselves see the class alone.
    /// @pre complete
    [[nodiscard]] std::optional<mpi_error> complaint() const;
    /// When the last of the ranks called; 0: they have no clock in common. @pre complete
    [[nodiscard]] std::int64_t last_entry() const;

  private:
    [[nodiscard]] call_signature signature_of(MPI_Count rank) const;
    [[nodiscard]] MPI_Count ranks() const noexcept;
    schedule plan_for(const communicator &comm, call_signature own);

    bool reports_;
    typed_buffer all_;   ///< the signatures of all ranks of the own group, in the schedule's memory
    typed_buffer other_; ///< that of rank 0 of an inter-communicator's other group, if there is one
    executor executor_;
};

} // namespace lisle::collective
