// SPDX-License-Identifier: Apache-2.0
#include "tile/collective/extension_collectives.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "collective/steps/parts.hpp"
#include "tile/network/extension.hpp"

namespace lisle::tile {

using namespace collective;

namespace {

/// Steps of an extension, written to a schedule. Vector 0 is what the calling rank gives, 1 the result.
class schedule_writer final : public rank_steps {
  public:
    /// @param result.type null: nobody reads it
    schedule_writer(const message_steps &plan, const team &team, const op *operation,
                    const typed_buffer &given, const typed_buffer &result)
        : plan_{plan}, team_{team}, operation_{operation}, vectors_{given, result} {}

    elements given() override { return {0, 0, vectors_[0].count}; }
    elements result() override {
        if (vectors_[1].type == nullptr) {
            vectors_[1] = plan_.temporary(vectors_[0].count, *vectors_[0].type);
        }
        return {1, 0, vectors_[0].count};
    }
    elements temporary(std::int64_t count) override {
        vectors_.push_back(plan_.temporary(count, *vectors_[0].type));
        return {static_cast<int>(vectors_.size()) - 1, 0, count};
    }
    std::uint32_t send(elements sent, int peer) override {
        return plan_.send(memory(sent), team_, checked(peer));
    }
    std::uint32_t receive(elements into, int peer) override {
        return plan_.receive(memory(into), team_, checked(peer));
    }
    void copy(elements from, elements to) override { plan_.copy(memory(from), memory(to)); }
    void combine(elements in, elements inout) override {
        if (operation_ == nullptr) {
            fail(MPI_ERR_INTERN, "the extension of the tiles combines elements in a broadcast");
        }
        plan_.reduce(*operation_, memory(in), memory(inout));
    }
    void await(std::uint32_t step) override { plan_.await(step); }
    void await_all() override { plan_.await_all(); }

  private:
    [[nodiscard]] typed_buffer memory(elements which) const {
        const bool known = which.vector >= 0 && which.vector < static_cast<int>(vectors_.size()) &&
                           vectors_[static_cast<std::size_t>(which.vector)].type != nullptr;
        const MPI_Count count = known ? vectors_[static_cast<std::size_t>(which.vector)].count : 0;
        if (!known || which.first < 0 || which.count < 0 || which.first > count - which.count) {
            fail(MPI_ERR_INTERN, "the extension of the tiles names elements ", which.first, " to ",
                 which.first + which.count, " of vector ", which.vector, ", which has ", count);
        }
        return part(vectors_[static_cast<std::size_t>(which.vector)], which.first, which.count);
    }
    [[nodiscard]] int checked(int peer) const {
        if (peer < 0 || peer >= team_.size) {
            fail(MPI_ERR_INTERN, "the extension of the tiles names rank ", peer, " of ", team_.size);
        }
        return peer;
    }

    const message_steps &plan_;
    const team &team_;
    const op *operation_;
    std::vector<typed_buffer> vectors_;
};

} // namespace

bool extension_collectives::has(collective_operation what) const noexcept {
    using enum rank_collectives::call;
    switch (what) {
    case collective_operation::bcast:
        return staged_ != nullptr || own_.has(bcast);
    case collective_operation::reduce:
        return staged_ != nullptr || own_.has(reduce);
    case collective_operation::allreduce:
        return staged_ != nullptr || own_.has(allreduce);
    default:
        return staged_ != nullptr;
    }
}

void extension_collectives::bcast(const steps &plan, const team &team, const typed_buffer &buffer,
                                  int root) const {
    if (!own_.has(rank_collectives::call::bcast)) {
        staged_->bcast(plan, team, buffer, root);
        return;
    }
    schedule_writer writer{plan, team, nullptr, buffer, buffer};
    own_.bcast(writer, placed(), root);
}

void extension_collectives::reduce(const steps &plan, const team &team, const op &operation,
                                   const typed_buffer &send, const typed_buffer &receive, int root) const {
    if (!own_.has(rank_collectives::call::reduce)) {
        staged_->reduce(plan, team, operation, send, receive, root);
        return;
    }
    schedule_writer writer{plan, team, &operation, send, team.rank == root ? receive : typed_buffer{}};
    own_.reduce(writer, placed(), root);
}

void extension_collectives::allreduce(const steps &plan, const team &team, const op &operation,
                                      const typed_buffer &send, const typed_buffer &receive) const {
    if (!own_.has(rank_collectives::call::allreduce)) {
        staged_->allreduce(plan, team, operation, send, receive);
        return;
    }
    schedule_writer writer{plan, team, &operation, send, receive};
    own_.allreduce(writer, placed());
}

void extension_collectives::reduce_scatter(const steps &plan, const team &team, const op &operation,
                                           const typed_buffer &send, const typed_buffer &receive,
                                           std::span<const MPI_Count> counts) const {
    staged_->reduce_scatter(plan, team, operation, send, receive, counts);
}

void extension_collectives::allgather(const steps &plan, const team &team, const typed_buffer &own,
                                      const block_view &blocks) const {
    staged_->allgather(plan, team, own, blocks);
}

} // namespace lisle::tile
