// SPDX-License-Identifier: Apache-2.0
// Random accesses through random views, against an oracle: all ranks draw the same views and accesses and
// keep a copy of what the file must hold. The elements of a tile are dealt out among the ranks and nobody, so
// no two ranks write to the same bytes.
//     random_views [rounds] [seed] [hint=value...]
#include "file.hpp"
#include "payload.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace {

/// The view of one rank: elements of a tile that repeats.
struct tiling {
    MPI_Offset displacement = 0;
    int unit = 1;           ///< bytes of an element
    int slots = 1;          ///< elements of a tile
    std::vector<int> owned; ///< of these the rank's, ascending

    [[nodiscard]] MPI_Offset offset_of(long byte) const {
        const long element = byte / unit, own = static_cast<long>(owned.size());
        return displacement +
               (element / own * slots + owned[static_cast<std::size_t>(element % own)]) * unit + byte % unit;
    }
    [[nodiscard]] MPI_Datatype element() const {
        return unit == 1 ? MPI_BYTE : unit == 4 ? MPI_INT : MPI_DOUBLE;
    }
    [[nodiscard]] MPI_Datatype make_type() const {
        MPI_Datatype list = MPI_DATATYPE_NULL, tile = MPI_DATATYPE_NULL;
        CHECK_MPI(
            MPI_Type_create_indexed_block(static_cast<int>(owned.size()), 1, owned.data(), element(), &list));
        CHECK_MPI(MPI_Type_create_resized(list, 0, MPI_Aint{slots} * unit, &tile));
        CHECK_MPI(MPI_Type_free(&list));
        return tile;
    }
};

struct access_plan {
    long first = 0; ///< element of the view
    int count = 0;  ///< elements
    std::uint64_t seed = 0;
    bool gaps = false; ///< in memory
};

enum class form { at, at_all, individual, all, i_at, i_at_all, i_all, split_at, split, count };
constexpr bool is_collective(form how) {
    return how != form::at && how != form::individual && how != form::i_at;
}

/// A rank's data in memory, perhaps with gaps between the elements.
class buffer {
  public:
    buffer(const tiling &of, const access_plan &plan)
        : unit_{static_cast<std::size_t>(of.unit)}, step_{plan.gaps ? 3 * unit_ : unit_}, type_{[&] {
              MPI_Datatype made = MPI_DATATYPE_NULL;
              CHECK_MPI(MPI_Type_create_resized(of.element(), 0, static_cast<MPI_Aint>(step_), &made));
              return made;
          }()},
          memory_(static_cast<std::size_t>(plan.count) * step_, std::byte{0x5a}) {}

    [[nodiscard]] std::byte &at(long byte) {
        const auto place = static_cast<std::size_t>(byte);
        return memory_[place / unit_ * step_ + place % unit_];
    }
    [[nodiscard]] void *address() { return memory_.data(); }
    [[nodiscard]] MPI_Datatype type() const { return type_; }

  private:
    std::size_t unit_, step_;
    own_type type_;
    std::vector<std::byte> memory_;
};

class oracle_test {
  public:
    oracle_test(const check::job &job, std::uint64_t seed, MPI_Info hints)
        : job_{job}, random_{seed}, file_{"views", MPI_MODE_RDWR, hints} {}

    void round() {
        draw_views();
        set_view();
        for (int i = 0; i < 4; ++i) {
            write_once();
            read_once();
        }
        compare_all();
    }

  private:
    int pick(int bound) { return random_.below(bound); }

    void draw_views() {
        const int units[] = {1, 4, 8};
        tiling common;
        common.unit = units[pick(3)];
        common.slots = 1 + pick(pick(4) == 0 ? 400 : 12 * job_.size);
        common.displacement = pick(3) == 0 ? pick(5000) : 0;
        views_.assign(static_cast<std::size_t>(job_.size), common);
        const int holes = pick(3); // none, few, many
        const int length = 1 + pick(8);
        for (int slot = 0; slot < common.slots; ++slot) {
            const int taker = holes != 0 && pick(holes == 1 ? 8 : 2) == 0 ? -1 : pick(job_.size);
            for (int i = 0; taker >= 0 && i < length && slot < common.slots; ++i, ++slot)
                views_[static_cast<std::size_t>(taker)].owned.push_back(slot);
        }
        for (int rank = 0; rank < job_.size; ++rank) { // everybody sees something
            if (auto &owned = views_[static_cast<std::size_t>(rank)].owned; owned.empty()) {
                for (tiling &each : views_)
                    each.slots += 1;
                owned.push_back(views_.front().slots - 1);
            }
        }
    }

    void set_view() {
        const tiling &own = views_[static_cast<std::size_t>(job_.rank)];
        const own_type tile{own.make_type()};
        CHECK_MPI(MPI_File_set_view(file_, own.displacement, own.element(), tile, "native", MPI_INFO_NULL));
    }

    access_plan draw_access() {
        const int most = pick(5) == 0 ? 3000 : 60;
        return {pick(40), pick(8) == 0 ? 0 : pick(most), random_.next(), pick(2) == 0};
    }

