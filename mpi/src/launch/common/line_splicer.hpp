// SPDX-License-Identifier: Apache-2.0
// Joins the pieces of a rank's output to whole lines with a prefix, so that lines of several ranks do not
// mix.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace lisle::launch {

class line_splicer {
  public:
    /// Longer lines are cut into lines of this length: a rank can neither fill the memory nor hold back the
    /// output of the others until its line ends.
    static constexpr std::size_t longest_line = std::size_t{1} << 20;

    explicit line_splicer(std::string prefix) : prefix_{std::move(prefix)} {}

    /// What the lines that are yet to be completed begin with.
    void set_prefix(std::string prefix) { prefix_ = std::move(prefix); }
    /// Takes a piece and appends the lines that are complete now, with their prefixes, to `joined`.
    void feed(std::string_view piece, std::string &joined);
    /// The output has ended: appends what stands behind the last line end, as a line.
    void finish(std::string &joined);

  private:
    void emit(std::string_view rest, std::string &joined);
    std::string prefix_;
    std::string begun_; // the beginning of a line that is not complete yet
};

} // namespace lisle::launch
