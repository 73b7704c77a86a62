// SPDX-License-Identifier: Apache-2.0
// Collectives that reduce: every predefined operation on every class of datatypes, and user functions that do
// not commute, in every call and form, against the same combination done here in the order of ranks.
#include "elements.hpp"
#include "forms.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <functional>
#include <random>
#include <thread>
#include <utility>

namespace {

struct scene {
    MPI_Comm comm;
    int rank, size;
    form how;
    int count;
    MPI_Op op;
};

/// One operation on one type: what a rank contributes, how two elements combine.
class reduction_test {
  public:
    using contribution = std::function<void(void *element, int rank, int index)>;

    reduction_test(const scene &s, element_type type, contribution contribute)
        : s_(s), type_(std::move(type)), contribute_(std::move(contribute)) {}

    void run() {
        for (const bool in_place : {false, true}) {
            for (int root = 0; root<s_.size; root += s_.count> 100 && s_.size > 2 ? s_.size - 1 : 1)
                reduce(root, in_place);
            allreduce(in_place);
            scan(in_place);
            exscan(in_place);
            reduce_scatter(in_place, false);
            reduce_scatter(in_place, true);
        }
    }

  private:
    /// The caller's elements.
    void contribute(const element_row &own, int count) {
        for (int i = 0; i < count; ++i)
            contribute_(own[i], s_.rank, i);
    }
    /// What ranks [0, last] give from the index `first` on.
    void expect(const element_row &result, int count, int last, int first = 0) {
        const element_row expected(type_, 1), given(type_, 1);
        for (int i = 0; i < count; ++i) {
            contribute_(expected[0], 0, first + i);
            for (int rank = 1; rank <= last; ++rank) {
                contribute_(given[0], rank, first + i);
                expected.combine(0, given[0]);
            }
            CHECK(result.has(i, expected[0]));
        }
    }

    void reduce(int root, bool in_place) {
        const bool here = s_.rank == root;
        const element_row send(type_, s_.count), receive(type_, s_.count);
        contribute(send, s_.count);
        call(s_.how, fresh(in_place && here, send, receive), MPI_Reduce, MPI_Ireduce, MPI_Reduce_init,
             source(in_place && here, send), static_cast<void *>(here ? receive.data() : nullptr), s_.count,
             type_.type, s_.op, root, s_.comm);
        if (here)
            expect(receive, s_.count, s_.size - 1);
    }

    void allreduce(bool in_place) {
        const element_row send(type_, s_.count), receive(type_, s_.count);
        contribute(send, s_.count);
        call(s_.how, fresh(in_place, send, receive), MPI_Allreduce, MPI_Iallreduce, MPI_Allreduce_init,
             source(in_place, send), static_cast<void *>(receive.data()), s_.count, type_.type, s_.op,
             s_.comm);
        expect(receive, s_.count, s_.size - 1);
    }

    void scan(bool in_place) {
        const element_row send(type_, s_.count), receive(type_, s_.count);
        contribute(send, s_.count);
        call(s_.how, fresh(in_place, send, receive), MPI_Scan, MPI_Iscan, MPI_Scan_init,
             source(in_place, send), static_cast<void *>(receive.data()), s_.count, type_.type, s_.op,
             s_.comm);
        expect(receive, s_.count, s_.rank);
    }

    void exscan(bool in_place) {
        const element_row send(type_, s_.count), receive(type_, s_.count);
        contribute(send, s_.count);
        call(s_.how, fresh(in_place, send, receive), MPI_Exscan, MPI_Iexscan, MPI_Exscan_init,
             source(in_place, send), static_cast<void *>(receive.data()), s_.count, type_.type, s_.op,
             s_.comm);
        if (s_.rank > 0)
            expect(receive, s_.count, s_.rank - 1);
    }

    /// Pieces of equal length, or of count * (rank % 3) elements.
    void reduce_scatter(bool in_place, bool equal) {
        std::vector<int> counts;
        int total = 0, first = 0;
        for (int rank = 0; rank < s_.size; ++rank) {
            if (rank == s_.rank)
                first = total;
            counts.push_back(equal ? s_.count : s_.count * (rank % 3));
            total += counts.back();
        }
        const element_row send(type_, total), receive(type_, total);
        contribute(send, total);
        const int length = counts[static_cast<std::size_t>(s_.rank)];
        if (equal)
            call(s_.how, fresh(in_place, send, receive), MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block,
                 MPI_Reduce_scatter_block_init, source(in_place, send), static_cast<void *>(receive.data()),
                 s_.count, type_.type, s_.op, s_.comm);
        else
            call(s_.how, fresh(in_place, send, receive), MPI_Reduce_scatter, MPI_Ireduce_scatter,
                 MPI_Reduce_scatter_init, source(in_place, send), static_cast<void *>(receive.data()),
                 counts.data(), type_.type, s_.op, s_.comm);
        expect(receive, length, s_.size - 1, first);
    }

