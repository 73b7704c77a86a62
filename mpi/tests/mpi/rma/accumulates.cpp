// SPDX-License-Identifier: Apache-2.0
// Accumulates of every form, with every predefined operation on every predefined datatype: in turns, where
// each fetched value is known, and all ranks at once, where the sum of what they did is.
#include "elements.hpp"
#include "layouts.hpp"
#include "window.hpp"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <functional>
#include <string_view>
#include <type_traits>

namespace {

/// The calls that accumulate.
enum class call {
    accumulate,
    get_accumulate,
    fetch_and_op,
    raccumulate,
    rget_accumulate,
    large,
    large_get,
    large_request,
    large_rget
};
constexpr std::array all_calls{call::accumulate,  call::get_accumulate,  call::fetch_and_op,
                               call::raccumulate, call::rget_accumulate, call::large,
                               call::large_get,   call::large_request,   call::large_rget};

/// Whether the call gives back what was there before.
bool fetches(call how) {
    return how == call::get_accumulate || how == call::fetch_and_op || how == call::rget_accumulate ||
           how == call::large_get || how == call::large_rget;
}

/// Combines `count` elements at `from` into the target's elements from `at` on.
void accumulate(call how, const void *from, void *before, int count, MPI_Datatype type, int target,
                MPI_Aint at, MPI_Op op, MPI_Win window) {
    MPI_Request request = MPI_REQUEST_NULL;
    switch (how) {
    case call::accumulate:
        CHECK_MPI(MPI_Accumulate(from, count, type, target, at, count, type, op, window));
        break;
    case call::large:
        CHECK_MPI(MPI_Accumulate_c(from, count, type, target, at, count, type, op, window));
        break;
    case call::get_accumulate:
        CHECK_MPI(
            MPI_Get_accumulate(from, count, type, before, count, type, target, at, count, type, op, window));
        break;
    case call::large_get:
        CHECK_MPI(MPI_Get_accumulate_c(from, count, type, before, count, type, target, at, count, type, op,
                                       window));
        break;
    case call::fetch_and_op:
        CHECK_MPI(MPI_Fetch_and_op(from, before, type, target, at, op, window));
        break;
    case call::raccumulate:
        CHECK_MPI(MPI_Raccumulate(from, count, type, target, at, count, type, op, window, &request));
        break;
    case call::large_request:
        CHECK_MPI(MPI_Raccumulate_c(from, count, type, target, at, count, type, op, window, &request));
        break;
    case call::rget_accumulate:
        CHECK_MPI(MPI_Rget_accumulate(from, count, type, before, count, type, target, at, count, type, op,
                                      window, &request));
        break;
    case call::large_rget:
        CHECK_MPI(MPI_Rget_accumulate_c(from, count, type, before, count, type, target, at, count, type, op,
                                        window, &request));
        break;
    }
    CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

struct scene {
    const check::job &job;
    flavour how;
};

/// One operation on one type. Each rank in turn combines its elements with those of the next rank, in one
/// epoch with every call; then all ranks at once combine theirs with those of rank 0.
class operation_test {
  public:
    using contribution = std::function<void(void *element, int i)>;

    operation_test(const scene &s, MPI_Op op, const element_type &type, contribution contribute)
        : s_{s}, op_{op}, type_{type}, contribute_{std::move(contribute)} {}

    void run() const {
        const window_of_bytes window(s_.how, count, type_.size);
        const element_row mine(type_, window.bytes());
        in_turns(window, mine);
        at_once(window, mine);
    }

  private:
    static constexpr int count = 23;

    void in_turns(const window_of_bytes &window, const element_row &mine) const {
        // Everybody's target has one origin only, so what it holds is known after each call.
        const int target = (s_.job.rank + 1) % s_.job.size;
        const element_row held(type_, count);
        for (int i = 0; i < count; ++i) {
            contribute_(mine[i], i);
            contribute_(held[i], i);
        }
        CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
        CHECK_MPI(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window.handle()));
        int step = 0;
        for (const call each : all_calls) {
            if (op_ == MPI_NO_OP && !fetches(each))
                continue; // it is for calls that fetch [MPI-5.0 12.3.4]
            const int elements = each == call::fetch_and_op ? 1 : 1 + (step * 7) % count;
            const element_row given(type_, elements);
            const element_row before(type_, elements);
            for (int i = 0; i < elements; ++i)
                contribute_(given[i], 3 + i * 5 + step);
            accumulate(each, given.data(), before.data(), elements, type_.type, target, window.at(target, 0),
                       op_, window.handle());
            CHECK_MPI(MPI_Win_flush(target, window.handle()));
            for (int i = 0; i < elements; ++i) {
                if (fetches(each) && !before.has(i, held[i]))
                    check::fail(__FILE__, __LINE__,
                                what() + ": the wrong value is fetched, step " + std::to_string(step));
                held.combine(i, given[i]);
            }
            ++step;
        }
        CHECK_MPI(MPI_Win_unlock(target, window.handle()));
        CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
        CHECK_MPI(MPI_Win_lock(MPI_LOCK_SHARED, s_.job.rank, 0, window.handle()));
        for (int i = 0; i < count; ++i)
            if (!mine.has(i, held[i]))
                check::fail(__FILE__, __LINE__,
                            what() + ": wrong element " + std::to_string(i) + " after turns");
        CHECK_MPI(MPI_Win_unlock(s_.job.rank, window.handle()));
        CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    }

    /// Whatever order the ranks come in, the result is the same; MPI_REPLACE is another matter.
    void at_once(const window_of_bytes &window, const element_row &mine) const {
        if (op_ == MPI_REPLACE)
            return;
        CHECK_MPI(MPI_Win_fence(0, window.handle()));
        for (int i = 0; i < count; ++i)
            contribute_(mine[i], i);
        CHECK_MPI(MPI_Win_fence(0, window.handle()));
        constexpr int rounds = 4;
        const element_row given(type_, count);
        const element_row before(type_, count);
        for (int round = 0; round < rounds; ++round) {
            for (int i = 0; i < count; ++i)
                contribute_(given[i], s_.job.rank + round + i);
            const bool fetch = round % 2 == 1 || op_ == MPI_NO_OP;
            accumulate(fetch ? call::get_accumulate : call::accumulate, given.data(), before.data(), count,
                       type_.type, 0, window.at(0, 0), op_, window.handle());
            CHECK_MPI(MPI_Win_fence(0, window.handle()));
        }
        if (s_.job.rank == 0)
            for (int i = 0; i < count; ++i) {
                const element_row expected(type_, 1);
                contribute_(expected[0], i);
                for (int round = 0; round < rounds; ++round)
                    for (int rank = 0; rank < s_.job.size; ++rank) {
                        contribute_(given[0], rank + round + i);
                        expected.combine(0, given[0]);
                    }
                if (!mine.has(i, expected[0]))
                    check::fail(__FILE__, __LINE__,
                                what() + ": wrong element " + std::to_string(i) + " of all ranks");
            }
        CHECK_MPI(MPI_Win_fence(0, window.handle()));
    }

    [[nodiscard]] std::string what() const {
        std::string text(MPI_MAX_OBJECT_NAME, '\0');
        int length = 0;
        CHECK_MPI(MPI_Type_get_name(type_.type, text.data(), &length));
        text.resize(static_cast<std::size_t>(length));
        const std::pair<MPI_Op, const char *> names[] = {
            {MPI_SUM, "sum"},       {MPI_PROD, "product"}, {MPI_MIN, "minimum"},     {MPI_MAX, "maximum"},
            {MPI_BAND, "band"},     {MPI_BOR, "bor"},      {MPI_BXOR, "bxor"},       {MPI_LAND, "land"},
            {MPI_LOR, "lor"},       {MPI_LXOR, "lxor"},    {MPI_REPLACE, "replace"}, {MPI_NO_OP, "no_op"},
            {MPI_MINLOC, "minloc"}, {MPI_MAXLOC, "maxloc"}};
        for (const auto &[op, name] : names)
            if (op == op_)
                text += std::string{" "} + name;
        return text + ", " + name_of(s_.how);
    }

    scene s_;
    MPI_Op op_;
    element_type type_;
    contribution contribute_;
};

template <class T, class Value, class Combine>
void test(const scene &s, MPI_Datatype type, MPI_Op op, Value value, Combine combine) {
    operation_test(s, op, element_type_of<T>(type, combine), [value](void *element, int i) {
        *static_cast<T *>(element) = value(i);
    }).run();
}

/// What every type has.
template <class T, class Value> void any(const scene &s, MPI_Datatype type, Value value) {
    test<T>(s, type, MPI_REPLACE, value, [](T, T given) { return given; });
    test<T>(s, type, MPI_NO_OP, value, [](T held, T) { return held; });
}

template <class T> T number(int i) {
    return static_cast<T>(1 + (i * 37) % 11);
}

template <class T> void arithmetic(const scene &s, MPI_Datatype type) {
    test<T>(s, type, MPI_SUM, number<T>, [](T a, T b) { return static_cast<T>(a + b); });
    test<T>(
        s, type, MPI_PROD, [](int i) { return static_cast<T>(i % 5 == 0 ? 2 : 1); },
        [](T a, T b) { return static_cast<T>(a * b); });
    test<T>(s, type, MPI_MIN, number<T>, [](T a, T b) { return a < b ? a : b; });
    test<T>(s, type, MPI_MAX, number<T>, [](T a, T b) { return a < b ? b : a; });
}

template <class T> void bitwise(const scene &s, MPI_Datatype type) {
    const auto bits = [](int i) {
        return static_cast<T>(static_cast<std::uint64_t>(i + 1) * 0x9e3779b97f4a7c15u >> 7);
    };
    test<T>(s, type, MPI_BAND, bits, [](T a, T b) { return static_cast<T>(a & b); });
    test<T>(s, type, MPI_BOR, bits, [](T a, T b) { return static_cast<T>(a | b); });
    test<T>(s, type, MPI_BXOR, bits, [](T a, T b) { return static_cast<T>(a ^ b); });
}

template <class T> void logical(const scene &s, MPI_Datatype type) {
    const auto truth = [](int i) { return static_cast<T>(i % 3 == 0 ? 1 : 0); };
    test<T>(s, type, MPI_LAND, truth, [](T a, T b) { return static_cast<T>(a != 0 && b != 0); });
    test<T>(s, type, MPI_LOR, truth, [](T a, T b) { return static_cast<T>(a != 0 || b != 0); });
    test<T>(s, type, MPI_LXOR, truth, [](T a, T b) { return static_cast<T>((a != 0) != (b != 0)); });
}

/// Only one rank gets to exchange each value, and each finds what another has left.
template <class T> void compare_and_swap(const scene &s, MPI_Datatype type) {
    window_of<T> window(s.how, 4);
    constexpr int laps = 3;
    CHECK_MPI(MPI_Win_lock_all(0, window.handle()));
    for (int lap = 0; lap < laps; ++lap)
        for (int last = -1; last != s.job.rank;) { // from rank to rank the value grows by one
            const T expected = static_cast<T>(lap * s.job.size + s.job.rank);
            const T next = static_cast<T>(expected + 1);
            T before = static_cast<T>(-1);
            CHECK_MPI(
                MPI_Compare_and_swap(&next, &expected, &before, type, 0, window.at(0, 2), window.handle()));
            CHECK_MPI(MPI_Win_flush(0, window.handle()));
            CHECK(before <= expected); // nobody else goes beyond this rank's turn
            if (before == expected)
                last = s.job.rank;
        }
    CHECK_MPI(MPI_Win_unlock_all(window.handle()));
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
    if (s.job.rank == 0) {
        CHECK_MPI(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window.handle()));
        CHECK(window[2] == static_cast<T>(laps * s.job.size));
        CHECK(window[0] == T{} && window[1] == T{} && window[3] == T{});
        CHECK_MPI(MPI_Win_unlock(0, window.handle()));
    }
}

