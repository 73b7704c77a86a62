// SPDX-License-Identifier: Apache-2.0
#include "communicator/directory.hpp"

#include <algorithm>
#include <utility>

#include "communicator/communicator.hpp"

namespace lisle {

communicator_directory::table::iterator
communicator_directory::find_locked(const communicator &wanted) noexcept {
    const auto [first, last] = by_context_.equal_range(base_of(wanted.context()));
    const auto found =
        std::find_if(first, last, [&wanted](const auto &each) { return each.second == &wanted; });
    return found != last ? found : by_context_.end();
}

void communicator_directory::enter(const communicator &entered) {
    const std::scoped_lock lock{mutex_};
    by_context_.emplace(base_of(entered.context()), &entered);
}

void communicator_directory::leave(const communicator &left) noexcept {
    const std::scoped_lock lock{mutex_};
    if (const auto found = find_locked(left); found != by_context_.end()) {
        by_context_.erase(found);
    }
}

void communicator_directory::move_locked(const communicator &of, std::uint64_t context) noexcept {
    if (const auto found = find_locked(of); found != by_context_.end()) {
        auto entry = by_context_.extract(found);
        entry.key() = base_of(context);
        by_context_.insert(std::move(entry));
    }
}

} // namespace lisle
