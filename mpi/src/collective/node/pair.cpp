// SPDX-License-Identifier: Apache-2.0
#include "collective/node/pair.hpp"

#include <array>
#include <cstddef>

#include "base/copy_bytes.hpp"
#include "base/error.hpp"
#include "collective/area/collective_area.hpp"
#include "collective/steps/schedule.hpp"
#include "collective/wait_for.hpp"
#include "datatype/copy.hpp"

namespace lisle::collective {

namespace {

/// One call: say what it does. That is done at once.
class pair {
  public:
    /// @param bytes the most that one rank has for the other
    pair(communicator &comm, operation what, MPI_Count bytes)
        : area_{*collective_area::found(comm)}, number_{area_.turns().begin()},
          place_{collective_area::place_of(bytes, what == operation::scan || what == operation::exscan)},
          self_{comm.rank()} {}

    /// A barrier.
    void meet() {
        give(nothing());
        take(nothing());
        end();
    }
    /// Each rank gives something to the other, and to itself if it does not lie there already.
    /// @param given,taken what is for, or from, each of the two
    void exchange(const block_view &given, const block_view &taken) {
        give(given[other()]);
        keep(given[self_], taken[self_]); // while the other rank's data come
        take(taken[other()]);
        end();
    }
    /// @param taken as above; none: the calling rank is not the root
    void gather(const typed_buffer &own, const block_view &taken) {
        if (taken.size() == 0) {
            give(own);
        } else {
            keep(own, taken[self_]);
            take(taken[other()]);
        }
        end();
    }
    void scatter(const block_view &given, const typed_buffer &own) {
        if (given.size() == 0) {
            take(own);
        } else {
            give(given[other()]);
            keep(given[self_], own);
        }
        end();
    }

    // Reductions. `own` and `to` may be the same buffer. @pre reduces_in_place(operation, to)
    void allreduce(const op &operation, const typed_buffer &own, const typed_buffer &to) {
        give(own);
        take_and_combine(operation, own, to);
        end();
    }
    void scan(const op &operation, const typed_buffer &own, const typed_buffer &to) {
        if (self_ == 0) {
            give(own);
            keep(own, to);
        } else {
            take_and_combine(operation, own, to);
        }
        end();
    }
    void exscan(const typed_buffer &own, const typed_buffer &to) {
        self_ == 0 ? give(own) : take(to);
        end();
    }
    void reduce(const op &operation, const typed_buffer &own, const typed_buffer &to, int root) {
        self_ == root ? take_and_combine(operation, own, to) : give(own);
        end();
    }

  private:
    [[nodiscard]] int other() const noexcept { return 1 - self_; }

    /// Returns when `done()` is true.
    template <class Predicate> void await(Predicate done) {
        if (!done()) {
            const protocol::awaited_members members{area_.context()};
            wait_for(area_.home(), done, &members);
        }
    }
    void enter(bool posts) {
        await([this] { return area_.turns().come(number_); });
        if (place_ != post_place::small_slot) {
            area_.turns().tell_what_is_due(number_); // before it waits for room
        }
        if (posts && place_ != post_place::small_slot) {
            area_.posts().claim(number_);
        }
        entered_ = true;
    }
    void give(const typed_buffer &data) {
        enter(true);
        await([this] { return area_.turns().has_room(number_, place_); });
        area_.posts().add(number_, place_, data, other(), false);
    }
    void await_other() {
        const bool gives = entered_;
        if (!gives) {
            enter(false);
        }
        const auto posted = [this] { return area_.posts().has(number_, other(), place_); };
        if (!gives && posted()) {
            area_.posts().look_ahead(number_, other(), place_); // the other rank is ahead
        }
        await(posted);
        area_.turns().note_posted(number_, other());
    }
    void take(const typed_buffer &to) {
        await_other();
        const auto theirs = area_.posts().data(number_, other(), place_);
        if (static_cast<MPI_Count>(theirs.size()) != to.bytes()) [[unlikely]] {
            mismatch_ = other();
        } else if (to.type->contiguous()) [[likely]] {
            copy_bytes(to.address, theirs.data(), theirs.size());
        } else {
            unpack(to, 0, theirs);
        }
    }
    /// In the order of ranks, so that both get the same bits.
    void take_and_combine(const op &operation, const typed_buffer &own, const typed_buffer &to) {
        await_other();
        const auto theirs = area_.posts().data(number_, other(), place_);
        if (static_cast<MPI_Count>(theirs.size()) != to.bytes()) [[unlikely]] {
            mismatch_ = other();
            return;
        }
        const auto combine = [&](const void *mine) {
            operation.combine(self_ == 0 ? mine : theirs.data(), self_ == 0 ? theirs.data() : mine,
                              to.address, to.count, *to.type);
        };
        if (own.address != to.address) {
            combine(own.address);
            return;
        }
        alignas(std::max_align_t) std::array<std::byte, most_in_pair> copy;
        copy_bytes(copy.data(), own.address, theirs.size());
        combine(copy.data());
    }
    /// What the rank gives to itself.
    void keep(const typed_buffer &from, const typed_buffer &to) {
        const MPI_Count bytes = from.bytes();
        if (bytes == 0 || (from.address == to.address && from.type == to.type)) {
            return;
        }
        if (bytes > to.bytes()) [[unlikely]] {
            mismatch_ = self_;
        } else if (from.type->contiguous() && to.type->contiguous()) [[likely]] {
            copy_bytes(to.address, from.address, static_cast<std::size_t>(bytes));
        } else {
            lisle::copy(from, to, 0, bytes);
        }
    }
    void end() {
        area_.turns().finish(number_, place_, false);
        if (mismatch_ >= 0) [[unlikely]] {
            refuse();
        }
    }
    [[noreturn, gnu::cold, gnu::noinline]] void refuse() const {
        if (mismatch_ == self_) {
            fail(MPI_ERR_TRUNCATE, "what this rank contributes does not fit what it receives from itself");
        }
        fail(MPI_ERR_TRUNCATE, "rank ", mismatch_,
             " gives or takes another number of bytes than this rank expects of it: counts or types differ "
             "among the ranks");
    }

