// SPDX-License-Identifier: Apache-2.0
// rMPI's third version. A later packet of a message carries one word, its sender's rank: a sender has one
// message under way, so an entry for each sender says where its words go. A message whose receive is posted
// is written straight into the user's buffer (case 2); others are kept (cases 1 and 3: all of it, or a part,
// had arrived).
//
// What the thesis leaves open: a message longer than the posted buffer is written up to the buffer's end, and
// the rest is read and dropped.
#pragma once

#include <deque>
#include <unordered_map>
#include <vector>

#include "tile/rmpi/message_table.hpp"
#include "tile/rmpi/stream.hpp"

namespace lisle::tile::rmpi {

class version3 final : public endpoint, public stream_port, private interrupt_handler {
  public:
    version3(core &here, const rank_map &tiles, int rank);
    ~version3() override;

    receive_status receive(int from, int tag, int context, std::span<word> into) override;
    [[nodiscard]] std::int64_t table_steps() const noexcept { return table_.steps(); }

    // ---- packets of collectives that know the mesh ----
    void begin_streams() override;
    void end_streams() override;
    std::size_t receive_part(int from, std::span<word> into) override;
    void send_part(int to, std::span<const word> part) override;

  private:
    /// The one receive that can be posted, as all of them block.
    struct posted_receive {
        int source, tag, context;
        std::span<word> into;
        envelope matched;
        bool armed = false; ///< nothing has matched it
        bool done = false;
    };
    /// The message that arrives from one sender.
    struct incoming {
        envelope of;
        std::array<word, 3> header{}; ///< behind the rank: bytes, tag, context
        std::size_t header_left = 0;
        std::uint32_t left = 0; ///< words of the message that have not arrived
        bool active = false;
        bool first_packet = false;
        std::span<word> into;        ///< the part of the destination that is not written yet
        message_table::message kept; ///< null: goes to the posted receive
    };
    enum class reading : std::uint8_t { sender, header, payload, part };

    void keep_own(const envelope &of, std::span<const word> payload) override;
    void words_arrived(core &here) override;
    /// Reads the words that wait, and keeps the state for the next call.
    void read_some();
    void sender_known(word first);
    void envelope_known();
    void payload_step();
    void part_step();
    void message_complete(incoming &of);
    [[nodiscard]] bool matches_posted(const envelope &of) const noexcept;

    message_table table_;
    posted_receive posted_{};
    std::unordered_map<std::size_t, incoming> by_sender_; ///< of senders of at least one packet
    // The packet that is arriving.
    reading state_ = reading::sender;
    std::size_t sender_ = 0;
    std::size_t payload_left_ = 0;
    // Parts of collectives that came before they were awaited, by sender. A part is its number of words and
    // the words.
    std::unordered_map<std::size_t, std::deque<std::vector<word>>> early_parts_;
    std::vector<word> part_;
};

} // namespace lisle::tile::rmpi
