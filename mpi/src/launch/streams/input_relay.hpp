// SPDX-License-Identifier: Apache-2.0
// Gives each of several processes a copy of the launcher's standard input (-stdin all). Driven by the
// supervisor's poll loop, as output_relay. The slowest reader sets the pace.
#pragma once

#include <cstddef>
#include <poll.h>
#include <string>
#include <vector>

#include "launch/common/descriptor.hpp"

namespace lisle::launch {

class input_relay {
  public:
    /// A new reader; returns the end that it reads from. Throws launch_error.
    descriptor add_reader();

    /// Appends what to poll for; `handle` gets the same entries back, filled in.
    void prepare(std::vector<pollfd> &polled) const;
    void handle(const pollfd *polled, std::size_t count);
    /// How many entries `prepare` appends.
    [[nodiscard]] std::size_t entries() const { return readers_.empty() ? 0 : 1 + readers_.size(); }

  private:
    struct reader {
        descriptor pipe;
        std::size_t taken; ///< of `waiting_`
    };
    void read_some();
    void write_some(reader &to) const;
    void forget_what_all_have();

    static constexpr std::size_t most_waiting = std::size_t{256} << 10;
    std::string waiting_;
    bool ended_ = false;
    std::vector<reader> readers_;
};

} // namespace lisle::launch
