// SPDX-License-Identifier: Apache-2.0
#include "file/block_exchange.hpp"

#include "collective/selection/launch.hpp"
#include "collective/selection/plan.hpp"
#include "datatype/predefined.hpp"

namespace lisle::file {

namespace {

constexpr auto form = collective::form::nonblocking;

typed_buffer bytes_at(const void *address, std::size_t size) {
    return {address, static_cast<MPI_Count>(size), byte_type()};
}

} // namespace

block_exchange::block_exchange(communicator &members)
    : sent(static_cast<std::size_t>(members.size())), taken(sent.size()), members_{members},
      sent_sizes_(sent.size()), taken_sizes_(sent.size()) {}

protocol::request *block_exchange::start_sizes() {
    for (std::size_t rank = 0; rank < sent.size(); ++rank) {
        sent_sizes_[rank] = static_cast<MPI_Count>(sent[rank].size());
    }
    return collective::start(
        members_, collective::plan_alltoall({members_, form}, bytes_at(sent_sizes_.data(), sizeof(MPI_Count)),
                                            bytes_at(taken_sizes_.data(), sizeof(MPI_Count))));
}

protocol::request *block_exchange::start() {
    sent_blocks_.clear();
    taken_blocks_.clear();
    for (std::size_t rank = 0; rank < sent.size(); ++rank) {
        sent_blocks_.push_back(bytes_at(sent[rank].data(), sent[rank].size()));
        taken_blocks_.push_back(bytes_at(taken[rank].data(), taken[rank].size()));
    }
    return collective::start(members_, collective::plan_alltoallv({members_, form},
                                                                  collective::block_view{sent_blocks_},
                                                                  collective::block_view{taken_blocks_}));
}

} // namespace lisle::file
