// SPDX-License-Identifier: Apache-2.0
// Which way leads to each target of a window: found out at the first access, and kept.
#pragma once

#include <array>
#include <atomic>
#include <memory>

#include "rma/ways/attached_way.hpp"
#include "rma/ways/direct_way.hpp"
#include "rma/ways/kernel_way.hpp"
#include "rma/ways/network_way.hpp"
#include "rma/ways/request_way.hpp"

namespace lisle::rma {

/// Any thread of the rank may use them at any time.
class window_ways {
  public:
    window_ways(window_members &members, const access_epoch &access, message_origin &origin);

    [[nodiscard]] way &to(int target) {
        // Relaxed: the ways themselves exist as long as this, and two threads that both look find the same.
        const kind known = by_target_[target].load(std::memory_order_relaxed);
        return *by_kind_[static_cast<std::size_t>(known != kind::unknown ? known : choose(target))];
    }
    /// Returns when what was asked of the target before is done there; -1: of all targets. Throws what went
    /// wrong.
    void flush(int target);
    /// The same of what the network copies, for all targets.
    void flush_copies() { network_.flush(); }

  private:
    enum class kind : unsigned char { unknown, direct, kernel, attached, network, requests };
    [[nodiscard]] kind choose(int target);
    [[nodiscard]] kind find(int target) const;

    const window_members &members_;
    message_origin &origin_;
    request_way requests_;
    direct_way direct_;
    kernel_way kernel_;
    network_way network_;
    attached_way attached_;
    const std::array<way *, 6> by_kind_;
    const std::unique_ptr<std::atomic<kind>[]> by_target_;
};

} // namespace lisle::rma
