// SPDX-License-Identifier: Apache-2.0
// Messages between two processes of the launcher, over the pipes of what started the one for the other (ssh,
// or a pair of sockets on one host). Who may speak there is decided: nothing listens, and no name leads
// there. Each message bears a mark, its kind, a host and its length, which are checked. A keeper begins with
// a line that names its version, behind whatever the scripts of its user's shell print. Both ends send a sign
// of life where there is nothing else to send, so that a silent host is noticed.
#pragma once

#include <chrono>
#include <functional>
#include <poll.h>
#include <string>
#include <string_view>
#include <vector>

#include "launch/common/descriptor.hpp"

namespace lisle::launch {

enum class message : unsigned char {
    alive, ///< there is nothing else to say
    // To a host:
    tree,         ///< which hosts to reach from there, and how
    job,          ///< what to run there
    signal,       ///< a signal_note
    stop,         ///< the job has failed elsewhere
    opened,       ///< the fence opens: what all processes have put
    input,        ///< for the ranks that read the launcher's input
    input_ended,  ///< there is no more
    written,      ///< so many bytes of its output have been passed on
    reader_gone,  ///< nobody reads the output, or the error output
    ask_waits,    ///< to tell what its ranks wait for
    check,        ///< to listen for the other hosts (--check-hosts)
    try_paths,    ///< to try the paths to them: the addresses of all
    ask_time,     ///< to tell what its clock shows (clock_comparison.hpp)
    give_records, ///< to send what its ranks have recorded
    record_taken, ///< so many bytes of it have come
    // From a host:
    ready,     ///< it is reached, and can be given a job
    lost,      ///< it and those behind it are not reached, or not any more, and why
    gathered,  ///< its processes wait at the fence: what they have put
    stopping,  ///< its part of the job is being stopped: exit code, and why
    waits,     ///< what its ranks wait for (told_wait.hpp)
    output,    ///< of its ranks and its part of the launcher
    errors,    ///< the same of their error output
    addresses, ///< where it listens for the other hosts
    paths,     ///< how it has found those to the other hosts
    time,      ///< what its clock shows
    recorded,  ///< its ranks have ended, and have recorded their calls
    record,    ///< a piece of what one of them has recorded: rank, bytes
    taken,     ///< so many bytes of the input have been passed on; none: nobody reads it
    ended,     ///< nothing is left of the job there: exit code, and whether all its processes were lost
};

/// All hosts that are reached through a channel.
inline constexpr int every_host = -1;

class channel {
  public:
    using clock = std::chrono::steady_clock;
    using taker = std::function<void(message what, int host, std::string_view body)>;

    enum class begins : bool { at_once, with_greeting };
    channel(descriptor in, descriptor out, begins how);

    /// What a keeper says first.
    [[nodiscard]] static std::string greeting();

    void send(message what, int host, std::string_view body = {});
    /// Appends what to poll for: two entries.
    void prepare(std::vector<pollfd> &polled) const;
    /// The same entries, filled in. Calls `take` for each message that is whole.
    void handle(const pollfd *polled, const taker &take);
    /// When handle() is to be called at the latest.
    [[nodiscard]] clock::time_point next() const;

    /// Whether the other end has greeted.
    [[nodiscard]] bool met() const noexcept { return met_; }
    [[nodiscard]] bool open() const noexcept { return static_cast<bool>(in_); }
    /// Why it is not: what the other end has done. Empty: it has closed it.
    [[nodiscard]] const std::string &failure() const noexcept { return failure_; }
    /// What came in place of a greeting.
    [[nodiscard]] const std::string &unread() const noexcept { return received_; }
    [[nodiscard]] bool has_unsent() const noexcept { return sent_ < unsent_.size(); }
    void close() noexcept;
    /// From now on the other end counts as gone after so long without a sign of life, and gets some. 0: never
    void expect_life(std::chrono::seconds silence) noexcept;

  private:
    void receive(const taker &take);
    void meet();
    void take_messages(const taker &take);
    void transmit();
    void end(std::string_view why);
    /// After so long without a message a sign of life is sent.
    [[nodiscard]] clock::duration longest_pause() const noexcept { return clock::duration{silence_} / 5; }

    descriptor in_;
    descriptor out_;
    std::chrono::seconds silence_{0}; ///< 0: it does not matter
    bool met_;
    std::string received_;
    std::string unsent_;
    std::size_t sent_ = 0;
    std::string failure_;
    clock::time_point heard_ = clock::now();
    clock::time_point said_ = clock::now();
};

} // namespace lisle::launch
