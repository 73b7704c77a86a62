// SPDX-License-Identifier: Apache-2.0
// For tests of an engine's parts without an engine: a rank of a process inside the test, and a core that
// belongs to no engine.
#pragma once

#include <memory>

#include "execution/rank.hpp"
#include "fabric/routes_by_track.hpp"
#include "library/process.hpp"
#include "protocol/core/engine_core.hpp"
#include "protocol/engine.hpp"
#include "protocol/tracks.hpp"

namespace lisle::protocol {

/// The calling thread is rank 0 of a process with some ranks as long as this lives.
class rank_inside {
  public:
    explicit rank_inside(int ranks = 2)
        : process_{process::make_inside({.ranks_of_process = {ranks}})}, former_{
                                                                             become(&process_->enter(0))} {}
    ~rank_inside() {
        process_->get_job().leave(this_rank());
        become(former_);
    }
    rank_inside(const rank_inside &) = delete;
    rank_inside &operator=(const rank_inside &) = delete;

  private:
    std::unique_ptr<process> process_;
    rank *former_;
};

/// A core on that rank's routes.
class core_alone {
  public:
    explicit core_alone(message_observer *observer = nullptr)
        : core{nullptr, this_rank().engine().routes(), this_rank(), 0, observer} {}

  private:
    const rank_inside inside_;

  public:
    engine_core core;
};

/// A receive that no communicator knows of.
inline std::unique_ptr<receive_operation> make_receive(const envelope &pattern,
                                                       const typed_buffer &buffer = {}) {
    return std::make_unique<receive_operation>(this_rank().engine(), buffer, pattern);
}

} // namespace lisle::protocol
