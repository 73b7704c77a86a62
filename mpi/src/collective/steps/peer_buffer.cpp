// SPDX-License-Identifier: Apache-2.0
#include "collective/steps/peer_buffer.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <vector>

#include "collective/area/long_data.hpp"
#include "collective/steps/in_pairs.hpp"
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

/// Rooms for pieces: the first one, and the second one and those that follow it.
struct spare_pieces {
    void *first, *second;
    MPI_Count apart; ///< elements from the second one to the third
};

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
    void combine_all(int members, pairing how, const typed_buffer &to, const spare_pieces &rooms) const {
        const level_rooms places{to, rooms.second, rooms.apart};
        combine_by_way_of(members, how, to, [&](int, int level) { return places.of(level); });
    }
    /// The same to what the last member takes, by way of what others take.
    void combine_all(int members) const {
        combine_by_way_of(members, pairing::near_first, taken(members - 1),
                          [this](int member, int) { return taken(member).address; });
    }

  private:
    /// @param room (member, level): where the result is made of what a member gives and others before it
    template <class Room>
    void combine_by_way_of(int members, pairing how, const typed_buffer &to, Room room) const {
        if (members <= 2) {
            members == 1 ? copy_all(given(0), to) : combine(given(0), given(1), to);
            return;
        }
        level_results levels{operation_, count_};
        combine_in_pairs(
            members, how,
            [&](int member, int level) { levels.hold(level, given(member).address, room(member, level)); },
            [&](int level) { levels.combine(level); });
    }
    static std::size_t index(int member) noexcept { return static_cast<std::size_t>(member); }
    [[nodiscard]] typed_buffer of(const typed_buffer &whole) const {
        return first_ == 0 ? at(whole.address) : part({whole.address, 0, type_}, first_, count_);
    }

    op_on operation_;
    const std::vector<buffer_descriptor> &descriptors_;
    MPI_Count first_, count_;
    const datatype &type_;
};

pairing pairing_of(const reduce_peers_step &what) noexcept {
    return what.place == result_place::here && what.operation->commutative() ? pairing::far_first
                                                                             : pairing::near_first;
}

/// Into what each member takes.
void reduce_everywhere(const piece &now, int members) {
    now.combine_all(members);
    const typed_buffer result = now.taken(members - 1);
    for (int member = 0; member < members - 1; ++member) {
        copy_all(result, now.taken(member));
    }
}