    static const void *source(bool in_place, const element_row &send) {
        return in_place ? MPI_IN_PLACE : static_cast<const void *>(send.data());
    }
    /// Sets the receive buffer before each run, without moving it.
    static std::function<void()> fresh(bool in_place, const element_row &send, const element_row &receive) {
        return [in_place, from = send.bytes(), to = receive.bytes()] {
            if (to.empty())
                return;
            if (in_place)
                std::memcpy(to.data(), from.data(), to.size());
            else
                std::memset(to.data(), 0, to.size());
        };
    }

    scene s_;
    element_type type_;
    contribution contribute_;
};

template <class T, class Contribute, class Combine>
void test(scene s, MPI_Datatype type, MPI_Op op, Contribute contribute, Combine combine) {
    s.op = op;
    reduction_test(s, element_type_of<T>(type, combine), [contribute](void *element, int rank, int index) {
        *static_cast<T *>(element) = contribute(rank, index);
    }).run();
}

template <class T> T factor(int rank, int index) {
    return static_cast<T>((rank + index) % 3 == 0 ? 2 : 1);
}

template <class T> void sums(const scene &s, MPI_Datatype type) {
    const auto number = [](int rank, int index) { return static_cast<T>(value(rank, index)); };
    test<T>(s, type, MPI_SUM, number, [](T a, T b) { return static_cast<T>(a + b); });
}

template <class T> void arithmetic(const scene &s, MPI_Datatype type) {
    const auto number = [](int rank, int index) { return static_cast<T>(value(rank, index)); };
    sums<T>(s, type);
    test<T>(s, type, MPI_PROD, factor<T>, [](T a, T b) { return static_cast<T>(a * b); });
    test<T>(s, type, MPI_MIN, number, [](T a, T b) { return a < b ? a : b; });
    test<T>(s, type, MPI_MAX, number, [](T a, T b) { return a < b ? b : a; });
}

template <class T> void bitwise(const scene &s, MPI_Datatype type) {
    const auto bits = [](int rank, int index) {
        return static_cast<T>(static_cast<unsigned>(value(rank, index)) * 2654435761u);
    };
    test<T>(s, type, MPI_BAND, bits, [](T a, T b) { return static_cast<T>(a & b); });
    test<T>(s, type, MPI_BOR, bits, [](T a, T b) { return static_cast<T>(a | b); });
    test<T>(s, type, MPI_BXOR, bits, [](T a, T b) { return static_cast<T>(a ^ b); });
}

template <class T> void logical(const scene &s, MPI_Datatype type) {
    const auto truth = [](int rank, int index) { return static_cast<T>((rank * 3 + index) % 5 < 3 ? 1 : 0); };
    test<T>(s, type, MPI_LAND, truth, [](T a, T b) { return static_cast<T>(a != 0 && b != 0); });
    test<T>(s, type, MPI_LOR, truth, [](T a, T b) { return static_cast<T>(a != 0 || b != 0); });
    test<T>(s, type, MPI_LXOR, truth, [](T a, T b) { return static_cast<T>((a != 0) != (b != 0)); });
}

template <class T> void complex(const scene &s, MPI_Datatype type) {
    using C = std::complex<T>;
    const auto number = [](int rank, int index) {
        return C(static_cast<T>(value(rank, index)), static_cast<T>(value(index, rank)));
    };
    const auto unit = [](int rank, int index) {
        const C units[] = {C(1, 0), C(0, 1), C(-1, 0), C(1, 1)};
        return units[(rank + index) % 4];
    };
    test<C>(s, type, MPI_SUM, number, [](C a, C b) { return a + b; });
    test<C>(s, type, MPI_PROD, unit, [](C a, C b) { return a * b; });
}

template <class Value> struct located {
    Value value;
    int index;
    bool operator==(const located &other) const { return value == other.value && index == other.index; }
};

template <class Value> void locations(const scene &s, MPI_Datatype type) {
    using pair = located<Value>;
    const auto here = [](int rank, int index) {
        return pair{static_cast<Value>(value(rank, index) / 4), rank};
    };
    const auto lower = [](pair a, pair b) { return pair{a.value, std::min(a.index, b.index)}; };
    test<pair>(s, type, MPI_MINLOC, here, [lower](pair a, pair b) {
        return a.value == b.value ? lower(a, b) : a.value < b.value ? a : b;
    });
    test<pair>(s, type, MPI_MAXLOC, here, [lower](pair a, pair b) {
        return a.value == b.value ? lower(a, b) : a.value < b.value ? b : a;
    });
}

/// x -> a * x + b: composition is associative, and not commutative.
struct affine {
    unsigned a, b;
    bool operator==(const affine &other) const { return a == other.a && b == other.b; }
};

affine compose(affine first, affine second) {
    return {first.a * second.a, first.a * second.b + first.b};
}

void compose_small(void *in, void *inout, int *length, MPI_Datatype *) {
    for (int i = 0; i < *length; ++i)
        static_cast<affine *>(inout)[i] =
            compose(static_cast<affine *>(in)[i], static_cast<affine *>(inout)[i]);
}

void compose_large(void *in, void *inout, MPI_Count *length, MPI_Datatype *) {
    int small = static_cast<int>(*length);
    compose_small(in, inout, &small, nullptr);
}

void user_functions(const scene &s) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    CHECK_MPI(MPI_Type_contiguous(2, MPI_UNSIGNED, &type));
    CHECK_MPI(MPI_Type_commit(&type));
    MPI_Op small = MPI_OP_NULL, large = MPI_OP_NULL;
    CHECK_MPI(MPI_Op_create(compose_small, 0, &small));
    CHECK_MPI(MPI_Op_create_c(compose_large, 0, &large));
    int commutes = 1;
    CHECK_MPI(MPI_Op_commutative(small, &commutes));
    CHECK_EQ(commutes, 0);
    const auto map = [](int rank, int index) {
        return affine{static_cast<unsigned>(rank * 2 + index * 4 + 3),
                      static_cast<unsigned>(rank * 5 + index)};
    };
    test<affine>(s, type, small, map, compose);
    test<affine>(s, type, large, map, compose);
    CHECK_MPI(MPI_Op_free(&small));
    CHECK(small == MPI_OP_NULL);
    CHECK_MPI(MPI_Op_free(&large));
    CHECK_MPI(MPI_Type_free(&type));
}