template <class T> void integer(const scene &s, MPI_Datatype type) {
    any<T>(s, type, number<T>);
    arithmetic<T>(s, type);
    bitwise<T>(s, type);
    logical<T>(s, type);
    compare_and_swap<T>(s, type);
}

/// MPI_AINT, MPI_OFFSET and MPI_COUNT: as integers, but not as truth values [MPI-5.0 6.9.2].
template <class T> void multi_language(const scene &s, MPI_Datatype type) {
    any<T>(s, type, number<T>);
    arithmetic<T>(s, type);
    bitwise<T>(s, type);
    compare_and_swap<T>(s, type);
}

template <class T> void floating(const scene &s, MPI_Datatype type) {
    any<T>(s, type, number<T>);
    arithmetic<T>(s, type);
}

template <class T> void complex(const scene &s, MPI_Datatype type) {
    using C = std::complex<T>;
    const auto value = [](int i) { return C(static_cast<T>(i % 7), static_cast<T>(i % 5)); };
    const auto unit = [](int i) {
        const C units[] = {C(1, 0), C(0, 1), C(-1, 0), C(0, -1)};
        return units[i % 4];
    };
    any<C>(s, type, value);
    test<C>(s, type, MPI_SUM, value, [](C a, C b) { return a + b; });
    test<C>(s, type, MPI_PROD, unit, [](C a, C b) { return a * b; });
}

