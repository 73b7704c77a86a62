// SPDX-License-Identifier: Apache-2.0
// Objects that stay on their rank and travel by handle: what this rank keeps for others, and what it has of
// others. Each handle that is sent counts as one reference; the receiver gives it back when nobody there
// refers to the object any more.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <unordered_map>

#include "task/value/remote.hpp"

namespace lisle::tasks {

class keeper final : public remote_keeper, public std::enable_shared_from_this<keeper> {
  public:
    /// How it asks and tells other ranks. Both may be called by any thread.
    struct links {
        std::function<void(const ref<remote_object> &)> request;
        std::function<void(int owner, std::uint64_t id, std::uint64_t references)> release;
    };
    keeper(int rank, links to_others) : rank_{rank}, links_{std::move(to_others)} {}

    [[nodiscard]] int rank() const noexcept { return rank_; }

    /// Keeps an object for another rank. @return its number
    std::uint64_t keep(object &kept);
    /// An object that is kept here, or empty.
    [[nodiscard]] ref<object> find(std::uint64_t id) const;
    /// Another rank gives back references. @return whether they were there
    bool give_back(std::uint64_t id, std::uint64_t references);
    /// What stands for an object of another rank: the one that is here already, or a new one.
    value stand_in(const object_address &at, object_kind what, std::uint64_t type, std::uint64_t size,
                   const object_address &origin);
    [[nodiscard]] std::uint64_t objects_kept() const;
    /// From here on nobody is asked or told. Content that has not come becomes a failure.
    void disconnect();

    void request(const ref<remote_object> &wanted) override;
    void forget(remote_object &dying) noexcept override;

  private:
    struct kept_object {
        ref<tasks::object> kept;
        std::uint64_t references;
    };
    const int rank_;
    mutable std::mutex mutex_; ///< for all that follows
    links links_;
    std::uint64_t last_ = 0;
    std::unordered_map<std::uint64_t, kept_object> kept_;
    std::unordered_map<const object *, std::uint64_t> numbers_;
    std::map<std::pair<int, std::uint64_t>, remote_object *> of_others_; ///< alive, or about to call forget()
};

} // namespace lisle::tasks
