// SPDX-License-Identifier: Apache-2.0
// What the tests of algorithms share: ranks and groups without a job, buffers with gaps, an operation that is
// associative but not commutative (so a wrong order shows), and a frame that simulates a collective in
// several orders.
#pragma once

#include "simulator.hpp"

#include <functional>
#include <numeric>

#include "api/datatype.hpp"
#include "collective/selection/table.hpp"
#include "datatype/predefined.hpp"

namespace lisle::collective {

/// x -> a * x + b modulo 2^32. Composition is associative and not commutative.
struct affine {
    std::uint32_t a = 1, b = 0;
    bool operator==(const affine &) const = default;
};

inline affine after(affine first, affine second) {
    return {first.a * second.a, first.a * second.b + first.b};
}

inline void compose(void *in, void *inout, int *count, MPI_Datatype *type) {
    const auto stride = find_datatype(*type)->extent() / static_cast<MPI_Count>(sizeof(affine));
    for (MPI_Count i = 0; i < *count; ++i) {
        auto &result = static_cast<affine *>(inout)[i * stride];
        result = after(static_cast<affine *>(in)[i * stride], result);
    }
}

inline constexpr affine guard{0xdeadbeef, 0xdeadbeef};

/// Element `index` of rank `rank`'s contribution.
inline affine contribution(int rank, int index) {
    return {static_cast<std::uint32_t>(rank * 2654435761U + index * 40503U + 1) | 1U,
            static_cast<std::uint32_t>(rank * 97 + index * 31 + 7)};
}

/// The composition of what ranks [first, last) contribute at `index`.
inline affine composition(int first, int last, int index) {
    affine result = contribution(first, index);
    for (int rank = first + 1; rank < last; ++rank) {
        result = after(result, contribution(rank, index));
    }
    return result;
}

/// One group or two, with the channels that their ranks would have. Numbers of the second group follow
/// those of the first.
class world {
  public:
    world(int first, int second) : sizes_{first, second}, numbers_(static_cast<std::size_t>(first + second)) {
        std::iota(numbers_.begin(), numbers_.end(), 0);
        for (int side = 0; side < 2; ++side) {
            const auto begin = numbers_.begin() + (side == 0 ? 0 : first);
            groups_[side] = make_group({begin, begin + sizes_[side]});
        }
        for (int side = 0; side < 2; ++side) {
            for (int rank = 0; rank < sizes_[side]; ++rank) {
                own_.push_back({side == 0 ? 5U : 6U, rank, groups_[side].get()});
                other_.push_back({7U, rank, groups_[1 - side].get()});
            }
        }
    }
    [[nodiscard]] int size() const { return sizes_[0] + sizes_[1]; }
    [[nodiscard]] int side(int number) const { return number < sizes_[0] ? 0 : 1; }
    [[nodiscard]] int size_of(int which) const { return sizes_[which]; }
    [[nodiscard]] team own(int number) const {
        const auto &channel = own_[static_cast<std::size_t>(number)];
        return {&channel, channel.self, channel.peers->size(), true};
    }
    [[nodiscard]] team other(int number) const {
        const auto &channel = other_[static_cast<std::size_t>(number)];
        return {&channel, channel.self, channel.peers->size(), false};
    }

  private:
    int sizes_[2];
    std::vector<int> numbers_;
    group_ref groups_[2];
    std::vector<protocol::channel> own_, other_;
};

/// A buffer of `affine`s in memory, `stride` apart, among guards.
class array {
  public:
    array(int count, int stride)
        : count_{count}, stride_{stride}, memory_(std::max(1, count * stride), guard) {}
    affine &operator[](int i) { return memory_[static_cast<std::size_t>(i * stride_)]; }
    [[nodiscard]] affine *data() { return memory_.data(); }
    [[nodiscard]] int count() const { return count_; }
    /// True if nothing was written between the elements.
    [[nodiscard]] bool gaps_intact() const {
        for (std::size_t i = 0; i < memory_.size(); ++i) {
            if (static_cast<int>(i) % stride_ != 0 && memory_[i] != guard) {
                return false;
            }
        }
        return true;
    }