template <class Value> struct located {
    Value value;
    int index;
    bool operator==(const located &other) const { return value == other.value && index == other.index; }
};

template <class Value> void locations(const scene &s, MPI_Datatype type) {
    using pair = located<Value>;
    const auto value = [](int i) {
        pair made{};
        made.value = static_cast<Value>(i % 3);
        made.index = i;
        return made;
    };
    const auto lower = [](pair a, pair b) { return a.index < b.index ? a : b; };
    test<pair>(s, type, MPI_MINLOC, value, [lower](pair a, pair b) {
        return a.value == b.value ? lower(a, b) : a.value < b.value ? a : b;
    });
    test<pair>(s, type, MPI_MAXLOC, value, [lower](pair a, pair b) {
        return a.value == b.value ? lower(a, b) : a.value < b.value ? b : a;
    });
    any<pair>(s, type, value);
}

/// Each rank draws numbers until all are gone: every number is drawn once.
void tickets(const scene &s) {
    window_of<long> window(s.how, 1);
    const int root = s.job.size - 1;
    constexpr int draws = 60;
    const long one = 1;
    std::vector<long> drawn(draws);
    CHECK_MPI(MPI_Win_lock_all(0, window.handle()));
    for (long &mine : drawn) {
        CHECK_MPI(
            MPI_Fetch_and_op(&one, &mine, MPI_LONG, root, window.at(root, 0), MPI_SUM, window.handle()));
        CHECK_MPI(MPI_Win_flush(root, window.handle()));
    }
    CHECK_MPI(MPI_Win_unlock_all(window.handle()));
    CHECK(std::is_sorted(drawn.begin(), drawn.end()));
    std::vector<long> all(draws * static_cast<std::size_t>(s.job.size));
    CHECK_MPI(MPI_Allgather(drawn.data(), draws, MPI_LONG, all.data(), draws, MPI_LONG, MPI_COMM_WORLD));
    std::sort(all.begin(), all.end());
    for (std::size_t i = 0; i < all.size(); ++i)
        CHECK_EQ(all[i], static_cast<long>(i));
}

