// SPDX-License-Identifier: Apache-2.0
#include "tile/collective/staged_collectives.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "collective/steps/parts.hpp"

namespace lisle::tile {

using namespace collective;

namespace {

/// Calls function(digit, rank) for each other member of a stage. Each member begins with the next one, so
/// that they do not all send to the same one first.
template <class Function> void each_other(const mesh_stages &stages, int stage, Function function) {
    const int members = stages.members(stage);
    for (int distance = 1; distance < members; ++distance) {
        const int digit = (stages.digit(stage) + distance) % members;
        function(digit, stages.peer(stage, digit));
    }
}

/// A vector that the first stages cut to pieces of about equal length.
class cut_vector {
  public:
    /// @param cutting number of the stages, from the first on, that cut it
    cut_vector(const mesh_stages &stages, int cutting) noexcept
        : cutting_{cutting}, pieces_{stages.pieces(cutting)} {}

    [[nodiscard]] int cutting() const noexcept { return cutting_; }
    [[nodiscard]] typed_buffer part(const typed_buffer &vector, run_of_pieces run) const noexcept {
        return pieces_of(vector, run.first, run.count, pieces_);
    }

  private:
    int cutting_, pieces_;
};

/// One stage of a reduction, in which the members exchange operands.
class reducing_stage {
  public:
    /// @param own the calling rank's operand @param place room for the operand of each other member
    reducing_stage(const message_steps &plan, const team &team, const mesh_stages &stages, int stage,
                   const typed_buffer &own, const typed_buffer &place)
        : plan_{plan}, own_{own}, members_{stages.members(stage)} {
        of(stages.digit(stage)) = own;
        MPI_Count used = 0;
        each_other(stages, stage, [&](int digit, int rank) {
            of(digit) = collective::part(place, used, own.count);
            used += own.count;
            plan.receive(of(digit), team, rank);
        });
    }
    /// After the arrival of all operands; in the order of the digits, so that all members get the same bits.
    void reduce(const op &operation) {
        plan_.await_all();
        for (int digit = 1; digit < members_; ++digit) {
            plan_.reduce(operation, of(digit - 1), of(digit));
        }
        plan_.copy(of(members_ - 1), own_);
    }

  private:
    typed_buffer &of(int digit) noexcept { return values_[static_cast<std::size_t>(digit)]; }

    const message_steps &plan_;
    typed_buffer own_;
    int members_;
    std::array<typed_buffer, mesh_stages::most_in_stage> values_;
};

int most_others(const mesh_stages &stages) noexcept {
    int most = 0;
    for (int stage = 0; stage < stages.count(); ++stage) {
        most = std::max(most, stages.members(stage) - 1);
    }
    return most;
}

/// Each member of the stages [0, end) ends with the reduction of its part among all that they have met.
/// Returns that part. @param range (vector, run): those pieces of a vector @param pieces of the whole vector
template <class Range> run_of_pieces reduce_and_scatter(const message_steps &plan, const team &team,
                                                        const mesh_stages &stages, int end,
                                                        const op &operation, const typed_buffer &value,
                                                        const typed_buffer &place, int pieces, Range range) {
    run_of_pieces held{0, pieces};
    for (int stage = 0; stage < end; ++stage) {
        const int members = stages.members(stage);
        const run_of_pieces kept = held.part(stages.digit(stage), members);
        reducing_stage arriving{plan, team, stages, stage, range(value, kept), place};
        each_other(stages, stage, [&](int digit, int rank) {
            plan.send(range(value, held.part(digit, members)), team, rank);
        });
        arriving.reduce(operation);
        held = kept;
    }
    return held;
}

/// Undoes the cuts of the stages [begin, end), the last one first: afterwards each member has what its part
/// was cut from. @param held what it has of the whole, which `range` finds
template <class Held, class Range> void gather_to_all(const message_steps &plan, const team &team,
                                                      const mesh_stages &stages, int end, Held held,
                                                      Range range) {
    for (int stage = end - 1; stage >= 0; --stage) {
        const int members = stages.members(stage);
        const run_of_pieces whole = held(stage);
        const typed_buffer own = range(whole.part(stages.digit(stage), members));
        each_other(stages, stage, [&](int digit, int rank) {
            plan.receive(range(whole.part(digit, members)), team, rank);
            plan.send(own, team, rank);
        });
        plan.await_all();
    }
}

/// Ranks in the order in which stages that all cut number them, and where their blocks begin.
class block_order {
  public:
    /// @param length (rank): of its block
    template <class Length> block_order(const mesh_stages &stages, int size, Length length)
        : ranks_(static_cast<std::size_t>(size)), begins_{0} {
        for (int rank = 0; rank < size; ++rank) {
            const int first = stages.held(rank, stages.count(), stages.count()).first;
            ranks_[static_cast<std::size_t>(first)] = rank;
        }
        for (const int rank : ranks_) {
            begins_.push_back(begins_.back() + length(rank));
        }
    }
    /// In order.
    [[nodiscard]] const std::vector<int> &ranks() const noexcept { return ranks_; }
    [[nodiscard]] MPI_Count length() const noexcept { return begins_.back(); }
    /// Blocks of a vector that has them in this order.
    [[nodiscard]] typed_buffer blocks(const typed_buffer &vector, run_of_pieces run) const noexcept {
        const auto first = static_cast<std::size_t>(run.first);
        const MPI_Count begin = begins_[first];
        return part(vector, begin, begins_[first + static_cast<std::size_t>(run.count)] - begin);
    }
    [[nodiscard]] typed_buffer block(const typed_buffer &vector, std::size_t number) const noexcept {
        return blocks(vector, {static_cast<int>(number), 1});
    }