  private:
    int count_, stride_;
    std::vector<affine> memory_;
};

/// Two types: an affine, and an affine that takes the room of two.
class types {
  public:
    types() {
        api::type_contiguous(2, *find_datatype(MPI_UINT32_T), &dense_, count_form::small);
        api::type_create_resized(*find_datatype(dense_), 0, 2 * sizeof(affine), &sparse_, count_form::small);
        api::type_commit(&dense_);
        api::type_commit(&sparse_);
    }
    ~types() {
        api::type_free(&sparse_);
        api::type_free(&dense_);
    }
    [[nodiscard]] const datatype &of(int stride) const {
        return *find_datatype(stride == 1 ? dense_ : sparse_);
    }

  private:
    MPI_Datatype dense_, sparse_;
};

/// The rows of the table that need messages alone, within one group. @param commutative as the operation is
/// that a reduction is given
inline std::vector<row> message_rows(operation what, bool commutative = true) {
    const situation given{.what = what, .ranks = 2, .commutative = commutative};
    std::vector<row> found;
    for (const row &each : rows_of(what)) {
        if (each.how.sends && possible(each, given)) {
            found.push_back(each);
        }
    }
    return found;
}

class algorithms : public testing::Test {
  protected:
    /// Writes the steps of a rank of `ranks`, as a call does that has chosen the row.
    static void write(const row &each, schedule &plan, const team &ranks, const operands &data) {
        each.how.write(plan, {ranks, nullptr, false}, data);
    }

    algorithms()
        : compose_{ref<const op>::adopt(create_op(compose, false))}, commutative_{ref<const op>::adopt(
                                                                         create_op(compose, true))} {}

    /// Runs `body(size, stride)` for sizes about each power of two and both types.
    static void each_size(const std::function<void(int, int)> &body) {
        for (const int size : {1, 2, 3, 4, 5, 6, 7, 8, 11, 16, 17}) {
            for (int stride = 1; stride <= 2; ++stride) {
                SCOPED_TRACE(testing::Message() << size << " ranks, stride " << stride);
                body(size, stride);
                if (HasFatalFailure()) {
                    return;
                }
            }
        }
    }

    [[nodiscard]] typed_buffer buffer(array &of) const { return {of.data(), of.count(), type(of)}; }
    [[nodiscard]] typed_buffer buffer(array &of, int first, int count) const {
        return {&of[first], count, type(of)};
    }
    [[nodiscard]] const datatype &type(array &of) const {
        return types_.of(of.count() > 1 ? static_cast<int>(&of[1] - &of[0]) : stride_);
    }

    /// Builds a schedule for each rank of a world and runs them in several orders. `prepare` sets the
    /// buffers, `build` writes one rank's schedule, `check` looks at the results.
    static void simulate(int ranks, const std::function<void()> &prepare,
                         const std::function<void(schedule &, int)> &build,
                         const std::function<void()> &check) {
        for (const delivery mode : {delivery::immediate, delivery::late}) {
            for (unsigned seed = 0; seed < 2; ++seed) {
                prepare();
                std::vector<schedule> plans(static_cast<std::size_t>(ranks));
                for (int rank = 0; rank < ranks; ++rank) {
                    build(plans[static_cast<std::size_t>(rank)], rank);
                }
                simulator{std::move(plans), mode, seed}.run();
                if (HasFatalFailure()) {
                    return;
                }
                check();
            }
        }
    }

    types types_;
    ref<const op> compose_, commutative_;
    int stride_ = 1; ///< of arrays of one element
};

using arrays = std::vector<array>;

inline arrays many(int ranks, int count, int stride) {
    return arrays(static_cast<std::size_t>(ranks), array{count, stride});
}

inline array &at(arrays &all, int rank) {
    return all[static_cast<std::size_t>(rank)];
}

/// Fills each rank's array with its contribution.
inline void contribute(arrays &all) {
    for (int rank = 0; rank < static_cast<int>(all.size()); ++rank) {
        for (int i = 0; i < at(all, rank).count(); ++i) {
            at(all, rank)[i] = contribution(rank, i);
        }
    }
}

inline constexpr int elements = 3;

} // namespace lisle::collective
