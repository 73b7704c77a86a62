// SPDX-License-Identifier: Apache-2.0
#include "collective/area/posts.hpp"

#include <cstring>
#include <sched.h>

#include "base/caches.hpp"
#include "base/copy_bytes.hpp"
#include "base/spin_lock.hpp"
#include "datatype/copy.hpp"
#include "datatype/predefined.hpp"

namespace lisle::collective {

namespace {

// From here on the C library copies by the string instruction, which waits longer for lines that others have
// read last: 4 KiB took 1.01 us to another process and back into its memory, by words 0.96.
constexpr std::size_t least_by_words = 2048;
// Claims of several lines are under way at once where a rank posts faster than others read.
constexpr std::uint64_t claimed_ahead = 3;
constexpr std::uint64_t claimed_ahead_in_small = 8;

void put(const typed_buffer &data, std::byte *to) {
    const auto bytes = static_cast<std::size_t>(data.bytes());
    if (data.type->contiguous()) [[likely]] {
        const auto *const from = static_cast<const std::byte *>(data.address);
        if (bytes >= least_by_words) {
            copy_by_words(to, from, bytes);
        } else {
            copy_bytes(to, from, bytes);
        }
    } else {
        pack(data, 0, {to, bytes});
    }
}

/// Stores the word that publishes a post.
void store_word(std::atomic<std::uint64_t> &posted, std::uint64_t word) noexcept {
    // An exchange would be as good, but between the stores of the data and its own a peer that looks at
    // the line would take it away: it would be handed over twice.
    posted.store(word, std::memory_order_release);
    std::atomic_thread_fence(std::memory_order_seq_cst);
}

} // namespace

void posts::claim(std::uint64_t number) noexcept {
    claim_line(&areas_.slot_of(members_.self(), number));
}

/// Writes a post in order, and publishes it as soon as the first part is there.
class posts::writer {
  public:
    writer(posts &to, std::uint64_t number, MPI_Count bytes, readers who, bool in_parts)
        : posts_{to}, number_{number}, readers_{who}, bytes_{static_cast<std::size_t>(bytes)},
          first_{in_parts && bytes_ >= least_in_parts ? bytes_ / 2 : bytes_}, place_{to.place_for(number,
                                                                                                  bytes)} {}

    void add(const typed_buffer &data) {
        const std::size_t before = first_ - std::min(first_, done_);
        if (data.type->contiguous() && before != 0 && static_cast<std::size_t>(data.bytes()) > before) {
            const auto half = static_cast<MPI_Count>(before);
            add_whole({data.address, half, byte_type()});
            add_whole({static_cast<std::byte *>(data.address) + half, data.bytes() - half, byte_type()});
        } else {
            add_whole(data);
        }
    }
    /// What has been written in another way.
    void skip(std::size_t bytes) { note(bytes); }
    /// @pre all bytes have been added
    void end() {
        if (!published_) {
            publish();
        }
        if (first_ != bytes_) {
            pages::rest_in(place_).store(number_ + 1, std::memory_order_release);
        }
    }

  private:
    void add_whole(const typed_buffer &data) {
        put(data, place_ + done_);
        note(static_cast<std::size_t>(data.bytes()));
    }
    void note(std::size_t bytes) {
        done_ += bytes;
        if (done_ >= first_ && !published_) {
            publish();
        }
    }
    void publish() {
        posts_.publish(number_, bytes_ | (first_ != bytes_ ? parts_bit : 0), readers_);
        published_ = true;
    }

