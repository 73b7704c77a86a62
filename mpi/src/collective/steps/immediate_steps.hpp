// SPDX-License-Identifier: Apache-2.0
// Takes the steps of an algorithm on an area as soon as it names them, waiting where need be: for blocking
// calls, which so save writing a schedule. Has those functions of schedule that such algorithms use, under
// the same names and with the same meaning, so an algorithm is written once for both (slot_algorithms.hpp,
// single_copy.hpp).
//
// Until the rank has entered, there may be no memory: then the operation has not begun. From then on others
// count on the steps, so they wait for memory; an algorithm asks for long pieces before.
#pragma once

#include <cstddef>
#include <new>

#include "collective/steps/in_pairs.hpp"
#include "collective/steps/local_steps.hpp"
#include "collective/steps/step_memory.hpp"
#include "protocol/once_there_is_memory.hpp"

namespace lisle::collective {

class immediate_steps : public step_memory {
    template <class Action> decltype(auto) for_certain(Action action) {
        try {
            return action();
        } catch (const std::bad_alloc &) {
        }
        return protocol::once_there_is_memory(where_.home(), action); // apart: nothing is asked before
    }
    /// A step that leaves nothing behind where it lacks memory.
    template <class Step> void take_for_certain(const Step &step) {
        for_certain([&] { local_.take(step); });
    }
    template <class Make> auto allocate(Make make) {
        try {
            return make();
        } catch (const std::bad_alloc &) {
            if (!entered_) {
                throw;
            }
        }
        return protocol::once_there_is_memory(where_.home(), make);
    }

  public:
    /// @param phases operations in the area
    explicit immediate_steps(collective_area &where, unsigned phases) noexcept
        : step_memory{near_}, where_{where}, local_{&where, phases} {}
    immediate_steps(const immediate_steps &) = delete;
    immediate_steps &operator=(const immediate_steps &) = delete;

    [[nodiscard]] typed_buffer temporary(MPI_Count count, const datatype &type) {
        return allocate([&] { return step_memory::temporary(count, type); });
    }
    [[nodiscard]] typed_buffer packed(MPI_Count bytes) {
        return allocate([&] { return step_memory::packed(bytes); });
    }
    [[nodiscard]] const typed_buffer *keep_blocks(const block_view &blocks) {
        return allocate([&] { return step_memory::keep_blocks(blocks); });
    }

    void copy(const typed_buffer &from, const typed_buffer &to) {
        if (from.bytes() != 0 && (from.address != to.address || from.type != to.type)) {
            take_for_certain(copy_step{from, to});
        }
    }
    void enter(collective_area &, MPI_Count posted = 0, bool posts = true, bool one_way = false) {
        entered_ = true;
        local_.finish(enter_step{collective_area::place_of(posted, one_way), posts});
    }
    /// Instead of another enter(): see next_phase_step.
    void enter_next(collective_area &where, MPI_Count posted, bool posts) {
        local_.take(next_phase_step{});
        enter(where, posted, posts);
    }
    void pass_caches() { local_.take(pass_caches_step{}); }
    void post(const typed_buffer &data, readers who = readers::everyone, bool in_parts = false) {
        take_for_certain(post_step{data, who, in_parts});
    }
    void post(const block_view &blocks, bool in_parts) {
        for_certain([&] { local_.post(blocks, in_parts); });
    }
    void expose(const buffer_descriptor &exposed) { local_.take(expose_step{exposed}); }
    void await_posts(int first, int last) {
        const await_posts_step step{first, last};
        if (!local_.take(step)) {
            local_.finish(step);
        } else if (last - first < where_.members().count()) {
            for (int peer = first; peer < last; ++peer) {
                where_.posts().look_ahead(local_.number(), peer, local_.place());
            }
        }
    }
    void note_all_posted() { local_.take(all_posted_step{}); }
    void take(int peer, MPI_Count offset, MPI_Count expected, const typed_buffer &to) {
        take_for_certain(
            take_step{to, peer, static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(expected)});
    }
    void take_post(int peer, const typed_buffer &to) {
        if (for_certain([&] { return local_.take_post(peer, to); })) {
            where_.posts().look_ahead(local_.number(), peer, local_.place());
        }
    }
    void take_posts(const block_view &blocks, MPI_Count most);
    void fetch(int peer, const typed_buffer &to) { take_for_certain(fetch_step{to, peer}); }
    [[gnu::always_inline]] void reduce_posts(const op &operation, int first, int last, MPI_Count offset,
                                             MPI_Count expected, const typed_buffer &to,
                                             pairing how = pairing::near_first) {
        const MPI_Count rooms = rooms_for(operation, to, last - first, how);
        void *const scratch = rooms == 0 ? nullptr : temporary(rooms * to.count, *to.type).address;
        take_for_certain(reduce_posts_step{&operation, to, scratch, first, last,
                                           static_cast<std::uint32_t>(offset),
                                           static_cast<std::uint32_t>(expected), how});
    }
    void finish(bool awaited) { local_.take(finish_step{awaited}); }
    void await_finished(int first, int last) { local_.finish(await_finished_step{first, last}); }
    void read(int peer, exposed_part what, MPI_Count offset, MPI_Count length, const typed_buffer &to) {
        take_for_certain(read_step{to, offset, length, peer, what});
    }
    void write(int peer, exposed_part what, MPI_Count offset, MPI_Count length, const typed_buffer &from) {
        take_for_certain(write_step{from, offset, length, peer, what});
    }
    void reduce_peers(const op &operation, result_place place, int member, MPI_Count first,
                      const typed_buffer &to);

    /// There was no memory: the operation has not begun.
    [[gnu::cold]] void give_up(unsigned phases) noexcept { where_.turns().give_up(phases); }
    /// Throws what a step has found wrong; none stops for that. @pre no more steps
    void end() const {
        if (local_.error() != MPI_SUCCESS) [[unlikely]] {
            complain();
        }
    }

  private:
    [[noreturn]] void complain() const;

    collective_area &where_;
    local_steps local_;
    bool entered_ = false;
    alignas(std::max_align_t) std::byte near_[512]; ///< short pieces of memory
};

} // namespace lisle::collective
