// SPDX-License-Identifier: Apache-2.0
// MPI_Dims_create: of all ways to write the number of nodes as a product, the one whose factors differ
// least. Found by going through the divisors only, and only through those that can still be better.
#include <algorithm>
#include <cstdint>
#include <tuple>

#include "base/error.hpp"
#include "communicator/topology.hpp"
#include "mpi.h"

namespace lisle {

namespace {

/// All divisors in rising order.
std::vector<int> divisors_of(int number) {
    std::vector<int> low;
    std::vector<int> high;
    for (std::int64_t candidate = 1; candidate * candidate <= number; ++candidate) {
        if (number % candidate == 0) {
            low.push_back(static_cast<int>(candidate));
            if (candidate * candidate != number) {
                high.push_back(static_cast<int>(number / candidate));
            }
        }
    }
    low.insert(low.end(), high.rbegin(), high.rend());
    return low;
}

/// base ^ exponent, or anything larger than `limit` if that is exceeded.
std::int64_t power(std::int64_t base, std::size_t exponent, std::int64_t limit) {
    std::int64_t result = 1;
    while (exponent-- > 0 && result <= limit) {
        result *= base;
    }
    return result;
}

/// Writes a number as a product of factors in falling order with the least difference between the largest
/// and the smallest; of these with the largest smallest factor, of these with the least surface of a box.
class balance {
  public:
    balance(int number, std::size_t factors)
        : number_{number}, divisors_{divisors_of(number)}, current_(factors) {
        for (const int largest : divisors_) {
            // The smallest factor is not above the root: from here on the difference only grows.
            if (!best_.empty() &&
                power(std::max<std::int64_t>(0, largest - difference()), factors, number) > number) {
                break;
            }
            if (power(largest, factors, number) >= number) {
                current_[0] = largest;
                search(number / largest, 1);
            }
        }
    }
    [[nodiscard]] const std::vector<int> &best() const noexcept { return best_; }

  private:
    [[nodiscard]] std::int64_t difference() const noexcept { return best_.front() - best_.back(); }

    /// Whether a product that begins like `current_` may end with `last`.
    [[nodiscard]] bool close(int last) const noexcept {
        return best_.empty() || current_.front() - last <= difference();
    }

    void settle() {
        std::int64_t surface = 0;
        for (const int factor : current_) {
            surface += number_ / factor;
        }
        const auto rating = [](const std::vector<int> &factors, std::int64_t area) {
            return std::tuple{factors.front() - factors.back(), -factors.back(), area};
        };
        if (best_.empty() || rating(current_, surface) < rating(best_, surface_)) {
            best_ = current_;
            surface_ = surface;
        }
    }

    void search(int rest, std::size_t place) {
        if (place == current_.size()) {
            if (rest == 1 && close(current_.back())) {
                settle();
            }
            return;
        }
        const std::size_t open = current_.size() - place;
        for (const int factor : divisors_) {
            if (factor > current_[place - 1]) {
                return;
            }
            // The factors to come are not above this one, which must not be too small itself.
            if (rest % factor == 0 && close(factor) && power(factor, open, rest) >= rest) {
                current_[place] = factor;
                search(rest / factor, place + 1);
            }
        }
    }

    std::int64_t number_;
    std::vector<int> divisors_;
    std::vector<int> current_;
    std::vector<int> best_;
    std::int64_t surface_ = 0;
};

} // namespace

void balance_dimensions(int nodes, std::span<int> dims) {
    if (nodes < 1) {
        fail(MPI_ERR_DIMS, "nnodes is ", nodes, ", but a grid has at least one node");
    }
    std::int64_t given = 1;
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < dims.size(); ++i) {
        if (dims[i] < 0) {
            fail(MPI_ERR_DIMS, "dims[", i, "] is ", dims[i], ", which is negative");
        }
        if (dims[i] == 0) {
            open.push_back(i);
        } else {
            given *= dims[i];
        }
        if (given > nodes) {
            break;
        }
    }
    if (given > nodes || nodes % given != 0 || (open.empty() && given != nodes)) {
        fail(MPI_ERR_DIMS, "the given dimensions have the product ", given, ", of which nnodes, ", nodes,
             ", is no multiple", open.empty() ? " (they must be equal: no dimension is left to choose)" : "");
    }
    const int rest = static_cast<int>(nodes / given);
    if (open.empty()) {
        return;
    }
    const std::vector<int> factors = balance{rest, open.size()}.best();
    for (std::size_t i = 0; i < open.size(); ++i) {
        dims[open[i]] = factors[i];
    }
}

} // namespace lisle
