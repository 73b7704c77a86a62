// SPDX-License-Identifier: Apache-2.0
// Records the calls of one rank. The library is loaded once for each rank, whatever ranks are, so it is
// written as for a process. Its calls stand between the program's and Lisle's (tools/generate_recorder.py):
// each takes the time before and after, and says what has begun and what has ended in it.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/spin_lock.hpp"
#include "mpi.h"
#include "report/recorder/memory_watch.hpp"
#include "report/recorder/tick_clock.hpp"
#include "report/recorder/trace_file.hpp"
#include "report/trace/format.hpp"

namespace lisle::report {

/// What is kept for each thread of the rank.
struct calling_thread {
    tick_clock clock;
    int depth = 0; ///< calls that callbacks of the program make within one are a part of it
    [[nodiscard]] static calling_thread &current() noexcept {
        thread_local constinit calling_thread kept;
        return kept;
    }
};

/// What the rank's clocks show, in ns.
[[nodiscard]] inline std::uint64_t now() noexcept {
    return calling_thread::current().clock.now();
}

/// A communicator, a window's or a file's group of ranks.
struct rank_group {
    std::uint32_t number = 0; ///< in the file
    std::vector<int> peers;   ///< ranks of the job by rank of the group (of the other one, of an
                              ///< inter-communicator); -1: of none
    int destinations = 0;     ///< neighbours that take the own rank's data
    [[nodiscard]] int peer(int rank) const noexcept {
        return rank >= 0 && rank < static_cast<int>(peers.size()) ? peers[static_cast<std::size_t>(rank)]
                                                                  : -1;
    }
};

using shared_group = std::shared_ptr<const rank_group>;
inline const shared_group no_group;

/// What a request stands for.
struct begun {
    enum class kind : std::uint8_t { send, receive, collective, partitioned_send, partitioned_receive } what;
    bool persistent = false;
    bool active = false;
    std::uint64_t number = 0; ///< of the operation, if it is active
    std::uint32_t group = 0;
    shared_group ranks = {};
    int peer = -1; ///< of the job; a collective's root
    int tag = 0;
    std::uint64_t bytes = 0;
    collective_shape shape{};
    bool both = false;                  ///< a send and a receive: that one is the next operation
    std::uint64_t which = 0, round = 0; ///< of a partitioned message
    int partitions = 0;
};

/// Where the program has called from.
struct call_site {
    const void *returns_to = nullptr;
    const void *const *frame = nullptr; ///< of the function there, as its callers have kept it
    friend bool operator==(const call_site &, const call_site &) = default;
};

/// Where the function that this is a part of was called from. It keeps its frame for that.
[[gnu::always_inline]] inline call_site called_from() noexcept {
    return {__builtin_return_address(0), static_cast<const void *const *>(__builtin_frame_address(0))};
}

class recorder {
  public:
    /// That of this rank.
    [[nodiscard]] static recorder &own() noexcept;
    recorder(const recorder &) = delete;
    recorder &operator=(const recorder &) = delete;

    [[nodiscard]] bool is_on() const noexcept { return on_; }
    /// The rank is known from now on. @param begin of the call that has made it so @param of_world false: by
    /// sessions alone
    void start(std::uint64_t begin, bool of_world) noexcept;
    /// Frees what there is of MPI.
    void let_go() noexcept;
    /// What follows is not recorded.
    void finish() noexcept;

    // All with the lock held.
    [[nodiscard]] spin_lock &lock() noexcept { return lock_; }
    void write_call(std::uint32_t id, const call_site &from, std::uint64_t begin, std::uint64_t end,
                    bool in_vain) noexcept;
    /// To be called before anything else is written of a call: what was put off is written, unless the call
    /// goes on with it.
    void before(std::uint32_t id, const call_site &from, std::uint64_t begin) noexcept;
    void begin(begun &what) noexcept;
    void keep(MPI_Request request, const begun &what) noexcept;
    [[nodiscard]] begun *find(MPI_Request request) noexcept;
    /// The operation of a request has ended. @param handle that it had before
    void done(MPI_Request handle, const MPI_Status &status) noexcept;
    void dropped(MPI_Request handle) noexcept;
    void received(std::uint64_t number, const rank_group *by, const MPI_Status &status) noexcept;
    void done(std::uint64_t number) noexcept;
    /// Which partitioned message of several with the same ends and tag a request is about: they are matched
    /// in the order in which they are made [MPI-5.0 4.2.1].
    [[nodiscard]] std::uint64_t next_partitioned(const begun &made) noexcept {
        return partitioned_made_[{made.group, made.peer, made.tag, made.what}]++;
    }
    /// Partitions, from the first to the last.
    void ready(MPI_Request request, int first, int last) noexcept;
    void arrived(MPI_Request request, int partition) noexcept;
    void moved(int peer, std::uint64_t bytes) noexcept;
    void found(const rank_group &by, const MPI_Status &status) noexcept;
    void locks(MPI_Win window, int target, lock_step step) noexcept;
    /// @param with the other ranks, where the call names them @param signals whether they tell each other
    void epochs(MPI_Win window, MPI_Group with, epoch_step step, bool signals) noexcept;
    void phase(int level) noexcept;