void reduce_piece(const piece &now, const reduce_peers_step &what, int members, const typed_buffer &here,
                  const spare_pieces &rooms) {
    const int last = members - 1;
    const pairing how = pairing_of(what);
    switch (what.place) {
    case result_place::everywhere:
        reduce_everywhere(now, members);
        return;
    case result_place::one_member: {
        const typed_buffer result = now.taken(what.member);
        const bool overwrites = what.member != last && now.given(what.member).address == result.address;
        const typed_buffer place = overwrites ? now.at(rooms.first) : result;
        now.combine_all(members, how, place, rooms);
        copy_all(place, result);
        return;
    }
    case result_place::here:
        now.combine_all(members, how, here, rooms);
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
        typed_buffer before = now.at(rooms.first), next = now.at(rooms.second);
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
    // The lowest level's result, and those of the others.
    return std::max(2, levels_of(where.members().count())) * std::min(count, piece_of(where, type));
}

namespace {

/// With what lies in the step's buffer already.
void reduce_onto(const op_on &operation, const reduce_posts_step &what, const auto &posted) {
    for (int member = what.last - 1; member >= what.first; --member) {
        const void *in = posted(member).data();
        if (what.scratch != nullptr) {
            unpack({what.scratch, what.to.count, *what.to.type}, 0, posted(member));
            in = what.scratch;
        }
        operation.apply(in, what.to.address, what.to.count);
    }
}

} // namespace

void reduce_posts(const collective_area &where, std::uint64_t number, collective_area::place at,
                  const reduce_posts_step &what) {
    const auto bytes = static_cast<std::size_t>(what.to.bytes());
    const auto posted = [&](int member) {
        return where.posts().data(number, member, at).subspan(what.offset, bytes);
    };
    const op_on operation{*what.operation, *what.to.type};
    if (what.how == pairing::none) {
        reduce_onto(operation, what, posted);
        return;
    }
    if (what.first + 1 == what.last) {
        unpack(what.to, 0, posted(what.first));
        return;
    }
    if (what.first + 2 == what.last && what.scratch == nullptr) { // read where they lie, so there is no room
        operation.combine(posted(what.first).data(), posted(what.first + 1).data(), what.to.address,
                          what.to.count);
        return;
    }
    const bool in_place = reduces_in_place(*what.operation, what.to);
    const level_rooms rooms{what.to, what.scratch, what.to.count};
    level_results levels{operation, what.to.count};
    const auto give = [&](int which, int level) {
        const auto data = posted(what.first + which);
        void *const room = rooms.of(level);
        if (!in_place) {
            unpack({room, what.to.count, *what.to.type}, 0, data);
        }
        levels.hold(level, in_place ? static_cast<const void *>(data.data()) : room, room);
    };
    combine_in_pairs(what.last - what.first, what.how, give, [&](int level) { levels.combine(level); });
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

    /// @return a member whose memory was not there, or -1
    [[nodiscard]] int reduce(const spare_pieces &rooms) {
        if (what_.place == result_place::prefixes || what_.place == result_place::prefixes_before) {
            scan(rooms.first, rooms.second);
            return failed_;
        }
        const datatype &type = *what_.to.type;
        const int last = where_.members().count() - 1;
        const op_on operation{*what_.operation, type};
        const typed_buffer result{result_here(rooms.first), count_, type};
        const level_rooms places{result, rooms.second, rooms.apart};
        level_results levels{operation, count_};
        std::array<fabric::pinned_memory, most_levels> reached; // what is reduced where it lies
        combine_in_pairs(
            last + 1, pairing_of(what_),
            [&](int member, int level) {
                auto &there = reached[static_cast<std::size_t>(level)];
                void *const room = places.of(level);
                levels.hold(level, contribution(member, room, there), room);
            },
            [&](int level) { levels.combine(level); });
        const void *const sum = result.address;
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
    const spare_pieces rooms{what.scratch, part({what.scratch, 0, type}, room, room).address, room};
    int failed = -1;
    move_pieces(most, goes_backwards(number), 0, what.to.count, [&](MPI_Count done, MPI_Count count) {
        if (where.members().one_process()) {
            reduce_piece({*what.operation, descriptors, what.first + done, count, type}, what, members,
                         part(what.to, done, count), rooms);
        } else {
            failed = cross_process_reduction{where, descriptors, what, done, count}.reduce(rooms);
        }
        return failed < 0;
    });
    return failed < 0 ? peer_result{MPI_SUCCESS, 0} : peer_result{MPI_ERR_OTHER, failed};
}

void reduce_all(const op &operation, const std::vector<buffer_descriptor> &descriptors, result_place place) {
    const typed_buffer &first = descriptors.front().give;
    const datatype &type = *first.type;
    const MPI_Count most = first.bytes() <= piece_bytes
                               ? first.count // mostly, without a division
                               : std::min(first.count, elements_in(piece_bytes, type));
    const auto members = static_cast<int>(descriptors.size());
    const auto in_pieces = [&](const auto &reduce) {
        for (MPI_Count done = 0; done < first.count; done += most) {
            reduce(piece{operation, descriptors, done, std::min(most, first.count - done), type});
        }
    };
    if (place == result_place::everywhere) {
        in_pieces([members](const piece &now) { reduce_everywhere(now, members); });
        return;
    }
    alignas(std::max_align_t) std::byte near[512];
    step_memory memory{near};
    spare_pieces rooms{nullptr, nullptr, most};
    if (place == result_place::prefixes_before) {
        const auto room = [&] { // the others wait for the result, so it waits for memory
            return protocol::once_there_is_memory(this_rank().engine(),
                                                  [&] { return memory.temporary(most, type).address; });
        };
        rooms.first = room();
        rooms.second = room();
    }
    const reduce_peers_step what{
        .operation = &operation, .to = {}, .scratch = nullptr, .first = 0, .member = 0, .place = place};
    in_pieces([&](const piece &now) { reduce_piece(now, what, members, {}, rooms); });
}

} // namespace lisle::collective
