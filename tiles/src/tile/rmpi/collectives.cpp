// SPDX-License-Identifier: Apache-2.0
#include "tile/rmpi/collectives.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "tile/rmpi/mesh_collectives.hpp"

namespace lisle::tile::rmpi {

namespace {

// A context that user messages do not have, and a tag for each operation.
constexpr int collective_context = 1 << 30;
enum collective_tag : int { tag_broadcast, tag_reduce, tag_gather, tag_scatter };

constexpr int most_for_linear = 4;

algorithm resolve(algorithm with, int size) {
    if (with != algorithm::as_rmpi) {
        return with;
    }
    return size <= most_for_linear ? algorithm::linear : algorithm::logarithmic;
}

void send(endpoint &self, int to, int tag, std::span<const word> data) {
    self.send(to, tag, collective_context, data);
}
void receive(endpoint &self, int from, int tag, std::span<word> data) {
    static_cast<void>(self.receive(from, tag, collective_context, data));
}

void broadcast_linearly(endpoint &self, int root, std::span<word> data) {
    if (self.rank() != root) {
        receive(self, root, tag_broadcast, data);
        return;
    }
    for (int rank = 0; rank < self.size(); ++rank) {
        if (rank != root) {
            send(self, rank, tag_broadcast, data);
        }
    }
}

/// Along a hypercube in ranks counted from the root: in step i, those below 2^i send to the one 2^i above.
void broadcast_logarithmically(endpoint &self, int root, std::span<word> data) {
    const int size = self.size();
    const int place = (self.rank() + size - root) % size;
    const auto rank_at = [&](int p) { return (p + root) % size; };
    const int highest = static_cast<int>(std::bit_floor(static_cast<unsigned>(place)));
    if (place != 0) {
        receive(self, rank_at(place - highest), tag_broadcast, data);
    }
    for (int bit = place == 0 ? 1 : highest * 2; bit < size; bit *= 2) {
        if (place + bit < size) {
            send(self, rank_at(place + bit), tag_broadcast, data);
        }
    }
}

void combine_into(endpoint &self, std::span<word> sum, std::span<const word> more, combiner combine) {
    self.here().work(self.here().costs().copy_word_cycles * static_cast<cycle>(sum.size()));
    std::transform(sum.begin(), sum.end(), more.begin(), sum.begin(), combine);
}

void reduce_linearly(endpoint &self, int root, std::span<const word> mine, std::span<word> result,
                     combiner combine) {
    if (self.rank() != root) {
        send(self, root, tag_reduce, mine);
        return;
    }
    std::copy(mine.begin(), mine.end(), result.begin());
    std::vector<word> theirs(mine.size());
    for (int rank = 0; rank < self.size(); ++rank) {
        if (rank != root) {
            receive(self, rank, tag_reduce, theirs);
            combine_into(self, result, theirs, combine);
        }
    }
}

void reduce_logarithmically(endpoint &self, int root, std::span<const word> mine, std::span<word> result,
                            combiner combine) {
    const int size = self.size();
    const int place = (self.rank() + size - root) % size;
    const auto rank_at = [&](int p) { return (p + root) % size; };
    std::vector<word> sum(mine.begin(), mine.end());
    std::vector<word> theirs(mine.size());
    for (int bit = 1; bit < size; bit *= 2) {
        if ((place & bit) != 0) {
            send(self, rank_at(place - bit), tag_reduce, sum);
            return;
        }
        if (place + bit < size) {
            receive(self, rank_at(place + bit), tag_reduce, theirs);
            combine_into(self, sum, theirs, combine);
        }
    }
    std::copy(sum.begin(), sum.end(), result.begin());
}

template <class Words> Words block_of(Words all, std::size_t rank, std::size_t words) {
    return all.subspan(rank * words, words);
}

} // namespace

void broadcast(endpoint &self, algorithm with, int root, std::span<word> data) {
    switch (resolve(with, self.size())) {
    case algorithm::mesh:
        broadcast_on_mesh(self, root, data);
        break;
    case algorithm::linear:
        broadcast_linearly(self, root, data);
        break;
    default:
        broadcast_logarithmically(self, root, data);
    }
}

void reduce(endpoint &self, algorithm with, int root, std::span<const word> mine, std::span<word> result,
            combiner combine) {
    switch (resolve(with, self.size())) {
    case algorithm::mesh:
        reduce_on_mesh(self, root, mine, result, combine);
        break;
    case algorithm::linear:
        reduce_linearly(self, root, mine, result, combine);
        break;
    default:
        reduce_logarithmically(self, root, mine, result, combine);
    }
}

void allreduce(endpoint &self, algorithm with, std::span<const word> mine, std::span<word> result,
               combiner combine) {
    const int root = with == algorithm::mesh ? middle_rank(self) : 0;
    reduce(self, with, root, mine, result, combine);
    broadcast(self, with, root, result);
}

void gather(endpoint &self, int root, std::span<const word> mine, std::span<word> all) {
    if (self.rank() != root) {
        send(self, root, tag_gather, mine);
        return;
    }
    for (int rank = 0; rank < self.size(); ++rank) {
        const auto block = block_of(all, static_cast<std::size_t>(rank), mine.size());
        if (rank == root) {
            std::copy(mine.begin(), mine.end(), block.begin());
        } else {
            receive(self, rank, tag_gather, block);
        }
    }
}

void scatter(endpoint &self, int root, std::span<const word> all, std::span<word> mine) {
    if (self.rank() != root) {
        receive(self, root, tag_scatter, mine);
        return;
    }
    for (int rank = 0; rank < self.size(); ++rank) {
        const auto block = block_of(all, static_cast<std::size_t>(rank), mine.size());
        if (rank == root) {
            std::copy(block.begin(), block.end(), mine.begin());
        } else {
            send(self, rank, tag_scatter, block);
        }
    }
}

void allgather(endpoint &self, algorithm with, std::span<const word> mine, std::span<word> all) {
    constexpr int root = 0;
    gather(self, root, mine, all);
    broadcast(self, with, root, all);
}

void barrier(endpoint &self) {
    const word here = 0;
    word all = 0;
    allreduce(self, algorithm::as_rmpi, {&here, 1}, {&all, 1}, [](word a, word b) { return a | b; });
}

} // namespace lisle::tile::rmpi
