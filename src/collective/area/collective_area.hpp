// SPDX-License-Identifier: Apache-2.0
// The shared-memory collective area of a communicator: memory through which its ranks of one node pass the
// data of collectives. Each rank alone writes its rank area: a ring of slots, one for each operation under
// way, a ring of small slots, and the number of operations that it has finished. Data that do not fit a slot
// lie in a page of a second ring, made when it is first needed; for longer data ranks post buffer
// descriptors.
//
// A rank enters the next operation when it has finished the one before. All ranks enter the operations in the
// same order, so no wait is circular, and a post for operation k says that its rank has finished all before
// k. A few bytes that go one way only lie in a small slot: several share a cache line, so a rank that posts
// faster than others read hands over one line for several posts.
// Invariant: slot k % depth of a rank area is written for operation k only after all members have finished
// operation k - depth; the same holds for pages and small slots and their depths.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/copy_bytes.hpp"
#include "collective/block_view.hpp"
#include "collective/places.hpp"
#include "communicator/communicator_local.hpp"
#include "datatype/typed_buffer.hpp"
#include "fabric/shared_memory.hpp"

namespace lisle::collective {

/// The buffers that a rank exposes to ranks that can reach its memory: one to read from, one to write to, and
/// one for each member, of either kind. Between processes the types mean nothing: the buffers are bytes.
struct buffer_descriptor {
    typed_buffer give;
    typed_buffer take;
    const typed_buffer *blocks = nullptr;
};

class collective_area {
  public:
    /// What fits into a slot, and what into a page.
    static constexpr MPI_Count most_in_slot = 248;
    static constexpr MPI_Count most_in_page = 34816;
    static constexpr MPI_Count most_in_small_slot = 8;
    /// From here on a post can be published when half of it is there: others copy that while the rest is
    /// written.
    static constexpr std::size_t least_in_parts = 8192;

    /// Where the posts of an operation lie: in slots, and if they are long in pages, or in small slots.
    enum class place : unsigned char { slot, page, small_slot };
    /// @param bytes the most that a rank posts
    [[nodiscard]] static constexpr place place_of(MPI_Count bytes, bool one_way) noexcept {
        return bytes > most_in_slot                     ? place::page
               : one_way && bytes <= most_in_small_slot ? place::small_slot
                                                        : place::slot;
    }

    /// Instead of one reader of a post: all members.
    static constexpr int everyone = -1;

    /// The area of an intra-communicator, made at the first call; null if its ranks share no memory.
    /// Every member has called this, or none.
    [[nodiscard]] static collective_area *of(const communicator &comm);
    /// The same once it has been looked for, for any thread of the rank.
    [[nodiscard]] static collective_area *found(const communicator &comm) noexcept;

    /// The area of those ranks of a communicator that are on the calling rank's node, which are several;
    /// null: they share no memory. The same for all of them.
    /// @param members the ranks, in their order, which outlives the area @param node their node's number
    [[nodiscard]] static std::unique_ptr<collective_area> make(const communicator &comm, const group &members,
                                                               int self, const area_keys &keys);

    /// @param memory of bytes(members.size()), zero before its first use, common to all members
    /// @param keys of that memory and of the pages' @param members outlive the area, as their fabric does
    /// @param home the calling rank's engine @param self the calling rank among the members
    collective_area(fabric::shared_memory &medium, std::byte *memory, const area_keys &keys,
                    protocol::engine &home, const group &members, int self, bool one_process)
        : medium_{medium}, memory_{memory}, home_{home}, keys_{keys}, members_{members}, self_{self},
          one_process_{one_process}, finished_by_(static_cast<std::size_t>(members.size())) {}
    collective_area(const collective_area &) = delete;
    collective_area &operator=(const collective_area &) = delete;
    ~collective_area();

