// SPDX-License-Identifier: Apache-2.0
#include "collective/launch.hpp"

#include <memory>
#include <mutex>

#include "collective/executor.hpp"
#include "protocol/engine.hpp"
#include "protocol/progressor.hpp"
#include "runtime/error.hpp"
#include "runtime/rank.hpp"

namespace lisle::collective {

namespace {

/// A tag for the next collective on a communicator. All members begin (or prepare) their collectives in
/// the same order, so they agree. Persistent operations live long and get the upper half for themselves.
int next_tag(communicator &comm, bool persistent) {
    constexpr std::uint32_t half = std::uint32_t{1} << 30;
    auto &counter = persistent ? comm.persistent_collectives : comm.collectives;
    // Relaxed: the user orders the collectives of a communicator; atomic for threads that take turns.
    const auto number = counter.fetch_add(1, std::memory_order_relaxed) % half;
    return static_cast<int>(persistent ? half + number : number);
}

/// The request of a non-blocking or persistent collective, which the engine visits while it is active.
/// Holds itself until it is freed; the engine's list holds it too while it runs.
class collective_request final : public protocol::request,
                                 public protocol::progressor,
                                 public std::enable_shared_from_this<collective_request> {
  public:
    collective_request(communicator &on, schedule plan, bool lasting)
        : request{this_rank()}, executor_{std::move(plan), next_tag(on, lasting)} {
        on.retain();
        comm = &on;
        persistent = lasting;
        active = false;
    }
    ~collective_request() override { comm->release(); }

    static collective_request &make(communicator &on, schedule plan, bool lasting) {
        auto made = std::make_shared<collective_request>(on, std::move(plan), lasting);
        auto &request = *made;
        request.self_ = std::move(made);
        return request;
    }

    void start() override {
        {
            const std::lock_guard guard{mutex_};
            executor_.restart();
            result = {};
            complete.store(false, std::memory_order_relaxed);
            active = true;
        }
        if (advance() != protocol::advanced::to_the_end) {
            owner.engine().progressors.add(self_);
        }
    }

    protocol::advanced advance() override {
        const std::unique_lock guard{mutex_, std::try_to_lock};
        if (!guard.owns_lock()) {
            return protocol::advanced::nothing;
        }
        const auto before = executor_.position();
        if (!executor_.advance()) {
            return executor_.position() != before ? protocol::advanced::something
                                                  : protocol::advanced::nothing;
        }
        result.error = executor_.error();
        complete.store(true, std::memory_order_release);
        return protocol::advanced::to_the_end;
    }

    // This may be the last share; then *this is destroyed when `last` is.
    void free() override { const auto last = std::move(self_); }

  private:
    std::mutex mutex_; ///< one thread at a time takes steps
    executor executor_;
    std::shared_ptr<collective_request> self_;
};

} // namespace

void run(communicator &comm, schedule plan) {
    executor executor{std::move(plan), next_tag(comm, false)};
    executor.run();
    if (executor.error() != MPI_SUCCESS) {
        fail(executor.error(), executor.describe());
    }
}

MPI_Request start(communicator &comm, schedule plan) {
    auto &request = collective_request::make(comm, std::move(plan), false);
    request.start();
    return handle_of<MPI_Request>(request);
}

MPI_Request prepare(communicator &comm, schedule plan) {
    return handle_of<MPI_Request>(collective_request::make(comm, std::move(plan), true));
}

} // namespace lisle::collective