  private:
    std::vector<int> ranks_;
    std::vector<MPI_Count> begins_;
};

} // namespace

// In each stage the members with data send them to the others: only parts while the stages cut.
void staged_collectives::bcast(const steps &plan, const team &team, const typed_buffer &buffer,
                               int root) const {
    const typed_buffer data = plan.as_bytes(buffer, team.rank == root);
    const cut_vector cuts{stages_, stages_.cutting(data.bytes())};
    const int cutting = cuts.cutting();
    const auto held_of = [&](int rank, int stage) {
        return stages_.held(rank, std::min(stage, cutting), cutting);
    };
    for (int stage = 0; stage < stages_.count(); ++stage) {
        if (!stages_.alike_from(stage + 1, root)) {
            continue; // no member of this stage has data yet
        }
        const int from = stages_.digit_of(root, stage);
        if (stages_.digit(stage) != from) {
            const typed_buffer mine = cuts.part(data, held_of(team.rank, stage + 1));
            plan.await(plan.receive(mine, team, stages_.peer(stage, from)));
            continue;
        }
        each_other(stages_, stage,
                   [&](int, int rank) { plan.send(cuts.part(data, held_of(rank, stage + 1)), team, rank); });
    }
    for (int stage = cutting - 1; stage >= 0; --stage) {
        // Those that have sent in this stage have the whole: they get nothing, and the root is not written
        // to.
        const bool knows_all = stages_.alike_from(stage, root);
        const bool meets_one_who_knows = stages_.alike_from(stage + 1, root);
        const typed_buffer mine = cuts.part(data, held_of(team.rank, stage + 1));
        each_other(stages_, stage, [&](int digit, int rank) {
            if (!knows_all) {
                plan.receive(cuts.part(data, held_of(rank, stage + 1)), team, rank);
            }
            if (!meets_one_who_knows || digit != stages_.digit_of(root, stage)) {
                plan.send(mine, team, rank);
            }
        });
        plan.await_all();
    }
    if (team.rank != root && data.address != buffer.address) {
        plan.copy(data, buffer);
    }
}

void staged_collectives::reduce(const steps &plan, const team &team, const op &operation,
                                const typed_buffer &send, const typed_buffer &receive, int root) const {
    const typed_buffer value = team.rank == root ? receive : plan.temporary(send.count, *send.type);
    plan.copy(send, value);
    const typed_buffer place = plan.temporary(most_others(stages_) * send.count, *send.type);
    const cut_vector cuts{stages_, stages_.cutting_to_reduce(value.bytes())};
    const int cutting = cuts.cutting();
    const auto range = [&cuts](const typed_buffer &vector, run_of_pieces run) {
        return cuts.part(vector, run);
    };
    const typed_buffer own = range(value, reduce_and_scatter(plan, team, stages_, cutting, operation, value,
                                                             place, stages_.pieces(cutting), range));
    for (int stage = stages_.count() - 1; stage >= cutting; --stage) {
        if (stages_.digit(stage) != stages_.digit_of(root, stage)) {
            plan.send(own, team, stages_.peer(stage, stages_.digit_of(root, stage)));
            return;
        }
        reducing_stage{plan, team, stages_, stage, own, place}.reduce(operation);
    }
    if (team.rank != root) {
        plan.send(own, team, root);
        return;
    }
    for (int rank = 0; rank < team.size; ++rank) {
        if (rank != root && stages_.alike_from(cutting, rank)) {
            plan.receive(range(value, stages_.held(rank, cutting, cutting)), team, rank);
        }
    }
}

void staged_collectives::allreduce(const steps &plan, const team &team, const op &operation,
                                   const typed_buffer &send, const typed_buffer &receive) const {
    plan.copy(send, receive);
    const typed_buffer place = plan.temporary(most_others(stages_) * send.count, *send.type);
    const cut_vector cuts{stages_, stages_.cutting_to_reduce(receive.bytes())};
    const int cutting = cuts.cutting();
    const auto range = [&cuts](const typed_buffer &vector, run_of_pieces run) {
        return cuts.part(vector, run);
    };
    const typed_buffer own =
        range(receive, reduce_and_scatter(plan, team, stages_, cutting, operation, receive, place,
                                          stages_.pieces(cutting), range));
    for (int stage = cutting; stage < stages_.count(); ++stage) {
        reducing_stage arriving{plan, team, stages_, stage, own, place};
        each_other(stages_, stage, [&](int, int rank) { plan.send(own, team, rank); });
        arriving.reduce(operation);
    }
    gather_to_all(
        plan, team, stages_, cutting, [&](int stage) { return stages_.held(team.rank, stage, cutting); },
        [&](run_of_pieces run) { return range(receive, run); });
}

void staged_collectives::reduce_scatter(const steps &plan, const team &team, const op &operation,
                                        const typed_buffer &send, const typed_buffer &receive,
                                        std::span<const MPI_Count> counts) const {
    const block_order order{stages_, team.size,
                            [&](int rank) { return counts[static_cast<std::size_t>(rank)]; }};
    std::vector<MPI_Count> begins{0};
    for (const MPI_Count count : counts) {
        begins.push_back(begins.back() + count);
    }
    const typed_buffer value = plan.temporary(order.length(), *send.type);
    for (std::size_t number = 0; number < order.ranks().size(); ++number) {
        const auto rank = static_cast<std::size_t>(order.ranks()[number]);
        plan.copy(part(send, begins[rank], counts[rank]), order.block(value, number));
    }
    const typed_buffer place = plan.temporary(most_others(stages_) * order.length(), *send.type);
    const auto range = [&order](const typed_buffer &vector, run_of_pieces run) {
        return order.blocks(vector, run);
    };
    const run_of_pieces own =
        reduce_and_scatter(plan, team, stages_, stages_.count(), operation, value, place, team.size, range);
    plan.copy(range(value, own), receive);
}

void staged_collectives::allgather(const steps &plan, const team &team, const typed_buffer &own,
                                   const block_view &blocks) const {
    const block_order order{stages_, team.size, [&](int rank) { return blocks[rank].bytes(); }};
    const typed_buffer all = plan.packed(order.length());
    const auto held = [&](int stage) { return stages_.held(team.rank, stage, stages_.count()); };
    plan.copy(own, order.blocks(all, held(stages_.count())));
    gather_to_all(plan, team, stages_, stages_.count(), held,
                  [&](run_of_pieces run) { return order.blocks(all, run); });
    for (std::size_t number = 0; number < order.ranks().size(); ++number) {
        plan.copy(order.block(all, number), blocks[order.ranks()[number]]);
    }
}

} // namespace lisle::tile
