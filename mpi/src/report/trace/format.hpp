// SPDX-License-Identifier: Apache-2.0
// What a rank writes down while it runs (lislerun --report), a file for each. The file is written through a
// mapping, so what a rank has recorded is there however it ends. Behind the head come records, each a row of
// numbers; the first one says which. A number takes as many bytes as it needs (seven bits in each). A file
// that has not been closed ends with zeros.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lisle::report {

struct trace_head {
    static constexpr std::uint64_t lisle = 0x4c69736c65747263;
    static constexpr std::uint32_t current_version = 3;
    std::uint64_t magic = lisle;
    std::uint32_t version = current_version;
    std::int32_t rank = 0;
    std::int32_t size = 0;
    std::uint32_t process = 0;
    std::uint64_t begin = 0;     ///< of the record, in ns of the machine's clock
    std::array<char, 64> host{}; ///< with a zero at the end
    // Where the ranks of a job are on several hosts the launcher puts in what it has found out about their
    // clocks, and changes begin to what its own machine's showed.
    double rate = 1;               ///< ns of its clock for each of the rank's
    std::uint64_t clock_error = 0; ///< in ns, at most

    /// When something happened that was recorded with this time, in ns of the launcher's clock.
    [[nodiscard]] std::int64_t time_of(std::uint64_t recorded) const noexcept {
        const auto since = rate == 1 ? static_cast<std::int64_t>(recorded)
                                     : static_cast<std::int64_t>(static_cast<double>(recorded) * rate);
        return static_cast<std::int64_t>(begin) + since;
    }

    /// As they stand in the file.
    [[nodiscard]] std::string_view bytes() const noexcept {
        return {reinterpret_cast<const char *>(this), sizeof *this};
    }
};

/// Times are in ns since the head's begin; a record that concerns a call comes before the call's own.
enum class record : std::uint8_t {
    end_of_file, ///< zeros from here on: the rank has written nothing more
    call, ///< which (call_names.hpp), site, begin since that of the one before, duration, how many more calls
          ///< are put together with it; if there are any: time spent in all of them
    site, ///< a place that the program calls from, numbered from 0 in order: text
    group, ///< a communicator, numbered from 0 in order: its number in the job, size, ranks of the job + 1
    send,  ///< begun by the call, numbered from 0 with receives and collectives: group, rank of the job + 1,
           ///< tag, bytes
    receive,    ///< begun: group
    collective, ///< begun: group, shape, root's rank of the job + 1, bytes
    done,       ///< an operation has ended in the call: how many have been begun since it
    received,   ///< a receive has: the same, rank of the job + 1, tag, bytes
    dropped,    ///< an operation will never end: the same as of `done`
    moved,      ///< one-sided or to a file: rank of the job + 1 (0: a file), bytes
    found,      ///< a probe has found a message: group, rank of the job + 1, tag
    neighbours, ///< of the last group, whose data its collectives take: how many, ranks of the job + 1
    lock, ///< a passive epoch at a window: group, which window of it, rank of the job + 1 (0: all), step
    partitioned_send,    ///< begun, one end of a partitioned message: group, rank of the job + 1, tag, which
                         ///< message of these is meant, which round of it, partitions, bytes
    partitioned_receive, ///< the other end, the same
    ready,   ///< partitions of a message that the rank sends: how many operations have been begun since it,
             ///< the first, the last
    arrived, ///< a partition of one that it receives: the same, which
    phase,   ///< level of MPI_Pcontrol, time
    memory,  ///< time, bytes of the process, unexpected messages so far, bytes of those that are stored
    last,    ///< the record is complete: time, most memory in bytes
};

/// Who waits for whom in a collective.
enum class collective_shape : std::uint8_t {
    all_to_all,  ///< nobody is done before all have come
    one_to_all,  ///< nobody before the root
    all_to_one,  ///< not the root before all
    along_ranks, ///< nobody before those of lower ranks
    neighbours,  ///< nobody before those whose data it takes
};

/// What a call does with an epoch of a group's. Posts and completions are recorded as messages without data:
/// the windows' own signals, which MPI_Win_start and MPI_Win_wait receive. Their tags are negative.
enum class epoch_step : std::uint8_t { post, start, complete, wait };
/// The tag of such a signal. @param which of the windows of its group
[[nodiscard]] constexpr int signal_tag(std::uint64_t which, bool of_post) noexcept {
    constexpr std::uint64_t most = 1 << 20;
    return -static_cast<int>(2 * (which % most) + (of_post ? 2 : 3));
}

/// What a call does with a lock.
enum class lock_step : std::uint8_t { shared, exclusive, flush, unlock };

/// Writes numbers and texts at a place with room for them.
class packer {
  public:
    static constexpr std::size_t most_bytes = 10; ///< of one number

    explicit packer(std::byte *at) noexcept : at_{at} {}
    packer &number(std::uint64_t value) noexcept {
        for (; value >= 0x80; value >>= 7) {
            *at_++ = static_cast<std::byte>(value | 0x80);
        }
        *at_++ = static_cast<std::byte>(value);
        return *this;
    }
    /// Small ones of either sign become small.
    [[nodiscard]] static std::uint64_t folded(std::int64_t value) noexcept {
        return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
    }
    packer &signed_number(std::int64_t value) noexcept { return number(folded(value)); }
    packer &text(std::string_view value) noexcept {
        number(value.size());
        for (const char each : value) {
            *at_++ = static_cast<std::byte>(each);
        }
        return *this;
    }
    [[nodiscard]] std::byte *end() const noexcept { return at_; }

  private:
    std::byte *at_;
};

} // namespace lisle::report
