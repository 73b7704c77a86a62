// SPDX-License-Identifier: Apache-2.0
#include "tool/performance.hpp"

#include "communicator/communicator.hpp"
#include "execution/rank.hpp"
#include "protocol/engine.hpp"
#include "protocol/tracks.hpp"

namespace lisle::tool {

namespace {

using protocol::counted;

template <counted What> std::uint64_t of_engine(const communicator *) {
    std::uint64_t sum = 0;
    this_rank().tracks().each([&sum](protocol::engine &each) { sum += each.core().counts.value(What); });
    return sum;
}

std::uint64_t stored_now(const communicator *) {
    std::uint64_t sum = 0;
    this_rank().tracks().each([&sum](protocol::engine &each) { sum += each.receives().stored_bytes(); });
    return sum;
}

std::uint64_t collectives_of(const communicator *of) {
    return of->collectives.load(std::memory_order_relaxed);
}

/// Those through a node's memory are not counted.
std::uint64_t packets_to(const communicator *of) {
    std::uint64_t sum = 0;
    const group &peers = of->inter() ? of->remote_group() : of->local_group();
    const fabric::routes &routes = of->point_to_point.home->routes();
    for (int rank = 0; rank != peers.size(); ++rank) {
        const int peer = peers.member(rank);
        sum += routes.to(peer).carrier->packets_sent_to(peer);
    }
    return sum;
}

constexpr int counter = MPI_T_PVAR_CLASS_COUNTER;
constexpr int aggregate = MPI_T_PVAR_CLASS_AGGREGATE;
constexpr int level = MPI_T_PVAR_CLASS_LEVEL;
constexpr int unbound = MPI_T_BIND_NO_OBJECT;

constexpr performance_variable table[] = {
    {"lisle_unexpected_messages", counter, unbound,
     "messages that came before a receive was posted for them, and were stored",
     of_engine<counted::unexpected_messages>},
    {"lisle_unexpected_bytes", aggregate, unbound, "bytes of these messages",
     of_engine<counted::unexpected_bytes>},
    {"lisle_unexpected_bytes_stored", level, unbound, "bytes of unexpected messages that are stored now",
     stored_now},
    {"lisle_announced_messages", counter, unbound,
     "messages that were announced to their receiver before their data moved",
     of_engine<counted::announced_messages>},
    {"lisle_announced_bytes", aggregate, unbound, "bytes of these messages",
     of_engine<counted::announced_bytes>},
    {"lisle_copied_bytes", aggregate, unbound,
     "bytes received by one copy from the buffer of a sender in the same process",
     of_engine<counted::copied_bytes>},
    {"lisle_read_bytes", aggregate, unbound, "bytes received by reading the memory of the sender's process",
     of_engine<counted::read_bytes>},
    {"lisle_streamed_bytes", aggregate, unbound, "bytes of announced messages received packet by packet",
     of_engine<counted::streamed_bytes>},
    {"lisle_deferred_packets", counter, unbound, "packets that found no room in a mailbox at once",
     of_engine<counted::deferred_packets>},
    {"lisle_sleeps", counter, unbound, "how often a thread that waited went to sleep",
     of_engine<counted::sleeps>},
    {"lisle_collectives", counter, MPI_T_BIND_MPI_COMM,
     "collective operations begun on the communicator, without persistent ones", collectives_of},
    {"lisle_network_packets", counter, MPI_T_BIND_MPI_COMM,
     "packets that the process has sent over a network to ranks of the communicator (of its remote group)",
     packets_to},
};

} // namespace

std::span<const performance_variable> performance_variables() {
    return table;
}

std::uint64_t performance_handle::read() const {
    const std::uint64_t now = variable_->value(of_);
    if (!variable_->counts()) {
        return now;
    }
    return before_ + (running_ ? now - origin_ : 0);
}

void performance_handle::start() {
    if (!running_) {
        origin_ = variable_->value(of_);
        running_ = true;
    }
}

void performance_handle::stop() {
    before_ = read();
    running_ = false;
}

void performance_handle::reset() {
    before_ = 0;
    origin_ = variable_->value(of_);
}

} // namespace lisle::tool
