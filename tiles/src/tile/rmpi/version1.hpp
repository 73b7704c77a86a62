// SPDX-License-Identifier: Apache-2.0
// rMPI's first version: it looks at the network inside of a receive only, and keeps what arrives in lists by
// source. A search walks the lists. While it sends, it does not receive: two ranks that send to each other
// more than the network holds wait for ever.
#pragma once

#include <list>
#include <map>

#include "tile/rmpi/endpoint.hpp"
#include "tile/rmpi/message_table.hpp"

namespace lisle::tile::rmpi {

class version1 final : public endpoint {
  public:
    version1(core &here, const rank_map &tiles, int rank) : endpoint{here, tiles, rank, format1} {}

    receive_status receive(int from, int tag, int context, std::span<word> into) override;

  private:
    using list = std::list<unexpected_message>;

    void keep_own(const envelope &of, std::span<const word> payload) override;
    void read_packet(int awaited);
    /// The oldest message of a list that matches; counts the messages before it.
    list::iterator find(list &in, int tag, int context);
    [[nodiscard]] bool take(list &in, int tag, int context, std::span<word> into, receive_status &status);

    std::map<std::size_t, list> lists_; ///< by source
};

} // namespace lisle::tile::rmpi