void all_types(const scene &s) {
    arithmetic<signed char>(s, MPI_SIGNED_CHAR);
    arithmetic<unsigned short>(s, MPI_UNSIGNED_SHORT);
    arithmetic<int>(s, MPI_INT);
    arithmetic<std::int64_t>(s, MPI_INT64_T);
    arithmetic<std::uint64_t>(s, MPI_UINT64_T);
    arithmetic<MPI_Aint>(s, MPI_AINT);
    arithmetic<MPI_Count>(s, MPI_COUNT);
    arithmetic<float>(s, MPI_FLOAT);
    arithmetic<double>(s, MPI_DOUBLE);
    arithmetic<long double>(s, MPI_LONG_DOUBLE);
    bitwise<unsigned char>(s, MPI_BYTE);
    bitwise<unsigned>(s, MPI_UNSIGNED);
    bitwise<std::int16_t>(s, MPI_INT16_T);
    logical<int>(s, MPI_INT);
    logical<unsigned char>(s, MPI_C_BOOL);
    complex<float>(s, MPI_C_FLOAT_COMPLEX);
    complex<double>(s, MPI_C_DOUBLE_COMPLEX);
    locations<float>(s, MPI_FLOAT_INT);
    locations<double>(s, MPI_DOUBLE_INT);
    locations<long>(s, MPI_LONG_INT);
    locations<int>(s, MPI_2INT);
    locations<short>(s, MPI_SHORT_INT);
    locations<long double>(s, MPI_LONG_DOUBLE_INT);
    user_functions(s);
}

/// One type of each class.
void few_types(const scene &s) {
    arithmetic<int>(s, MPI_INT);
    bitwise<unsigned char>(s, MPI_BYTE);
    logical<int>(s, MPI_INT);
    complex<double>(s, MPI_C_DOUBLE_COMPLEX);
    locations<double>(s, MPI_DOUBLE_INT);
    user_functions(s);
}

