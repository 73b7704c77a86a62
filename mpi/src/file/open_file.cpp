// SPDX-License-Identifier: Apache-2.0
#include "file/open_file.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "communicator/file_behind.hpp"
#include "execution/rank.hpp"
#include "file/helper.hpp"
#include "protocol/wait.hpp"
#include "world/job.hpp"

namespace lisle::file {

open_file::open_file(communicator_ref members, std::unique_ptr<descriptor> opened, int amode)
    : object{object_kind::file}, seen{std::make_shared<const view>()}, comm_{std::move(members)},
      descriptor_{std::move(opened)}, amode_{amode}, thread{std::make_unique<helper>()} {
    file_behind.set(*comm_, std::make_unique<MPI_File>(handle()));
}

open_file::~open_file() {
    file_behind.set(*comm_, nullptr); // requests that the user has freed may still hold the communicator
}

void open_file::await_turn_of(unsigned number) {
    protocol::wait_until(home(), [&] { return is_turn_of(number); });
}

/// The number of nodes that the members are on.
int nodes_of(const communicator &members) {
    const job &here = this_rank().get_job();
    std::vector<int> nodes;
    nodes.reserve(static_cast<std::size_t>(members.size()));
    for (int rank = 0; rank < members.size(); ++rank) {
        nodes.push_back(here.node_of(members.local_group().member(rank)));
    }
    std::ranges::sort(nodes);
    return static_cast<int>(std::unique(nodes.begin(), nodes.end()) - nodes.begin());
}

} // namespace lisle::file