/// Accumulates between two random layouts, all ranks into the same elements, in every mode.
void scattered(const scene &s, int rounds) {
    constexpr std::size_t room = 60'000;
    for (const mode how : all_modes) {
        window_of<int> window(s.how, 2 * room);
        for (int round = 0; round < rounds; ++round) {
            random_numbers random(static_cast<std::uint64_t>(round) * 17 + static_cast<std::uint64_t>(how));
            const int elements = 1 + random.below(round % 3 == 2 ? 2000 : 40);
            const layout there(random, MPI_INT, elements, random.below(4));
            random_numbers own(static_cast<std::uint64_t>(round * s.job.size + s.job.rank));
            const layout origin(own, MPI_INT, elements, own.below(4));
            const layout result(own, MPI_INT, elements, own.below(4));
            CHECK(there.span() < room);
            buffer_of<int> given(origin.span(), -1);
            buffer_of<int> before(result.span(), -1);
            for (std::size_t i = 0; i < origin.elements(); ++i)
                given[origin.place(i)] = s.job.rank + static_cast<int>(i);
            std::ranges::fill(window.memory(), 3);
            const MPI_Aint unit = s.how == flavour::dynamic ? sizeof(int) : 1;
            const bool fetch = round % 2 == 1;
            synchronised(how, window.handle(), MPI_COMM_WORLD, [&](int target) {
                const MPI_Aint at = window.at(target, room) + there.origin() * unit;
                if (fetch)
                    CHECK_MPI(MPI_Get_accumulate(given.data() + origin.origin(), origin.count(),
                                                 origin.type(), before.data() + result.origin(),
                                                 result.count(), result.type(), target, at, there.count(),
                                                 there.type(), MPI_SUM, window.handle()));
                else
                    CHECK_MPI(MPI_Accumulate(given.data() + origin.origin(), origin.count(), origin.type(),
                                             target, at, there.count(), there.type(), MPI_SUM,
                                             window.handle()));
            });
            std::vector<int> expected(2 * room, 3);
            const int ranks = s.job.size * (s.job.size - 1) / 2;
            for (std::size_t i = 0; i < there.elements(); ++i)
                expected[room + there.place(i)] += ranks + s.job.size * static_cast<int>(i);
            CHECK(std::equal(expected.begin(), expected.end(), window.memory().begin()));
            if (fetch)
                for (std::size_t i = 0; i < result.elements();
                     ++i) // between the first value and all others' part of the sum
                    CHECK(before[result.place(i)] >= 3 &&
                          before[result.place(i)] <=
                              3 + ranks - s.job.rank + (s.job.size - 1) * static_cast<int>(i));
            CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
        }
    }
}

