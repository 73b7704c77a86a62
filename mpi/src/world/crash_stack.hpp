// SPDX-License-Identifier: Apache-2.0
// Where a rank that crashes leaves its stack for the launcher, in the job's table. The rank only notes
// addresses: names and lines are looked up by the launcher, whose memory is sound.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "execution/doorbell.hpp"

namespace lisle {

/// What is wanted of a rank that crashes (LISLE_CRASH), as the setting has it.
enum class crash_wish : std::uint32_t { report, quiet, core, debugger };

/// Zero before its first use. One rank fills it, the launcher reads it.
class crash_stack {
  public:
    static constexpr int most_frames = 19;                       ///< a report of twenty lines
    static constexpr std::uint64_t longest_wait = 3'000'000'000; ///< in nanoseconds, for the launcher to read

    /// For a handler of a signal: notes the frames behind that of the signal. True for one caller of a job.
    bool fill(crash_wish wish) noexcept;
    /// Returns when the launcher has read the stack, or after the longest wait. With `debugger`: never.
    void wait_for_reader() noexcept;

    struct frame {
        std::string file;     ///< empty: not known
        std::uint64_t offset; ///< from where the file begins in memory
    };
    struct content {
        crash_wish wish;
        std::vector<frame> frames; ///< the innermost first
    };
    /// What has been noted; nothing as long as nothing has.
    [[nodiscard]] std::optional<content> read() const;
    /// The launcher has read it.
    void let_go() noexcept { read_.ring(); }

  private:
    struct walk;
    std::uint16_t name_of(const char *file) noexcept;

    static constexpr std::size_t room_for_names = 4096;
    struct noted_frame {
        std::uint64_t offset;
        std::uint32_t name; ///< where it begins in names_
    };
    std::atomic<std::uint32_t> claimed_{0}; ///< the first rank takes it; orders nothing
    std::atomic<std::uint32_t> filled_{
        0}; ///< release by the rank, acquire by the launcher: all below is there
    crash_wish wish_{};
    std::uint32_t count_ = 0;
    noted_frame frames_[most_frames]{};
    std::uint32_t names_used_ = 0;
    char names_[room_for_names]{}; ///< of files, each with a 0 behind it; the first one is empty
    doorbell read_;
};

// Here, so that the launcher needs nothing of what fills it.
inline std::optional<crash_stack::content> crash_stack::read() const {
    if (filled_.load(std::memory_order_acquire) == 0) {
        return std::nullopt;
    }
    content found{wish_, {}};
    for (const noted_frame &each : std::span{frames_, std::min<std::size_t>(count_, most_frames)}) {
        const std::size_t place = std::min<std::size_t>(each.name, room_for_names);
        const std::string_view rest{names_ + place, room_for_names - place};
        found.frames.push_back({std::string{rest.substr(0, rest.find('\0'))}, each.offset});
    }
    return found;
}

} // namespace lisle
