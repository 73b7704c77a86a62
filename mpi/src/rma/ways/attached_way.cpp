// SPDX-License-Identifier: Apache-2.0
#include "rma/ways/attached_way.hpp"

#include "rma/state/target_address.hpp"

namespace lisle::rma {

way &attached_way::way_of_transfer(const transfer &of) {
    if (direct_address(members_, of.target, of.address) != nullptr) {
        return direct_;
    }
    const bool by_kernel = members_.table().medium->memory_open(members_.number_of(of.target.rank)) &&
                           find_attached(members_, of.target) == attached_table::answer::attached;
    return by_kernel ? static_cast<way &>(kernel_) : requests_;
}

way &attached_way::way_of_update(const transfer &of) {
    if (direct_address(members_, of.target, of.address) != nullptr) {
        return direct_;
    }
    if (!members_.at(of.target.rank).facts.copied ||
        find_attached(members_, of.target) != attached_table::answer::attached) {
        return requests_;
    }
    by_.flush(of.target.rank); // updates by requests, made while the table was incomplete, come first
    return kernel_;
}

} // namespace lisle::rma
