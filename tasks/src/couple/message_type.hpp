// SPDX-License-Identifier: Apache-2.0
// Datatypes for the points of a route: what one rank sends another, or gets from it, as one message.
#pragma once

#include <vector>

#include <lisle/couple/exchange.hpp>

namespace lisle::couple::detail {

/// A datatype of MPI, freed at its end.
class message_type {
  public:
    /// All levels of all fields, at their addresses: to be sent from MPI_BOTTOM. The points come in the order
    /// of the route, level after level, field after field, however they lie in memory.
    message_type(const std::vector<field_place> &fields, const route &points, std::int64_t places);
    message_type(message_type &&other) noexcept;
    message_type &operator=(message_type &&) = delete;
    ~message_type();

    [[nodiscard]] MPI_Datatype handle() const noexcept { return handle_; }

  private:
    MPI_Datatype handle_ = MPI_DATATYPE_NULL;
};

} // namespace lisle::couple::detail
