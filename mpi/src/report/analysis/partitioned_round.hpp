// SPDX-License-Identifier: Apache-2.0
// A partitioned message from the time when it is started until it has arrived [MPI-5.0 4]: which partitions
// were ready when, to find for whom a call has waited. Its two ends may divide it differently.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace lisle::report {

struct ready_partitions {
    int first, last;
    std::uint64_t time, ideal;
};

class partitioned_round {
  public:
    void begin_send(int partitions, std::uint64_t bytes) {
        sent_in_ = partitions;
        bytes_ = bytes;
    }
    void begin_receive(int partitions) { received_in_ = partitions; }
    void add(const ready_partitions &made) { ready_.push_back(made); }
    /// The latest of all that the sender has made ready; null: there is none.
    [[nodiscard]] const ready_partitions *last() const { return last_of(0, sent_in_ - 1); }
    /// The same of what is in one of the receiver's partitions.
    [[nodiscard]] const ready_partitions *last_in(int partition) const {
        if (received_in_ <= 0) {
            return nullptr;
        }
        const std::int64_t sent_in = sent_in_, next = std::int64_t{partition} + 1;
        return last_of(partition * sent_in / received_in_, (next * sent_in - 1) / received_in_);
    }
    [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

  private:
    [[nodiscard]] const ready_partitions *last_of(std::int64_t first, std::int64_t last) const {
        const ready_partitions *found = nullptr;
        for (const ready_partitions &each : ready_) {
            if (each.first <= last && each.last >= first && (found == nullptr || each.time > found->time)) {
                found = &each;
            }
        }
        return found;
    }

    int sent_in_ = 0, received_in_ = 0; ///< so many partitions
    std::uint64_t bytes_ = 0;
    std::vector<ready_partitions> ready_;
};

} // namespace lisle::report
