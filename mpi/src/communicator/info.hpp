// SPDX-License-Identifier: Apache-2.0
// Info objects: strings by key, in the order in which the keys were first set.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/object.hpp"
#include "mpi.h"

namespace lisle {

/// An info object. Any thread may use one at any time.
class info : public object {
  public:
    static constexpr object_kind kind_of_object = object_kind::info;

    info() noexcept : object{object_kind::info} {}
    info(const info &other) : object{object_kind::info}, entries_{other.entries()} {}
    info &operator=(const info &) = delete;
    ~info() = default;

    /// Adds or replaces. Throws MPI_ERR_INFO_KEY or MPI_ERR_INFO_VALUE if a string is too long or the
    /// key is empty.
    void set(std::string_view key, std::string_view value);
    /// Throws MPI_ERR_INFO_NOKEY if there is no such key.
    void erase(std::string_view key);
    [[nodiscard]] std::optional<std::string> get(std::string_view key) const;
    [[nodiscard]] int size() const;
    /// Throws MPI_ERR_ARG if there are not that many keys.
    [[nodiscard]] std::string key(int index) const;
    /// A copy of all keys and values.
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> entries() const;

  private:
    mutable std::mutex mutex_; ///< protects entries_
    std::vector<std::pair<std::string, std::string>> entries_;
};

/// What MPI_INFO_ENV tells of a rank.
/// @param arguments of the rank's program, its name first @param job_size number of ranks of the job
void describe_environment(info &into, const std::vector<std::string> &arguments, int job_size);

} // namespace lisle