    posts &posts_;
    std::uint64_t number_;
    readers readers_;
    std::size_t bytes_, first_, done_ = 0;
    std::byte *place_;
    bool published_ = false;
};

void posts::add(std::uint64_t number, post_place at, const typed_buffer &data, readers who, bool in_parts) {
    const MPI_Count bytes = data.bytes();
    if (at == post_place::small_slot) {
        const int self = members_.self();
        put(data, areas_.small_slot_of(self, number).bytes);
        store_word(areas_.small_slot_of(self, number).posted,
                   (number + 1) << size_bits | static_cast<std::uint64_t>(bytes));
        members_.wake_all();
        claim_line(&areas_.small_slot_of(self, number + claimed_ahead_in_small));
    } else if (!in_parts || bytes < static_cast<MPI_Count>(least_in_parts)) [[likely]] {
        put(data, place_for(number, bytes));
        publish(number, static_cast<std::uint64_t>(bytes), who);
    } else {
        writer post{*this, number, bytes, who, true};
        post.add(data);
        post.end();
    }
}

void posts::await_rest(std::uint64_t number, int peer) const noexcept {
    if (!in_parts(number, peer) || !pages_.there()) {
        return;
    }
    const auto &rest = pages::rest_in(pages_.of(peer, number));
    for (unsigned looks = 0; rest.load(std::memory_order_acquire) != number + 1; ++looks) {
        constexpr unsigned most_looks = 1000; // it has lost its core
        looks < most_looks ? relax() : static_cast<void>(sched_yield());
    }
}

posts::extent posts::data_together(const block_view &blocks, int self) noexcept {
    MPI_Count bytes = 0;
    for (int member = 0; member < blocks.size(); ++member) {
        bytes += member == self ? 0 : blocks[member].bytes();
    }
    MPI_Count begin = (blocks.size() + 1) * MPI_Count{sizeof(block_offset)};
    if (bytes >= static_cast<MPI_Count>(least_by_words)) {
        // Else each store and load of a long copy would touch two lines.
        constexpr auto line = static_cast<MPI_Count>(line_of_cache);
        begin = (begin + line - 1) / line * line;
    }
    return {begin, begin + bytes};
}

void posts::add(std::uint64_t number, const block_view &blocks, bool in_parts) {
    const auto [begin, bytes] = data_together(blocks, members_.self());
    std::byte *offsets = place_for(number, bytes);
    auto offset = static_cast<std::size_t>(begin);
    const auto note_offset = [&] {
        const auto value = static_cast<block_offset>(offset);
        std::memcpy(offsets, &value, sizeof value);
        offsets += sizeof value;
    };
    const auto for_others = [&](auto use) {
        for (int member = 0; member < members_.count(); ++member) {
            use(member == members_.self() ? typed_buffer{nullptr, 0, byte_type()} : blocks[member]);
        }
    };
    for_others([&](const typed_buffer &block) {
        note_offset();
        offset += static_cast<std::size_t>(block.bytes());
    });
    note_offset();
    writer post{*this, number, bytes, area_members::everyone, in_parts};
    post.skip(static_cast<std::size_t>(begin));
    for_others([&](const typed_buffer &block) { post.add(block); });
    post.end();
}

void posts::add(std::uint64_t number, const buffer_descriptor &exposed) {
    const int self = members_.self();
    buffer_descriptor written = exposed;
    const auto table = static_cast<std::size_t>(members_.count()) * sizeof(typed_buffer);
    if (exposed.blocks != nullptr && !members_.one_process() && pages_.there() && table <= pages::most) {
        std::memcpy(pages_.of(self, number), exposed.blocks, table);
        written.blocks = nullptr;
    }
    std::memcpy(areas_.slot_of(self, number).bytes, &written, sizeof written);
    publish(number, descriptor_bit | sizeof exposed, area_members::everyone);
}

void posts::publish(std::uint64_t number, std::uint64_t word, readers who) noexcept {
    const int self = members_.self();
    store_word(areas_.slot_of(self, number).posted, (number + 1) << size_bits | word);
    members_.wake(who);
    // Has long been read, and is not looked at yet.
    const rank_areas::slot &later = areas_.slot_of(self, number + claimed_ahead);
    claim_line(&later);
    if ((word & (parts_bit - 1)) > line_of_cache - sizeof word) {
        claim_line(later.bytes + line_of_cache);
    }
}

std::span<const std::byte> posts::data(std::uint64_t number, int peer, post_place at) const noexcept {
    // Relaxed: the caller has seen the post. The size is a peer's word: it counts up to what there is.
    const auto bytes =
        static_cast<MPI_Count>(word_in(number, peer, at).load(std::memory_order_relaxed) & (parts_bit - 1));
    const auto at_most = [bytes](const std::byte *from, MPI_Count most) {
        return std::span{from, static_cast<std::size_t>(std::min(bytes, most))};
    };
    if (at == post_place::small_slot) {
        return at_most(areas_.small_slot_of(peer, number).bytes, rank_areas::most_in_small_slot);
    }
    if (bytes <= rank_areas::most_in_slot || !pages_.there()) {
        return at_most(areas_.slot_of(peer, number).bytes, rank_areas::most_in_slot);
    }
    return at_most(pages_.of(peer, number), pages::most);
}

std::optional<std::span<const std::byte>> posts::block(std::uint64_t number, int peer) const noexcept {
    const auto all = data(number, peer);
    const auto bounds = static_cast<std::size_t>(members_.self()) * sizeof(block_offset);
    block_offset begin = 0, end = 0;
    if (bounds + 2 * sizeof(block_offset) <= all.size()) {
        if (in_parts(number, peer) && bounds + 2 * sizeof(block_offset) > all.size() / 2) {
            await_rest(number, peer);
        }
        std::memcpy(&begin, all.data() + bounds, sizeof begin);
        std::memcpy(&end, all.data() + bounds + sizeof begin, sizeof end);
    }
    if (end < begin || end > all.size()) {
        return std::nullopt;
    }
    return all.subspan(begin, static_cast<std::size_t>(end - begin));
}

buffer_descriptor posts::descriptor(std::uint64_t number, int peer) const noexcept {
    buffer_descriptor exposed;
    std::memcpy(static_cast<void *>(&exposed), areas_.slot_of(peer, number).bytes, sizeof exposed);
    return exposed;
}

bool posts::find_block(std::uint64_t number, int peer, const buffer_descriptor &exposed,
                       typed_buffer &block) const noexcept {
    const int self = members_.self();
    if (members_.one_process()) {
        block = exposed.blocks[self];
        return true;
    }
    if (exposed.blocks != nullptr) {
        return members_.read(peer, exposed.blocks + self, &block, sizeof block);
    }
    if (!pages_.there()) {
        return false;
    }
    std::memcpy(static_cast<void *>(&block),
                pages_.of(peer, number) + static_cast<std::size_t>(self) * sizeof block, sizeof block);
    return true;
}

} // namespace lisle::collective