    collective_area &area_;
    std::uint64_t number_; ///< of this operation in the area
    post_place place_;
    int self_;
    bool entered_ = false;
    int mismatch_ = -1; ///< a rank whose data do not fit
};

} // namespace

template <operation What> void run_as_pair(communicator &comm, MPI_Count bytes, const operands &data) {
    using enum collective_operation;
    pair both{comm, What, bytes};
    if constexpr (What == barrier) {
        both.meet();
    } else if constexpr (What == bcast) {
        both.scatter(comm.rank() == data.root ? block_view::repeated(just_described(*data.receive), 2)
                                              : block_view{},
                     *data.receive);
    } else if constexpr (What == gather || What == gatherv) {
        both.gather(*data.send, *data.take);
    } else if constexpr (What == scatter || What == scatterv) {
        both.scatter(*data.give, *data.receive);
    } else if constexpr (What == allgather || What == allgatherv) {
        both.exchange(block_view::repeated(just_described(*data.send), 2), *data.take);
    } else if constexpr (What == alltoall || What == alltoallv) {
        both.exchange(data.give->size() != 0 ? *data.give : *data.take, *data.take);
    } else if constexpr (What == reduce) {
        both.reduce(*data.reduction, *data.send, *data.receive, data.root);
    } else if constexpr (What == allreduce) {
        both.allreduce(*data.reduction, *data.send, *data.receive);
    } else if constexpr (What == scan) {
        both.scan(*data.reduction, *data.send, *data.receive);
    } else {
        both.exscan(*data.send, *data.receive);
    }
}

template void run_as_pair<operation::barrier>(communicator &, MPI_Count, const operands &);
template void run_as_pair<operation::bcast>(communicator &, MPI_Count, const operands &);
template void run_as_pair<operation::gather>(communicator &, MPI_Count, const operands &);
template void run_as_pair<operation::gatherv>(communicator &, MPI_Count, const operands &);
template void run_as_pair<operation::scatter>(communicator &, MPI_Count, const operands &);
template void run_as_pair<operation::scatterv>(communicator &, MPI_Count, const operands &);
template void run_as_pair<operation::allgather>(communicator &, MPI_Count, const operands &);
template void run_as_pair<operation::allgatherv>(communicator &, MPI_Count, const operands &);
template void run_as_pair<operation::alltoall>(communicator &, MPI_Count, const operands &);
template void run_as_pair<operation::alltoallv>(communicator &, MPI_Count, const operands &);
template void run_as_pair<operation::reduce>(communicator &, MPI_Count, const operands &);
template void run_as_pair<operation::allreduce>(communicator &, MPI_Count, const operands &);
template void run_as_pair<operation::scan>(communicator &, MPI_Count, const operands &);
template void run_as_pair<operation::exscan>(communicator &, MPI_Count, const operands &);

} // namespace lisle::collective
