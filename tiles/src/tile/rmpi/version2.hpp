// SPDX-License-Identifier: Apache-2.0
// rMPI's second version: an interrupt handler takes words from the network whenever they arrive, and keeps
// messages in hash tables. A packet may come in pieces: the handler remembers where it stopped.
#pragma once

#include <unordered_map>

#include "tile/rmpi/message_table.hpp"

namespace lisle::tile::rmpi {

class version2 final : public endpoint, private interrupt_handler {
  public:
    version2(core &here, const rank_map &tiles, int rank);
    ~version2() override;

    receive_status receive(int from, int tag, int context, std::span<word> into) override;
    [[nodiscard]] std::int64_t table_steps() const noexcept { return table_.steps(); }

  private:
    void keep_own(const envelope &of, std::span<const word> payload) override;
    void words_arrived(core &here) override;
    void header_complete();

    message_table table_;
    std::unordered_map<std::size_t, message_table::message>
        incomplete_; ///< by source: at most one, since senders wait
    // The packet that is arriving.
    std::array<word, 7> header_{};
    std::size_t header_read_ = 0;
    std::size_t header_words_ = 0; ///< 0: not known yet
    unexpected_message *into_ = nullptr;
    std::size_t payload_left_ = 0;
};

} // namespace lisle::tile::rmpi
