// SPDX-License-Identifier: Apache-2.0
#include "collective/shown.hpp"

#include <algorithm>
#include <vector>

#include "datatype/copy.hpp"

namespace lisle::collective {

namespace {

// Two inputs and an output of this size fit into the nearest caches.
constexpr MPI_Count piece_bytes = 8192;

void copy_all(const typed_buffer &from, const typed_buffer &to) {
    if (from.address != to.address) {
        lisle::copy(from, to, 0, from.bytes());
    }
}

/// One piece of a reduction of shown buffers.
class piece {
  public:
    piece(const op &operation, const std::vector<card> &cards, MPI_Count first, MPI_Count count,
          const datatype &type) noexcept
        : operation_{operation}, cards_{cards}, first_{first}, count_{count}, type_{type} {}

    [[nodiscard]] typed_buffer given(int member) const { return of(cards_[index(member)].give); }
    [[nodiscard]] typed_buffer taken(int member) const { return of(cards_[index(member)].take); }
    [[nodiscard]] typed_buffer at(void *address) const { return {address, count_, type_}; }
    /// to = a op b; `to` may be b.
    void combine(const typed_buffer &a, const typed_buffer &b, const typed_buffer &to) const {
        if (b.address == to.address) {
            operation_.apply(a.address, to.address, count_, type_);
        } else {
            operation_.combine(a.address, b.address, to.address, count_, type_);
        }
    }
    /// to = the reduction of all; `to` may be what the last member gives, and no other's.
    void combine_all(int members, const typed_buffer &to) const {
        if (members == 1) {
            copy_all(given(0), to);
            return;
        }
        combine(given(members - 2), given(members - 1), to);
        for (int member = members - 3; member >= 0; --member) {
            combine(given(member), to, to);
        }
    }

  private:
    static std::size_t index(int member) noexcept { return static_cast<std::size_t>(member); }
    [[nodiscard]] typed_buffer of(const typed_buffer &whole) const {
        return part({whole.address, 0, type_}, first_, count_);
    }

    const op &operation_;
    const std::vector<card> &cards_;
    MPI_Count first_, count_;
    const datatype &type_;
};

void reduce_piece(const piece &now, const reduce_shown_step &what, int members, const typed_buffer &here,
                  void *first_scratch, void *second_scratch) {
    const int last = members - 1;
    switch (what.place) {
    case result_place::everywhere: {
        const typed_buffer result = now.taken(last);
        now.combine_all(members, result);
        for (int member = 0; member < last; ++member) {
            copy_all(result, now.taken(member));
        }
        return;
    }
    case result_place::one_member: {
        const typed_buffer result = now.taken(what.member);
        const bool overwrites = what.member != last && now.given(what.member).address == result.address;
        const typed_buffer place = overwrites ? now.at(first_scratch) : result;
        now.combine_all(members, place);
        copy_all(place, result);
        return;
    }
    case result_place::here:
        now.combine_all(members, here);
        return;
    case result_place::prefixes:
        copy_all(now.given(0), now.taken(0));
        for (int member = 1; member < members; ++member) {
            now.combine(now.taken(member - 1), now.given(member), now.taken(member));
        }
        return;
    case result_place::prefixes_before: {
        // What is before a member is kept while its own contribution, which may lie where the result goes,
        // is added to it.
        typed_buffer before = now.at(first_scratch), next = now.at(second_scratch);
        copy_all(now.given(0), before);
        for (int member = 1; member < members; ++member) {
            if (member < last) {
                now.combine(before, now.given(member), next);
            }
            copy_all(before, now.taken(member));
            std::swap(before, next);
        }
        return;
    }
    }
}

} // namespace

MPI_Count shown_piece(const datatype &type) noexcept {
    return std::max<MPI_Count>(1, piece_bytes / std::max<MPI_Count>(1, type.size()));
}

void reduce_posts(const board &where, std::uint64_t number, const reduce_posts_step &what) {
    const auto bytes = static_cast<std::size_t>(what.to.bytes());
    const auto posted = [&](int member) { return where.data(number, member).subspan(what.offset, bytes); };
    unpack(what.to, 0, posted(what.last - 1));
    for (int member = what.last - 2; member >= what.first; --member) {
        const void *in = posted(member).data();
        if (what.scratch != nullptr) {
            unpack({what.scratch, what.to.count, *what.to.type}, 0, posted(member));
            in = what.scratch;
        }
        what.operation->apply(in, what.to.address, what.to.count, *what.to.type);
    }
}

int reduce_shown(const board &where, std::uint64_t number, const reduce_shown_step &what, int members) {
    const datatype &type = *what.to.type;
    std::vector<card> cards;
    cards.reserve(static_cast<std::size_t>(members));
    for (int member = 0; member < members; ++member) {
        const card shown = where.card_of(number, member);
        if (shown.give.count < what.first + what.to.count) {
            return member;
        }
        cards.push_back(shown);
    }
    const MPI_Count most = shown_piece(type);
    const MPI_Count room = std::min(most, what.to.count);
    void *const second = part({what.scratch, 0, type}, room, room).address;
    for (MPI_Count done = 0; done < what.to.count; done += most) {
        const MPI_Count count = std::min(most, what.to.count - done);
        reduce_piece({*what.operation, cards, what.first + done, count, type}, what, members,
                     part(what.to, done, count), what.scratch, second);
    }
    return -1;
}

void reduce_to_all(const op &operation, const std::vector<card> &cards) {
    const typed_buffer &first = cards.front().give;
    const reduce_shown_step what{.operation = &operation,
                                 .to = {},
                                 .scratch = nullptr,
                                 .first = 0,
                                 .member = 0,
                                 .place = result_place::everywhere};
    reduce_piece({operation, cards, 0, first.count, *first.type}, what, static_cast<int>(cards.size()), {},
                 nullptr, nullptr);
}

} // namespace lisle::collective
