// SPDX-License-Identifier: Apache-2.0
// Collectives that a fabric brings along, because it knows how its ranks lie: a fabric that has them
// implements fabric_collectives. Such a fabric may be a module (library/fabric_module.hpp), which is not
// linked with the library: so its algorithms write the steps of a schedule through an interface.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/collective_algorithms.hpp"
#include "collective/block_view.hpp"
#include "collective/team.hpp"
#include "datatype/typed_buffer.hpp"
#include "mpi.h"

namespace lisle {
class op;
}

namespace lisle::collective {

/// The steps of an algorithm of messages; each function does what schedule's of the same name does.
/// The number of a step is a step_index.
class message_steps {
  public:
    [[nodiscard]] virtual typed_buffer temporary(MPI_Count count, const datatype &type) const = 0;
    [[nodiscard]] virtual typed_buffer packed(MPI_Count bytes) const = 0;
    [[nodiscard]] virtual typed_buffer as_bytes(const typed_buffer &buffer, bool fill) const = 0;
    virtual std::uint32_t send(const typed_buffer &buffer, const team &team, int peer) const = 0;
    virtual std::uint32_t receive(const typed_buffer &buffer, const team &team, int peer) const = 0;
    virtual void copy(const typed_buffer &from, const typed_buffer &to) const = 0;
    virtual void reduce(const op &operation, const typed_buffer &in, const typed_buffer &inout) const = 0;
    virtual void await(std::uint32_t communication) const = 0;
    virtual void await_all() const = 0;

  protected:
    ~message_steps() = default;
};

/// The collectives of one intra-communicator's members, as the calling rank sees them. Reductions need an
/// operation that commutes.
class member_collectives {
  public:
    virtual ~member_collectives() = default;

    /// False: none of this kind.
    [[nodiscard]] virtual bool has(collective_operation) const noexcept { return true; }
    /// True if the members meet in pairs only.
    [[nodiscard]] virtual bool in_pairs() const noexcept = 0;

    virtual void bcast(const message_steps &plan, const team &team, const typed_buffer &buffer,
                       int root) const = 0;
    /// `send` and `receive` (which matters at the root only) may be the same buffer; in the next one, too.
    virtual void reduce(const message_steps &plan, const team &team, const op &operation,
                        const typed_buffer &send, const typed_buffer &receive, int root) const = 0;
    virtual void allreduce(const message_steps &plan, const team &team, const op &operation,
                           const typed_buffer &send, const typed_buffer &receive) const = 0;
    /// @param counts of elements for each rank @param send the whole vector
    virtual void reduce_scatter(const message_steps &plan, const team &team, const op &operation,
                                const typed_buffer &send, const typed_buffer &receive,
                                std::span<const MPI_Count> counts) const = 0;
    /// @param own the calling rank's contribution @param blocks of any lengths, which all ranks know
    virtual void allgather(const message_steps &plan, const team &team, const typed_buffer &own,
                           const block_view &blocks) const = 0;
};

/// An interface of the few fabrics that have collectives; others do not have it.
class fabric_collectives {
  public:
    /// @param members of an intra-communicator, which all are reached over this fabric @param own the calling
    /// rank. Null: it has none for these members. The result refers to the group.
    [[nodiscard]] virtual std::unique_ptr<member_collectives> among(const group &members, int own) const = 0;

  protected:
    ~fabric_collectives() = default;
};

} // namespace lisle::collective
