// SPDX-License-Identifier: Apache-2.0
// Threads of a process that move its ranks' messages on while the ranks compute (LISLE_PROGRESS). After
// Protopopov and Skjellum each device, that is each fabric by which other ranks are reached, has two: a
// Sender sends what waits in the fabric and in the engines, peer by peer in turn; a Receiver takes what
// arrives, matches it, and leaves answers to the Sender, so it never waits for a send. Both sleep when there
// is nothing to do: the Sender until it is called, the Receiver on the device's descriptor, or on the ranks'
// doorbells if the device rings these. In the shared manner one thread does all of this. Schedules of
// non-blocking collectives are not theirs: those go on in calls.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "base/settings.hpp"
#include "execution/doorbell.hpp"
#include "fabric/fabric.hpp"
#include "fabric/routes.hpp"

namespace lisle {
class rank;
}

namespace lisle::protocol {

/// The threads of one process. They run while they have ranks to serve.
/// Thread-safe.
class device_threads {
  public:
    /// @param routes of the process; outlive this
    explicit device_threads(const fabric::routes &routes);
    device_threads(const device_threads &) = delete;
    device_threads &operator=(const device_threads &) = delete;
    ~device_threads();

    /// Begins to serve a rank of the process, unless it is served. Throws mpi_error (MPI_ERR_OTHER) if the
    /// system gives no threads.
    void serve(rank &served);
    /// Ends that, if it is served: afterwards no thread is at work for the rank.
    void dismiss(rank &served);
    /// The process has got further fabrics: serves them, too.
    void serve_new_fabrics();
    /// From now on no thread is at work for this one.
    void forsake(const fabric::fabric &gone);

  private:
    class worker;
    class sender;
    class descriptor_receiver;
    class bell_receiver;

    /// Rung when something has come to wait in an engine of the rank.
    [[nodiscard]] doorbell &senders_bell(rank &served) noexcept;
    void begin_locked();
    void end_locked();
    void add_device_locked(fabric::fabric &device);
    [[nodiscard]] bool is_active(const fabric::packet_carrier &device) const noexcept;

    const fabric::routes &routes_;
    doorbell senders_called_;
    std::mutex changing_;
    // Threads read it without the lock: it changes only while there are none.
    std::vector<rank *> served_;
    std::vector<const fabric::fabric *> forsaken_;
    std::vector<std::unique_ptr<worker>> workers_;
};

} // namespace lisle::protocol
