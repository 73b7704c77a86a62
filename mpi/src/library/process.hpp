// SPDX-License-Identifier: Apache-2.0
// The composition root: puts one process of a job together from its bootstrap, the node's shared memory, the
// fabrics in use and the engines of its ranks. The only place that names fabrics.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "fabric/local/node_segment.hpp"
#include "fabric/routes_by_track.hpp"
#include "library/joining.hpp"
#include "protocol/device_threads.hpp"
#include "world/job.hpp"

namespace lisle {

/// Makes one fabric for a process; both parameters outlive it.
using fabric_maker =
    std::function<std::unique_ptr<fabric::fabric>(fabric::local::node_segment &segment, bootstrap &start)>;

class process {
  public:
    /// @param segment of the process's node
    /// @param makers of the fabrics in use, the preferred one first: a packet takes the first that reaches
    process(std::unique_ptr<bootstrap> start, fabric::local::node_segment segment,
            std::span<const fabric_maker> makers);

    /// The calling process: of the job whose launcher started it, or of a job of its own with one rank. Made
    /// at the first call that needs it and kept until the process ends. Stops the process with a sentence
    /// if it was started by a launcher that Lisle cannot talk to.
    [[nodiscard]] static process &current();
    /// A job of this process alone, besides the one that the process may belong to.
    [[nodiscard]] static std::unique_ptr<process> make_inside(const job_shape &shape);

    [[nodiscard]] job &get_job() noexcept { return job_; }
    [[nodiscard]] const fabric::routes &routes() noexcept { return routes_.first(); }
    /// Makes the rank with this index among the process's own. Throws mpi_error if it exists already.
    rank &enter(int index);

  private:
    fabric::local::node_segment segment_;
    doorbell_row bells_;
    job job_;
    fabric::routes_by_track routes_;
    std::unique_ptr<protocol::device_threads> threads_; ///< null: callers move messages on
    process_joining joining_;
};

} // namespace lisle