    /// True if a rank may post so much. All members ask alike, before the operation that they ask for.
    [[nodiscard]] bool takes(MPI_Count bytes) {
        return bytes <= most_in_slot || (bytes <= most_in_page && has_pages());
    }
    /// True if ranks that do not know each other's sizes may post more than fits a slot. As takes().
    [[nodiscard]] bool uses_pages() {
        constexpr int most_near = 64; // pages for more ranks of one process would take too much memory
        return (!one_process_ || members() <= most_near) && has_pages();
    }
    /// True if the members can read each other's buffers by their addresses.
    [[nodiscard]] bool one_process() const noexcept { return one_process_; }
    /// True if they can use each other's buffers at all.
    [[nodiscard]] bool memory_open() noexcept {
        if (!memory_open_) {
            memory_open_ = one_process_ || medium_.memory_open(members_.member(self_ == 0 ? 1 : 0));
        }
        return *memory_open_;
    }
    /// Copies between the memory of a member of another process and one's own. False: not possible.
    [[nodiscard]] bool read(int peer, const void *from, void *to, MPI_Count bytes) const noexcept {
        const iovec run{to, static_cast<std::size_t>(bytes)};
        return medium_.read(members_.member(peer), reinterpret_cast<std::uintptr_t>(from), {&run, 1});
    }
    /// Where a member's memory lies here; null: it can be read and written at best.
    [[nodiscard]] const std::byte *reach(int peer, const void *from, MPI_Count bytes) const noexcept {
        return medium_.reach(members_.member(peer), reinterpret_cast<std::uintptr_t>(from),
                             static_cast<std::size_t>(bytes));
    }
    [[nodiscard]] bool write(int peer, void *to, const void *from, MPI_Count bytes) const noexcept {
        const iovec run{const_cast<void *>(from), static_cast<std::size_t>(bytes)};
        return medium_.write(members_.member(peer), reinterpret_cast<std::uintptr_t>(to), {&run, 1});
    }

    /// A context of the communicator.
    [[nodiscard]] std::uint64_t context() const noexcept { return keys_.area; }
    /// The engine of the communicator.
    [[nodiscard]] protocol::engine &home() const noexcept { return home_; }
    [[nodiscard]] int members() const noexcept { return members_.size(); }
    [[nodiscard]] int self() const noexcept { return self_; }

