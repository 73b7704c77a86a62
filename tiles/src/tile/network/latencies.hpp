// SPDX-License-Identifier: Apache-2.0
// How long packets took: counts of each number of cycles, so percentiles are exact.
#pragma once

#include <cstdint>
#include <map>

namespace lisle::tile {

class latencies {
  public:
    void add(std::int64_t cycles) {
        ++counts_[cycles];
        ++packets_;
        sum_ += cycles;
    }
    void add(const latencies &others) {
        for (const auto &[cycles, packets] : others.counts_) {
            counts_[cycles] += packets;
        }
        packets_ += others.packets_;
        sum_ += others.sum_;
    }
    [[nodiscard]] std::int64_t packets() const noexcept { return packets_; }
    [[nodiscard]] double mean() const noexcept {
        return packets_ == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(packets_);
    }
    /// The least latency that so many percent of the packets do not exceed; 0 without packets.
    [[nodiscard]] std::int64_t percentile(double percent) const noexcept {
        const double wanted = percent / 100 * static_cast<double>(packets_);
        std::int64_t seen = 0;
        for (const auto &[cycles, count] : counts_) {
            seen += count;
            if (static_cast<double>(seen) >= wanted) {
                return cycles;
            }
        }
        return 0;
    }
    [[nodiscard]] std::int64_t most() const noexcept { return counts_.empty() ? 0 : counts_.rbegin()->first; }
    [[nodiscard]] const std::map<std::int64_t, std::int64_t> &counts() const noexcept { return counts_; }

  private:
    std::map<std::int64_t, std::int64_t> counts_; ///< by cycles
    std::int64_t packets_ = 0;
    std::int64_t sum_ = 0;
};

} // namespace lisle::tile
