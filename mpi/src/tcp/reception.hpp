// SPDX-License-Identifier: Apache-2.0
// A port of this process: a socket that listens, and those who have called and are greeting. All are heard at
// once, so a silent one keeps nobody waiting. How many there are is bounded, and how long each may take; one
// that has ended or greets wrongly is closed when it is heard. Only those who have proven to know the secret
// are handed out.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>

#include "base/owned_descriptor.hpp"
#include "tcp/greeting.hpp"
#include "tcp/socket_address.hpp"

namespace lisle::tcp {

/// Not thread-safe.
class reception {
  public:
    /// Callers that have not proven anything yet; the oldest one goes when there are more, a silent one
    /// first.
    static constexpr std::size_t most_unproven = 1024;
    /// How long one may take for its greeting, whether anything else happens meanwhile or not.
    static constexpr std::chrono::seconds usual_patience{10};

    struct caller {
        owned_descriptor socket;
        greeting greeted;
    };

    /// Listens at an address, at some port if it names none. @param as what is here
    /// @param refused hears why a caller was sent away; null: nobody does
    reception(const socket_address &where, greeter as, std::function<void(const char *)> refused = {},
              std::chrono::milliseconds patience = usual_patience);

    /// False, with errno: the system does not let it listen there.
    [[nodiscard]] explicit operator bool() const noexcept { return static_cast<bool>(listener_); }
    /// Where it listens; none if it does not.
    [[nodiscard]] const socket_address &address() const noexcept { return as_.listens; }
    /// An epoll: readable when next() has something to hear.
    [[nodiscard]] int descriptor() const noexcept { return events_.get(); }

    /// Hears all who have something to say. Does not wait.
    /// @return one that has proven to know the secret and has not ended, if there is one
    [[nodiscard]] std::optional<caller> next();
    /// Says a last word to those who are greeting: this process says nothing else any more.
    void say_to_unproven(greeting::word what) noexcept;

    [[nodiscard]] bool any_unproven() const noexcept { return !unproven_.empty(); }
    /// Why the system had no socket for the last caller, as of errno; 0: it had.
    [[nodiscard]] int failure() const noexcept { return failure_; }
    /// Nobody is listened to any more.
    void close() noexcept;

  private:
    using clock = std::chrono::steady_clock;
    struct pending_caller {
        caller who;
        clock::time_point until;
    };
    /// By numbers that grow, which the events of the epoll carry: the oldest first.
    using pending_callers = std::map<std::uint64_t, pending_caller>;
    static constexpr std::uint64_t at_listener = 0, at_timer = 1, first_pending = 2;

    void hear_all();
    void accept_some();
    void make_room() noexcept;
    void add(owned_descriptor met);
    void hear(std::uint64_t number);
    void send_away(pending_callers::iterator one, const char *why) noexcept;
    void send_late_away() noexcept;
    void set_timer() noexcept;
    [[nodiscard]] bool watch(int descriptor, std::uint64_t number) noexcept;

    greeter as_;
    const std::chrono::milliseconds patience_;
    std::function<void(const char *)> refused_;
    owned_descriptor listener_;
    owned_descriptor events_;
    owned_descriptor timer_; ///< wakes a sleeper when the oldest caller is late
    int failure_ = 0;
    pending_callers unproven_;
    std::uint64_t next_pending_ = first_pending;
    std::deque<caller> proven_;
};

} // namespace lisle::tcp
