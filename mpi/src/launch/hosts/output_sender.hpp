// SPDX-License-Identifier: Apache-2.0
// What the ranks of a host print, on its way to the launcher: so much at a time that the launcher's reader
// sets the pace, and the launcher's other messages need not wait behind it.
#pragma once

#include <cstdint>
#include <poll.h>
#include <string>
#include <vector>

#include "launch/link/channel.hpp"

namespace lisle::launch {

class output_sender {
  public:
    /// @param what output or errors
    output_sender(message what, descriptor pipe);

    /// Appends what to poll for: one entry.
    void prepare(std::vector<pollfd> &polled) const;
    /// The same entry, filled in. Sends what it reads. @param host whose output it is
    void handle(const pollfd &polled, channel &to, int host);
    /// The launcher has passed so many bytes on.
    void note_written(std::uint64_t bytes) { on_the_way_ -= bytes; }
    /// Nobody reads it: the ranks get the SIGPIPE that they would get on the launcher's host.
    void close() { pipe_.reset(); }
    /// Whether all has been sent. @param writers_gone what is not in the pipe will not come any more
    [[nodiscard]] bool done(bool writers_gone) const;

  private:
    static constexpr std::uint64_t most_on_the_way = std::uint64_t{256} << 10;
    message what_;
    descriptor pipe_;
    std::string held_; ///< the beginning of a line whose end is still in the pipe
    std::uint64_t on_the_way_ = 0;
};

} // namespace lisle::launch
