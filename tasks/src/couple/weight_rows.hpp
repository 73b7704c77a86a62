// SPDX-License-Identifier: Apache-2.0
// The rows of a sparse matrix that one rank has, and the points of the sender that they name.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <lisle/couple/regridding.hpp>

namespace lisle::couple::detail {

class weight_rows {
  public:
    explicit weight_rows(std::vector<weight> weights);

    /// In ascending order, each once.
    [[nodiscard]] const std::vector<global_index> &sources() const noexcept { return sources_; }
    /// Calls store(place, sum) for each row, whose entries are summed up in ascending order of their sources.
    /// @param value_of of a source, by its place among sources()
    template <class Value, class Store> void multiply(const Value &value_of, const Store &store) const {
        for (std::size_t at = 0; at != rows_.size(); ++at) {
            const std::size_t end = at + 1 == rows_.size() ? factors_.size() : rows_[at + 1].begin;
            double sum = 0;
            for (std::size_t each = rows_[at].begin; each != end; ++each) {
                sum += factors_[each] * value_of(named_[each]);
            }
            store(rows_[at].place, sum);
        }
    }

  private:
    struct row {
        std::int64_t place;
        std::size_t begin; ///< among the entries; it ends where the next one begins
    };
    std::vector<global_index> sources_;
    std::vector<row> rows_;
    std::vector<std::uint32_t> named_; ///< of each entry, the place of its source among the sources
    std::vector<double> factors_;      ///< of each entry
};

/// Entries that a rank can have.
inline constexpr std::size_t most_weights = std::numeric_limits<std::uint32_t>::max();
/// What no matrix can have: a sentence; empty: nothing is wrong.
[[nodiscard]] std::string what_is_wrong(std::span<const weight> weights, std::int64_t places,
                                        global_index grid_points);

} // namespace lisle::couple::detail
