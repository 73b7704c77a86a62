// SPDX-License-Identifier: Apache-2.0
// Copies between this process's memory and that of peers over the network. A long copy goes in pieces, some
// at a time on each rail: so rails share it, frames get in between, and the pieces of a rail that fails go by
// another one (rail/long_copy.hpp).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "execution/staying.hpp"
#include "fabric/network/peer/peer_table.hpp"
#include "fabric/network/rail/long_copy.hpp"
#include "fabric/remote_memory.hpp"

namespace lisle::fabric::network {

class memory_copies final : public remote_memory {
  public:
    /// What copies go by and their ends are told to.
    struct places {
        staying_lock &lock; ///< the fabric's
        rail_set &rails;
        peer_table &peers;
        inboxes &boxes;
        traffic_count &traffic;
    };

    /// All outlive this.
    memory_copies(const job_view &job, const places &by) noexcept : job_{job}, by_{by} {}

    /// False: the devices copy nothing, or keys do not say where memory begins.
    [[nodiscard]] bool are_possible() const noexcept;
    [[nodiscard]] std::optional<memory_key> expose(const void *memory, std::size_t bytes) noexcept override;
    void withdraw(memory_key key) noexcept override;
    [[nodiscard]] copy_start start_read(int self, const remote_place &from, std::span<const iovec> to,
                                        copy_completion &end) noexcept override {
        return start(self, from, to, true, end);
    }
    [[nodiscard]] copy_start start_write(int self, const remote_place &to, std::span<const iovec> from,
                                         copy_completion &end) noexcept override {
        return start(self, to, from, false, end);
    }

    // ---- with the lock held ----

    [[nodiscard]] bool any_under_way() const noexcept { return !under_way_.empty(); }
    /// Starts further pieces, and tells of copies that are over.
    void advance();
    /// The device has done with a piece. @return the process and the rail that it was to be moved by
    struct ended_piece {
        int process;
        std::size_t rail;
    };
    ended_piece ended(copied_piece &piece, bool moved);
    /// Its device ends nothing any more.
    void rail_closed(std::size_t number);

  private:
    struct exposed_memory {
        memory_key key;
        std::vector<std::optional<memory_key>> by_rail; ///< none: that one was closed
    };

    [[nodiscard]] copy_start start(int self, const remote_place &place, std::span<const iovec> pieces,
                                   bool read, copy_completion &end) noexcept;
    void withdraw_from_rails(const exposed_memory &what) noexcept;

    const job_view &job_;
    const places by_;
    std::vector<exposed_memory> exposed_;
    std::vector<std::unique_ptr<long_copy>> under_way_;
    std::uint64_t next_key_ = 1;
};

} // namespace lisle::fabric::network
