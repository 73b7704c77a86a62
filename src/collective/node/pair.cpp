// SPDX-License-Identifier: Apache-2.0
#include "collective/node/pair.hpp"

#include <array>
#include <cstddef>

#include "base/copy_bytes.hpp"
#include "base/error.hpp"
#include "collective/steps/schedule.hpp"

namespace lisle::collective {

pair::pair(communicator &comm, operation what, MPI_Count bytes)
    : area_{*collective_area::found(comm)}, steps_{&area_}, place_{collective_area::place_of(
                                                                bytes, what == operation::scan ||
                                                                           what == operation::exscan)},
      self_{comm.rank()} {
    communicator::count_one(comm.collectives);
}

void pair::meet() {
    const typed_buffer none = nothing();
    give(none);
    take(none);
    end();
}

void pair::exchange(const block_view &give, const block_view &take) {
    this->give(give[other()]);
    keep(give[self_], take[self_]); // while the other rank's data come
    this->take(take[other()]);
    end();
}

void pair::gather(const typed_buffer &own, const block_view &take) {
    if (take.size() == 0) {
        give(own);
    } else {
        keep(own, take[self_]);
        this->take(take[other()]);
    }
    end();
}

void pair::scatter(const block_view &give, const typed_buffer &own) {
    if (give.size() == 0) {
        take(own);
    } else {
        this->give(give[other()]);
        keep(give[self_], own);
    }
    end();
}

void pair::reduce_for_all(operation what, const op &reduction, const typed_buffer &own,
                          const typed_buffer &to) {
    const bool gives = what == operation::allreduce || self_ == 0;
    if (gives) {
        give(own);
    }
    if (what == operation::allreduce || (what == operation::scan && self_ == 1)) {
        take_and_combine(reduction, own, to);
    } else if (what == operation::scan) {
        keep(own, to);
    } else if (!gives) {
        take(to);
    }
    end();
}

void pair::reduce(const op &operation, const typed_buffer &own, const typed_buffer &to, int root) {
    if (self_ == root) {
        take_and_combine(operation, own, to);
    } else {
        give(own);
    }
    end();
}

void pair::give(const typed_buffer &data) {
    gives_ = true;
    steps_.finish(enter_step{place_, true});
    steps_.take(post_step{data, other(), false});
}

void pair::await_other() {
    if (!gives_) {
        steps_.finish(enter_step{place_, false});
    }
    const await_posts_step posted{other(), other() + 1};
    if (!steps_.take(posted)) {
        steps_.finish(posted);
    } else if (!gives_) {
        area_.look_ahead(steps_.number(), other(), place_); // the other rank is ahead
    }
}

void pair::take(const typed_buffer &to) {
    await_other();
    steps_.take(take_step{to, other(), 0, static_cast<std::uint32_t>(to.bytes())});
}

/// In the order of ranks, so that both get the same bits.
void pair::take_and_combine(const op &operation, const typed_buffer &own, const typed_buffer &to) {
    await_other();
    const auto theirs = area_.data(steps_.number(), other(), place_);
    if (static_cast<MPI_Count>(theirs.size()) != to.bytes()) [[unlikely]] {
        take(to); // says so
        return;
    }
    const auto combine = [&](const void *mine) {
        operation.combine(self_ == 0 ? mine : theirs.data(), self_ == 0 ? theirs.data() : mine, to.address,
                          to.count, *to.type);
    };
    if (own.address != to.address) {
        combine(own.address);
        return;
    }
    alignas(std::max_align_t) std::array<std::byte, most_in_pair> copy;
    copy_bytes(copy.data(), own.address, theirs.size());
    combine(copy.data());
}

void pair::keep(const typed_buffer &from, const typed_buffer &to) {
    if (from.bytes() != 0 && (from.address != to.address || from.type != to.type)) {
        steps_.take(copy_step{from, to});
    }
}

void pair::end() {
    steps_.take(finish_step{false});
    if (steps_.error() != MPI_SUCCESS) [[unlikely]] {
        fail(steps_.error(), steps_.describe());
    }
}

} // namespace lisle::collective