/// Sums of doubles whose rounding depends on the order: the same bits each time, in whatever order ranks
/// arrive, and on all ranks where all get them.
void reproducible(const scene &s, int length) {
    std::mt19937 random(static_cast<unsigned>(s.rank));
    std::vector<double> send(static_cast<std::size_t>(length));
    for (double &x : send)
        x = std::uniform_real_distribution<double>(-1, 1)(random);
    enum call { allreduce, reduce, scan, calls };
    std::vector<double> first[calls], again(send.size());
    for (int round = 0; round < 12; ++round) {
        for (int which = allreduce; which < calls; ++which) {
            std::this_thread::sleep_for(
                std::chrono::microseconds(random() % 300)); // who comes last is chance
            if (which == allreduce)
                CHECK_MPI(MPI_Allreduce(send.data(), again.data(), length, MPI_DOUBLE, MPI_SUM, s.comm));
            else if (which == reduce)
                CHECK_MPI(MPI_Reduce(send.data(), again.data(), length, MPI_DOUBLE, MPI_SUM, 0, s.comm));
            else
                CHECK_MPI(MPI_Scan(send.data(), again.data(), length, MPI_DOUBLE, MPI_SUM, s.comm));
            if (round == 0)
                first[which] = again;
            CHECK((which == reduce && s.rank != 0) ||
                  std::memcmp(first[which].data(), again.data(), send.size() * sizeof(double)) == 0);
            std::vector<double> roots = again;
            CHECK_MPI(MPI_Bcast(roots.data(), length, MPI_DOUBLE, 0, s.comm));
            CHECK(which != allreduce ||
                  std::memcmp(roots.data(), again.data(), send.size() * sizeof(double)) == 0);
        }
    }
}

/// The sum in the order of recursive doubling, of what ranks give in their order: beyond a power of two the
/// first ranks join in pairs.
double sum_by_doubling(std::vector<double> values) {
    const std::size_t all = values.size(), doubled = std::bit_floor(all);
    for (std::size_t pair = 0; pair < all - doubled; ++pair) {
        values[pair] += values[pair + 1]; // what follows has moved up by one for each pair before
        values.erase(values.begin() + static_cast<std::ptrdiff_t>(pair) + 1);
    }
    for (; values.size() > 1; values.resize(values.size() / 2))
        for (std::size_t i = 0; i < values.size() / 2; ++i)
            values[i] = values[2 * i] + values[2 * i + 1];
    return values[0];
}

/// A number whose sums depend on their order.
double rough(int rank, int index) {
    const auto mixed = static_cast<std::uint32_t>(rank * 40009 + index) * 2654435761u;
    return std::ldexp((static_cast<double>(mixed) - 2147483648.0) / 3, static_cast<int>(mixed % 7));
}

/// Sums of doubles have the digits that other MPI libraries give, however ranks are run and whatever their
/// number and the length.
void digits(scene s) {
    for (const form how : all_forms) {
        for (const int length : {1, 200, 1500, 40001}) {
            std::vector<double> send, sum(static_cast<std::size_t>(length));
            for (int i = 0; i < length; ++i)
                send.push_back(rough(s.rank, i));
            call(
                how, [] {}, MPI_Allreduce, MPI_Iallreduce, MPI_Allreduce_init,
                static_cast<const void *>(send.data()), sum.data(), length, MPI_DOUBLE, MPI_SUM, s.comm);
            int others = 0; // sums that one by one would have other digits
            for (int i = 0; i < length; ++i) {
                std::vector<double> given;
                for (int rank = 0; rank < s.size; ++rank)
                    given.push_back(rough(rank, i));
                CHECK(sum[static_cast<std::size_t>(i)] == sum_by_doubling(given));
                double in_turn = given.back();
                for (int rank = s.size - 2; rank >= 0; --rank)
                    in_turn += given[static_cast<std::size_t>(rank)];
                others += in_turn == sum[static_cast<std::size_t>(i)] ? 0 : 1;
            }
            CHECK(length == 1 || s.size < 4 || others > 0);
        }
    }
}

} // namespace

int main(int argc, char **argv) {
    const check::job job(&argc, &argv);
    scene s{MPI_COMM_WORLD, job.rank, job.size, form::blocking, 0, MPI_SUM};
    const bool thorough = argc > 1; // every operation on every type in every form, and on long rows
    if (argc > 1 && std::strcmp(argv[1], "digits") == 0) {
        digits(s);
        return 0;
    }
    for (const form how : all_forms) {
        for (const int count : {0, 1, 5}) {
            s.how = how;
            s.count = count;
            if (count != 5 && how != form::blocking)
                continue;
            if (thorough || (count == 5 && how == form::blocking))
                all_types(s);
            else
                few_types(s);
        }
    }
    s.how = form::blocking;
    s.count = 40001; // longer than any message sent at once, and than where algorithms change
    sums<double>(s, MPI_DOUBLE);
    if (thorough)
        arithmetic<double>(s, MPI_DOUBLE);
    user_functions(s);
    for (const int length : {1, 100, 1000, 40001})
        reproducible(s, length);
    return 0;
}
