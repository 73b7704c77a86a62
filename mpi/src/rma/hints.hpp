// SPDX-License-Identifier: Apache-2.0
// The info hints of a window [MPI-5.0 12.2.1, 12.2.3]. Unknown ones are ignored, as the standard wants.
#pragma once

#include <array>
#include <mutex>
#include <string>
#include <string_view>

#include "communicator/info.hpp"

namespace lisle::rma {

/// Hints in force. Any thread may read them while another sets them.
class window_hints {
  public:
    /// Takes over the hints that are in `from` and known. Throws MPI_ERR_INFO_VALUE for a value that the
    /// standard does not allow.
    void apply(const info &from);
    /// Adds all known hints with their values. @param shared the window is one of MPI_Win_allocate_shared
    void describe(info &into, bool shared) const;
    /// The value of a hint that is true or false.
    [[nodiscard]] bool holds(std::string_view key) const;
    /// Whether the program has given a hint.
    [[nodiscard]] bool gives(std::string_view key) const;

  private:
    [[nodiscard]] std::string value_of(std::string_view key) const;
    static constexpr std::size_t known = 8;
    mutable std::mutex mutex_;              ///< protects values_
    std::array<std::string, known> values_; ///< by index of the table of hints; empty: not said
};

} // namespace lisle::rma
