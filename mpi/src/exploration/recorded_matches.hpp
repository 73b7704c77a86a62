// SPDX-License-Identifier: Apache-2.0
// Which messages receives from any source take, and probes find, in a run that is not explored, whatever its
// ranks are: written down (lislerun --record), or as an earlier run had it (--replay): then each receive is
// posted as one from that one source, and each probe looks for a message of it. Receives are known by the
// numbers that LISLE_CHECK=2 gives them, probes by their own.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "base/owned_descriptor.hpp"
#include "choice/choice.hpp"
#include "exploration/recorded_looks.hpp"

namespace lisle::exploration {

/// Thread-safe.
class recorded_matches {
  public:
    /// @param folder for the account. Throws mpi_error (MPI_ERR_FILE) if that cannot be written.
    recorded_matches(const choice::orders &given, const std::string &folder);
    recorded_matches(const recorded_matches &) = delete;
    recorded_matches &operator=(const recorded_matches &) = delete;

    /// That of the process; null: nothing is recorded. Set before any rank has entered.
    [[nodiscard]] static recorded_matches *of_process() noexcept { return of_process_; }
    static void begin(recorded_matches &own) noexcept { of_process_ = &own; }

    // ---- all of the calling rank ----

    /// It is about to post a receive with this number. @return the source that it is to have: the given one
    /// if that is no wildcard, or nothing is known
    [[nodiscard]] int source_for(std::uint64_t context, int source, std::uint32_t posting);
    /// A receive has taken a message.
    void took(std::uint64_t context, int source, std::uint32_t posting);

    /// A probe that waits. Its number, from 1 on.
    [[nodiscard]] unsigned number_probe();
    /// @return the source that it is to look for, as in source_for()
    [[nodiscard]] int source_for_probe(std::uint64_t context, int source, unsigned number);
    void probe_found(std::uint64_t context, int source, unsigned number);

    /// It is about to look. @return the source that it is to look for; nothing: it is to find nothing
    /// @param known whether the record says what it finds
    [[nodiscard]] std::optional<int> source_for_look(std::uint64_t context, int source, bool &known);
    /// @param source whose message it has found, or choice::nothing
    void looked(std::uint64_t context, int source);

  private:
    struct rank_probes {
        unsigned probes = 0, looks = 0;
        bool last_in_vain = false;
        recorded_looks found = {};
    };
    void write(const choice::point &at, int taken, std::uint32_t posting = 0);

    static inline constinit recorded_matches *of_process_ = nullptr;
    owned_descriptor account_;
    std::map<std::pair<int, std::uint32_t>, int> known_, known_probes_; ///< by rank and number; do not change
    std::mutex mutex_;                                                  ///< protects what follows
    std::map<int, rank_probes> probes_;                                 ///< by rank
};

/// The source that a receive is posted with, see recorded_matches::source_for().
[[nodiscard]] inline int told_source(std::uint64_t context, int source, std::uint32_t posting) {
    recorded_matches *const recorded = recorded_matches::of_process();
    return recorded != nullptr ? recorded->source_for(context, source, posting) : source;
}

} // namespace lisle::exploration
