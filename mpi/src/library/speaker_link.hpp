// SPDX-License-Identifier: Apache-2.0
// A connection between the speakers of two nodes (standstill_speaker.hpp) and what travels on it. Between
// machines of one kind that run the same library, as the network's frames do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "diagnosis/standstill_vote.hpp"
#include "tcp/stream.hpp"

namespace lisle {

/// What a rank has said, if there is something to say of it.
struct spoken_wait {
    std::int32_t rank; ///< of the job
    std::uint32_t state;
    wait_note note;
};

struct speaker_message {
    std::int32_t node;      ///< of the sender
    teller_request request; ///< from the teller
    std::uint32_t round;    ///< goes with it
    node_statement said;    ///< to the teller
    std::uint64_t waits;    ///< so many spoken_wait follow
};

/// One thread uses it.
class speaker_link {
  public:
    struct heard {
        speaker_message head;
        std::vector<spoken_wait> waits;
    };

    /// @param connected both ends have greeted (tcp/greeting.hpp)
    explicit speaker_link(tcp::stream connected) noexcept : stream_{std::move(connected)} {}

    [[nodiscard]] int descriptor() const noexcept { return stream_.get(); }
    /// Waits until the system has taken it. False: the connection has ended.
    bool send(const speaker_message &head, std::span<const spoken_wait> waits = {}) noexcept;
    /// Takes in what has arrived. False: the connection has ended.
    bool take_in();
    /// The next message that has arrived whole. @param most_waits what is more breaks the connection
    [[nodiscard]] std::optional<heard> next(std::size_t most_waits);
    [[nodiscard]] bool broken() const noexcept { return !stream_; }

  private:
    tcp::stream stream_;
    std::vector<std::byte> arrived_;
};

} // namespace lisle
