// SPDX-License-Identifier: Apache-2.0
// What random programs are put together of: data whose every value follows from a number, in several layouts,
// and communicators of which each rank knows all members.
#pragma once

#include "../payload.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace programs {

/// Element `index` of what is called `name`. Small, so that sums of many are exact.
inline int value_of(int name, int index) {
    return (name * 31 + index * 7) % 100'003;
}

/// Pairs of integers, in one of several layouts with one signature.
class data {
  public:
    static constexpr int layouts = 4;
    static constexpr int untouched = -7;

    data(int layout, int pairs) : layout_{layout}, pairs_{pairs} {
        cells_.assign(static_cast<std::size_t>(width() * pairs + 4), untouched);
        switch (layout) {
        case 0:
            CHECK_MPI(MPI_Type_contiguous(2, MPI_INT, &type_));
            break;
        case 1:
            CHECK_MPI(MPI_Type_vector(2, 1, 2, MPI_INT, &type_));
            widen();
            break;
        case 2: {
            const int places[] = {3, 0}; // backwards
            CHECK_MPI(MPI_Type_create_indexed_block(2, 1, places, MPI_INT, &type_));
            widen();
            break;
        }
        default: {
            const int lengths[] = {1, 1};
            const MPI_Aint places[] = {sizeof(int), 2 * sizeof(int)};
            const MPI_Datatype parts[] = {MPI_INT, MPI_INT};
            CHECK_MPI(MPI_Type_create_struct(2, lengths, places, parts, &type_));
            widen();
        }
        }
        CHECK_MPI(MPI_Type_commit(&type_));
    }
    data(const data &) = delete;
    data &operator=(const data &) = delete;
    ~data() { MPI_Type_free(&type_); }

    [[nodiscard]] void *at() { return cells_.data(); }
    [[nodiscard]] MPI_Datatype type() const { return type_; }
    [[nodiscard]] int pairs() const { return pairs_; }

    void fill(int name) {
        for (int i = 0; i < 2 * pairs_; ++i)
            cells_[cell(i)] = value_of(name, i);
    }
    [[nodiscard]] int value(int index) const { return cells_[cell(index)]; }
    /// The values from pair `first` on are those of `name`, from the first one on.
    void check(int name, int first, int pairs) const {
        for (int i = 0; i < 2 * pairs; ++i)
            CHECK_EQ(cells_[cell(2 * first + i)], value_of(name, i));
    }
    /// Nothing but the values has been written.
    void check_gaps() const {
        std::vector<bool> used(cells_.size());
        for (int i = 0; i < 2 * pairs_; ++i)
            used[cell(i)] = true;
        for (std::size_t i = 0; i < cells_.size(); ++i)
            CHECK(used[i] || cells_[i] == untouched);
    }

  private:
    [[nodiscard]] int width() const { return layout_ == 0 ? 2 : 4; }
    [[nodiscard]] std::size_t cell(int value) const {
        static constexpr int places[layouts][2] = {{0, 1}, {0, 2}, {3, 0}, {1, 2}};
        return static_cast<std::size_t>(value / 2 * width() + places[layout_][value % 2]);
    }
    void widen() {
        MPI_Datatype narrow = type_;
        CHECK_MPI(MPI_Type_create_resized(narrow, 0, 4 * sizeof(int), &type_));
        CHECK_MPI(MPI_Type_free(&narrow));
    }

    int layout_, pairs_;
    std::vector<int> cells_;
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

/// A communicator as all ranks of the job know it; those that are in neither group have no handle.
struct place {
    std::vector<int> members; ///< ranks of the job, in order
    std::vector<int> remote;  ///< of the other group; empty: it has one group
    MPI_Comm comm = MPI_COMM_NULL;

    [[nodiscard]] bool inter() const { return !remote.empty(); }
    [[nodiscard]] int size() const { return static_cast<int>(members.size()); }
    /// The rank of a rank of the job in a group; -1: it is not in it.
    static int rank_in(const std::vector<int> &group, int number) {
        for (std::size_t i = 0; i < group.size(); ++i)
            if (group[i] == number)
                return static_cast<int>(i);
        return -1;
    }
};

/// What a rank has started and not completed, with what is to be looked at afterwards.
class pending {
  public:
    MPI_Request &add(std::function<void()> afterwards) {
        checks_.push_back(std::move(afterwards));
        return requests_.emplace_back(MPI_REQUEST_NULL);
    }
    [[nodiscard]] bool empty() const { return requests_.empty(); }
    /// In one of several ways.
    void complete(int way) {
        const int count = static_cast<int>(requests_.size());
        int index = 0;
        if (way == 1) {
            for (int i = 0; i < count; ++i)
                CHECK_MPI(MPI_Waitany(count, requests_.data(), &index, MPI_STATUS_IGNORE));
        } else if (way == 2) {
            std::vector<int> indices(requests_.size());
            for (int done = 0; done != count && done != MPI_UNDEFINED;) {
                int some = 0;
                CHECK_MPI(MPI_Testsome(count, requests_.data(), &some, indices.data(), MPI_STATUSES_IGNORE));
                done = some == MPI_UNDEFINED ? count : done + some;
            }
        }
        CHECK_MPI(MPI_Waitall(count, requests_.data(), MPI_STATUSES_IGNORE));
        for (const std::function<void()> &each : checks_)
            each();
        requests_.clear();
        checks_.clear();
    }

  private:
    std::vector<MPI_Request> requests_;
    std::vector<std::function<void()>> checks_;
};

} // namespace programs
