// SPDX-License-Identifier: Apache-2.0
#include "communicator/session.hpp"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <strings.h>
#include <vector>

#include "protocol/engine.hpp"
#include "protocol/send_buffer.hpp"
#include "runtime/error.hpp"
#include "runtime/job.hpp"
#include "runtime/rank_local.hpp"

namespace lisle {

namespace {

struct open_sessions {
    std::mutex mutex; ///< protects the others
    std::vector<session *> list;
    std::uint64_t opened = 0;
};
const rank_local<open_sessions> sessions;

constexpr std::string_view thread_levels[] = {"MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED",
                                              "MPI_THREAD_SERIALIZED", "MPI_THREAD_MULTIPLE"};

bool same_letters(std::string_view left, std::string_view right) {
    return left.size() == right.size() && strncasecmp(left.data(), right.data(), left.size()) == 0;
}

} // namespace

session::session(std::uint64_t number, const info *hints) : object{object_kind::session}, number_{number} {
    if (hints != nullptr) {
        const auto wanted = hints->get("thread_level");
        if (wanted && std::find(std::begin(thread_levels), std::end(thread_levels), *wanted) ==
                          std::end(thread_levels)) {
            fail(MPI_ERR_INFO_VALUE, "the value of thread_level is \"", *wanted,
                 "\", which is none of MPI_THREAD_SINGLE to MPI_THREAD_MULTIPLE");
        }
    }
    // Any thread may call at any time, whatever was asked for.
    facts_.set("thread_level", "MPI_THREAD_MULTIPLE");
    facts_.set("mpi_memory_alloc_kinds", "mpi,system");
}

session::~session() = default;

session &session::open(const info *hints, errhandler_ref errors) {
    open_sessions &all = *sessions;
    const std::scoped_lock lock{all.mutex};
    auto *const opened = new session{all.opened + 1, hints};
    ++all.opened;
    all.list.push_back(opened);
    opened->errors.set(std::move(errors));
    this_rank().engine().expect_one_thread(false);
    this_rank().models_in_use.fetch_add(1, std::memory_order_relaxed);
    return *opened;
}

void session::close() {
    send_buffer.reset(); // waits for its messages
    rank &self = this_rank();
    protocol::wait_until(self, [&self] { return self.engine().drained(); });
    {
        open_sessions &all = *sessions;
        const std::scoped_lock lock{all.mutex};
        std::erase(all.list, this);
    }
    self.models_in_use.fetch_sub(1, std::memory_order_relaxed);
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
