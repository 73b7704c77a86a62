// SPDX-License-Identifier: Apache-2.0
// MPI_Comm_dup and MPI_Comm_idup: the same groups, the attributes that their copy functions let through,
// and a context that the first rank proposes with its word that all has gone well (shared_attempt.hpp).
#include <algorithm>
#include <memory>

#include "base/binomial_tree.hpp"
#include "base/rounds.hpp"
#include "communicator/child.hpp"
#include "communicator/creation.hpp"
#include "communicator/shared_attempt.hpp"
#include "datatype/predefined.hpp"
#include "execution/rank.hpp"
#include "protocol/once_there_is_memory.hpp"
#include "protocol/point_to_point.hpp"
#include "protocol/progress/procedure.hpp"
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

/// A rank's attempt to make a duplicate: all that it needs memory for, and the context that the first rank
/// proposes.
struct attempted_copy {
    void make(communicator &parent, const info *hints) {
        own.attempt([&] {
            copy = make_copy(parent, hints);
            proposal = parent.rank() == 0 ? propose_context(parent) : 0;
        });
    }
    shared_attempt own;
    communicator_ref copy;
    std::uint64_t proposal = 0;
};

/// What shared_attempt::settle() does, in steps that do not wait.
class pending_duplicate final : public protocol::progressed_request {
  public:
    /// Begins nothing. @param tag for agreements
    pending_duplicate(communicator &source, int tag)
        : progressed_request{*source.point_to_point.home}, parent_{communicator_ref::share(source)},
          tag_{tag}, stages_{agree()} {}

    /// What the caller has made, or how it has failed: the others hear of it. Call once, before watch().
    void take(const attempted_copy &made) {
        copy_ = made.copy;
        common_ = made.own.own(parent_->rank(), made.proposal);
    }

    /// Nobody can wait for the duplicate any more, so it may be freed before it is made.
    void give_up() noexcept override { end_refusal(); }

    [[nodiscard]] std::string failure() const override {
        return common_.code != MPI_SUCCESS ? shared_attempt::sentence_of(common_) : std::string{};
    }

  private:
    // Conditions: true when there was memory to begin.
    template <class Start> static auto begin(protocol::started_request &begun, Start start) {
        auto condition = [&begun, start] {
            if (begun == nullptr) {
                try {
                    begun.reset(start());
                } catch (const std::bad_alloc &) {
                    return false;
                }
            }
            return true;
        };
        return protocol::procedure::until<decltype(condition)>{condition};
    }
    auto begin_receive(const protocol::channel &channel, int source) {
        return begin(receiving_, [this, &channel, source] {
            return protocol::start_receive(buffer_of(theirs_), channel, source, tag_);
        });
    }
    auto begin_send(const protocol::channel &channel, int dest) {
        said_ = common_;
        return begin(sending_, [this, &channel, dest] {
            return protocol::start_send(buffer_of(said_), channel, dest, tag_);
        });
    }

    void end_refusal() noexcept {
        if (copy_) {
            copy_->be_unfinished(false);
        }
    }

    bool ready() override {
        try {
            if (!stages_.advance()) {
                return false;
            }
        } catch (const std::exception &caught) {
            result.error = error_of(caught).code();
        }
        end_refusal(); // also if it cannot be used, so that it can be freed
        return true;
    }

    protocol::procedure agree() {
        const int size = parent_->size();
        const protocol::channel within = parent_->channel(message_space::agreement);
        for (std::int64_t distance = 1; distance < size; distance *= 2) {
            co_await begin_receive(within, along_ring(within.self, -distance, size));
            co_await begin_send(within, along_ring(within.self, distance, size));
            co_await receiving_.release();
            co_await sending_.release();
            common_.include(theirs_);
        }
        if (parent_->inter()) {
            const protocol::channel across = parent_->channel(message_space::remote_agreement);
            if (within.self == 0) {
                co_await begin_receive(across, 0);
                co_await begin_send(across, 0);
                co_await receiving_.release();
                co_await sending_.release();
                theirs_.by = shared_result::remote_member;
                common_.include(theirs_);
            }
            const binomial_node place{within.self, size}; // below rank 0, so numbers are ranks
            if (!place.is_root()) {
                co_await begin_receive(within, place.parent());
                co_await receiving_.release();
                common_ = theirs_;
            }
            for (int child = size - 1; child > within.self; --child) {
                if (binomial_node{child, size}.parent() == within.self) {
                    co_await begin_send(within, child);
                    co_await sending_.release();
                }
            }
        }
        result.error = common_.code;
        if (common_.code == MPI_SUCCESS) {
            copy_->settle_context(own_context(*parent_, common_.value));
        }
    }

    static typed_buffer buffer_of(shared_result &value) {
        return {&value, static_cast<MPI_Count>(sizeof value), *find_datatype(MPI_BYTE)};
    }

    communicator_ref parent_;
    communicator_ref copy_;
    int tag_;
    shared_result common_;
    shared_result said_; ///< what is on its way; common_ may change meanwhile
    shared_result theirs_;
    protocol::started_request sending_;
    protocol::started_request receiving_;
    protocol::procedure stages_; ///< last: it uses all others
};

} // namespace

communicator_ref duplicate(communicator &parent, const info *hints) {
    const int tag = parent.next_agreement_tag();
    attempted_copy made;
    made.make(parent, hints);
    const std::uint64_t context = own_context(parent, made.own.settle(parent, tag, made.proposal));
    made.copy->settle_context(context);
    return made.copy;
}

communicator_ref start_duplicate(communicator &parent, const info *hints, protocol::request *&started) {
    refuse_lost_members(parent);
    const int tag = parent.next_agreement_tag();
    // The others count on the caller's part in the agreement, whether it makes its copy or not.
    auto pending = protocol::once_there_is_memory(
        *parent.point_to_point.home, [&] { return std::make_unique<pending_duplicate>(parent, tag); });
    attempted_copy made;
    made.make(parent, hints);
    if (!made.own.failed()) {
        made.copy->be_unfinished(true);
    }
    pending->take(made);
    pending->watch();
    if (made.own.failed()) {
        pending.release()->free(); // goes on without the caller
        made.own.check();
    }
    started = pending.release();
    return made.copy;
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
