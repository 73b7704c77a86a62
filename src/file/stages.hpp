// SPDX-License-Identifier: Apache-2.0
// Work of a rank that goes on in stages. Between two stages it awaits an operation that others take part in.
// So blocking calls, which wait between stages, and non-blocking ones, which are asked now and then, do the
// same.
#pragma once

#include <functional>
#include <memory>

#include "protocol/message/request.hpp"

namespace lisle::file {

/// Gives an operation back, complete or not.
struct give_back {
    void operator()(protocol::request *started) const { started->free(); }
};
using started_operation = std::unique_ptr<protocol::request, give_back>;

class stages {
  public:
    stages() = default;
    stages(const stages &) = delete;
    stages &operator=(const stages &) = delete;
    virtual ~stages() = default;

    /// True if nothing is awaited any more.
    [[nodiscard]] bool may_go_on() const noexcept {
        // Acquire: pairs with the release store of the thread that completed the operation.
        return awaited_ == nullptr || awaited_->complete.load(std::memory_order_acquire);
    }
    /// Does what can be done without waiting. True when all is done. Throws what an operation ended with.
    [[nodiscard]] bool advance();

  protected:
    using stage = std::function<void()>;
    /// The next stage begins when this is complete.
    void await(protocol::request *started, stage next);
    /// The next stage follows at once.
    void go_on(stage next) { next_ = std::move(next); }

  private:
    started_operation awaited_;
    stage next_;
};

} // namespace lisle::file
