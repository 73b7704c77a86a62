// SPDX-License-Identifier: Apache-2.0
// The messages between coupled models: short ones that say or ask something, and values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include <lisle/couple.hpp>

#include "task/transport/mpi_check.hpp"

namespace lisle::couple::detail {

using tasks::check;

using shared_bytes = std::shared_ptr<const std::vector<std::byte>>;

enum class message_kind : std::uint32_t { reached, request, finished, goodbye };

/// Everything but values.
struct control {
    message_kind kind;
    std::int32_t field;
    ticks time;
    std::uint32_t rule;
    std::uint32_t unused;
};

/// Before values, in one message with them.
struct values_head {
    std::int32_t field;
    std::uint32_t is_missing; ///< the model has finished without posting the field
    std::array<std::int64_t, 3> extents;
    std::uint64_t element;
    std::uint32_t kind;
    std::uint32_t has_after;
    double weight;
    std::uint64_t bytes; ///< of one time's values; once, or twice if has_after
};

/// Values of one time, or of two between which the reader interpolates.
struct values {
    values_head head{};
    std::vector<std::byte> bytes;
};

struct letter {
    int from;
    std::variant<control, values> says;
};

/// Sends and receives them. What is sent is kept until it has left.
class mail {
  public:
    explicit mail(MPI_Comm comm) : comm_{comm} {}

    void send(int to, const control &message);
    /// Head and values in one message, the values from where they are.
    void send(int to, const values_head &head, std::span<const shared_bytes> values);

    /// Waits for a message. Throws std::runtime_error for one that is none of the protocol's.
    letter take();
    /// A message, if there is one.
    std::optional<letter> try_take();

    /// Waits until everything has left.
    void wait_for_sends();

  private:
    void keep(MPI_Request request, std::vector<shared_bytes> bytes);
    letter receive(MPI_Message message, const MPI_Status &status);

    MPI_Comm comm_;
    std::vector<MPI_Request> sends_;
    std::vector<std::vector<shared_bytes>> sent_; ///< what sends_ send
};

} // namespace lisle::couple::detail
