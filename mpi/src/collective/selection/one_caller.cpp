// SPDX-License-Identifier: Apache-2.0
#include "collective/selection/one_caller.hpp"

#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>

#include "base/error.hpp"
#include "execution/rank_local.hpp"
#include "protocol/checking/type_notes.hpp"

namespace lisle::collective {

namespace {

struct caller {
    std::thread::id thread;
    std::string call;
    int depth;
};

struct callers {
    std::mutex mutex; ///< protects the list
    std::unordered_map<const communicator *, caller> inside;
};
const rank_local<callers> all;

/// "MPI_Bcast", with LISLE_CHECK=2 and its place.
std::string in_words(const char *call) {
    const std::string place = checks(check_level::all) ? protocol::type_notes::name_call() : std::string{};
    return place.empty() ? sentence("MPI_", call) : place;
}

} // namespace

void one_caller::enter(const char *call) {
    callers &own = *all;
    std::string words = in_words(call);
    const std::scoped_lock guard{own.mutex};
    const auto [found, first] = own.inside.try_emplace(&comm_, caller{std::this_thread::get_id(), {}, 0});
    if (first) {
        found->second.call = std::move(words);
    } else if (found->second.thread != std::this_thread::get_id()) {
        fail(MPI_ERR_OTHER, words, " is called on ", comm_.label(),
             " while another thread of the rank is in ", found->second.call,
             " on it: threads must not be in collectives of one communicator at once");
    }
    ++found->second.depth;
    inside_ = true;
}

void one_caller::leave() noexcept {
    callers &own = *all;
    const std::scoped_lock guard{own.mutex};
    if (const auto found = own.inside.find(&comm_); found != own.inside.end() && --found->second.depth == 0) {
        own.inside.erase(found);
    }
}

} // namespace lisle::collective
