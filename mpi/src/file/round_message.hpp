// SPDX-License-Identifier: Apache-2.0
// A rank's message to an aggregator in a round: runs of the file and, for a write, their data.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "file/byte_room.hpp"
#include "file/descriptor.hpp"

namespace lisle::file {

/// Part of the data of an access: bytes [first, first + bytes) of them.
struct data_part {
    MPI_Count first = 0, bytes = 0;
};

/// The message for some runs. @param data_bytes room for data that follow them, which the caller fills
inline void write_message(const std::vector<file_run> &runs, MPI_Count data_bytes, byte_room &into) {
    const std::size_t count = runs.size(), head = sizeof count + count * sizeof(file_run);
    into.resize(head + static_cast<std::size_t>(data_bytes));
    std::memcpy(into.data(), &count, sizeof count);
    std::memcpy(into.data() + sizeof count, runs.data(), count * sizeof(file_run));
}

/// A message as its receiver sees it: points into it.
class round_message {
  public:
    /// Throws MPI_ERR_OTHER for an invalid message. @param within where the runs must lie
    round_message(std::span<const std::byte> bytes, const file_run &within, bool with_data) {
        std::size_t count = 0;
        if (bytes.empty()) {
            return;
        }
        check(bytes.size() >= sizeof count);
        std::memcpy(&count, bytes.data(), sizeof count);
        bytes = bytes.subspan(sizeof count);
        check(count <= bytes.size() / sizeof(file_run));
        runs_.resize(count);
        std::memcpy(runs_.data(), bytes.data(), count * sizeof(file_run));
        data_ = bytes.subspan(count * sizeof(file_run));
        MPI_Offset last = within.offset;
        for (const file_run &run : runs_) {
            check(run.bytes > 0 && run.offset >= last && run.bytes <= within.end() - run.offset);
            last = run.end();
            bytes_ += run.bytes;
        }
        check(data_.size() == (with_data ? static_cast<std::size_t>(bytes_) : 0));
    }

    [[nodiscard]] const std::vector<file_run> &runs() const noexcept { return runs_; }
    [[nodiscard]] std::span<const std::byte> data() const noexcept { return data_; }
    /// Of all runs.
    [[nodiscard]] MPI_Count bytes() const noexcept { return bytes_; }

  private:
    static void check(bool plausible) {
        if (!plausible) {
            fail(MPI_ERR_OTHER,
                 "a peer sent a message about a collective access to a file that cannot be right");
        }
    }
    std::vector<file_run> runs_;
    std::span<const std::byte> data_;
    MPI_Count bytes_ = 0;
};

} // namespace lisle::file
