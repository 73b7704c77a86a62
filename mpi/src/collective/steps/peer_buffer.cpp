// SPDX-License-Identifier: Apache-2.0
#include "collective/steps/peer_buffer.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "collective/area/long_data.hpp"
#include "collective/steps/schedule.hpp"
#include "collective/steps/step_memory.hpp"
#include "datatype/copy.hpp"
#include "execution/rank.hpp"
#include "protocol/once_there_is_memory.hpp"

namespace lisle::collective {

namespace {

// Two inputs and an output of this size fit into the nearest caches.
constexpr MPI_Count piece_bytes = 8192;
// Between processes each piece takes calls of the kernel, which cost as much as copying ten thousand bytes.
constexpr MPI_Count cross_process_piece = 131072;

MPI_Count elements_in(MPI_Count bytes, const datatype &type) noexcept {
    return std::max<MPI_Count>(1, bytes / std::max<MPI_Count>(1, type.size()));
}

/// Elements of a type that are reduced before the next ones.
MPI_Count piece_of(const collective_area &where, const datatype &type) noexcept {
    return elements_in(where.members().one_process() ? piece_bytes : cross_process_piece, type);
}

void copy_all(const typed_buffer &from, const typed_buffer &to) {
    if (from.address != to.address) {
        lisle::copy(from, to, 0, from.bytes());
    }
}

/// One piece of a reduction of exposed buffers.
class piece {
  public:
    piece(const op &operation, const std::vector<buffer_descriptor> &descriptors, MPI_Count first,
          MPI_Count count, const datatype &type) noexcept
        : operation_{operation, type}, descriptors_{descriptors}, first_{first}, count_{count}, type_{type} {}

