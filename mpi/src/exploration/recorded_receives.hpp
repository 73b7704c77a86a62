// SPDX-License-Identifier: Apache-2.0
// Which messages receives from any source take in a run that is not explored, whatever its ranks are: written
// down (lislerun --record), or as an earlier run had it (--replay): then each of them is posted as a receive
// from that one source. Receives are known by the numbers that LISLE_CHECK=2 gives them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "base/owned_descriptor.hpp"
#include "choice/choice.hpp"

namespace lisle::exploration {

/// Thread-safe.
class recorded_receives {
  public:
    /// @param folder for the account. Throws mpi_error (MPI_ERR_FILE) if that cannot be written.
    recorded_receives(const choice::orders &given, const std::string &folder);
    recorded_receives(const recorded_receives &) = delete;
    recorded_receives &operator=(const recorded_receives &) = delete;

    /// That of the process; null: nothing is recorded. Set before any rank has entered.
    [[nodiscard]] static recorded_receives *of_process() noexcept { return of_process_; }
    static void begin(recorded_receives &own) noexcept { of_process_ = &own; }

    /// The calling rank is about to post a receive with this number. @return the source that it is to have:
    /// the given one if that is no wildcard, or nothing is known
    [[nodiscard]] int source_for(std::uint64_t context, int source, std::uint32_t posting);
    /// One of the calling rank has taken a message.
    void took(std::uint64_t context, int source, std::uint32_t posting);

  private:
    void write(int rank, std::uint32_t posting, int source);

    static inline constinit recorded_receives *of_process_ = nullptr;
    owned_descriptor account_;
    std::map<std::pair<int, std::uint32_t>, int> known_; ///< by rank and number; not changed any more
};

/// The source that a receive is posted with, see recorded_receives::source_for().
[[nodiscard]] inline int told_source(std::uint64_t context, int source, std::uint32_t posting) {
    recorded_receives *const recorded = recorded_receives::of_process();
    return recorded != nullptr ? recorded->source_for(context, source, posting) : source;
}

} // namespace lisle::exploration
