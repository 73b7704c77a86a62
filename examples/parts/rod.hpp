// SPDX-License-Identifier: Apache-2.0
// A rank's part of a rod in which heat flows.
#pragma once

#include <cstddef>
#include <vector>

/// The cells of one rank, from left to right.
class rod {
  public:
    rod(int rank, int ranks)
        : first_{cells * rank / ranks}, at_left_{rank == 0}, at_right_{rank + 1 == ranks},
          temperature_(static_cast<std::size_t>(cells * (rank + 1) / ranks - first_)) {
        for (std::size_t i = 0; i < temperature_.size(); ++i)
            temperature_[i] = (first_ + static_cast<long>(i)) % 60 < 20 ? 100.0 : 0.0;
    }

    [[nodiscard]] const double &leftmost() const { return temperature_.front(); }
    [[nodiscard]] const double &rightmost() const { return temperature_.back(); }

    /// One step. @param beside the neighbours' cells next to this part: left, right
    void advance(const double *beside) {
        double before = at_left_ ? temperature_.front() : beside[0];
        for (std::size_t i = 0; i < temperature_.size(); ++i) {
            const double here = temperature_[i];
            const double after = i + 1 < temperature_.size() ? temperature_[i + 1]
                                 : at_right_                 ? here
                                                             : beside[1];
            temperature_[i] = here + 0.25 * (before - 2 * here + after);
            before = here;
        }
    }

    /// The sum over this part of temperature times position.
    [[nodiscard]] double moment() const {
        double sum = 0;
        for (std::size_t i = 0; i < temperature_.size(); ++i)
            sum += temperature_[i] * static_cast<double>(first_ + static_cast<long>(i));
        return sum;
    }

  private:
    static constexpr long cells = 240; ///< of the whole rod

    long first_;
    bool at_left_, at_right_;
    std::vector<double> temperature_;
};
