// SPDX-License-Identifier: Apache-2.0
// What one rank has recorded, call by call.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/trace/format.hpp"

namespace lisle::report {

/// The members of a communicator.
struct group_record {
    std::uint64_t number;     ///< the same at all of its members
    std::vector<int> members; ///< ranks of the job; -1: of none
    std::vector<int> sources; ///< the same of those whose data the own rank takes of its neighbours
};

struct begun_operation {
    record what; ///< send, receive, collective or an end of a partitioned message
    std::uint32_t group;
    int peer; ///< rank of the job: where a send goes, a collective's root, the other end; -1: none
    int tag;
    std::uint64_t bytes;
    collective_shape shape;
    std::uint64_t which = 0, round = 0; ///< of a partitioned message
    int partitions = 0;
};

struct ended_operation {
    std::uint64_t number; ///< of all that the rank has begun, from 0 on
    record how;           ///< done, received or dropped
    int source;           ///< of what was received
    int tag;
    std::uint64_t bytes;
};

/// A message that is there, and stays there.
struct found_message {
    std::uint32_t group;
    int source; ///< rank of the job
    int tag;
};

struct lock_use {
    std::uint32_t group;
    std::uint64_t window; ///< which of those of the group
    int target;           ///< rank of the job; -1: all
    lock_step step;
};

/// Partitions of a message.
struct partition_range {
    std::uint64_t operation; ///< as in ended_operation
    int first, last;
};

struct moved_data {
    int target; ///< rank of the job; -1: a file
    std::uint64_t bytes;
};

struct memory_state {
    std::uint64_t time, resident, unexpected, stored; ///< see record::memory
};

/// A call, or several in vain and the one that ended them. Times as in the record's head.
struct recorded_call {
    std::uint32_t id = 0, site = 0;
    std::uint64_t begin = 0, end = 0;
    std::uint64_t count = 1, inside = 0; ///< time spent in them
    std::vector<begun_operation> begun;
    std::vector<ended_operation> ended;
    std::vector<moved_data> moved;
    std::vector<found_message> found;
    std::vector<lock_use> locks;
    std::vector<partition_range> ready, arrived;
    std::vector<memory_state> memory; ///< since the call before
};

struct phase_mark {
    int level;
    std::uint64_t time;
};

/// A file that a rank has written, as far as it has come. What is not a record ends it.
class trace_reader {
  public:
    /// Throws std::runtime_error with the reason if it is no record of this version.
    explicit trace_reader(const std::filesystem::path &file);
    trace_reader(trace_reader &&) noexcept = default;
    trace_reader &operator=(trace_reader &&) noexcept = default;

    [[nodiscard]] const trace_head &head() const noexcept { return head_; }
    /// The next call; nothing: there is none.
    [[nodiscard]] bool next(recorded_call &into);

    // ---- what has been read so far ----
    [[nodiscard]] const std::vector<std::string_view> &sites() const noexcept { return sites_; }
    [[nodiscard]] const std::vector<group_record> &groups() const noexcept { return groups_; }
    [[nodiscard]] const std::vector<phase_mark> &phases() const noexcept { return phases_; }
    [[nodiscard]] std::uint64_t operations() const noexcept { return operations_; }
    /// When the rank's record was closed; nothing: it was not, the rank has ended in another way.
    [[nodiscard]] std::optional<std::uint64_t> closed() const noexcept { return closed_; }
    [[nodiscard]] std::uint64_t most_memory() const noexcept { return most_memory_; }

  private:
    struct unmap {
        std::size_t bytes;
        void operator()(const std::byte *memory) const noexcept;
    };

    [[nodiscard]] std::uint64_t number();
    [[nodiscard]] std::int64_t signed_number();
    [[nodiscard]] int rank_number() { return static_cast<int>(number()) - 1; }
    [[nodiscard]] bool read_one(recorded_call &into);
    void read_group();
    void read_neighbours();
    void read_found(recorded_call &into);
    void read_lock(recorded_call &into);
    void read_partitions(record what, recorded_call &into);
    void read_begun(record what, recorded_call &into);
    void read_ended(record how, recorded_call &into);
    void read_call(recorded_call &into);

    std::unique_ptr<const std::byte, unmap> file_;
    const std::byte *at_ = nullptr, *end_ = nullptr;
    bool broken_ = false;
    trace_head head_;
    std::uint64_t last_begin_ = 0; ///< since the head's begin
    std::uint64_t operations_ = 0;
    std::vector<std::string_view> sites_;
    std::vector<group_record> groups_;
    std::vector<phase_mark> phases_;
    std::optional<std::uint64_t> closed_;
    std::uint64_t most_memory_ = 0;
};

} // namespace lisle::report