    [[nodiscard]] const shared_group &group_of(MPI_Comm comm) noexcept {
        return comm == latest_.comm ? *latest_.group : find_group(comm);
    }
    void forget(MPI_Comm comm) noexcept {
        latest_ = {};
        groups_.erase(comm);
    }
    /// Windows and files have the ranks of the communicator that they were made of; a message that was found
    /// has those of the communicator that it came by.
    void note(MPI_Win made, MPI_Comm of) noexcept;
    void note(MPI_File made, MPI_Comm of) noexcept { files_.insert_or_assign(made, group_of(of)); }
    void note(MPI_Message found, MPI_Comm of) noexcept { messages_.insert_or_assign(found, group_of(of)); }
    [[nodiscard]] shared_group group_of(MPI_Win window) const noexcept {
        const auto found = windows_.find(window);
        return found == windows_.end() ? nullptr : found->second.ranks;
    }
    [[nodiscard]] shared_group group_of(MPI_File file) const noexcept { return find_in(files_, file); }
    [[nodiscard]] shared_group group_of(MPI_Message message) const noexcept {
        return find_in(messages_, message);
    }
    void forget(MPI_Win window) noexcept { windows_.erase(window); }
    void forget(MPI_File file) noexcept { files_.erase(file); }

  private:
    recorder() = default;
    /// Calls in vain that were put off, one after the other at one place of the program.
    struct polls {
        std::uint32_t id = 0;
        std::uint32_t site = 0;
        std::uint64_t begin = 0, end = 0, inside = 0, count = 0;
        long stops = 0;           ///< of the thread, when they began
        std::uint64_t pauses = 0; ///< in which it has not stopped
    };
    struct known_window {
        shared_group ranks;
        std::uint64_t which;                         ///< of the windows of this group
        std::vector<int> targets = {}, origins = {}; ///< ranks of the job in the epochs that are open
    };
    /// A window's, without data, to or from a rank of the job.
    void signal(std::uint32_t group, int peer, int tag, bool sends) noexcept;
    template <class... Numbers> void write(record what, Numbers... numbers) noexcept;
    [[nodiscard]] std::uint32_t new_site(const void *site, const void *outer,
                                         bool &leads_to_program) noexcept;
    void write_row(const polls &calls) noexcept;
    void write_polls() noexcept;
    void write_memory(std::uint64_t time) noexcept;
    [[nodiscard]] std::uint32_t site_of(const call_site &from) noexcept {
        const site &latest = latest_sites_[place_of(from.returns_to)];
        return latest.returns_to == from.returns_to ? latest.number : find_site(from);
    }
    [[nodiscard]] std::uint32_t find_site(const call_site &from) noexcept;
    [[nodiscard]] const shared_group &find_group(MPI_Comm comm) noexcept;
    [[nodiscard]] shared_group make_group(MPI_Comm comm) noexcept;
    void write_group(record what, std::initializer_list<std::uint64_t> first,
                     const std::vector<int> &ranks) noexcept;
    void give_up() noexcept;
    template <class Handle> [[nodiscard]] static shared_group
    find_in(const std::unordered_map<Handle, shared_group> &known, Handle handle) noexcept {
        const auto found = known.find(handle);
        return found == known.end() ? nullptr : found->second;
    }

    bool on_ = false;
    spin_lock lock_;
    trace_file file_;
    memory_watch memory_;
    std::uint64_t next_look_ = 0; ///< at the memory
    std::uint64_t begin_ = 0, last_begin_ = 0;
    std::uint64_t operations_ = 0; ///< begun
    std::uint32_t group_count_ = 0;
    polls put_off_;
    MPI_Session session_ = MPI_SESSION_NULL; ///< where there is no world
    MPI_Group job_ = MPI_GROUP_NULL;
    std::unordered_map<const void *, std::uint32_t>
        sites_; ///< by what calls return to; in_binding: look at the caller's
    std::uint32_t site_count_ = 0;
    std::unordered_map<MPI_Comm, shared_group> groups_;
    // What was found last, since most calls come from few places and use one communicator.
    struct site {
        const void *returns_to = nullptr;
        std::uint32_t number = 0;
    };
    static constexpr std::size_t places = 64;
    [[nodiscard]] static std::size_t place_of(const void *returns_to) noexcept {
        const auto address = reinterpret_cast<std::uintptr_t>(returns_to);
        return (address ^ address / places) % places;
    }
    std::array<site, places> latest_sites_{};
    struct {
        MPI_Comm comm = MPI_COMM_NULL;
        const shared_group *group = &no_group;
    } latest_;
    std::unordered_map<MPI_Win, known_window> windows_;
    std::unordered_map<std::uint32_t, std::uint64_t> windows_made_; ///< by their group's number
    std::unordered_map<MPI_File, shared_group> files_;
    std::unordered_map<MPI_Message, shared_group> messages_;
    std::unordered_map<MPI_Request, begun> requests_;
    decltype(requests_)::node_type spare_; ///< of one that has ended, for the next
    std::map<std::tuple<std::uint32_t, int, int, begun::kind>, std::uint64_t> partitioned_made_;
    std::unordered_map<std::uint64_t, std::uint64_t>
        same_groups_; ///< how many there were, by a digest of their members
};

} // namespace lisle::report
