// SPDX-License-Identifier: Apache-2.0
// The files that the ranks of a host have recorded to, on their way to the launcher: so much at a time that
// its other messages need not wait behind them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "launch/common/temporary_folder.hpp"
#include "launch/link/channel.hpp"

namespace lisle::launch {

class record_sender {
  public:
    /// Where the ranks are to record. Throws launch_error.
    [[nodiscard]] const std::string &folder() const noexcept { return folder_.name(); }
    /// All ranks have ended, and the launcher wants what they have recorded.
    void begin();
    /// @param host whose records they are
    void send_some(channel &to, int host);
    /// The launcher has so many bytes more.
    void note_taken(std::uint64_t bytes) { on_the_way_ -= bytes; }
    [[nodiscard]] bool begun() const noexcept { return begun_; }
    [[nodiscard]] bool done() const noexcept { return begun_ && left_.empty(); }

  private:
    static constexpr std::uint64_t most_on_the_way = std::uint64_t{256} << 10;
    temporary_folder folder_{"lisle-report"};
    bool begun_ = false;
    std::map<int, std::filesystem::path> left_; ///< by rank
    descriptor file_;                           ///< of the first of them
    std::uint64_t on_the_way_ = 0;
};

} // namespace lisle::launch
