// SPDX-License-Identifier: Apache-2.0
// What the members of a collective area post for each other: data in slots, small slots and pages, blocks for
// each member, and descriptors of buffers. A long post may be published when half of it is there.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/copy_bytes.hpp"
#include "collective/area/members.hpp"
#include "collective/area/pages.hpp"
#include "collective/area/rank_areas.hpp"
#include "collective/block_view.hpp"
#include "datatype/typed_buffer.hpp"

namespace lisle::collective {

class posts {
  public:
    /// From here on a post can be published when half of it is there: others copy that while the rest is
    /// written.
    static constexpr std::size_t least_in_parts = 8192;

    posts(rank_areas areas, pages &long_posts, const area_members &members) noexcept
        : areas_{areas}, pages_{long_posts}, members_{members} {}

    // ---- by the calling rank, which has room ----

    /// Asks for the line that the post will be written to: a peer that looks for it already may have taken
    /// it, and otherwise the store would wait for that.
    void claim(std::uint64_t number) noexcept;
    /// Posts data, no more than the area takes. Nobody but its readers awaits it.
    /// @param in_parts its readers have nothing else to do meanwhile, so it may be published in two parts
    void add(std::uint64_t number, post_place at, const typed_buffer &data, readers who, bool in_parts);
    /// Posts the data of a block for each member but the calling one, together no more than the area takes.
    void add(std::uint64_t number, const block_view &blocks, bool in_parts);
    [[nodiscard]] static MPI_Count bytes_together(const block_view &blocks, int self) noexcept {
        return data_together(blocks, self).end;
    }
    /// Between processes the descriptor's blocks go to the page, if they fit there, which has room then, too.
    void add(std::uint64_t number, const buffer_descriptor &exposed);

    // ---- of a member ----

    /// True when `peer` has posted for this operation.
    [[nodiscard]] bool has(std::uint64_t number, int peer, post_place at = post_place::slot) const noexcept {
        return word_in(number, peer, at).load(std::memory_order_seq_cst) >> size_bits == number + 1;
    }
    /// Prefetches what `peer` posts a little later: for a rank that sees that the peer is ahead.
    void look_ahead(std::uint64_t number, int peer, post_place at) const noexcept {
        if (at == post_place::small_slot) {
            // The next line, if this one is full: otherwise it would be taken from one who is writing it.
            if (number % small_slots_in_line == 0 && has(number + small_slots_in_line - 1, peer, at)) {
                __builtin_prefetch(&areas_.small_slot_of(peer, number + small_slots_in_line));
            }
            return;
        }
        __builtin_prefetch(&areas_.slot_of(peer, number + fetched_ahead));
    }
    /// Fetches what a peer may have posted, which is going to be looked at.
    void fetch(std::uint64_t number, int peer) const noexcept {
        __builtin_prefetch(&areas_.slot_of(peer, number));
    }
    /// What a peer has posted. @pre has(number, peer); for all that follow, too
    [[nodiscard]] std::span<const std::byte> data(std::uint64_t number, int peer,
                                                  post_place at = post_place::slot) const noexcept;
    /// Takes all that a peer has posted for this rank, if it is there and is what most posts are: plain
    /// bytes, no more than a slot's, of the expected number. False: nothing has happened, find out what it
    /// is.
    [[nodiscard]] bool take_quickly(std::uint64_t number, int peer, const typed_buffer &to,
                                    post_place at) const noexcept {
        const auto take = [&](const auto &from) {
            const MPI_Count bytes = to.bytes();
            if (from.posted.load(std::memory_order_seq_cst) !=
                    ((number + 1) << size_bits | static_cast<std::uint64_t>(bytes)) ||
                bytes > static_cast<MPI_Count>(sizeof from.bytes) || !to.type->contiguous()) [[unlikely]] {
                return false;
            }
            copy_bytes(to.address, from.bytes, static_cast<std::size_t>(bytes));
            return true;
        };
        return at == post_place::small_slot ? take(areas_.small_slot_of(peer, number))
                                            : take(areas_.slot_of(peer, number));
    }
    /// What `peer` has posted for this rank among blocks, or nothing if it is not what it should be.
    [[nodiscard]] std::optional<std::span<const std::byte>> block(std::uint64_t number,
                                                                  int peer) const noexcept;
    /// True if a post was published before all of it was there.
    [[nodiscard]] bool in_parts(std::uint64_t number, int peer) const noexcept {
        return (word_of(number, peer) & parts_bit) != 0;
    }
    /// How much of a part of that is there already. @param of within data(number, peer)
    [[nodiscard]] std::size_t there(std::uint64_t number, int peer,
                                    std::span<const std::byte> of) const noexcept {
        const std::size_t begin = static_cast<std::size_t>(of.data() - data(number, peer).data());
        return std::min(of.size(), first_part(number, peer) - std::min(begin, first_part(number, peer)));
    }
    /// Returns when all of a post of several parts is there: its writer is copying it.
    void await_rest(std::uint64_t number, int peer) const noexcept;
    /// True if that is a descriptor.
    [[nodiscard]] bool exposes_buffers(std::uint64_t number, int peer) const noexcept {
        return (word_of(number, peer) & descriptor_bit) != 0;
    }
    [[nodiscard]] buffer_descriptor descriptor(std::uint64_t number, int peer) const noexcept;
    /// The buffer that a descriptor has for this rank. False: it cannot be reached.
    [[nodiscard]] bool find_block(std::uint64_t number, int peer, const buffer_descriptor &exposed,
                                  typed_buffer &block) const noexcept;

