// SPDX-License-Identifier: Apache-2.0
// Parcels over bridges, as GPRM's MPI bridges have them: threads of each rank that receive, and a choice of
// how to send. For comparison with the transport that needs no threads, and for machines whose tiles compute
// long.
#pragma once

#include <mpi.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lisle/task/transport.hpp"

namespace lisle::tasks {

/// The choice of a bridge for a parcel.
enum class bridge_choice { round_robin, least_busy, by_pair };
/// The thread that waits until a parcel has left: the caller, one for each parcel, or one of a pool if the
/// parcel does not leave at once.
enum class sending_mode { blocking, thread_per_send, pool };

struct bridge_options {
    int receivers = 1; ///< bridges of each rank: threads that receive. The same number on all ranks
    bridge_choice choice = bridge_choice::round_robin;
    sending_mode sending = sending_mode::pool;
    int senders = 2; ///< threads of the pool
};

/// Their names, for command lines.
inline std::map<std::string, bridge_choice> bridge_choices() {
    return {{"round-robin", bridge_choice::round_robin},
            {"least-busy", bridge_choice::least_busy},
            {"by-pair", bridge_choice::by_pair}};
}
inline std::map<std::string, sending_mode> sending_modes() {
    return {{"blocking", sending_mode::blocking},
            {"thread-per-send", sending_mode::thread_per_send},
            {"pool", sending_mode::pool}};
}

/// Uses a duplicate of the communicator. Collective. Throws std::runtime_error without
/// MPI_THREAD_MULTIPLE, or in ranks of lisle::run, whose threads may not call MPI.
std::unique_ptr<transport> make_bridges(MPI_Comm comm, const bridge_options &options);

/// How many messages this rank has sent over each bridge; nothing for other transports.
std::vector<std::uint64_t> messages_over_bridges(const transport &between);

} // namespace lisle::tasks