    [[nodiscard]] typed_buffer given(int member) const { return of(descriptors_[index(member)].give); }
    [[nodiscard]] typed_buffer taken(int member) const { return of(descriptors_[index(member)].take); }
    [[nodiscard]] typed_buffer at(void *address) const { return {address, count_, type_}; }
    /// to = a op b; `to` may be b.
    void combine(const typed_buffer &a, const typed_buffer &b, const typed_buffer &to) const {
        if (b.address == to.address) {
            operation_.apply(a.address, to.address, count_);
        } else {
            operation_.combine(a.address, b.address, to.address, count_);
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
        return first_ == 0 ? at(whole.address) : part({whole.address, 0, type_}, first_, count_);
    }

    op_on operation_;
    const std::vector<buffer_descriptor> &descriptors_;
    MPI_Count first_, count_;
    const datatype &type_;
};

void reduce_piece(const piece &now, const reduce_peers_step &what, int members, const typed_buffer &here,
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

MPI_Count scratch_elements(const collective_area &where, MPI_Count count, const datatype &type) noexcept {
    return 2 * std::min(count, piece_of(where, type));
}

void reduce_posts(const collective_area &where, std::uint64_t number, collective_area::place at,
                  const reduce_posts_step &what) {
    const auto bytes = static_cast<std::size_t>(what.to.bytes());
    const auto posted = [&](int member) {
        return where.posts().data(number, member, at).subspan(what.offset, bytes);
    };
    const op_on operation{*what.operation, *what.to.type};
    int next = what.last - 1;
    if (!what.onto) {
        unpack(what.to, 0, posted(next--));
    }
    for (int member = next; member >= what.first; --member) {
        const void *in = posted(member).data();
        if (what.scratch != nullptr) {
            unpack({what.scratch, what.to.count, *what.to.type}, 0, posted(member));
            in = what.scratch;
        }
        operation.apply(in, what.to.address, what.to.count);
    }
}

peer_buffer::peer_buffer(const collective_area &where, std::uint64_t number, int peer, exposed_part what,
                         typed_buffer buffer_descriptor::*whole, manner how) noexcept
    : where_{where}, peer_{peer}, how_{how} {
    const buffer_descriptor exposed = where.posts().descriptor(number, peer);
    if (what == exposed_part::whole) {
        buffer_ = exposed.*whole;
    } else {
        reached_ = where.posts().find_block(number, peer, exposed, buffer_);
    }
}

int peer_buffer::compare(const typed_buffer &own) const noexcept {
    // Between processes the count is that of bytes.
    const MPI_Count bytes = where_.members().one_process() ? buffer_.bytes() : buffer_.count;
    return !reached_ ? MPI_ERR_OTHER : bytes != own.bytes() ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
}

namespace {

std::byte *place_in(const typed_buffer &buffer, MPI_Count offset) noexcept {
    return static_cast<std::byte *>(buffer.address) + offset;
}

/// Calls `move(bytes here, offset)` for pieces of data that do not lie in one piece here.
template <class Move> bool move_packed(bool backwards, MPI_Count offset, MPI_Count length, Move move) {
    std::vector<std::byte> packed(static_cast<std::size_t>(std::min(length, cross_process_piece)));
    return move_pieces(cross_process_piece, backwards, offset, length, [&](MPI_Count at, MPI_Count bytes) {
        return move(std::span{packed}.first(static_cast<std::size_t>(bytes)), at);
    });
}

} // namespace

int peer_buffer::read(const typed_buffer &to, MPI_Count offset, MPI_Count length) const {
    if (const int wrong = compare(to); wrong != MPI_SUCCESS || length == 0) {
        return wrong;
    }
    if (where_.members().one_process()) {
        copy_long(how_, buffer_, to, offset, length);
        return MPI_SUCCESS;
    }
    const auto get = [this](MPI_Count at, void *into, MPI_Count bytes) {
        return where_.members().read(peer_, place_in(buffer_, at), into, bytes);
    };
    const bool done =
        to.type->contiguous()
            ? move_long(most_at_one_call, how_.backwards, offset, length,
                        [&](MPI_Count at, MPI_Count bytes) { return get(at, place_in(to, at), bytes); })
            : move_packed(how_.backwards, offset, length, [&](std::span<std::byte> piece, MPI_Count at) {
                  const bool there = get(at, piece.data(), static_cast<MPI_Count>(piece.size()));
                  unpack(to, at, piece);
                  return there;
              });
    return done ? MPI_SUCCESS : MPI_ERR_OTHER;
}

int peer_buffer::write(const typed_buffer &from, MPI_Count offset, MPI_Count length) const {
    if (const int wrong = compare(from); wrong != MPI_SUCCESS || length == 0) {
        return wrong;
    }
    if (where_.members().one_process()) {
        copy_long(how_, from, buffer_, offset, length);
        return MPI_SUCCESS;
    }
    const auto put = [this](MPI_Count at, const void *out_of, MPI_Count bytes) {
        return where_.members().write(peer_, place_in(buffer_, at), out_of, bytes);
    };
    const bool done =
        from.type->contiguous()
            ? move_long(most_at_one_call, how_.backwards, offset, length,
                        [&](MPI_Count at, MPI_Count bytes) { return put(at, place_in(from, at), bytes); })
            : move_packed(how_.backwards, offset, length, [&](std::span<std::byte> piece, MPI_Count at) {
                  pack(from, at, piece);
                  return put(at, piece.data(), static_cast<MPI_Count>(piece.size()));
              });
    return done ? MPI_SUCCESS : MPI_ERR_OTHER;
}

namespace {

/// A piece of a reduction among processes: contributions come and results go with the kernel's help.
class cross_process_reduction {
  public:
    cross_process_reduction(const collective_area &where, const std::vector<buffer_descriptor> &descriptors,
                            const reduce_peers_step &what, MPI_Count done, MPI_Count count) noexcept
        : where_{where}, descriptors_{descriptors}, what_{what}, done_{done}, count_{count} {}

    /// @param total, other room for the piece twice @return a member whose memory was not there, or -1
    [[nodiscard]] int reduce(void *total, void *other) {
        if (what_.place == result_place::prefixes || what_.place == result_place::prefixes_before) {
            scan(total, other);
            return failed_;
        }
        void *const out = result_here(total);
        const int last = where_.members().count() - 1;
        fabric::pinned_memory first, each; // what is reduced where it lies
        const void *sum = contribution(last, total, first);
        for (int member = last - 1; member >= 0; --member) {
            const void *const next = contribution(member, other, each);
            void *const place = member == 0 ? out : total;
            if (sum == place) {
                what_.operation->apply(next, place, count_, *what_.to.type);
            } else {
                what_.operation->combine(next, sum, place, count_, *what_.to.type);
            }
            sum = place;
        }
        switch (what_.place) {
        case result_place::here:
            break; // it is there
        case result_place::one_member:
            put(what_.member, sum);
            break;
        default:
            for (int member = 0; member <= last; ++member) {
                put(member, sum);
            }
        }
        return failed_;
    }

  private:
    void scan(void *room, void *other) {
        const bool inclusive = what_.place == result_place::prefixes;
        // Where the reduction of those up to a member is made: where it belongs if that is here.
        const auto place = [&](int member, void *otherwise) {
            return member + (inclusive ? 0 : 1) == where_.members().self() ? result_here(otherwise)
                                                                           : otherwise;
        };
        fabric::pinned_memory first;
        const void *before = contribution(0, place(0, room), first);
        if (inclusive) {
            put(0, before);
        }
        for (int member = 1; member < where_.members().count(); ++member) {
            const void *next = nullptr;
            if (inclusive || member + 1 < where_.members().count()) { // else nobody wants to know
                next = with(before, member, place(member, before == room ? other : room));
            }
            put(member, inclusive ? next : before);
            before = next;
        }
    }
    /// What a member gives and what is `before` it, made in `to`.
    [[nodiscard]] const void *with(const void *before, int member, void *to) {
        if (member == where_.members().self()) {
            what_.operation->combine(before, given(member), to, count_, *what_.to.type);
        } else {
            get(member, to);
            what_.operation->apply(before, to, count_, *what_.to.type);
        }
        return to;
    }
    [[nodiscard]] std::size_t bytes() const noexcept {
        return static_cast<std::size_t>(count_ * what_.to.type->size());
    }
    [[nodiscard]] std::byte *at(const typed_buffer &exposed) const noexcept {
        return place_in(exposed, (what_.first + done_) * what_.to.type->size());
    }
    [[nodiscard]] std::byte *given(int member) const noexcept {
        return at(descriptors_[static_cast<std::size_t>(member)].give);
    }
    [[nodiscard]] std::byte *taken(int member) const noexcept {
        return at(descriptors_[static_cast<std::size_t>(member)].take);
    }
    /// Where the result is made: where it belongs if that is here and nothing of this rank's lies there.
    [[nodiscard]] void *result_here(void *scratch) const {
        if (what_.place == result_place::here) {
            return part(what_.to, done_, count_).address;
        }
        const bool comes_here =
            what_.place != result_place::one_member || what_.member == where_.members().self();
        const bool free = comes_here && taken(where_.members().self()) != given(where_.members().self());
        return free ? taken(where_.members().self()) : scratch;
    }
    /// What a member gives, where it lies if that can be reached, else in `room`.
    [[nodiscard]] const void *contribution(int member, void *room, fabric::pinned_memory &there) {
        if (member == where_.members().self()) {
            return given(member);
        }
        there = where_.members().pin(member, given(member), static_cast<MPI_Count>(bytes()));
        if (there.address() != nullptr) {
            return there.address();
        }
        get(member, room);
        return room;
    }
    void get(int other, void *to) {
        if (!where_.members().read(other, given(other), to, static_cast<MPI_Count>(bytes()))) {
            failed_ = other;
        }
    }
    void put(int member, const void *from) {
        auto *const to = taken(member);
        if (member == where_.members().self()) {
            if (to != from) {
                std::memcpy(to, from, bytes());
            }
        } else if (!where_.members().write(member, to, from, static_cast<MPI_Count>(bytes()))) {
            failed_ = member;
        }
    }

    const collective_area &where_;
    const std::vector<buffer_descriptor> &descriptors_;
    const reduce_peers_step &what_;
    MPI_Count done_, count_;
    int failed_ = -1;
};

} // namespace

peer_result reduce_peers(const collective_area &where, std::uint64_t number, const reduce_peers_step &what) {
    const datatype &type = *what.to.type;
    const int members = where.members().count();
    std::vector<buffer_descriptor> descriptors;
    descriptors.reserve(static_cast<std::size_t>(members));
    for (int member = 0; member < members; ++member) {
        const buffer_descriptor exposed = where.posts().descriptor(number, member);
        if (exposed.give.count < what.first + what.to.count) {
            return {MPI_ERR_TRUNCATE, member};
        }
        descriptors.push_back(exposed);
    }
    const MPI_Count most = piece_of(where, type);
    const MPI_Count room = std::min(most, what.to.count);
    void *const second = part({what.scratch, 0, type}, room, room).address;
    int failed = -1;
    move_pieces(most, goes_backwards(number), 0, what.to.count, [&](MPI_Count done, MPI_Count count) {
        if (where.members().one_process()) {
            reduce_piece({*what.operation, descriptors, what.first + done, count, type}, what, members,
                         part(what.to, done, count), what.scratch, second);
        } else {
            failed =
                cross_process_reduction{where, descriptors, what, done, count}.reduce(what.scratch, second);
        }
        return failed < 0;
    });
    return failed < 0 ? peer_result{MPI_SUCCESS, 0} : peer_result{MPI_ERR_OTHER, failed};
}

void reduce_all(const op &operation, const std::vector<buffer_descriptor> &descriptors, result_place place) {
    const typed_buffer &first = descriptors.front().give;
    const datatype &type = *first.type;
    const MPI_Count most = std::min(first.count, elements_in(piece_bytes, type));
    alignas(std::max_align_t) std::byte near[512];
    step_memory memory{near};
    const bool needs_room = place == result_place::prefixes_before;
    const auto room = [&] { // the others wait for the result, so it waits for memory
        return protocol::once_there_is_memory(this_rank().engine(),
                                              [&] { return memory.temporary(most, type).address; });
    };
    void *const one = needs_room ? room() : nullptr;
    void *const other = needs_room ? room() : nullptr;
    const reduce_peers_step what{
        .operation = &operation, .to = {}, .scratch = one, .first = 0, .member = 0, .place = place};
    for (MPI_Count done = 0; done < first.count; done += most) {
        const MPI_Count count = std::min(most, first.count - done);
        reduce_piece({operation, descriptors, done, count, type}, what, static_cast<int>(descriptors.size()),
                     {}, one, other);
    }
}

} // namespace lisle::collective
