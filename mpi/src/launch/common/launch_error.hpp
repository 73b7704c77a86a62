// SPDX-License-Identifier: Apache-2.0
// The launcher's errors: an exit code and one sentence, thrown anywhere and printed in main.
#pragma once

#include <exception>
#include <string>
#include <utility>

#include "base/error.hpp"

namespace lisle::launch {

/// Exit codes of the launcher's own failures, as shells and timeout(1) use them.
inline constexpr int exit_usage = 2;
inline constexpr int exit_timeout = 124;
inline constexpr int exit_not_executable = 126;
inline constexpr int exit_not_found = 127;
inline constexpr int exit_by_signal = 128; ///< plus the signal's number

class launch_error : public std::exception {
  public:
    launch_error(int exit_code, std::string sentence)
        : exit_code_{exit_code}, sentence_{std::move(sentence)} {}
    [[nodiscard]] int exit_code() const noexcept { return exit_code_; }
    [[nodiscard]] const char *what() const noexcept override { return sentence_.c_str(); }

  private:
    int exit_code_;
    std::string sentence_;
};

/// Throws a launch_error whose sentence is made of the parts.
template <class... Parts> [[noreturn, gnu::cold]] void give_up(int exit_code, const Parts &...parts) {
    throw launch_error{exit_code, sentence(parts...)};
}

} // namespace lisle::launch
