// SPDX-License-Identifier: Apache-2.0
// Collectives of ranks on a modelled machine: an interface for algorithms besides Lisle's own. An algorithm
// writes down the steps of the calling rank: what it sends to whom, receives and combines. It knows where on
// the machine the ranks are. The library takes the steps, also of non-blocking and persistent calls.
#pragma once

#include <cstdint>
#include <span>

namespace lisle::tile {

/// Elements [first, first + count) of one of the vectors of a call.
struct elements {
    int vector = 0;
    std::int64_t first = 0, count = 0;
    /// Some of these.
    [[nodiscard]] elements part(std::int64_t begin, std::int64_t length) const noexcept {
        return {vector, first + begin, length};
    }
};

/// The steps of the calling rank. Sends and receives go on in the order of their beginnings while those that
/// follow are begun; copies and combinations are made at once, so their data have to be awaited.
class rank_steps {
  public:
    /// What the calling rank contributes. Of a broadcast: the data, at each rank.
    [[nodiscard]] virtual elements given() = 0;
    /// Where the result goes. Of a broadcast: the same; of a reduction at another rank than the root: memory
    /// that nobody reads afterwards.
    [[nodiscard]] virtual elements result() = 0;
    /// Memory for so many elements, until the call ends.
    [[nodiscard]] virtual elements temporary(std::int64_t count) = 0;

    /// @return the number of the step, for await()
    virtual std::uint32_t send(elements sent, int peer) = 0;
    virtual std::uint32_t receive(elements into, int peer) = 0;
    virtual void copy(elements from, elements to) = 0;
    /// Each element of `inout` becomes `in` with `inout`, by the operation of the call, which commutes.
    virtual void combine(elements in, elements inout) = 0;
    virtual void await(std::uint32_t step) = 0;
    virtual void await_all() = 0;

  protected:
    ~rank_steps() = default;
};

/// The ranks of a communicator.
struct placed_ranks {
    struct place {
        int column, row;
    };
    int rank = 0;                  ///< the calling one
    std::span<const place> places; ///< by rank: the tile
    [[nodiscard]] int size() const noexcept { return static_cast<int>(places.size()); }
};

/// What all ranks call with the same arguments must write steps that fit each other.
class rank_collectives {
  public:
    enum class call : std::uint8_t { bcast, reduce, allreduce };

    virtual ~rank_collectives() = default;
    /// False: the call is left to Lisle's algorithms.
    [[nodiscard]] virtual bool has(call which) const noexcept = 0;
    virtual void bcast(rank_steps &, const placed_ranks &, int /*root*/) const {}
    virtual void reduce(rank_steps &, const placed_ranks &, int /*root*/) const {}
    virtual void allreduce(rank_steps &, const placed_ranks &) const {}
};

} // namespace lisle::tile
