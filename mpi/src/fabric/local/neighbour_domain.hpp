// SPDX-License-Identifier: Apache-2.0
// Processes of several jobs on one machine that have met: one of them makes the memory for their
// introduction, and the others open it through /proc. A rank sleeps at a pipe, and at the ends of the
// processes that it has met.
//
// Ranks are numbered in a row, in the order of the introduction's processes.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "fabric/joining.hpp"
#include "fabric/local/memory_domain.hpp"
#include "fabric/local/process_ends.hpp"
#include "fabric/local/wake_pipe.hpp"

namespace lisle::fabric::local {

class neighbour_domain final : public memory_domain {
  public:
    /// Makes what the neighbours need. Throws mpi_error.
    neighbour_domain(const introduction &all, read_thresholds reads);
    /// Where that is.
    [[nodiscard]] endpoint_address offer() const;
    /// Opens what the neighbours have made. Throws mpi_error. @param offers by process @return false: the
    /// system forbids it
    [[nodiscard]] bool open(const std::vector<endpoint_address> &offers);
    /// Nobody opens the memory any more. @pre all have; none has before a fabric is made
    void close() noexcept { segment_->close_descriptor(); }

    [[nodiscard]] const char *name() const noexcept override { return "memory shared with other jobs"; }
    [[nodiscard]] bool reaches(int process) const noexcept override { return of(process).stranger; }
    [[nodiscard]] const node_segment &segment() const noexcept override { return *segment_; }
    [[nodiscard]] bell bell_of(int index) noexcept override;
    [[nodiscard]] pid_t pid_of(int process) const noexcept override { return of(process).pid; }
    [[nodiscard]] waking wakes(std::size_t own) const noexcept override;
    [[nodiscard]] bool arm(std::size_t own) noexcept override;
    [[nodiscard]] std::size_t ends(std::size_t own) noexcept override;
    int tell_ends(std::size_t own, std::size_t ends, sink &into) override;
    void leave() noexcept override;

  private:
    /// What a process tells its neighbours. Plain bytes, for other processes read it.
    struct offered {
        std::int32_t process;
        std::int32_t memory; ///< a descriptor of that process; -1: another one makes the memory
        pipe_name pipe;      ///< of its first rank
    };
    struct member {
        bool stranger; ///< shares the memory with the calling process, and is reached through it
        pid_t pid = 0;
    };
    /// Where an own rank sleeps.
    struct endpoint {
        wake_pipe pipe = {};
        owned_descriptor sleeps = {}; ///< readable: the pipe is, or a process has ended
        std::size_t told = 0;         ///< how many ends of processes its owner has heard of
        unsigned polls = 0;           ///< since one that has looked for ends
    };

    [[nodiscard]] const member &of(int process) const noexcept {
        return members_[static_cast<std::size_t>(process)];
    }
    [[nodiscard]] bool take(int process, const endpoint_address &offer);
    void look_for_ends() noexcept;

    const shared_secret secret_;
    const locality places_; ///< those that share the memory are on one node, others on another
    const int node_;
    const job_shape met_;         ///< those on it
    std::vector<member> members_; ///< by process
    process_ends ends_;
    std::optional<node_segment> segment_;
    std::vector<endpoint> endpoints_;
    spare_descriptor spare_;
    std::deque<pipe_bell> bells_;
    std::atomic<int> present_; ///< own ranks that have not left; relaxed: only counted
};

} // namespace lisle::fabric::local
