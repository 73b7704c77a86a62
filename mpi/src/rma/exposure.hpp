// SPDX-License-Identifier: Apache-2.0
// The exposure epoch of MPI_Win_post: the origins that the rank has let in, and a receive for the message
// with which each of them says that it has completed.
#pragma once

#include <vector>

#include "base/spin_lock.hpp"
#include "protocol/message/request.hpp"
#include "rma/races/access.hpp"

namespace lisle::rma {

struct exposure_epoch {
    spin_lock mutex; ///< protects all below
    bool open = false;
    std::vector<protocol::request *> awaited; ///< one for each origin
    moment posted = 0; ///< told to the origins under LISLE_CHECK=1; stays until they have completed
};

} // namespace lisle::rma