/// Accumulates of one origin to one element take effect in the order of the calls, without a flush between
/// them.
void ordered(const scene &s) {
    window_of<long> window(s.how, static_cast<std::size_t>(s.job.size));
    constexpr int steps = 40;
    for (int target = 0; target < s.job.size; ++target) {
        const MPI_Aint at = window.at(target, static_cast<std::size_t>(s.job.rank));
        std::vector<long> given(steps), before(steps, -1);
        CHECK_MPI(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, window.handle()));
        for (int i = 0; i < steps; ++i) {
            const auto index = static_cast<std::size_t>(i);
            given[index] = i + 1;
            CHECK_MPI(MPI_Get_accumulate(&given[index], 1, MPI_LONG, &before[index], 1, MPI_LONG, target, at,
                                         1, MPI_LONG, i % 3 == 2 ? MPI_NO_OP : MPI_REPLACE, window.handle()));
        }
        CHECK_MPI(MPI_Win_unlock(target, window.handle()));
        long held = 0;
        for (int i = 0; i < steps; ++i) {
            CHECK_EQ(before[static_cast<std::size_t>(i)], held);
            if (i % 3 != 2)
                held = i + 1;
        }
    }
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
}

void all_types(const scene &s) {
    integer<signed char>(s, MPI_SIGNED_CHAR);
    integer<unsigned char>(s, MPI_UNSIGNED_CHAR);
    integer<short>(s, MPI_SHORT);
    integer<unsigned short>(s, MPI_UNSIGNED_SHORT);
    integer<int>(s, MPI_INT);
    integer<unsigned>(s, MPI_UNSIGNED);
    integer<long>(s, MPI_LONG);
    integer<unsigned long>(s, MPI_UNSIGNED_LONG);
    integer<long long>(s, MPI_LONG_LONG);
    integer<unsigned long long>(s, MPI_UNSIGNED_LONG_LONG);
    integer<std::int8_t>(s, MPI_INT8_T);
    integer<std::int16_t>(s, MPI_INT16_T);
    integer<std::int32_t>(s, MPI_INT32_T);
    integer<std::int64_t>(s, MPI_INT64_T);
    integer<std::uint8_t>(s, MPI_UINT8_T);
    integer<std::uint16_t>(s, MPI_UINT16_T);
    integer<std::uint32_t>(s, MPI_UINT32_T);
    integer<std::uint64_t>(s, MPI_UINT64_T);
    multi_language<MPI_Aint>(s, MPI_AINT);
    multi_language<MPI_Offset>(s, MPI_OFFSET);
    multi_language<MPI_Count>(s, MPI_COUNT);
    any<unsigned char>(s, MPI_BYTE, number<unsigned char>);
    bitwise<unsigned char>(s, MPI_BYTE);
    compare_and_swap<unsigned char>(s, MPI_BYTE);
    static_assert(sizeof(bool) == sizeof(unsigned char)); // which vectors hold as they are
    any<unsigned char>(s, MPI_C_BOOL, [](int i) { return static_cast<unsigned char>(i % 3 == 0); });
    logical<unsigned char>(s, MPI_C_BOOL);
    any<char>(s, MPI_CHAR, number<char>);
    any<wchar_t>(s, MPI_WCHAR, number<wchar_t>);
    floating<float>(s, MPI_FLOAT);
    floating<double>(s, MPI_DOUBLE);
    floating<long double>(s, MPI_LONG_DOUBLE);
    complex<float>(s, MPI_C_FLOAT_COMPLEX);
    complex<double>(s, MPI_C_DOUBLE_COMPLEX);
    complex<long double>(s, MPI_C_LONG_DOUBLE_COMPLEX);
    locations<float>(s, MPI_FLOAT_INT);
    locations<double>(s, MPI_DOUBLE_INT);
    locations<long>(s, MPI_LONG_INT);
    locations<short>(s, MPI_SHORT_INT);
    locations<int>(s, MPI_2INT);
    locations<long double>(s, MPI_LONG_DOUBLE_INT);
}

} // namespace

int main(int argc, char **argv) {
    const check::job job(&argc, &argv);
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 3;
    const bool few_types = argc > 2 && std::string_view{argv[2]} == "few_types";
    // Every type with memory that Lisle allocates and with memory of the program's; the other flavours once
    // each. With `few_types` only that: each type takes hundreds of round trips.
    for (const flavour how : {flavour::allocated, flavour::created})
        if (!few_types)
            all_types({job, how});
    for (const flavour how : flavours(MPI_COMM_WORLD)) {
        const scene s{job, how};
        integer<long>(s, MPI_LONG);
        floating<double>(s, MPI_DOUBLE);
        locations<double>(s, MPI_DOUBLE_INT);
        tickets(s);
        ordered(s);
        scattered(s, rounds);
    }
}
