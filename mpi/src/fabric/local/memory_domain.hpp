// SPDX-License-Identifier: Apache-2.0
// Processes of one machine that share memory, as one of them sees them: what differs between the two kinds
// of them that the one fabric of shared memory (local_fabric.hpp) serves. Those of a job's node have memory
// from the start and doorbells in it (node_domain.hpp); those of jobs that have met map what one of them has
// made, sleep at pipes, and watch each other's ends (neighbour_domain.hpp). A fabric asks for mailboxes and
// bells once.
#pragma once

#include <cstddef>
#include <memory>
#include <sys/types.h>

#include "fabric/fabric.hpp"
#include "fabric/local/bell.hpp"
#include "fabric/local/claim_lease.hpp"
#include "fabric/local/node_segment.hpp"
#include "fabric/local/peer_memory.hpp"
#include "fabric/local/read_thresholds.hpp"
#include "world/locality.hpp"

namespace lisle::fabric::local {

/// Own ranks are named by their index in the process. Thread-safe.
class memory_domain {
  public:
    memory_domain(const memory_domain &) = delete;
    memory_domain &operator=(const memory_domain &) = delete;
    virtual ~memory_domain() = default;

    /// The ranks and their processes, of which those of one node are in the domain.
    [[nodiscard]] const locality &places() const noexcept { return places_; }
    /// The calling process.
    [[nodiscard]] int process() const noexcept { return process_; }
    [[nodiscard]] read_thresholds reads() const noexcept { return reads_; }
    [[nodiscard]] peer_memory &peers() noexcept { return peers_; }
    [[nodiscard]] pid_t pid_of_rank(int rank) const noexcept { return pid_of(places_.process_of(rank)); }

    [[nodiscard]] virtual const char *name() const noexcept = 0;
    [[nodiscard]] virtual bool reaches(int process) const noexcept = 0;
    /// True if that holds for all processes.
    [[nodiscard]] virtual bool reaches_all() const noexcept { return false; }
    [[nodiscard]] virtual pid_t pid_of(int process) const noexcept = 0;
    [[nodiscard]] virtual const node_segment &segment() const noexcept = 0;
    /// How the rank with this index in the segment is woken.
    [[nodiscard]] virtual bell bell_of(int index) noexcept = 0;
    /// Under which senders lease claims.
    [[nodiscard]] virtual lease_terms terms() const noexcept { return {}; }
    /// The same for another track; null: there is none.
    [[nodiscard]] virtual std::unique_ptr<memory_domain> on_track(int) const { return nullptr; }
    /// What its ranks share besides mailboxes; null: nothing.
    [[nodiscard]] virtual shared_memory *node() noexcept { return nullptr; }

    /// packet_source::wakes().
    [[nodiscard]] virtual waking wakes(std::size_t) const noexcept { return {}; }
    /// What packet_source::arm() has to ask besides the mailbox.
    [[nodiscard]] virtual bool arm(std::size_t own) noexcept = 0;
    /// How many processes have ended, for tell_ends() after the mailbox has been emptied: so what a process
    /// has sent comes before the word that it has ended.
    [[nodiscard]] virtual std::size_t ends(std::size_t) noexcept { return 0; }
    /// Tells of those that the rank has not heard of yet. Returns how many ranks were named.
    virtual int tell_ends(std::size_t, std::size_t, sink &) { return 0; }
    /// One rank of this process is needed no more.
    virtual void leave() noexcept {}

  protected:
    /// @param places outlives the fabric, and need not be there yet @param heap and @param blocks null: there
    /// are none
    memory_domain(const locality &places, int process, read_thresholds reads, shared_heap *heap,
                  peer_blocks *blocks) noexcept
        : reads_{reads}, places_{places}, process_{process}, peers_{*this, heap, blocks, reads.any()} {}

    read_thresholds reads_; ///< changed before a fabric is made alone

  private:
    const locality &places_;
    const int process_;
    peer_memory peers_;
};

} // namespace lisle::fabric::local
