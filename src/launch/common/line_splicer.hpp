// SPDX-License-Identifier: Apache-2.0
// Makes whole lines of a rank's output, whatever pieces it arrives in, and puts a prefix before each, so
// that the output of several ranks can be joined without mixing lines.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace lisle::launch {

class line_splicer {
  public:
    /// Longer lines are cut into lines of this length: nobody may hold back memory without bound, nor
    /// the output of the others until a line ends.
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
