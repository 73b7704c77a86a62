// SPDX-License-Identifier: Apache-2.0
#include "communicator/directory.hpp"

#include "communicator/communicator.hpp"

namespace lisle {

void communicator_directory::enter(const communicator &entered) {
    const std::scoped_lock lock{mutex_};
    // A duplicate has its original's context until its own is agreed.
    by_context_.emplace(base_of(entered.context()), &entered);
}

void communicator_directory::leave(const communicator &left) noexcept {
    const std::scoped_lock lock{mutex_};
    const auto found = by_context_.find(base_of(left.context()));
    if (found != by_context_.end() && found->second == &left) {
        by_context_.erase(found);
    }
}

} // namespace lisle
