// SPDX-License-Identifier: Apache-2.0
#include "exploration/recorded_matches.hpp"

#include "communicator/communicator.hpp"
#include "communicator/directory.hpp"
#include "execution/rank.hpp"
#include "exploration/account_file.hpp"
#include "exploration/run.hpp"
#include "mpi.h"

namespace lisle::exploration {

using choice::kind;

namespace {

/// A rank of a communicator by its number in the job; MPI_UNDEFINED: it is not there.
int rank_of(std::uint64_t context, int number) {
    int found = MPI_UNDEFINED;
    communicators.of(this_rank()).with(context, [&](const communicator &comm) {
        found = comm.point_to_point.peers->rank_of(number);
    });
    return found;
}

} // namespace

recorded_matches::recorded_matches(const choice::orders &given, const std::string &folder)
    : account_{open_account(folder)} {
    for (const choice::decision &each : given.follow) {
        if (each.posting != 0) {
            known_[{each.at.rank, each.posting}] = each.taken;
        } else if (each.at.what == kind::probe) {
            known_probes_[{each.at.rank, each.at.number}] = each.taken;
        } else if (each.at.what == kind::look) {
            probes_[each.at.rank].found.add(each.at.number, each.taken);
        }
    }
}

void recorded_matches::write(const choice::point &at, int taken, std::uint32_t posting) {
    write_account(account_, choice::text_of(choice::decision{.at = at, .taken = taken, .posting = posting}));
}

int recorded_matches::source_for(std::uint64_t context, int source, std::uint32_t posting) {
    const int self = this_rank().number();
    const auto found = known_.find({self, posting});
    if (source != MPI_ANY_SOURCE || found == known_.end()) {
        return source;
    }
    const int wanted = rank_of(context, found->second);
    if (wanted == MPI_UNDEFINED) {
        return source;
    }
    write({kind::posted, self, posting}, found->second, posting);
    return wanted;
}

void recorded_matches::took(std::uint64_t context, int source, std::uint32_t posting) {
    if (source >= 0 && posting != 0) {
        rank &self = this_rank();
        write({kind::posted, self.number(), posting}, number_in_job(self, context, source), posting);
    }
}

unsigned recorded_matches::number_probe() {
    const std::scoped_lock guard{mutex_};
    return ++probes_[this_rank().number()].probes;
}

int recorded_matches::source_for_probe(std::uint64_t context, int source, unsigned number) {
    const auto found = known_probes_.find({this_rank().number(), number});
    const int wanted = source == MPI_ANY_SOURCE && found != known_probes_.end()
                           ? rank_of(context, found->second)
                           : MPI_UNDEFINED;
    return wanted == MPI_UNDEFINED ? source : wanted;
}

void recorded_matches::probe_found(std::uint64_t context, int source, unsigned number) {
    if (source >= 0) {
        rank &self = this_rank();
        write({kind::probe, self.number(), number}, number_in_job(self, context, source));
    }
}

std::optional<int> recorded_matches::source_for_look(std::uint64_t context, int source, bool &known) {
    const std::scoped_lock guard{mutex_};
    const auto wanted = probes_[this_rank().number()].found.next();
    known = wanted.has_value();
    if (!wanted) {
        return source;
    }
    if (*wanted == choice::nothing) {
        return std::nullopt;
    }
    const int found = source == MPI_ANY_SOURCE ? rank_of(context, *wanted) : source;
    return found == MPI_UNDEFINED ? source : found;
}

void recorded_matches::looked(std::uint64_t context, int source) {
    rank &self = this_rank();
    const int taken = source >= 0 ? number_in_job(self, context, source) : choice::nothing;
    const std::scoped_lock guard{mutex_};
    rank_probes &own = probes_[self.number()];
    own.found.note(taken);
    ++own.looks;
    // Of many in vain the first one tells, and the number of the one that finds something.
    if (taken != choice::nothing || !own.last_in_vain) {
        write({kind::look, self.number(), own.looks}, taken);
    }
    own.last_in_vain = taken == choice::nothing;
}

} // namespace lisle::exploration
