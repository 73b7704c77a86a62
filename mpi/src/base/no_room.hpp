// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdio>
#include <new>

namespace lisle {

/// There is no memory for something that is as large as what the user gives. Nobody waits for that, as for
/// memory for the library's own lists. Needs no memory itself.
class no_room : public std::bad_alloc {
  public:
    /// @param use what the memory is for
    no_room(std::size_t bytes, const char *use) noexcept {
        std::snprintf(sentence_, sizeof sentence_, "no memory for %zu bytes of %s", bytes, use);
    }
    [[nodiscard]] const char *what() const noexcept override { return sentence_; }

  private:
    char sentence_[96];
};

} // namespace lisle