    /// A number for the next operation of the calling rank, the first of `phases` in a row.
    [[nodiscard]] std::uint64_t begin(unsigned phases = 1) noexcept {
        // One thread at a time begins operations of a communicator. A report of a wait may read the number
        // meanwhile: nothing is ordered by it.
        const std::uint64_t first = next_.load(std::memory_order_relaxed);
        next_.store(first + phases, std::memory_order_relaxed);
        return first;
    }
    /// What begin() will return.
    [[nodiscard]] std::uint64_t next() const noexcept { return next_.load(std::memory_order_relaxed); }
    /// True when operation `number` has its turn: all before are finished here.
    [[nodiscard]] bool has_turn(std::uint64_t number) const noexcept {
        return turn_.load(std::memory_order_acquire) == number;
    }
    /// True when its place is free: what a rank that posts something waits for besides. @pre has_turn(number)
    [[nodiscard]] bool has_room(std::uint64_t number, place at) noexcept {
        return number < all_finished_ + depth_of(at) || look_who_finished(number, at);
    }
    /// Asks for the line that the post will be written to: a peer that looks for it already may have taken
    /// it, and otherwise the store would wait for that.
    void claim(std::uint64_t number) noexcept;
    /// Posts data. @pre has_room() has been true, takes(data.bytes()); nobody but the reader awaits it
    /// @param in_parts its readers have nothing else to do meanwhile, so it may be published in two parts
    void post(std::uint64_t number, const typed_buffer &data, int reader, bool in_parts);
    /// @pre data.bytes() <= most_in_small_slot
    void post_small(std::uint64_t number, const typed_buffer &data);
    /// Posts the data of a block for each member but the calling one. @pre takes(bytes_together(blocks,
    /// self()))
    void post(std::uint64_t number, const block_view &blocks, bool in_parts);
    [[nodiscard]] static MPI_Count bytes_together(const block_view &blocks, int self) noexcept {
        return data_together(blocks, self).end;
    }
    /// What `peer` has posted for this rank in that way, or nothing if it is not what it should be.
    /// @pre posted(number, peer)
    [[nodiscard]] std::optional<std::span<const std::byte>> posted_block(std::uint64_t number,
                                                                         int peer) const noexcept;
    /// Between processes the descriptor's blocks go to the page, if they fit there. @pre so has has_room()
    void post(std::uint64_t number, const buffer_descriptor &exposed);
    /// The buffer that a descriptor has for this rank. False: it cannot be reached.
    [[nodiscard]] bool find_block(std::uint64_t number, int peer, const buffer_descriptor &exposed,
                                  typed_buffer &block) const noexcept;
    /// True when `peer` has posted for this operation.
    [[nodiscard]] bool posted(std::uint64_t number, int peer, place at = place::slot) const noexcept {
        const auto &word =
            at == place::small_slot ? small_slot_of(peer, number).posted : slot_of(peer, number).posted;
        return word.load(std::memory_order_seq_cst) >> size_bits == number + 1;
    }
    /// Prefetches what `peer` posts a little later: for a rank that sees that the peer is ahead.
    void look_ahead(std::uint64_t number, int peer, place at) const noexcept {
        if (at == place::small_slot) {
            // The next line, if this one is full: otherwise it would be taken from one who is writing it.
            if (number % small_slots_in_line == 0 && posted(number + small_slots_in_line - 1, peer, at)) {
                __builtin_prefetch(&small_slot_of(peer, number + small_slots_in_line));
            }
            return;
        }
        __builtin_prefetch(&slot_of(peer, number + fetched_ahead));
    }
    /// Fetches what a peer may have posted, which is going to be looked at.
    void fetch_post(std::uint64_t number, int peer) const noexcept {
        __builtin_prefetch(&slot_of(peer, number));
    }
    /// What a peer has posted. @pre posted(number, peer)
    [[nodiscard]] std::span<const std::byte> data(std::uint64_t number, int peer,
                                                  place at = place::slot) const noexcept;
    /// Takes all that a peer has posted for this rank, if it is there and is what most posts are: plain
    /// bytes, no more than a slot's, of the expected number. False: nothing has happened, find out what it
    /// is.
    [[nodiscard]] bool take_quickly(std::uint64_t number, int peer, const typed_buffer &to,
                                    place at) noexcept {
        const auto take = [&](const auto &from) {
            const MPI_Count bytes = to.bytes();
            if (from.posted.load(std::memory_order_seq_cst) !=
                    ((number + 1) << size_bits | static_cast<std::uint64_t>(bytes)) ||
                bytes > static_cast<MPI_Count>(sizeof from.bytes) || !to.type->contiguous()) [[unlikely]] {
                return false;
            }
            note_posted(number, peer);
            copy_bytes(to.address, from.bytes, static_cast<std::size_t>(bytes));
            return true;
        };
        return at == place::small_slot ? take(small_slot_of(peer, number)) : take(slot_of(peer, number));
    }
    /// True if a post was published before all of it was there. @pre posted(number, peer)
    [[nodiscard]] bool in_parts(std::uint64_t number, int peer) const noexcept {
        return (word_of(number, peer) & parts_bit) != 0;
    }
    /// How much of a part of that is there already. @param of within data(number, peer)
    [[nodiscard]] std::size_t there(std::uint64_t number, int peer,
                                    std::span<const std::byte> of) const noexcept {
        const std::size_t begin = static_cast<std::size_t>(of.data() - data(number, peer).data());
        return std::min(of.size(), first_part(number, peer) - std::min(begin, first_part(number, peer)));
    }
    /// Returns when all of a post of several parts is there: its writer is copying it. @pre posted(number,
    /// peer)
    void await_rest(std::uint64_t number, int peer) const noexcept;
    /// True if that is a descriptor. @pre posted(number, peer)
    [[nodiscard]] bool exposes_buffers(std::uint64_t number, int peer) const noexcept {
        return (word_of(number, peer) & descriptor_bit) != 0;
    }
    [[nodiscard]] buffer_descriptor descriptor_of(std::uint64_t number, int peer) const noexcept;
    /// A member has, or all have, posted and so finished what came before.
    void note_posted(std::uint64_t number, int peer) noexcept {
        finished_by_[static_cast<std::size_t>(peer)] = number;
    }
    void note_all_posted(std::uint64_t number) noexcept;
    /// The calling rank needs nothing of the others any more for this operation.
    /// @param awaited somebody may wait for just that
    void finish(std::uint64_t number, place at, bool awaited) noexcept;
    /// For an operation whose place is no small slot: others may wait for the rank to finish what came long
    /// before, which it has, but has not told. @pre has_turn(number)
    void tell_what_is_due(std::uint64_t number) noexcept {
        if (told_ + telling <= number) [[unlikely]] {
            tell(number);
        }
    }
    [[nodiscard]] bool finished(std::uint64_t number, int peer) const noexcept {
        return rank_area_of(peer).finished.load(std::memory_order_seq_cst) > number;
    }

