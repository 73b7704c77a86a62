// SPDX-License-Identifier: Apache-2.0
// The way to exposed memory of other nodes: the network copies to and from it without the owner's help
// (fabric/remote_memory.hpp). Each member exposes its part when the window is made and tells the key in its
// row of the table. Data that lie in one piece at the target go this way; all else are requests.
#pragma once

#include <atomic>

#include "fabric/remote_memory.hpp"
#include "rma/state/window_members.hpp"
#include "rma/ways/way.hpp"

namespace lisle::rma {

class network_way final : public way {
  public:
    /// @param otherwise for data in several pieces, and for accumulates
    network_way(window_members &members, way &otherwise) noexcept
        : members_{members}, otherwise_{otherwise} {}

    // The request completes a put when its bytes are at the target.
    protocol::request *put(const transfer &of) override;
    protocol::request *get(const transfer &of) override;
    protocol::request *update(const target_update &of) override { return otherwise_.update(of); }
    protocol::request *compare(const target_comparison &of) override { return otherwise_.compare(of); }

    /// Returns when all copies that were started before are complete, whatever their target. Throws what
    /// went wrong.
    void flush() {
        // Acquire: pairs with the end of the last copy, whose data are seen.
        if (under_way_.load(std::memory_order_acquire) != 0 || failed_.load(std::memory_order_relaxed) >= 0)
            [[unlikely]] {
            wait();
        }
    }

  private:
    class copy;
    /// @return null: not possible, find another way
    [[nodiscard]] protocol::request *start(const transfer &of, bool reads);
    void wait();

    window_members &members_;
    way &otherwise_;
    std::atomic<unsigned> under_way_{0};
    /// A target to which a copy has failed since the last flush. Relaxed: a hint.
    std::atomic<int> failed_{-1};
};

} // namespace lisle::rma
