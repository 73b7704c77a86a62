// SPDX-License-Identifier: Apache-2.0
// Sorts the output of a process with several ranks: its lines begin with the number of their rank, as
// "[3] ...", and go to the stream of that rank without it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "launch/streams/rank_stream.hpp"

namespace lisle::launch {

class rank_sorter {
  public:
    /// @param streams those of the process's ranks, of which `first` is the first
    /// @param others what bears no rank's number goes here: the words of the process itself
    rank_sorter(std::span<rank_stream> streams, int first, outlet &others)
        : streams_{streams}, first_{first}, others_{&others} {}

    void feed(std::string_view piece);
    /// The output has ended.
    void finish();

  private:
    void pass_on(std::string_view text);
    void begin_line();
    std::span<rank_stream> streams_;
    int first_;
    outlet *others_;
    rank_stream *current_ = nullptr; ///< of the line that has begun; null: no rank's
    bool in_line_ = false;
    std::string waiting_; ///< the beginning of a line whose label is not complete
};

} // namespace lisle::launch
