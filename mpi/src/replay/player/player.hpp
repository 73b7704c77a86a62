// SPDX-License-Identifier: Apache-2.0
// Makes the calls of one rank's record again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "mpi.h"
#include "replay/player/memory.hpp"
#include "replay/player/played_calls.hpp"
#include "replay/trace/bytes.hpp"

namespace lisle::replay {

/// What is a rank's own in a replay: the objects that its calls have made, and memory.
struct rank_objects {
    std::tuple<std::vector<MPI_Comm>, std::vector<MPI_Datatype>, std::vector<MPI_Group>, std::vector<MPI_Op>,
               std::vector<MPI_Info>, std::vector<MPI_Win>, std::vector<MPI_Message>,
               std::vector<MPI_Request>>
        tables;
    shared_memory_area sent, received;
};

class player {
  public:
    explicit player(std::string_view record) noexcept : record_{record} {}

    /// Throws trace_error, with the number of the item and the function that is called.
    void play();
    /// What has happened between two looks.
    void play_between(std::string_view items);
    [[nodiscard]] rank_objects &objects() noexcept { return objects_; }

  private:
    void play_item(byte_reader &in);
    /// True: it is one of those that take time and call nothing.
    [[nodiscard]] bool play_time(std::uint64_t what, byte_reader &in);
    void play_looks(bool found, byte_reader &in);
    void call(std::uint64_t function, arguments &with);

    std::string_view record_;
    std::uint64_t items_ = 0;
    std::string_view calling_;
    std::vector<const played_function *> functions_;
    rank_objects objects_;
};

} // namespace lisle::replay
