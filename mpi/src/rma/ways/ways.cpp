// SPDX-License-Identifier: Apache-2.0
#include "rma/ways/ways.hpp"

#include "fabric/routes.hpp"
#include "protocol/engine.hpp"
#include "rma/state/failures_within.hpp"

namespace lisle::rma {

window_ways::window_ways(window_members &members, const access_epoch &access, message_origin &origin)
    : members_{members}, origin_{origin}, requests_{members, origin}, direct_{members, access},
      kernel_{members, requests_}, network_{members, requests_},
      attached_{members, direct_, kernel_, requests_, origin}, by_kind_{nullptr,    &direct_,  &kernel_,
                                                                        &attached_, &network_, &requests_},
      by_target_{std::make_unique<std::atomic<kind>[]>(static_cast<std::size_t>(members.size()))} {}

window_ways::kind window_ways::choose(int target) {
    const kind found = find(target);
    by_target_[target].store(found, std::memory_order_relaxed);
    return found;
}

window_ways::kind window_ways::find(int target) const {
    const member_facts &of = members_.at(target).facts;
    const int number = members_.number_of(target);
    if (of.process < 0) {
        return of.exposed && members_.home().routes().to(number).memory != nullptr ? kind::network
                                                                                   : kind::requests;
    }
    if (of.process == members_.table().process) {
        return kind::direct;
    }
    if (members_.dynamic()) {
        return kind::attached;
    }
    if (members_.reach(target, of.base, of.size) != nullptr) {
        return kind::direct;
    }
    // To a copied member all origins accumulate in this way: mixed with another one it would not be atomic.
    return of.copied || members_.table().medium->memory_open(number) ? kind::kernel : kind::requests;
}

void window_ways::flush(int target) {
    const auto asked = origin_.begin_flush(target);
    failures_within failures;
    failures.attempt([&] { network_.flush(); }); // meanwhile, since both take a round trip
    failures.attempt([&] { origin_.await(asked); });
    failures.rethrow();
}

} // namespace lisle::rma
