// SPDX-License-Identifier: Apache-2.0
// The memory that processes of several jobs on one machine share: mailboxes for their ranks, and what they
// tell each other of themselves. One of them makes it, the others open it through /proc.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <sys/types.h>

#include "base/mapped_file.hpp"
#include "fabric/local/mailbox_layout.hpp"
#include "fabric/local/wake_pipe.hpp"

namespace lisle::fabric::local {

/// Processes and ranks are named by their indices in it.
class neighbour_memory {
  public:
    /// Who shares it.
    struct sharers {
        std::uint64_t secret; ///< of their introduction
        int processes;
        int ranks;
    };
    /// Throws mpi_error (MPI_ERR_NO_MEM).
    [[nodiscard]] static neighbour_memory make(const sharers &who);
    /// What another process has made; nothing: the system forbids to open it, or it is something else.
    [[nodiscard]] static std::optional<neighbour_memory> open(pid_t maker, int descriptor,
                                                              const sharers &who);

    [[nodiscard]] int descriptor() const noexcept { return memory_.descriptor(); }
    /// Nobody else opens it from now on.
    void close_descriptor() noexcept { owned_descriptor{memory_.give_descriptor()}.reset(); }

    /// 1: all ranks of the process have left, so that its end is no failure. Release by the process, acquire
    /// by who finds that it has ended.
    [[nodiscard]] std::atomic<std::uint32_t> &left(std::size_t process) const noexcept {
        return reinterpret_cast<std::atomic<std::uint32_t> *>(memory_.base() + rooms_.left)[process];
    }
    /// Where a rank sleeps. Written before all have opened the memory, read afterwards.
    [[nodiscard]] pipe_name &pipe(int rank) const noexcept {
        return reinterpret_cast<pipe_name *>(memory_.base() + rooms_.pipes)[rank];
    }
    [[nodiscard]] std::byte *mailbox(int rank) const noexcept {
        return memory_.base() + rooms_.mailboxes + static_cast<std::size_t>(rank) * layout_.bytes();
    }
    [[nodiscard]] mailbox_layout layout() const noexcept { return layout_; }

  private:
    /// Where things are, behind the secret.
    struct rooms {
        std::size_t left, pipes, mailboxes, end;
        explicit rooms(const sharers &who) noexcept;
    };
    neighbour_memory(mapped_file memory, const sharers &who) noexcept
        : memory_{std::move(memory)}, rooms_{who}, layout_{mailbox_layout::for_job_of(who.ranks)} {}
    [[nodiscard]] std::uint64_t &secret() const noexcept {
        return *reinterpret_cast<std::uint64_t *>(memory_.base());
    }

    mapped_file memory_;
    rooms rooms_;
    mailbox_layout layout_;
};

} // namespace lisle::fabric::local
