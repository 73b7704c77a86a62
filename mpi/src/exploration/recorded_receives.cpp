// SPDX-License-Identifier: Apache-2.0
#include "exploration/recorded_receives.hpp"

#include "communicator/communicator.hpp"
#include "communicator/directory.hpp"
#include "execution/rank.hpp"
#include "exploration/account_file.hpp"
#include "exploration/run.hpp"
#include "mpi.h"

namespace lisle::exploration {

recorded_receives::recorded_receives(const choice::orders &given, const std::string &folder)
    : account_{open_account(folder)} {
    for (const choice::decision &each : given.follow) {
        if (each.posting != 0) {
            known_[{each.at.rank, each.posting}] = each.taken;
        }
    }
}

void recorded_receives::write(int rank, std::uint32_t posting, int source) {
    write_account(account_,
                  choice::text_of(choice::decision{
                      .at = {choice::kind::posted, rank, posting}, .taken = source, .posting = posting}));
}

int recorded_receives::source_for(std::uint64_t context, int source, std::uint32_t posting) {
    rank &self = this_rank();
    const auto found = known_.find({self.number(), posting});
    if (source != MPI_ANY_SOURCE || found == known_.end()) {
        return source;
    }
    int wanted = MPI_UNDEFINED;
    communicators.of(self).with(context, [&](const communicator &comm) {
        wanted = comm.point_to_point.peers->rank_of(found->second);
    });
    if (wanted == MPI_UNDEFINED) {
        return source;
    }
    write(self.number(), posting, found->second);
    return wanted;
}

void recorded_receives::took(std::uint64_t context, int source, std::uint32_t posting) {
    if (source >= 0 && posting != 0) {
        rank &self = this_rank();
        write(self.number(), posting, number_in_job(self, context, source));
    }
}

} // namespace lisle::exploration
