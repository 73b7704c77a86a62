// SPDX-License-Identifier: Apache-2.0
// How full a network's buffers were over time: some hundred looks in a run of any length.
#pragma once

#include <algorithm>
#include <vector>

#include "tile/network/network.hpp"

namespace lisle::tile {

/// The buffers at the ends of links at one time.
struct queue_sample {
    cycle at = 0;
    std::int64_t words = 0; ///< in all of them
    int deepest = 0;        ///< of one link
};

class queue_log {
  public:
    /// The next look is due then.
    [[nodiscard]] cycle next() const noexcept { return next_; }
    void look(const network &seen, cycle now) {
        queue_sample sample{now, 0, 0};
        for (const link_traffic &each : seen.links()) {
            sample.words += each.queued;
            sample.deepest = std::max(sample.deepest, each.queued);
        }
        samples_.push_back(sample);
        if (samples_.size() == most) { // half as many looks from now on, and of those before
            for (std::size_t i = 0; i < most / 2; ++i) {
                samples_[i] = samples_[2 * i];
            }
            samples_.resize(most / 2);
            every_ *= 2;
        }
        next_ = now + every_;
    }
    [[nodiscard]] const std::vector<queue_sample> &samples() const noexcept { return samples_; }

  private:
    static constexpr std::size_t most = 1024;
    std::vector<queue_sample> samples_;
    cycle every_ = 16;
    cycle next_ = 0;
};

} // namespace lisle::tile
