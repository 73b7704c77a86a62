// SPDX-License-Identifier: Apache-2.0
// Where the ranks of one communicator show each other what they have, if they share memory. Each member
// has a station that it alone writes: a ring of slots, one for each operation under way, and the number of
// operations that it has finished. What is short enough lies in the slot itself, what is a bit longer in a
// page of a second ring, made when it is first needed; of longer data the ranks show the addresses.
//
// Operations of a communicator take their turns: a rank begins the next one on the board when it has
// finished the one before. All ranks begin them in the same order, so nobody waits for ever, and a post for
// operation k says that its rank has finished all before k.
// A few bytes that go one way only, from rank to rank, lie in a strip instead of a slot: there several posts
// share a line, so who posts faster than others read hands over one line for many.
// Invariant: slot k % depth of a station is written for operation k only after all members have finished
// operation k - depth; the same holds for pages and strips and their depths.
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
#include "collective/node/block_view.hpp"
#include "communicator/communicator.hpp"
#include "datatype/typed_buffer.hpp"
#include "fabric/shared_memory.hpp"

namespace lisle::collective {

/// What a rank shows to others that can reach its memory: a buffer to read from, one to write to, and a
/// buffer for each member, of one of the two sorts. Between processes the types mean nothing: the buffers
/// are bytes.
struct card {
    typed_buffer give;
    typed_buffer take;
    const typed_buffer *blocks = nullptr;
};

class board {
  public:
    /// What fits into a slot, and what into a page.
    static constexpr MPI_Count most_in_slot = 248;
    static constexpr MPI_Count most_in_page = 34816;
    static constexpr MPI_Count most_in_strip = 8;
    /// From here on a post can be published when half of it is there: others copy that while the rest is
    /// written.
    static constexpr std::size_t least_in_parts = 8192;

    /// Where the posts of an operation lie: in slots, and if they are long in pages, or in strips.
    enum class place : unsigned char { slot, page, strip };
    /// @param bytes the most that a rank posts
    [[nodiscard]] static constexpr place place_of(MPI_Count bytes, bool one_way) noexcept {
        return bytes > most_in_slot                ? place::page
               : one_way && bytes <= most_in_strip ? place::strip
                                                   : place::slot;
    }

    /// Whoever may wait for a post.
    static constexpr int everyone = -1;

    /// The board of an intra-communicator, made at the first call; null if its ranks share no memory.
    /// Every member has called this, or none.
    [[nodiscard]] static board *of(const communicator &comm) {
        if (!comm.shared_memory_companion.sought) [[unlikely]] {
            seek(comm);
        }
        return static_cast<board *>(comm.shared_memory_companion.kept.get());
    }

    /// @param members the communicator's channel of user messages, which outlives the board
    board(fabric::shared_memory &medium, std::byte *memory, const protocol::channel &members,
          bool one_process)
        : medium_{medium}, memory_{memory}, home_{*members.home}, key_{members.context},
          members_{*members.peers}, self_{members.self}, one_process_{one_process},
          finished_by_(static_cast<std::size_t>(members_.size())) {}
    board(const board &) = delete;
    board &operator=(const board &) = delete;
    ~board();

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

    /// The engine of the communicator.
    [[nodiscard]] protocol::engine &home() const noexcept { return home_; }
    [[nodiscard]] int members() const noexcept { return members_.size(); }
    [[nodiscard]] int self() const noexcept { return self_; }

