// SPDX-License-Identifier: Apache-2.0
#include "collective/selection/launch.hpp"

#include <memory>
#include <new>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "collective/selection/check.hpp"
#include "collective/selection/one_caller.hpp"
#include "collective/steps/executor.hpp"
#include "execution/rank.hpp"
#include "protocol/engine.hpp"
#include "protocol/message/request.hpp"
#include "protocol/once_there_is_memory.hpp"
#include "protocol/progress/progressor.hpp"

namespace lisle::collective {

namespace {

/// The request of a non-blocking or persistent collective, which the engine visits while it is active.
class collective_request final : public protocol::request, private protocol::progressor {
  public:
    /// If it throws, for lack of memory, the plan is left alone, and no tag has been taken.
    collective_request(communicator &on, schedule &&plan, bool lasting)
        : request{*on.collective.home}, on_{communicator_ref::share(on)} {
        if (comparing()) [[unlikely]] {
            check_.emplace(on, plan.signature());
        }
        executor_.emplace(std::move(plan));
        if (check_) {
            check_->use_tag(next_tag(on, lasting));
        }
        executor_->use_tag(next_tag(on, lasting));
        persistent = lasting;
        active = false;
    }

    void start() override {
        complete.store(false, std::memory_order_relaxed);
        result = {};
        active = true;
        checked_ = !check_;
        if (check_) {
            check_->restart();
        }
        executor_->restart();
        if (goes_on()) {
            home->waits().add(*this);
        }
    }

    [[nodiscard]] std::string failure() const override { return failure_; }
    void describe(wait_note &note) const override {
        protocol::awaited_members{on_->context()}.describe(note);
    }

  private:
    /// As advance(). The first steps that there is no memory for are taken later: others count on them.
    bool goes_on() {
        try {
            return advance();
        } catch (const std::bad_alloc &) {
            return true;
        }
    }
    bool advance() override {
        if (!checked_) {
            if (!check_->advance()) {
                return true;
            }
            checked_ = true;
            if (const auto wrong = check_->complaint()) {
                result.error = wrong->code();
                failure_ = wrong->what();
                home->complete(*this); // gives the object away
                return false;
            }
        }
        if (!executor_->advance()) {
            return true;
        }
        result.error = executor_->error();
        if (result.error != MPI_SUCCESS) {
            result.source = executor_->failed_peer();
            failure_ = executor_->describe();
        }
        home->complete(*this); // gives the object away
        return false;
    }

    const communicator_ref on_; ///< keeps the channels, also of a request whose handle was freed
    std::optional<call_check> check_;
    std::optional<executor> executor_;
    bool checked_ = true;
    std::string failure_; ///< what `result.error` means
};

} // namespace

void run(communicator &comm, schedule plan) {
    if (plan.done()) {
        return;
    }
    refuse_revoked(comm);
    std::optional<one_caller> alone;
    if (comparing()) [[unlikely]] {
        const call_signature said = plan.signature();
        alone.emplace(comm, said.call);
        compare_calls(comm, said); // if it throws, no rank takes the next tag
    }
    std::optional<executor> made;
    protocol::once_there_is_memory(*comm.collective.home, [&] { made.emplace(std::move(plan)); });
    made->use_tag(next_tag(comm, false));
    made->run();
    if (made->error() != MPI_SUCCESS) {
        fail(made->error(), made->describe());
    }
}

protocol::request *start(communicator &comm, schedule &&plan) {
    refuse_revoked(comm);
    auto request = std::make_unique<collective_request>(comm, std::move(plan), false);
    request->start();
    return request.release();
}

protocol::request *prepare(communicator &comm, schedule &&plan) {
    return new collective_request{comm, std::move(plan), true};
}

} // namespace lisle::collective