    /// Calls the form of reading or writing. Returns the bytes that the status tells.
    template <bool Writing> long call(form how, const access_plan &plan, buffer &data) {
        MPI_Status status;
        MPI_Request request = MPI_REQUEST_NULL;
        const MPI_Datatype type = data.type();
        void *const at = data.address();
        const int n = plan.count;
        if (how == form::individual || how == form::all || how == form::i_all || how == form::split)
            CHECK_MPI(MPI_File_seek(file_, plan.first, MPI_SEEK_SET));
        const auto either = [&](auto write, auto read, auto... rest) {
            if constexpr (Writing)
                CHECK_MPI(write(rest...));
            else
                CHECK_MPI(read(rest...));
        };
        const MPI_File f = file_;
        switch (how) {
        case form::at:
            either(MPI_File_write_at, MPI_File_read_at, f, plan.first, at, n, type, &status);
            break;
        case form::at_all:
            either(MPI_File_write_at_all, MPI_File_read_at_all, f, plan.first, at, n, type, &status);
            break;
        case form::individual:
            either(MPI_File_write, MPI_File_read, f, at, n, type, &status);
            break;
        case form::all:
            either(MPI_File_write_all, MPI_File_read_all, f, at, n, type, &status);
            break;
        case form::i_at:
            either(MPI_File_iwrite_at, MPI_File_iread_at, f, plan.first, at, n, type, &request);
            break;
        case form::i_at_all:
            either(MPI_File_iwrite_at_all, MPI_File_iread_at_all, f, plan.first, at, n, type, &request);
            break;
        case form::i_all:
            either(MPI_File_iwrite_all, MPI_File_iread_all, f, at, n, type, &request);
            break;
        case form::split_at:
            either(MPI_File_write_at_all_begin, MPI_File_read_at_all_begin, f, plan.first, at, n, type);
            either(MPI_File_write_at_all_end, MPI_File_read_at_all_end, f, at, &status);
            break;
        default:
            either(MPI_File_write_all_begin, MPI_File_read_all_begin, f, at, n, type);
            either(MPI_File_write_all_end, MPI_File_read_all_end, f, at, &status);
            break;
        }
        if (request != MPI_REQUEST_NULL)
            CHECK_MPI(MPI_Wait(&request, &status));
        MPI_Count bytes = -1;
        CHECK_MPI(MPI_Get_elements_c(&status, MPI_BYTE, &bytes));
        return static_cast<long>(bytes);
    }

    static std::byte content(std::uint64_t seed, long byte) {
        return static_cast<std::byte>((seed + static_cast<std::uint64_t>(byte)) * 0x9e3779b97f4a7c15u >> 56);
    }

    void write_once() {
        const auto how = static_cast<form>(pick(static_cast<int>(form::count)));
        for (int rank = 0; rank < job_.size; ++rank) {
            const access_plan plan = draw_access();
            const tiling &through = views_[static_cast<std::size_t>(rank)];
            const long first = plan.first * through.unit, bytes = long{plan.count} * through.unit;
            for (long i = 0; i < bytes; ++i) {
                const auto place = static_cast<std::size_t>(through.offset_of(first + i));
                held_.resize(std::max(held_.size(), place + 1));
                held_[place] = content(plan.seed, i);
            }
            if (rank == job_.rank) {
                buffer data{through, plan};
                for (long i = 0; i < bytes; ++i)
                    data.at(i) = content(plan.seed, i);
                CHECK_EQ(call<true>(how, plan, data), bytes);
            }
        }
        meet();
    }

    void read_once() {
        const auto how = static_cast<form>(pick(static_cast<int>(form::count)));
        for (int rank = 0; rank < job_.size; ++rank) {
            const access_plan plan = draw_access();
            if (rank != job_.rank)
                continue;
            const tiling &through = views_[static_cast<std::size_t>(rank)];
            const long first = plan.first * through.unit;
            long expected = 0;
            while (expected < long{plan.count} * through.unit &&
                   through.offset_of(first + expected) < static_cast<MPI_Offset>(held_.size()))
                ++expected;
            buffer data{through, plan};
            CHECK_EQ(call<false>(how, plan, data), expected);
            for (long i = 0; i < expected; ++i)
                CHECK_EQ(static_cast<int>(data.at(i)),
                         static_cast<int>(held_[static_cast<std::size_t>(through.offset_of(first + i))]));
            for (long i = expected; i < long{plan.count} * through.unit; ++i)
                CHECK_EQ(static_cast<int>(data.at(i)), 0x5a);
        }
        meet();
    }

    /// The whole file, byte by byte.
    void compare_all() {
        CHECK_MPI(MPI_File_set_view(file_, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
        MPI_Offset size = -1;
        CHECK_MPI(MPI_File_get_size(file_, &size));
        CHECK_EQ(static_cast<std::size_t>(size), held_.size());
        std::vector<std::byte> found(held_.size());
        MPI_Status status;
        CHECK_MPI(
            MPI_File_read_at(file_, 0, found.data(), static_cast<int>(found.size()), MPI_BYTE, &status));
        const auto [held, seen] = std::mismatch(held_.begin(), held_.end(), found.begin());
        CHECK_EQ(held - held_.begin(), static_cast<std::ptrdiff_t>(held_.size()));
        meet();
    }

    const check::job &job_;
    random_numbers random_;
    scratch_file file_;
    std::vector<tiling> views_; ///< by rank
    std::vector<std::byte> held_;
};

} // namespace

int main(int argc, char **argv) {
    const check::job job{&argc, &argv};
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 12;
    const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
    MPI_Info hints = MPI_INFO_NULL;
    CHECK_MPI(MPI_Info_create(&hints));
    for (int i = 3; i < argc; ++i) {
        const std::string said = argv[i];
        const std::size_t equals = said.find('=');
        CHECK_MPI(MPI_Info_set(hints, said.substr(0, equals).c_str(), said.substr(equals + 1).c_str()));
    }
    {
        oracle_test test{job, seed, hints};
        for (int i = 0; i < rounds; ++i)
            test.round();
    }
    CHECK_MPI(MPI_Info_free(&hints));
}