    /// Memory of an area for so many members.
    [[nodiscard]] static std::size_t bytes(int members) noexcept {
        return static_cast<std::size_t>(members) * sizeof(rank_area);
    }

  private:
    static constexpr unsigned depth = 8;
    static constexpr unsigned page_depth = 4;
    static constexpr unsigned small_depth = 32;
    /// How often a member tells the others how many operations it has finished, if it need not.
    static constexpr unsigned telling = 4;
    static constexpr unsigned telling_in_small = 16;
    static constexpr std::uint64_t fetched_ahead = 2;
    static constexpr std::uint64_t small_slots_in_line = 4; ///< of a small slot
    // Else who waits for room might sleep for ever.
    static_assert(telling <= page_depth && telling <= depth && telling_in_small <= small_depth);
    static constexpr unsigned size_bits = 20;
    static constexpr std::uint64_t descriptor_bit = std::uint64_t{1} << (size_bits - 1);
    static constexpr std::uint64_t parts_bit =
        descriptor_bit >> 1; ///< only half was there when it was published
    static_assert(most_in_page < static_cast<MPI_Count>(parts_bit));

    /// Where bytes of a block for each member begin if all are posted together; the last one says where they
    /// end.
    using block_offset = std::uint16_t;
    static_assert(most_in_page <= UINT16_MAX);

    /// Where the data lie in a post of several blocks, behind those offsets.
    struct extent {
        MPI_Count begin, end;
    };
    [[nodiscard]] static extent data_together(const block_view &blocks, int self) noexcept;

    struct alignas(64) slot {
        /// Number of the operation plus one, and below that the bytes that lie here. The store publishes
        /// them and pairs with the load in posted(). That is sequentially consistent, and a fence follows
        /// the store, because of the sleeping (shared_memory::nudge).
        std::atomic<std::uint64_t> posted;
        std::byte bytes[most_in_slot];
    };
    /// A page is its data and, on a line of its own, a word (rest_in).
    static constexpr std::size_t page_bytes = static_cast<std::size_t>(most_in_page) + 64;
    /// The same, four to a line.
    struct small_slot {
        std::atomic<std::uint64_t> posted;
        std::byte bytes[most_in_small_slot];
    };
    struct alignas(64) rank_area {
        /// How many operations the member has finished; pairs as `posted`: its reads of others' slots and
        /// buffers came before.
        std::atomic<std::uint64_t> finished;
        slot slots[depth];
        alignas(64) small_slot small_slots[small_depth];
    };
    static_assert(sizeof(slot) == 256 && sizeof(buffer_descriptor) <= most_in_slot);

