// SPDX-License-Identifier: Apache-2.0
// MPI_Put and MPI_Get, also in their request and large-count forms, with derived datatypes on both sides, in
// every flavour of window and every synchronisation mode, against a plain computation of where each element
// goes.
#include "layouts.hpp"
#include "window.hpp"

#include <cstdint>
#include <memory>
#include <type_traits>

namespace {

enum class form { plain, request, large, large_request };

/// The forms that may be called in this mode.
std::vector<form> forms(mode how) {
    if (is_passive(how))
        return {form::plain, form::request, form::large, form::large_request};
    return {form::plain, form::large};
}

void put(form how, const void *from, const layout &origin, int target, MPI_Aint at, const layout &there,
         MPI_Win window, MPI_Request *request) {
    if (how == form::plain)
        CHECK_MPI(
            MPI_Put(from, origin.count(), origin.type(), target, at, there.count(), there.type(), window));
    else if (how == form::large)
        CHECK_MPI(
            MPI_Put_c(from, origin.count(), origin.type(), target, at, there.count(), there.type(), window));
    else if (how == form::request)
        CHECK_MPI(MPI_Rput(from, origin.count(), origin.type(), target, at, there.count(), there.type(),
                           window, request));
    else
        CHECK_MPI(MPI_Rput_c(from, origin.count(), origin.type(), target, at, there.count(), there.type(),
                             window, request));
}

void get(form how, void *into, const layout &origin, int target, MPI_Aint at, const layout &there,
         MPI_Win window, MPI_Request *request) {
    if (how == form::plain)
        CHECK_MPI(
            MPI_Get(into, origin.count(), origin.type(), target, at, there.count(), there.type(), window));
    else if (how == form::large)
        CHECK_MPI(
            MPI_Get_c(into, origin.count(), origin.type(), target, at, there.count(), there.type(), window));
    else if (how == form::request)
        CHECK_MPI(MPI_Rget(into, origin.count(), origin.type(), target, at, there.count(), there.type(),
                           window, request));
    else
        CHECK_MPI(MPI_Rget_c(into, origin.count(), origin.type(), target, at, there.count(), there.type(),
                             window, request));
}

/// What one rank moves to or from another in one round: the same at both, since it follows from the seed.
template <class T> struct transfer {
    transfer(MPI_Datatype element, int round, int origin_rank, int target_rank)
        : random{static_cast<std::uint64_t>(round) * 1'000'003 +
                 static_cast<std::uint64_t>(origin_rank * 1009 + target_rank)},
          elements{round % 8 == 7 ? 1000 + random.below(6'000) : 1 + random.below(120)},
          origin{random, element, elements, random.below(4)}, there{random, element, elements,
                                                                    random.below(4)} {}

    /// The i-th element that the origin puts, or that the target holds before a get.
    [[nodiscard]] T value(std::size_t i) const {
        return static_cast<T>((i + 1) * 2654435761u + static_cast<std::size_t>(elements));
    }

    random_numbers random;
    int elements;
    layout origin;
    layout there;
};

template <class T> class transfer_test {
  public:
    transfer_test(const check::job &job, MPI_Datatype element, flavour how, mode synchronisation)
        : job_{job}, element_{element}, how_{how}, mode_{synchronisation} {}

    /// Elements of a window that all tests of the job's size can use.
    static std::size_t elements(const check::job &job) {
        return room * static_cast<std::size_t>(job.size + 1);
    }

    void run(const window_of<T> &window, int first, int rounds) {
        for (int round = first; round < first + rounds; ++round)
            for (const form each : forms(mode_)) {
                one_round(window, round, each, true);
                one_round(window, round, each, false);
            }
    }

  private:
    /// A rank's part has this many elements for each origin, and for displacements before the first one.
    static constexpr std::size_t room = 200'000;
    static constexpr T untouched = static_cast<T>(0x55);

    void one_round(const window_of<T> &window, int round, form each, bool puts) {
        const std::size_t margin = static_cast<std::size_t>(round) % 5;
        std::vector<std::unique_ptr<transfer<T>>> by_origin; // those that come here
        for (int rank = 0; rank < job_.size; ++rank)
            by_origin.push_back(std::make_unique<transfer<T>>(element_, round, rank, job_.rank));
        // The part of each origin, as far as anything may be written there.
        const auto used = [&](int rank) {
            return window.memory().subspan(room * static_cast<std::size_t>(rank + 1),
                                           margin + by_origin[static_cast<std::size_t>(rank)]->there.span() +
                                               8);
        };
        for (int rank = 0; rank < job_.size; ++rank) {
            const transfer<T> &each_transfer = *by_origin[static_cast<std::size_t>(rank)];
            CHECK(used(rank).size() <= room);
            std::ranges::fill(used(rank), untouched);
            if (!puts)
                for (std::size_t i = 0; i < each_transfer.there.elements(); ++i)
                    used(rank)[margin + each_transfer.there.place(i)] = each_transfer.value(i);
        }

        std::vector<std::unique_ptr<transfer<T>>> by_target;
        std::vector<buffer_of<T>> buffers;
        for (int rank = 0; rank < job_.size; ++rank) {
            by_target.push_back(std::make_unique<transfer<T>>(element_, round, job_.rank, rank));
            const transfer<T> &mine = *by_target.back();
            buffers.emplace_back(mine.origin.span() + 8, untouched);
            if (puts)
                for (std::size_t i = 0; i < mine.origin.elements(); ++i)
                    buffers.back()[mine.origin.place(i)] = mine.value(i);
        }
        synchronised(mode_, window.handle(), MPI_COMM_WORLD, [&](int target) {
            const transfer<T> &mine = *by_target[static_cast<std::size_t>(target)];
            T *const buffer = buffers[static_cast<std::size_t>(target)].data() + mine.origin.origin();
            const MPI_Aint shift = mine.there.origin() + static_cast<MPI_Aint>(margin);
            const MPI_Aint unit = how_ == flavour::dynamic ? sizeof(T) : 1;
            const MPI_Aint at =
                window.at(target, room * static_cast<std::size_t>(job_.rank + 1)) + shift * unit;
            MPI_Request request = MPI_REQUEST_NULL;
            if (puts)
                put(each, buffer, mine.origin, target, at, mine.there, window.handle(), &request);
            else
                get(each, buffer, mine.origin, target, at, mine.there, window.handle(), &request);
            CHECK_MPI(MPI_Wait(&request, MPI_STATUS_IGNORE));
        });

        const std::string what = std::string{puts ? "put" : "get"} + ", " + name_of(how_) + ", " +
                                 name_of(mode_) + ", form " + std::to_string(static_cast<int>(each)) +
                                 ", round " + std::to_string(round);
        for (int rank = 0; rank < job_.size; ++rank) {
            const transfer<T> &came = *by_origin[static_cast<std::size_t>(rank)];
            std::vector<T> expected(used(rank).size(), untouched);
            for (std::size_t i = 0; i < came.there.elements(); ++i)
                expected[margin + came.there.place(i)] = came.value(i);
            compare(used(rank).data(), expected, what + ", window part of origin " + std::to_string(rank));
            const transfer<T> &mine = *by_target[static_cast<std::size_t>(rank)];
            std::vector<T> held(mine.origin.span() + 8, untouched);
            for (std::size_t i = 0; i < mine.origin.elements(); ++i)
                held[mine.origin.place(i)] = mine.value(i);
            compare(buffers[static_cast<std::size_t>(rank)].data(), held,
                    what + ", buffer for target " + std::to_string(rank));
        }
        CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD)); // nobody begins the next round before all have looked
    }

    static void compare(const T *actual, const std::vector<T> &expected, const std::string &what) {
        for (std::size_t i = 0; i < expected.size(); ++i)
            if (actual[i] != expected[i])
                check::fail(__FILE__, __LINE__,
                            what + ": element " + std::to_string(i) + " is " + std::to_string(actual[i]) +
                                ", not " + std::to_string(expected[i]));
    }

    const check::job &job_;
    MPI_Datatype element_;
    flavour how_;
    mode mode_;
};

/// Nothing happens for MPI_PROC_NULL, nor with a count of 0, in any form.
void nothing_to_do(const check::job &job, flavour how) {
    window_of<int> window(how, 4);
    window[0] = 5;
    int value = 7;
    const int next = (job.rank + 1) % job.size;
    CHECK_MPI(MPI_Win_fence(0, window.handle()));
    CHECK_MPI(MPI_Put(&value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, window.handle()));
    CHECK_MPI(MPI_Get(&value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, window.handle()));
    CHECK_MPI(MPI_Put(&value, 0, MPI_INT, next, window.at(next, 0), 0, MPI_INT, window.handle()));
    CHECK_MPI(MPI_Get(nullptr, 0, MPI_INT, next, window.at(next, 0), 0, MPI_INT, window.handle()));
    CHECK_MPI(MPI_Win_fence(0, window.handle()));
    CHECK_MPI(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, MPI_PROC_NULL, 0, window.handle()));
    MPI_Request requests[2];
    CHECK_MPI(MPI_Rput(&value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, window.handle(), &requests[0]));
    CHECK_MPI(MPI_Rget(&value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, window.handle(), &requests[1]));
    CHECK_MPI(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    CHECK_MPI(MPI_Win_flush(MPI_PROC_NULL, window.handle()));
    CHECK_MPI(MPI_Win_unlock(MPI_PROC_NULL, window.handle()));
    CHECK_EQ(window[0], 5);
    CHECK_EQ(value, 7);
}

/// Puts to one part from the same origin, one after the other with a flush between, arrive in that order.
void flushed_order(const check::job &job, flavour how) {
    window_of<long> window(how, static_cast<std::size_t>(job.size));
    CHECK_MPI(MPI_Win_lock_all(0, window.handle()));
    for (long i = 1; i <= 50; ++i)
        for (int target = 0; target < job.size; ++target) {
            const MPI_Aint at = window.at(target, static_cast<std::size_t>(job.rank));
            CHECK_MPI(MPI_Put(&i, 1, MPI_LONG, target, at, 1, MPI_LONG, window.handle()));
            CHECK_MPI(MPI_Win_flush(target, window.handle()));
            long back = -1;
            CHECK_MPI(MPI_Get(&back, 1, MPI_LONG, target, at, 1, MPI_LONG, window.handle()));
            CHECK_MPI(i % 2 == 0 ? MPI_Win_flush_local(target, window.handle())
                                 : MPI_Win_flush_local_all(window.handle()));
            CHECK_EQ(back, i);
        }
    CHECK_MPI(MPI_Win_unlock_all(window.handle()));
    CHECK_MPI(MPI_Barrier(MPI_COMM_WORLD));
}

/// A type of different elements, at other places in each of the two ranks.
void mixed_elements(const check::job &job, mode synchronisation) {
    struct here {
        int number;
        char letter;
        double value;
    };
    struct there {
        double value;
        char gap[5];
        char letter;
        int number;
    };
    const int ones[] = {1, 1, 1};
    const MPI_Datatype types[] = {MPI_INT, MPI_CHAR, MPI_DOUBLE};
    const MPI_Aint from[] = {offsetof(here, number), offsetof(here, letter), offsetof(here, value)};
    const MPI_Aint to[] = {offsetof(there, number), offsetof(there, letter), offsetof(there, value)};
    const auto of = [&](const MPI_Aint *places, std::size_t bytes) {
        MPI_Datatype fields = MPI_DATATYPE_NULL;
        MPI_Datatype type = MPI_DATATYPE_NULL;
        CHECK_MPI(MPI_Type_create_struct(3, ones, places, types, &fields));
        CHECK_MPI(MPI_Type_create_resized(fields, 0, static_cast<MPI_Aint>(bytes), &type));
        CHECK_MPI(MPI_Type_commit(&type));
        CHECK_MPI(MPI_Type_free(&fields));
        return type;
    };
    MPI_Datatype origin = of(from, sizeof(here));
    MPI_Datatype target_type = of(to, sizeof(there));
    constexpr int count = 100;
    window_of<there> window(flavour::allocated, count * static_cast<std::size_t>(job.size));
    std::vector<here> values(count);
    for (int i = 0; i < count; ++i)
        values[static_cast<std::size_t>(i)] = {job.rank * 1000 + i, static_cast<char>('a' + i % 26), i / 4.0};
    synchronised(synchronisation, window.handle(), MPI_COMM_WORLD, [&](int target) {
        CHECK_MPI(MPI_Put(values.data(), count, origin, target,
                          window.at(target, count * static_cast<std::size_t>(job.rank)), count, target_type,
                          window.handle()));
    });
    for (int rank = 0; rank < job.size; ++rank)
        for (int i = 0; i < count; ++i) {
            const there &came = window[static_cast<std::size_t>(rank * count + i)];
            CHECK_EQ(came.number, rank * 1000 + i);
            CHECK_EQ(came.letter, static_cast<char>('a' + i % 26));
            CHECK_EQ(came.value, i / 4.0);
        }
    CHECK_MPI(MPI_Type_free(&origin));
    CHECK_MPI(MPI_Type_free(&target_type));
}

} // namespace

int main(int argc, char **argv) {
    const check::job job(&argc, &argv);
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 1;
    for (const flavour how : flavours(MPI_COMM_WORLD)) {
        int first = 0;
        const window_of<int> ints(how, transfer_test<int>::elements(job)); // long: not one for each mode
        for (const mode each : all_modes) {
            transfer_test<int>(job, MPI_INT, how, each).run(ints, first, rounds);
            first += rounds;
        }
        const window_of<unsigned char> bytes(how, transfer_test<unsigned char>::elements(job));
        transfer_test<unsigned char>(job, MPI_BYTE, how, mode::fence).run(bytes, first, rounds);
        transfer_test<unsigned char>(job, MPI_BYTE, how, mode::flush_all).run(bytes, first, rounds);
        const window_of<double> doubles(how, transfer_test<double>::elements(job));
        transfer_test<double>(job, MPI_DOUBLE, how, mode::lock_all).run(doubles, first, rounds);
        nothing_to_do(job, how);
        flushed_order(job, how);
    }
    for (const mode each : all_modes)
        mixed_elements(job, each);
}
