// SPDX-License-Identifier: Apache-2.0
// Takes the steps that are no messages: copies, reductions, and all that happens on an area. They are taken
// by an executor, or, where the caller waits for the end anyway, as soon as they have been thought of
// (immediate_steps.hpp), which saves writing them down.
#pragma once

#include <string>

#include "base/copy_bytes.hpp"
#include "collective/area/long_data.hpp"
#include "collective/steps/steps.hpp"
#include "collective/wait_for.hpp"
#include "datatype/copy.hpp"

namespace lisle::collective {

class local_steps {
  public:
    /// @param where null if there are no steps in an area @param phases operations there
    explicit local_steps(collective_area *where, unsigned phases = 1) noexcept
        : where_{where}, number_{where != nullptr ? where->turns().begin(phases) : 0},
          how_{.backwards = goes_backwards(number_)} {}

    /// False if the step has to wait for others: it is to be taken again later.
    bool take(const copy_step &copied) {
        const MPI_Count bytes = copied.from.bytes();
        const bool plain = copied.from.type->contiguous() && copied.to.type->contiguous();
        if (bytes > copied.to.bytes()) [[unlikely]] {
            note(MPI_ERR_TRUNCATE, MPI_PROC_NULL);
        } else if (plain && bytes <= most_at_one_go) [[likely]] {
            copy_bytes(copied.to.address, copied.from.address, static_cast<std::size_t>(bytes));
        } else {
            copy_long(how_, copied.from, copied.to, 0, bytes);
        }
        return true;
    }
    bool take(const reduce_step &step);
    bool take(const enter_step &enter) {
        at_ = enter.at;
        if (!where_->turns().come(number_)) {
            return false;
        }
        if (at_ != collective_area::place::small_slot) {
            where_->turns().tell_what_is_due(number_);
        }
        if (!enter.posts) {
            return true;
        }
        if (at_ != collective_area::place::small_slot) {
            where_->posts().claim(number_);
        }
        return where_->turns().has_room(number_, at_);
    }
    bool take(const next_phase_step &) {
        ++number_;
        used_descriptor_ = false;
        return true;
    }
    bool take(const pass_caches_step &) {
        how_.past_caches = true;
        return true;
    }
    bool take(const post_step &post) {
        where_->posts().add(number_, at_, post.data, post.who, post.in_parts);
        return true;
    }
    void post(const block_view &blocks, bool in_parts) { where_->posts().add(number_, blocks, in_parts); }
    bool take(const post_blocks_step &posted) {
        post(posted.blocks, posted.in_parts);
        return true;
    }
    bool take(const expose_step &expose) {
        where_->posts().add(number_, expose.exposed);
        return true;
    }
    bool take(const await_posts_step &await) {
        if (!all_of(await.first, await.last,
                    [&](int member) { return where_->posts().has(number_, member, at_); })) {
            return false;
        }
        if (await.first == 0 && await.last == where_->members().count()) {
            where_->turns().note_all_posted(number_);
        } else {
            for (int member = await.first; member < await.last; ++member) {
                where_->turns().note_posted(number_, member);
            }
        }
        return true;
    }
    bool take(const all_posted_step &) {
        where_->turns().note_all_posted(number_ - 1);
        return true;
    }
    bool take(const take_step &taken) {
        const auto data = where_->posts().data(number_, taken.peer, at_);
        if (data.size() != taken.expected) [[unlikely]] {
            note(MPI_ERR_TRUNCATE, taken.peer);
        } else {
            unpack_post(taken.to, taken.peer,
                        data.subspan(taken.offset, static_cast<std::size_t>(taken.to.bytes())));
        }
        return true;
    }
    /// Awaits what a member posts and takes it, all that it has posted. True: it was there already, and
    /// short.
    bool take_post(int peer, const typed_buffer &to) {
        if (where_->posts().take_quickly(number_, peer, to, at_)) [[likely]] {
            where_->turns().note_posted(number_, peer);
            return true;
        }
        finish(await_posts_step{peer, peer + 1});
        take(take_step{to, peer, 0, static_cast<std::uint32_t>(to.bytes())});
        return false;
    }
    bool take(const fetch_step &step);
    bool take(const reduce_posts_step &step);
    bool take(const finish_step &finish) {
        where_->turns().finish(number_, at_, finish.awaited || used_descriptor_);
        return true;
    }
    bool take(const await_finished_step &await) {
        return all_of(await.first, await.last,
                      [&](int member) { return where_->turns().finished(number_, member); });
    }
    bool take(const read_step &step);
    bool take(const write_step &step);
    bool take(const reduce_peers_step &step);

    /// Takes it, waiting if need be.
    template <class Step> void finish(const Step &step) {
        if (!take(step)) {
            const protocol::awaited_members members{where_->context()};
            wait_for(
                where_->home(), [this, &step] { return take(step); }, &members);
        }
    }

    /// The engine of the communicator. @pre it has an area
    [[nodiscard]] protocol::engine &home() const noexcept { return where_->home(); }
    [[nodiscard]] std::uint64_t context() const noexcept { return where_->context(); }
    [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
    [[nodiscard]] collective_area::place place() const noexcept { return at_; }
    /// The first error, or MPI_SUCCESS. An error does not stop anything, so that nobody is left waiting.
    [[nodiscard]] int error() const noexcept { return error_; }
    /// The rank that it is about, or MPI_PROC_NULL if it is the calling one. @pre error() != MPI_SUCCESS
    [[nodiscard]] int failed_peer() const noexcept { return failed_peer_; }
    [[nodiscard]] std::string describe() const;
    void forget_error() noexcept { error_ = MPI_SUCCESS; }

  private:
    /// Goes on with `seen_` while `there(member)` holds; true at the end of the members.
    template <class Predicate> bool all_of(int first, int last, Predicate there) {
        for (; first + seen_ < last; ++seen_) {
            if (!there(first + seen_)) {
                return false;
            }
        }
        seen_ = 0;
        return true;
    }
    /// A part of what a peer has posted, where it belongs: most often a copy of a few bytes.
    void unpack_post(const typed_buffer &to, int peer, std::span<const std::byte> from) {
        if (at_ != collective_area::place::small_slot && where_->posts().in_parts(number_, peer))
            [[unlikely]] {
            unpack_as_it_comes(to, peer, from);
        } else if (to.type->contiguous()) [[likely]] {
            copy_bytes(to.address, from.data(), from.size());
        } else {
            unpack(to, 0, from);
        }
    }
    void unpack_as_it_comes(const typed_buffer &to, int peer, std::span<const std::byte> from);
    /// Keeps the first error; MPI_SUCCESS is none.
    void note(int error, int peer) noexcept;

    collective_area *where_;
    std::uint64_t number_; ///< of this operation on its area
    manner how_;           ///< long data are moved
    collective_area::place at_ = collective_area::place::slot;
    bool used_descriptor_ = false; ///< that a fetch step found: its owner waits for this rank to finish
    int seen_ = 0;                 ///< members that the step which waits for several has seen already
    int error_ = MPI_SUCCESS;
    int failed_peer_ = 0;
};

} // namespace lisle::collective
