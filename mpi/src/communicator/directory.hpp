// SPDX-License-Identifier: Apache-2.0
// The communicators that a rank has, found by their contexts: for reports about a context, never on the way
// of a message.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>

#include "communicator/context.hpp"
#include "execution/rank_local.hpp"

namespace lisle {

class communicator;

/// Of one rank. Any thread of the rank may use it.
class communicator_directory {
  public:
    void enter(const communicator &entered);
    void leave(const communicator &left) noexcept;
    /// The context of one that has been entered becomes `context`, by `change()`, while nobody reads it here.
    /// Needs no memory.
    template <class Change>
    void change_context(const communicator &of, std::uint64_t context, Change change) noexcept {
        const std::scoped_lock lock{mutex_};
        move_locked(of, context);
        change();
    }

    /// Calls `function` with each communicator; none ends meanwhile.
    template <class Function> void each(Function function) const {
        const std::scoped_lock lock{mutex_};
        for (const auto &[context, found] : by_context_) {
            function(*found);
        }
    }
    /// Calls it with the one that this context belongs to, if the rank has it. Returns whether it has.
    template <class Function> bool with(std::uint64_t context, Function function) const {
        const std::scoped_lock lock{mutex_};
        const auto found = by_context_.find(base_of(context));
        if (found == by_context_.end()) {
            return false;
        }
        function(*found->second);
        return true;
    }

    /// True for the message space of users' messages.
    [[nodiscard]] static constexpr bool is_users(std::uint64_t context) noexcept {
        return context == base_of(context) + static_cast<std::uint64_t>(message_space::point_to_point);
    }
    /// The first context of the communicator (or shadow) that has this one.
    [[nodiscard]] static constexpr std::uint64_t base_of(std::uint64_t context) noexcept {
        return context - context % shadow_offset;
    }

  private:
    // Several with one context: those whose own is not agreed yet.
    using table = std::multimap<std::uint64_t, const communicator *>;
    [[nodiscard]] table::iterator find_locked(const communicator &wanted) noexcept;
    void move_locked(const communicator &of, std::uint64_t context) noexcept;

    mutable std::mutex mutex_; ///< protects the map, and the contexts of the communicators while they change
    table by_context_;
};

inline const rank_local<communicator_directory> communicators;

} // namespace lisle
