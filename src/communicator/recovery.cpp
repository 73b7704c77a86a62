// SPDX-License-Identifier: Apache-2.0
#include "communicator/recovery.hpp"

#include "base/error.hpp"
#include "communicator/agreement_with_failures.hpp"
#include "communicator/child.hpp"
#include "communicator/predefined.hpp"
#include "protocol/engine.hpp"
#include "protocol/point_to_point.hpp"
#include "protocol/progress/wait.hpp"

namespace lisle {

namespace {

protocol::failures &known_to(const communicator &comm) {
    return comm.point_to_point.home->failures();
}

void check_local(const communicator &comm, std::string_view what) {
    if (comm.inter() || comm.of_threads()) {
        fail(MPI_ERR_COMM, what, " is for intra-communicators of whole ranks: merge ", comm.label(),
             " first");
    }
}

class flag_agreement final : public agreement {
  public:
    flag_agreement(communicator &on, int &flag) : agreement{on, flag, false}, flag_{flag} {}
    void finish() override { flag_ = static_cast<int>(static_cast<std::uint32_t>(agreed().flag)); }

  private:
    int &flag_;
};

class shrinking final : public agreement {
  public:
    shrinking(communicator &on, MPI_Comm &made) : agreement{on, -1, true}, made_{made} {}
    void finish() override {
        communicator &parent = comm_of();
        std::vector<int> survivors;
        for (int rank = 0; rank != parent.size(); ++rank) {
            if (!agreed().failed[static_cast<std::size_t>(rank)]) {
                survivors.push_back(rank);
            }
        }
        const group_ref members = subgroup(parent.local_group(), survivors);
        const int self = members->rank_of(parent.local_group().member(parent.rank()));
        if (self == MPI_UNDEFINED) { // the others think that it has failed
            result.error = MPIX_ERR_PROC_FAILED;
            made_ = MPI_COMM_NULL;
            return;
        }
        check_context(agreed().context);
        made_ = give_handle(make_child(parent, agreed().context, *members, nullptr, self));
    }

  private:
    MPI_Comm &made_;
};

} // namespace

group_ref failed_members(const communicator &comm) {
    comm.point_to_point.home->progress(); // there may be news
    return make_group(known_to(comm).failed_members(comm.context()));
}

group_ref acknowledged_failures(const communicator &comm) {
    std::vector<int> failed = known_to(comm).failed_members(comm.context());
    failed.resize(known_to(comm).acknowledged(comm.context()));
    return make_group(std::move(failed));
}

int acknowledge_failures(const communicator &comm, int count) {
    comm.point_to_point.home->progress();
    return static_cast<int>(known_to(comm).acknowledge(comm.context(), static_cast<std::size_t>(count)));
}

void revoke(const communicator &comm) {
    if (!known_to(comm).can_watch()) {
        fail(MPI_ERR_UNSUPPORTED_OPERATION,
             "the job's ranks share memory, where none can be lost alone: start it with lislerun --with-ft "
             "ulfm");
    }
    known_to(comm).revoke(comm.context());
}

bool is_revoked(const communicator &comm) {
    comm.point_to_point.home->progress();
    return known_to(comm).revoked(comm.context());
}

protocol::request *start_agreeing(communicator &comm, int &flag) {
    check_local(comm, "MPIX_Comm_agree");
    auto *const made = new flag_agreement{comm, flag};
    made->watch();
    return made;
}

protocol::request *start_shrinking(communicator &comm, MPI_Comm &made) {
    check_local(comm, "MPIX_Comm_shrink");
    auto *const started = new shrinking{comm, made};
    started->watch();
    return started;
}

void meet_survivors(communicator &world) {
    int nothing = 0;
    auto *const meeting = new flag_agreement{world, nothing};
    meeting->watch();
    protocol::wait(*meeting);
    const protocol::awaited_members others{world.context()};
    protocol::wait_until(
        *world.point_to_point.home, [meeting] { return meeting->all_have_told(); }, &others);
    meeting->free();
}

} // namespace lisle
