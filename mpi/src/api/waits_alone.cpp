// SPDX-License-Identifier: Apache-2.0
#include "api/waits_alone.hpp"

#include <algorithm>
#include <mutex>
#include <pthread.h>
#include <vector>

#include "abi/call_address.hpp"
#include "abi/mistakes.hpp"
#include "base/error.hpp"
#include "execution/rank_local.hpp"
#include "protocol/engine.hpp"
#include "protocol/message/request.hpp"

namespace lisle::abi {

namespace {

struct waited {
    MPI_Request request;
    const void *by; ///< the waits_alone
    call_address place;
};
struct waited_requests {
    std::mutex mutex; ///< protects the list
    std::vector<waited> list;
};
const rank_local<waited_requests> waited_for;

/// Several handles have the value of an operation that was complete at once.
bool is_shared(const protocol::request &made) noexcept {
    return made.ending == protocol::disposal::nothing;
}

} // namespace

void waits_alone::enter() {
    waited_requests &all = *waited_for;
    const std::scoped_lock guard{all.mutex};
    for (const waited &others : all.list) {
        if (std::ranges::find(requests_, others.request) != requests_.end()) {
            fail(MPI_ERR_REQUEST, "the request is waited for by another thread of the rank already, in ",
                 in_words(others.place), ": only one call can complete it");
        }
    }
    for (const MPI_Request each : requests_) {
        if (const auto *const made = object_of<protocol::request>(each);
            made != nullptr && !is_shared(*made)) {
            all.list.push_back({each, this, current_address()});
        }
    }
}

void waits_alone::leave() noexcept {
    waited_requests &all = *waited_for;
    const std::scoped_lock guard{all.mutex};
    std::erase_if(all.list, [this](const waited &one) { return one.by == this; });
}

} // namespace lisle::abi
