// SPDX-License-Identifier: Apache-2.0
// Channels for large objects: the receiver names one, the sender sends there, and tags keep them apart.
#pragma once

#include <algorithm>
#include <deque>
#include <stdexcept>
#include <string>

#include <mpi.h>

namespace lisle::tasks {

/// The largest tag of a communicator.
inline int largest_tag(MPI_Comm comm) {
    constexpr int least = 32767; // that the standard allows
    int *bound = nullptr;
    int has_bound = 0;
    MPI_Comm_get_attr(comm, MPI_TAG_UB, static_cast<void *>(&bound), &has_bound);
    return has_bound != 0 ? *bound : least;
}

/// Numbers from 0 on, each in use by one object at a time. Not thread-safe.
class channel_numbers {
  public:
    /// @param tags as many as there are for channels
    explicit channel_numbers(int tags) noexcept : most_{std::min(tags, 30000)} {}

    /// Throws std::runtime_error if all are in use.
    int take() {
        if (!free_.empty()) {
            const int number = free_.front();
            free_.pop_front();
            return number;
        }
        if (next_ == most_) {
            throw std::runtime_error{"more than " + std::to_string(most_) +
                                     " large objects are awaited at once: MPI_TAG_UB allows no more tags"};
        }
        return next_++;
    }
    void give_back(int number) { free_.push_back(number); }

  private:
    int most_, next_ = 0;
    std::deque<int> free_;
};

} // namespace lisle::tasks