  private:
    static constexpr std::uint64_t fetched_ahead = 2;
    static constexpr std::uint64_t small_slots_in_line = 4; ///< of a small slot
    // The word that publishes a post.
    static constexpr unsigned size_bits = 20;
    static constexpr std::uint64_t descriptor_bit = std::uint64_t{1} << (size_bits - 1);
    static constexpr std::uint64_t parts_bit =
        descriptor_bit >> 1; ///< only half was there when it was published
    static_assert(pages::most < static_cast<MPI_Count>(parts_bit));

    /// Where bytes of a block for each member begin if all are posted together; the last one says where they
    /// end.
    using block_offset = std::uint16_t;
    static_assert(pages::most <= UINT16_MAX);

    /// Where the data lie in a post of several blocks, behind those offsets.
    struct extent {
        MPI_Count begin, end;
    };
    [[nodiscard]] static extent data_together(const block_view &blocks, int self) noexcept;

    class writer;
    [[nodiscard]] std::atomic<std::uint64_t> &word_in(std::uint64_t number, int peer,
                                                      post_place at) const noexcept {
        return at == post_place::small_slot ? areas_.small_slot_of(peer, number).posted
                                            : areas_.slot_of(peer, number).posted;
    }
    [[nodiscard]] std::uint64_t word_of(std::uint64_t number, int peer) const noexcept {
        return areas_.slot_of(peer, number).posted.load(std::memory_order_relaxed); // the post has been seen
    }
    /// The bytes of a post that were there when it was published.
    [[nodiscard]] std::size_t first_part(std::uint64_t number, int peer) const noexcept {
        const std::size_t all = data(number, peer).size();
        return in_parts(number, peer) ? all / 2 : all;
    }
    /// Where the calling rank posts so many bytes.
    [[nodiscard]] std::byte *place_for(std::uint64_t number, MPI_Count bytes) const noexcept {
        const int self = members_.self();
        return bytes <= rank_areas::most_in_slot ? areas_.slot_of(self, number).bytes
                                                 : pages_.of(self, number);
    }
    /// Publishes what lies in a slot or page, and wakes who waits for it.
    void publish(std::uint64_t number, std::uint64_t word, readers who) noexcept;

    rank_areas areas_;
    pages &pages_;
    const area_members &members_;
};

} // namespace lisle::collective