    /// A number for the next operation of the calling rank.
    [[nodiscard]] std::uint64_t begin() noexcept { return next_++; }
    /// What begin() will return.
    [[nodiscard]] std::uint64_t next() const noexcept { return next_; }
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
    /// Shows data. @pre has_room() has been true, takes(data.bytes()); nobody but the reader awaits it
    /// @param in_parts who awaits it has nothing else to do meanwhile, so it may be published in two parts
    void post(std::uint64_t number, const typed_buffer &data, int reader, bool in_parts);
    /// @pre data.bytes() <= most_in_strip
    void post_in_strip(std::uint64_t number, const typed_buffer &data);
    /// Shows the data of a block for each member but the calling one. @pre takes(bytes_together(blocks,
    /// self()))
    void post(std::uint64_t number, const block_view &blocks, bool in_parts);
    [[nodiscard]] static MPI_Count bytes_together(const block_view &blocks, int self) noexcept {
        return data_together(blocks, self).end;
    }
    /// What `peer` has posted for this rank in that way, or nothing if it is not what it should be.
    /// @pre posted(number, peer)
    [[nodiscard]] std::optional<std::span<const std::byte>> posted_block(std::uint64_t number,
                                                                         int peer) const noexcept;
    /// Between processes the card's blocks go to the page, if they fit there. @pre so has has_room()
    void post(std::uint64_t number, const card &shown);
    /// The buffer that a card has for this rank. False: it cannot be reached.
    [[nodiscard]] bool find_block(std::uint64_t number, int peer, const card &shown,
                                  typed_buffer &block) const noexcept;
    /// True when `peer` has posted for this operation.
    [[nodiscard]] bool posted(std::uint64_t number, int peer, place at = place::slot) const noexcept {
        const auto &word = at == place::strip ? strip_of(peer, number).posted : slot_of(peer, number).posted;
        return word.load(std::memory_order_seq_cst) >> size_bits == number + 1;
    }
    /// Fetches what `peer` posts a little later: for one who sees that it is ahead.
    void look_ahead(std::uint64_t number, int peer, place at) const noexcept {
        if (at == place::strip) {
            // The next line, if this one is full: otherwise it would be taken from one who is writing it.
            if (number % posts_in_line == 0 && posted(number + posts_in_line - 1, peer, at)) {
                __builtin_prefetch(&strip_of(peer, number + posts_in_line));
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
    [[nodiscard]] bool take_quickly(std::uint64_t number, int peer, const typed_buffer &to) noexcept {
        const MPI_Count bytes = to.bytes();
        const slot &from = slot_of(peer, number);
        if (from.posted.load(std::memory_order_seq_cst) !=
                ((number + 1) << size_bits | static_cast<std::uint64_t>(bytes)) ||
            bytes > most_in_slot || !to.type->contiguous()) [[unlikely]] {
            return false;
        }
        note_posted(number, peer);
        copy_bytes(to.address, from.bytes, static_cast<std::size_t>(bytes));
        return true;
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
    /// True if that is a card. @pre posted(number, peer)
    [[nodiscard]] bool shows_card(std::uint64_t number, int peer) const noexcept {
        return (word_of(number, peer) & card_bit) != 0;
    }
    [[nodiscard]] card card_of(std::uint64_t number, int peer) const noexcept;
    /// A member has, or all have, posted and so finished what came before.
    void note_posted(std::uint64_t number, int peer) noexcept {
        finished_by_[static_cast<std::size_t>(peer)] = number;
    }
    void note_all_posted(std::uint64_t number) noexcept;
    /// The calling rank needs nothing of the others any more for this operation.
    /// @param awaited somebody may wait for just that
    void finish(std::uint64_t number, place at, bool awaited) noexcept;
    /// For an operation whose place is no strip: others may wait for the rank to finish what came long
    /// before, which it has, but has not told. @pre has_turn(number)
    void tell_what_is_due(std::uint64_t number) noexcept {
        if (told_ + telling <= number) [[unlikely]] {
            tell(number);
        }
    }
    [[nodiscard]] bool finished(std::uint64_t number, int peer) const noexcept {
        return station_of(peer).finished.load(std::memory_order_seq_cst) > number;
    }

    /// Memory of a board for so many members.
    [[nodiscard]] static std::size_t bytes(int members) noexcept {
        return static_cast<std::size_t>(members) * sizeof(station);
    }

  private:
    static constexpr unsigned depth = 8;
    static constexpr unsigned page_depth = 4;
    static constexpr unsigned strip_depth = 32;
    /// How often a member tells the others how many operations it has finished, if it need not.
    static constexpr unsigned telling = 4;
    static constexpr unsigned telling_in_strip = 16;
    static constexpr std::uint64_t fetched_ahead = 2;
    static constexpr std::uint64_t posts_in_line = 4; ///< of a strip
    // Else who waits for room might sleep for ever.
    static_assert(telling <= page_depth && telling <= depth && telling_in_strip <= strip_depth);
    static constexpr unsigned size_bits = 20;
    static constexpr std::uint64_t card_bit = std::uint64_t{1} << (size_bits - 1);
    static constexpr std::uint64_t parts_bit = card_bit >> 1; ///< only half was there when it was published
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
    struct strip_entry {
        std::atomic<std::uint64_t> posted;
        std::byte bytes[most_in_strip];
    };
    struct alignas(64) station {
        /// How many operations the member has finished; pairs as `posted`: its reads of others' slots and
        /// buffers came before.
        std::atomic<std::uint64_t> finished;
        slot slots[depth];
        alignas(64) strip_entry strip[strip_depth];
    };
    static_assert(sizeof(slot) == 256 && sizeof(card) <= most_in_slot);

    [[nodiscard]] station &station_of(int member) const noexcept {
        return reinterpret_cast<station *>(memory_)[member];
    }
    [[nodiscard]] slot &slot_of(int member, std::uint64_t number) const noexcept {
        return station_of(member).slots[number % depth];
    }
    [[nodiscard]] strip_entry &strip_of(int member, std::uint64_t number) const noexcept {
        return station_of(member).strip[number % strip_depth];
    }
    [[nodiscard]] static constexpr unsigned depth_of(place at) noexcept {
        return at == place::strip ? strip_depth : at == place::page ? page_depth : depth;
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
    static void seek(const communicator &comm);
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
    std::uint64_t key_;
    const group &members_; ///< the communicator's, which owns the board
    int self_;
    bool one_process_;
    // The calling rank's own view; the user orders the collectives of a communicator.
    std::uint64_t next_ = 0;
    std::atomic<std::uint64_t> turn_{0};     ///< all operations before this one are finished here; as next_
    std::uint64_t told_ = 0;                 ///< so many operations are finished here, as others know
    std::uint64_t all_finished_ = 0;         ///< so many operations are known to be finished by all members
    int late_ = 0;                           ///< member that was the last to be waited for
    std::vector<std::uint64_t> finished_by_; ///< and by each, which may be more or less
};

} // namespace lisle::collective
