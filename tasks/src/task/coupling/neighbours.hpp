// SPDX-License-Identifier: Apache-2.0
// The models that run at once: their names, who is connected with this one, and how far each has come.
#pragma once

#include <string>
#include <vector>

#include <lisle/couple.hpp>

namespace lisle::couple::detail {

class neighbours {
  public:
    /// Collective. A connection that one side names holds for both. Throws std::invalid_argument for a name
    /// that is taken and for a connection with a model that there is not.
    neighbours(MPI_Comm comm, const settings &mine);

    /// The ranks of the connected models.
    [[nodiscard]] const std::vector<int> &ranks() const noexcept { return ranks_; }
    /// Throws std::invalid_argument, in the name of a call, if there is no connection.
    [[nodiscard]] int rank_of(const std::string &name, const char *call) const;

    void has_reached(int rank, ticks time);
    [[nodiscard]] ticks reached_by(int rank) const { return reached_[static_cast<std::size_t>(rank)]; }
    /// The time that all connected models have reached; end_of_time if there are none.
    [[nodiscard]] ticks slowest() const;

  private:
    void connect(const std::vector<std::vector<std::string>> &lines, std::size_t me);

    std::vector<std::string> names_; ///< by rank
    std::string name_;
    std::vector<int> ranks_;
    std::vector<ticks> reached_; ///< by rank: what connected models have said
};

} // namespace lisle::couple::detail
