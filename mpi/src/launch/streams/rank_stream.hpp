// SPDX-License-Identifier: Apache-2.0
// Carries one rank's standard output or error output to an outlet that ranks share, as labelled lines or
// unchanged, and to files.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "launch/common/line_splicer.hpp"
#include "launch/streams/outlet.hpp"
#include "launch/streams/output_file.hpp"

namespace lisle::launch {

/// How lines begin.
struct line_label {
    std::string text;
    bool timestamp = false; ///< the time stands before the text
    [[nodiscard]] bool any() const { return timestamp || !text.empty(); }
};

class rank_stream {
  public:
    /// @param to may be null: the files are all
    rank_stream(outlet *to, line_label label, std::vector<std::shared_ptr<output_file>> files);

    void feed(std::string_view piece);
    /// The output has ended.
    void finish();
    [[nodiscard]] outlet *to() const noexcept { return to_; }
    /// The one descriptor that the rank may as well write to itself, or -1.
    [[nodiscard]] int only_target() const noexcept;

  private:
    outlet *to_;
    line_label label_;
    line_splicer lines_;
    std::vector<std::shared_ptr<output_file>> files_;
};

} // namespace lisle::launch
