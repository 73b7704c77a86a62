// SPDX-License-Identifier: Apache-2.0
#include "communicator/recovery.hpp"

#include "base/error.hpp"
#include "communicator/agreement_with_failures.hpp"
#include "communicator/child.hpp"
#include "communicator/predefined.hpp"
#include "protocol/engine.hpp"
#include "protocol/point_to_point.hpp"
#include "protocol/wait.hpp"

namespace lisle {

namespace {

protocol::failures &known_to(const communicator &comm) {
    return comm.point_to_point.home->failures();
}

void check_whole(const communicator &comm, std::string_view what) {
    if (comm.of_threads()) {
        fail(MPI_ERR_COMM, what, " is for communicators of whole ranks: ", comm.label(), " has threads");
    }
}

class flag_agreement final : public agreement {
  public:
    flag_agreement(communicator &on, int &flag) : agreement{on, flag, false}, flag_{flag} {}
    void finish() override { flag_ = agreed_flag(); }

  private:
    int &flag_;
};

class shrinking final : public agreement {
  public:
    shrinking(communicator &on, MPI_Comm &made) : agreement{on, -1, true}, made_{made} {}
    void finish() override {
        communicator &parent = comm_of();
        made_ = MPI_COMM_NULL;
        const group_ref members = survivors_of(parent.local_group());
        const int self = members->rank_of(parent.local_group().member(parent.rank()));
        if (self == MPI_UNDEFINED) { // the others think that it has failed
            result.error = MPIX_ERR_PROC_FAILED;
            return;
        }
        check_context(agreed().context);
        const group_ref others = parent.inter() ? survivors_of(parent.remote_group()) : group_ref{};
        if (!parent.inter()) {
            made_ = give_handle(make_child(parent, agreed().context, *members, nullptr, self));
        } else if (others->size() != 0) {
            made_ = give_handle(make_child(parent, agreed().context, *members, others.get(), self));
        }
    }

  private:
    [[nodiscard]] group_ref survivors_of(const group &of) const {
        std::vector<int> members = of.members();
        std::erase_if(members, [this](int number) { return !has_survived(number); });
        return make_group(std::move(members));
    }

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
    check_whole(comm, "MPIX_Comm_agree");
    auto *const made = new flag_agreement{comm, flag};
    made->watch();
    return made;
}

protocol::request *start_shrinking(communicator &comm, MPI_Comm &made) {
    check_whole(comm, "MPIX_Comm_shrink");
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
