// SPDX-License-Identifier: Apache-2.0
#include "communicator/session.hpp"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <strings.h>
#include <vector>

#include "base/error.hpp"
#include "execution/rank_local.hpp"
#include "protocol/engine.hpp"
#include "protocol/send_buffer.hpp"
#include "protocol/tracks.hpp"
#include "protocol/wait.hpp"
#include "world/job.hpp"

namespace lisle {

namespace {

struct open_sessions {
    std::mutex mutex; ///< protects the others
    std::vector<session *> list;
    std::uint64_t opened = 0;
};
const rank_local<open_sessions> sessions;

constexpr std::string_view level_as_rank = "MPIX_THREAD_AS_RANK";
constexpr std::string_view thread_levels[] = {"MPI_THREAD_SINGLE",     "MPI_THREAD_FUNNELED",
                                              "MPI_THREAD_SERIALIZED", "MPIX_THREAD_FILTERED",
                                              "MPI_THREAD_MULTIPLE",   level_as_rank};

bool same_letters(std::string_view left, std::string_view right) {
    return left.size() == right.size() && strncasecmp(left.data(), right.data(), left.size()) == 0;
}

constexpr std::string_view memory_kinds_of_all = "mpi,system";
constexpr std::string_view ways_to_get_memory[] = {"alloc_mem", "win_allocate", "win_allocate_shared"};

/// Calls `function` with each part between the separators.
template <class Function> void each_part(std::string_view text, char separator, Function function) {
    for (;;) {
        const auto end = text.find(separator);
        function(text.substr(0, end));
        if (end == std::string_view::npos) {
            return;
        }
        text.remove_prefix(end + 1);
    }
}

/// MPI's own memory, restricted to what some of its calls give.
bool is_restricted_kind(std::string_view kind) {
    if (!kind.starts_with("mpi:")) {
        return false;
    }
    bool known = true;
    each_part(kind.substr(4), ':', [&](std::string_view way) {
        known = known && std::find(std::begin(ways_to_get_memory), std::end(ways_to_get_memory), way) !=
                             std::end(ways_to_get_memory);
    });
    return known;
}

/// What is supported of the kinds asked for, and those that always are.
std::string memory_kinds(std::string_view wanted) {
    std::string kinds{memory_kinds_of_all};
    each_part(wanted, ',', [&](std::string_view kind) {
        if (is_restricted_kind(kind)) {
            (kinds += ',') += kind;
        }
    });
    return kinds;
}

} // namespace

std::string memory_kinds_of(std::uint64_t session_number) {
    const session *const origin = session_number != 0 ? find_session(session_number) : nullptr;
    return origin != nullptr ? origin->facts().get(memory_kinds_key).value_or("")
                             : std::string{memory_kinds_of_all};
}

session::session(std::uint64_t number, const info *hints) : object{object_kind::session}, number_{number} {
    std::string wanted_kinds;
    // Any thread may call at any time, whatever was asked for.
    std::string_view level = "MPI_THREAD_MULTIPLE";
    if (hints != nullptr) {
        wanted_kinds = hints->get(memory_kinds_key).value_or("");
        const auto wanted = hints->get("thread_level");
        if (wanted && std::find(std::begin(thread_levels), std::end(thread_levels), *wanted) ==
                          std::end(thread_levels)) {
            fail(MPI_ERR_INFO_VALUE, "the value of thread_level is \"", *wanted,
                 "\", which is none of MPI_THREAD_SINGLE to MPIX_THREAD_AS_RANK");
        }
        if (wanted == level) { // a session that does not say so seldom has threads
            this_rank().tracks().spread();
        }
        if (wanted == level_as_rank && this_rank().get_job().rank_count() > 1) {
            level = level_as_rank;
        }
    }
    facts_.set("thread_level", std::string{level});
    facts_.set(memory_kinds_key, memory_kinds(wanted_kinds));
}

session::~session() = default;

session &session::open(const info *hints, errhandler_ref errors) {
    open_sessions &all = *sessions;
    const std::scoped_lock lock{all.mutex};
    auto *const opened = new session{all.opened + 1, hints};
    ++all.opened;
    all.list.push_back(opened);
    opened->errors.set(std::move(errors));
    this_rank().several_call.store(true, std::memory_order_relaxed); // by any thread, whatever was asked for
    this_rank().engine().expect_one_thread(false);
    this_rank().tracks().begin_service();
    this_rank().models_in_use.fetch_add(1, std::memory_order_relaxed);
    return *opened;
}

void session::close() {
    send_buffer.reset(); // waits for its messages
    rank &self = this_rank();
    protocol::wait_until(self, [&self] { return self.tracks().drained(); });
    {
        open_sessions &all = *sessions;
        const std::scoped_lock lock{all.mutex};
        std::erase(all.list, this);
    }
    if (self.models_in_use.fetch_sub(1, std::memory_order_relaxed) == 1) {
        self.tracks().end_service();
    }
    delete this;
}

session *find_session(std::uint64_t number) {
    open_sessions &all = *sessions;
    const std::scoped_lock lock{all.mutex};
    const auto found = std::find_if(all.list.begin(), all.list.end(),
                                    [number](const session *each) { return each->number() == number; });
    return found != all.list.end() ? *found : nullptr;
}

group_ref members_of_process_set(std::string_view name) {
    if (same_letters(name, process_sets[0])) {
        return group_ref::adopt(new group{0, this_rank().get_job().size(), 1});
    }
    if (same_letters(name, process_sets[1])) {
        return group_ref::adopt(new group{this_rank().number(), 1, 1});
    }
    fail(MPI_ERR_ARG, "there is no process set called \"", name, "\"; there are ", process_sets[0], " and ",
         process_sets[1]);
}

} // namespace lisle
