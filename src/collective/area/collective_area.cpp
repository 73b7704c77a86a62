// SPDX-License-Identifier: Apache-2.0
#include "collective/area/collective_area.hpp"

#include <algorithm>
#include <cstring>
#include <sched.h>

#include "base/caches.hpp"
#include "base/copy_bytes.hpp"
#include "base/spin_lock.hpp"
#include "datatype/copy.hpp"
#include "datatype/predefined.hpp"
#include "execution/rank.hpp"
#include "world/job.hpp"

namespace lisle::collective {

namespace {

// From here on the C library copies by the string instruction, which waits longer for lines that others have
// read last: 4 KiB took 1.01 us to another process and back into its memory, by words 0.96.
constexpr std::size_t least_by_words = 2048;
// Claims of several lines are under way at once where a rank posts faster than others read.
constexpr std::uint64_t claimed_ahead = 3;
constexpr std::uint64_t claimed_ahead_in_small = 8;

} // namespace

std::unique_ptr<collective_area> collective_area::make(const communicator &comm, const group &members,
                                                       int self, const area_keys &keys) {
    job &here = this_rank().get_job();
    // Threads of a process that are ranks each have a context of their own.
    fabric::shared_memory *const medium =
        comm.inter() || comm.of_threads() || members.size() < 2 ? nullptr : memory_shared_by(here, members);
    if (medium == nullptr) {
        return nullptr;
    }
    std::byte *const memory = medium->block(keys.area, bytes(members.size()));
    if (memory == nullptr) {
        medium->leave_block(keys.area, members.size());
        return nullptr;
    }
    return std::make_unique<collective_area>(*medium, memory, keys, *comm.point_to_point.home, members, self,
                                             in_one_address_space(members));
}

collective_area::~collective_area() {
    medium_.leave_block(keys_.area, members_.size());
    if (pages_sought_) {
        medium_.leave_block(keys_.pages, members_.size());
    }
}

void collective_area::seek_pages() {
    pages_ = medium_.block(keys_.pages, static_cast<std::size_t>(members_.size()) * page_depth * page_bytes);
    pages_sought_ = true;
}

bool collective_area::look_who_finished(std::uint64_t number, place at) noexcept {
    // What posts have told may be enough: the line with a member's number stays with it then. But one look is
    // to serve for several operations.
    const std::uint64_t room = depth_of(at), enough = number + room / 2, needed = number + 1;
    const auto is_late = [&](std::uint64_t &known, int member) {
        known = std::max(known, rank_area_of(member).finished.load(std::memory_order_seq_cst));
        return known + room < needed;
    };
    std::uint64_t *const finished_by = finished_by_.data();
    finished_by[self_] = number;
    if (is_late(finished_by[late_], late_) && late_ != self_) {
        return false; // as the last time
    }
    std::uint64_t least = number;
    for (int member = 0, members = members_.size(); member < members; ++member) {
        std::uint64_t &known = finished_by[member];
        if (known + room < enough && member != self_ && is_late(known, member)) {
            late_ = member;
            return false;
        }
        least = std::min(least, known);
    }
    all_finished_ = std::max(all_finished_, least); // all may have told more together
    return true;
}

void collective_area::claim(std::uint64_t number) noexcept {
    claim_line(&slot_of(self_, number));
}

void collective_area::put(const typed_buffer &data, std::byte *to) {
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

/// Writes a post in order, and publishes it as soon as the first part is there.
class collective_area::writer {
  public:
    writer(collective_area &to, std::uint64_t number, MPI_Count bytes, int reader, bool in_parts)
        : area_{to}, number_{number}, reader_{reader}, bytes_{static_cast<std::size_t>(bytes)},
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
            area_.rest_in(place_).store(number_ + 1, std::memory_order_release);
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
        area_.publish(number_, bytes_ | (first_ != bytes_ ? parts_bit : 0), reader_);
        published_ = true;
    }

    collective_area &area_;
    std::uint64_t number_;
    int reader_;
    std::size_t bytes_, first_, done_ = 0;
    std::byte *place_;
    bool published_ = false;
};

void collective_area::post(std::uint64_t number, const typed_buffer &data, int reader, bool in_parts) {
    const MPI_Count bytes = data.bytes();
    if (!in_parts || bytes < static_cast<MPI_Count>(least_in_parts)) [[likely]] {
        put(data, place_for(number, bytes));
        publish(number, static_cast<std::uint64_t>(bytes), reader);
        return;
    }
    writer post{*this, number, bytes, reader, true};
    post.add(data);
    post.end();
}

void collective_area::await_rest(std::uint64_t number, int peer) const noexcept {
    if (!in_parts(number, peer) || pages_ == nullptr) {
        return;
    }
    const auto &rest = rest_in(page_of(peer, number));
    for (unsigned looks = 0; rest.load(std::memory_order_acquire) != number + 1; ++looks) {
        constexpr unsigned most_looks = 1000; // it has lost its core
        looks < most_looks ? relax() : static_cast<void>(sched_yield());
    }
}

void collective_area::post_small(std::uint64_t number, const typed_buffer &data) {
    small_slot &entry = small_slot_of(self_, number);
    put(data, entry.bytes);
    publish(entry.posted, number, static_cast<std::uint64_t>(data.bytes()));
    nudge_all();
    claim_line(&small_slot_of(self_, number + claimed_ahead_in_small));
}

collective_area::extent collective_area::data_together(const block_view &blocks, int self) noexcept {
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

void collective_area::post(std::uint64_t number, const block_view &blocks, bool in_parts) {
    const auto [begin, bytes] = data_together(blocks, self_);
    std::byte *offsets = place_for(number, bytes);
    auto offset = static_cast<std::size_t>(begin);
    const auto note_offset = [&] {
        const auto value = static_cast<block_offset>(offset);
        std::memcpy(offsets, &value, sizeof value);
        offsets += sizeof value;
    };
    const auto for_others = [&](auto use) {
        for (int member = 0; member < members(); ++member) {
            use(member == self_ ? typed_buffer{nullptr, 0, byte_type()} : blocks[member]);
        }
    };
    for_others([&](const typed_buffer &block) {
        note_offset();
        offset += static_cast<std::size_t>(block.bytes());
    });
    note_offset();
    writer post{*this, number, bytes, everyone, in_parts};
    post.skip(static_cast<std::size_t>(begin));
    for_others([&](const typed_buffer &block) { post.add(block); });
    post.end();
}

void collective_area::post(std::uint64_t number, const buffer_descriptor &exposed) {
    buffer_descriptor written = exposed;
    const auto table = static_cast<std::size_t>(members_.size()) * sizeof(typed_buffer);
    if (exposed.blocks != nullptr && !one_process_ && pages_ != nullptr && table <= most_in_page) {
        std::memcpy(page_of(self_, number), exposed.blocks, table);
        written.blocks = nullptr;
    }
    std::memcpy(slot_of(self_, number).bytes, &written, sizeof written);
    publish(number, descriptor_bit | sizeof exposed, everyone);
}

void collective_area::publish(std::uint64_t number, std::uint64_t word, int reader) noexcept {
    publish(slot_of(self_, number).posted, number, word);
    if (reader == everyone) {
        nudge_all();
    } else {
        medium_.nudge(members_.member(reader));
    }
    // Has long been read, and is not looked at yet.
    const slot &later = slot_of(self_, number + claimed_ahead);
    claim_line(&later);
    if ((word & (parts_bit - 1)) > line_of_cache - sizeof word) {
        claim_line(later.bytes + line_of_cache);
    }
}

std::span<const std::byte> collective_area::data(std::uint64_t number, int peer, place at) const noexcept {
    // Relaxed: the caller has seen the post. The size is a peer's word: it counts up to what there is.
    const auto posted_bytes = [](const std::atomic<std::uint64_t> &word) {
        return static_cast<std::size_t>(word.load(std::memory_order_relaxed) & (parts_bit - 1));
    };
    if (at == place::small_slot) {
        const small_slot &entry = small_slot_of(peer, number);
        return {entry.bytes, std::min<std::size_t>(posted_bytes(entry.posted), most_in_small_slot)};
    }
    const slot &from = slot_of(peer, number);
    const std::size_t bytes = posted_bytes(from.posted);
    if (bytes <= most_in_slot || pages_ == nullptr) {
        return {from.bytes, std::min<std::size_t>(bytes, most_in_slot)};
    }
    return {page_of(peer, number), std::min<std::size_t>(bytes, most_in_page)};
}

std::optional<std::span<const std::byte>> collective_area::posted_block(std::uint64_t number,
                                                                        int peer) const noexcept {
    const auto all = data(number, peer);
    const auto bounds = static_cast<std::size_t>(self_) * sizeof(block_offset);
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

buffer_descriptor collective_area::descriptor_of(std::uint64_t number, int peer) const noexcept {
    buffer_descriptor exposed;
    std::memcpy(static_cast<void *>(&exposed), slot_of(peer, number).bytes, sizeof exposed);
    return exposed;
}

bool collective_area::find_block(std::uint64_t number, int peer, const buffer_descriptor &exposed,
                                 typed_buffer &block) const noexcept {
    if (one_process_) {
        block = exposed.blocks[self_];
        return true;
    }
    if (exposed.blocks != nullptr) {
        return read(peer, exposed.blocks + self_, &block, sizeof block);
    }
    if (pages_ == nullptr) {
        return false;
    }
    std::memcpy(static_cast<void *>(&block),
                page_of(peer, number) + static_cast<std::size_t>(self_) * sizeof block, sizeof block);
    return true;
}

void collective_area::note_all_posted(std::uint64_t number) noexcept {
    all_finished_ = std::max(all_finished_, number);
}

void collective_area::finish(std::uint64_t number, place at, bool awaited) noexcept {
    // Who wants to enter waits for free slots, several operations later. It is enough to tell now and then,
    // and better: who is far ahead then gets several slots at once, and can ask for their lines early.
    // All do so after the same operations: who looks then learns much at once.
    const std::uint64_t until_due = ~number % (at == place::small_slot ? telling_in_small : telling);
    if (awaited || until_due == 0) {
        tell(number + 1);
    } else if (until_due == 1) {
        claim_line(&rank_area_of(self_).finished);
    }
    turn_.store(number + 1, std::memory_order_release);
}

void collective_area::tell(std::uint64_t finished) noexcept {
    rank_area_of(self_).finished.store(finished, std::memory_order_seq_cst);
    told_ = finished;
    nudge_all();
}

void collective_area::nudge_all() noexcept {
    if (!medium_.anyone_watches()) {
        return;
    }
    for (int member = 0; member < members_.size(); ++member) {
        if (member != self_) {
            medium_.nudge(members_.member(member));
        }
    }
}

} // namespace lisle::collective
