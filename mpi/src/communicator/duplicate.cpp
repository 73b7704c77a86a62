// SPDX-License-Identifier: Apache-2.0
// MPI_Comm_dup and MPI_Comm_idup: the same groups, the attributes that their copy functions let through,
// and a context that travels from the first rank down a binomial tree (between the groups of an
// inter-communicator, the first ranks exchange proposals before that).
#include <algorithm>
#include <exception>
#include <memory>

#include "base/binomial_tree.hpp"
#include "communicator/agreement.hpp"
#include "communicator/child.hpp"
#include "communicator/creation.hpp"
#include "communicator/remote_exchange.hpp"
#include "datatype/predefined.hpp"
#include "execution/rank.hpp"
#include "protocol/point_to_point.hpp"
#include "protocol/progressed_request.hpp"

namespace lisle {

namespace {

communicator_ref make_bare_copy(communicator &parent) {
    communicator_ref copy = make_relative(parent, 0, parent.local_group(),
                                          parent.inter() ? &parent.remote_group() : nullptr, parent.rank());
    copy->shape = parent.shape;
    if (parent.of_threads()) {
        copy->use_lanes(parent.lanes());
    }
    return copy;
}

/// A context for rank 0 of the duplicate; threads of a process have the following ones.
std::uint64_t propose_context(const communicator &parent) {
    if (!parent.of_threads()) {
        return next_context();
    }
    const auto farthest = *std::max_element(parent.lanes()->begin(), parent.lanes()->end());
    return next_contexts(farthest / contexts_per_communicator + 1);
}

/// What rank 0's context means for the calling rank.
std::uint64_t own_context(const communicator &parent, std::uint64_t context) {
    check_context(context);
    return parent.of_threads() ? context + (*parent.lanes())[static_cast<std::size_t>(parent.rank())]
                               : context;
}

/// The duplicate but for its context.
communicator_ref make_copy(communicator &parent, const info *hints) {
    communicator_ref copy = make_bare_copy(parent);
    if (hints != nullptr) {
        copy->hints.apply(*hints);
    }
    parent.attributes.copy_to(copy->attributes, parent.handle(), copy->handle());
    return copy;
}

std::uint64_t agree_on_context(const communicator &parent, int tag) {
    std::uint64_t context = parent.rank() == 0 ? propose_context(parent) : 0;
    if (parent.inter() && parent.rank() == 0) {
        std::uint64_t theirs = 0;
        exchange_bytes(parent.channel(message_space::remote_agreement), tag, 0,
                       std::as_bytes(std::span{&context, 1}), 0,
                       std::as_writable_bytes(std::span{&theirs, 1}));
        context = std::min(context, theirs);
    }
    party{parent.channel(message_space::agreement), tag}.broadcast(context);
    return own_context(parent, context);
}

/// An operation under way that is given back, complete or not, when its owner ends.
struct give_back {
    void operator()(protocol::request *started) const { started->free(); }
};
using started_operation = std::unique_ptr<protocol::request, give_back>;

bool has_ended(const started_operation &operation) {
    return operation == nullptr || operation->is_complete();
}

/// agree_on_context() in steps that do not wait.
class pending_duplicate final : public protocol::progressed_request {
  public:
    pending_duplicate(communicator &source, communicator_ref copy)
        : progressed_request{*source.point_to_point.home}, parent_{communicator_ref::share(source)},
          copy_{std::move(copy)}, tag_{source.next_agreement_tag()}, place_{source.rank(), source.size()} {
        if (!place_.is_root()) {
            begin_receive(message_space::agreement, place_.parent(), context_);
            return;
        }
        context_ = propose_context(source);
        if (source.inter()) {
            begin_receive(message_space::remote_agreement, 0, remote_proposal_);
            proposal_ = context_;
            begin_send(message_space::remote_agreement, 0, proposal_);
        }
    }

  private:
    bool ready() override {
        if (!has_ended(receive_)) {
            return false;
        }
        if (!passed_on_) {
            passed_on_ = true;
            pass_on();
        }
        return std::ranges::all_of(sends_, [this](const started_operation &each) {
            if (!has_ended(each)) {
                return false;
            }
            // A peer that has failed: this rank's duplicate is of no use either.
            if (each != nullptr && result.error == MPI_SUCCESS) {
                result.error = each->result.error;
            }
            return true;
        });
    }

    void pass_on() {
        try {
            if (receive_ != nullptr) {
                check_received(receive_->result, sizeof context_);
            }
            if (place_.is_root() && parent_->inter()) {
                context_ = std::min(context_, remote_proposal_);
            }
            copy_->settle_context(own_context(*parent_, context_));
        } catch (const std::exception &caught) {
            result.error = error_of(caught).code();
        }
        if (result.error == MPIX_ERR_PROC_FAILED || result.error == MPIX_ERR_REVOKED) {
            return; // the others notice it themselves
        }
        place_.each_child_downwards([this](const binomial_node &child) {
            begin_send(message_space::agreement, child.number(), context_);
        });
    }

    void begin_receive(message_space space, int source, std::uint64_t &value) {
        receive_.reset(protocol::start_receive(buffer_of(value), parent_->channel(space), source, tag_));
    }
    void begin_send(message_space space, int dest, std::uint64_t &value) {
        sends_.emplace_back(protocol::start_send(buffer_of(value), parent_->channel(space), dest, tag_));
    }
    static typed_buffer buffer_of(std::uint64_t &value) {
        return {&value, static_cast<MPI_Count>(sizeof value), *find_datatype(MPI_BYTE)};
    }

    communicator_ref parent_;
    communicator_ref copy_;
    int tag_;
    binomial_node place_; ///< below rank 0, so numbers are ranks
    std::uint64_t context_ = 0;
    std::uint64_t proposal_ = 0; ///< what the remote group is sent; context_ may change meanwhile
    std::uint64_t remote_proposal_ = 0;
    started_operation receive_;
    std::vector<started_operation> sends_;
    bool passed_on_ = false;
};

} // namespace

communicator_ref duplicate(communicator &parent, const info *hints) {
    const int tag = parent.next_agreement_tag();
    communicator_ref copy;
    std::exception_ptr failure;
    try {
        copy = make_copy(parent, hints);
    } catch (const std::exception &) {
        // The other ranks count on this one to pass the context on.
        failure = std::current_exception();
    }
    const std::uint64_t context = agree_on_context(parent, tag);
    if (failure) {
        std::rethrow_exception(failure);
    }
    copy->settle_context(context);
    return copy;
}

communicator_ref start_duplicate(communicator &parent, const info *hints, protocol::request *&started) {
    refuse_lost_members(parent);
    communicator_ref copy;
    std::exception_ptr failure;
    try {
        copy = make_copy(parent, hints);
    } catch (const std::exception &) {
        failure = std::current_exception();
        copy = make_bare_copy(parent);
    }
    auto *const pending = new pending_duplicate{parent, copy};
    pending->watch();
    if (failure) {
        pending->free();
        std::rethrow_exception(failure);
    }
    started = pending;
    return copy;
}

communicator_ref make_shadow(communicator &parent) {
    if (parent.context() % contexts_per_communicator != 0) {
        fail(MPI_ERR_COMM, "the shadow of a communicator has no shadow");
    }
    communicator_ref shadow = make_bare_copy(parent);
    shadow->settle_context(parent.context() + shadow_offset);
    return shadow;
}

} // namespace lisle
