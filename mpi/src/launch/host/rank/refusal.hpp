// SPDX-License-Identifier: Apache-2.0
// Why a program cannot be run as thread ranks. The host prints the sentence and leaves with the code; a
// rank never runs after a refusal, so nothing has to be undone.
#pragma once

#include <stdexcept>
#include <string>

namespace lisle::host {

/// The sentence to print (without the program's name in front) and the exit code.
class refusal : public std::runtime_error {
  public:
    explicit refusal(const std::string &sentence, int code = 2) : std::runtime_error(sentence), code_(code) {}
    [[nodiscard]] int code() const noexcept { return code_; }

  private:
    int code_;
};

/// What the ranks are, for sentences; set before anything is refused.
inline const char *kind_of_ranks = "thread";

/// A refusal of the program itself, which names process ranks as the way out.
[[noreturn]] inline void refuse_threads(const std::string &program, const std::string &reason) {
    throw refusal(program + " cannot run as " + kind_of_ranks + " ranks: " + reason +
                  "; run it as processes: --ranks process");
}

} // namespace lisle::host