    [[nodiscard]] rank_area &rank_area_of(int member) const noexcept {
        return reinterpret_cast<rank_area *>(memory_)[member];
    }
    [[nodiscard]] slot &slot_of(int member, std::uint64_t number) const noexcept {
        return rank_area_of(member).slots[number % depth];
    }
    [[nodiscard]] small_slot &small_slot_of(int member, std::uint64_t number) const noexcept {
        return rank_area_of(member).small_slots[number % small_depth];
    }
    [[nodiscard]] static constexpr unsigned depth_of(place at) noexcept {
        return at == place::small_slot ? small_depth : at == place::page ? page_depth : depth;
    }
    [[nodiscard]] std::byte *page_of(int member, std::uint64_t number) const noexcept {
        return pages_ + (static_cast<std::size_t>(member) * page_depth + number % page_depth) * page_bytes;
    }
    /// Number plus one of the last operation of which all lies in the page. Released after the rest of the
    /// data, pairs with await_rest().
    [[nodiscard]] std::atomic<std::uint64_t> &rest_in(std::byte *page) const noexcept {
        return *reinterpret_cast<std::atomic<std::uint64_t> *>(page + most_in_page);
    }
    /// Where so many bytes are posted.
    [[nodiscard]] std::byte *place_for(std::uint64_t number, MPI_Count bytes) const noexcept {
        return bytes <= most_in_slot ? slot_of(self_, number).bytes : page_of(self_, number);
    }
    static void put(const typed_buffer &data, std::byte *to);
    class writer;
    [[nodiscard]] std::uint64_t word_of(std::uint64_t number, int peer) const noexcept {
        // Relaxed: the caller has seen the post.
        return slot_of(peer, number).posted.load(std::memory_order_relaxed);
    }
    /// The bytes of a post that were there when it was published.
    [[nodiscard]] std::size_t first_part(std::uint64_t number, int peer) const noexcept {
        const std::size_t all = data(number, peer).size();
        return in_parts(number, peer) ? all / 2 : all;
    }
    [[nodiscard]] bool look_who_finished(std::uint64_t number, place at) noexcept;
    [[nodiscard]] bool has_pages() {
        if (!pages_sought_) [[unlikely]] {
            seek_pages();
        }
        return pages_ != nullptr;
    }
    void seek_pages();
    /// Stores the word that publishes the post.
    static void publish(std::atomic<std::uint64_t> &posted, std::uint64_t number,
                        std::uint64_t word) noexcept {
        // An exchange would be as good, but between the stores of the data and its own a peer that looks at
        // the line would take it away: it would be handed over twice.
        posted.store((number + 1) << size_bits | word, std::memory_order_release);
        std::atomic_thread_fence(std::memory_order_seq_cst);
    }
    /// The same in a slot, and wakes who waits for it.
    void publish(std::uint64_t number, std::uint64_t word, int reader) noexcept;
    void tell(std::uint64_t finished) noexcept;
    void nudge_all() noexcept;

    fabric::shared_memory &medium_;
    std::byte *memory_;
    protocol::engine &home_;
    std::byte *pages_ = nullptr;
    bool pages_sought_ = false;
    std::optional<bool> memory_open_;
    area_keys keys_;
    const group &members_; ///< the communicator's, which owns the area
    int self_;
    bool one_process_;
    // The calling rank's own view; the user orders the collectives of a communicator.
    std::atomic<std::uint64_t> next_{0};     ///< see begin()
    std::atomic<std::uint64_t> turn_{0};     ///< all operations before this one are finished here; as next_
    std::uint64_t told_ = 0;                 ///< so many operations are finished here, as others know
    std::uint64_t all_finished_ = 0;         ///< so many operations are known to be finished by all members
    int late_ = 0;                           ///< member that was the last to be waited for
    std::vector<std::uint64_t> finished_by_; ///< and by each, which may be more or less
};

inline const communicator_local<collective_area> areas{[](const communicator &comm) {
    return collective_area::make(comm, comm.local_group(), comm.rank(), keys_of(comm.context()));
}};

inline collective_area *collective_area::of(const communicator &comm) {
    return areas.of(comm);
}
inline collective_area *collective_area::found(const communicator &comm) noexcept {
    return areas.found(comm);
}

} // namespace lisle::collective
