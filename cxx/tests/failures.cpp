// SPDX-License-Identifier: Apache-2.0
// What goes wrong at one rank only inside a collective: that rank throws its own exception, those that need
// its part are told, nobody waits for ever, and the communicator serves on.
#include <lisle/lisle.hpp>
#include <lisle/serialize.hpp>

#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"

namespace {

const lisle::communicator world = lisle::world();

/// An object that cannot be written if its number is negative.
struct picky {
    int number = 0;
    std::string text = {};
    template <class Archive> void save(Archive &to) const {
        if (number < 0)
            throw std::runtime_error{"a negative number"};
        to(number, text);
    }
    template <class Archive> void load(Archive &from) { from(number, text); }
};

struct padded {
    char letter;
    double number;
    friend bool operator==(const padded &, const padded &) = default;
};

enum class end { good, told, own };
/// How a call ends at this rank.
template <class Call> end end_of(Call call) {
    try {
        call();
    } catch (const lisle::error &failure) {
        return failure.error_class() == MPI_ERR_OTHER ? end::told : end::own;
    } catch (const std::exception &) {
        return end::own;
    }
    return end::good;
}
/// All ranks go on together.
void still_serves() {
    CHECK_EQ(world.allreduce(std::string("a"), std::plus<>{}).size(), static_cast<std::size_t>(world.size()));
    CHECK_EQ(world.allreduce(1, std::plus<>{}), world.size());
}

void objects_that_cannot_be_written(int bad) {
    const bool here = world.rank() == bad;
    const end everywhere = here ? end::own : end::told;
    const picky object{here ? -1 : 1, "text"};
    const auto many = std::vector<picky>(static_cast<std::size_t>(world.size()), object);
    picky copy = object;
    CHECK(end_of([&] { static_cast<void>(world.allgather(object)); }) == everywhere);
    CHECK(end_of([&] { world.broadcast(copy, {.root = bad}); }) == everywhere);
    CHECK(end_of([&] { static_cast<void>(world.scatter(many, {.root = bad})); }) == everywhere);
    CHECK(end_of([&] { static_cast<void>(world.alltoallv(many)); }) == everywhere);
    CHECK(end_of([&] { static_cast<void>(world.gather(object)); }) == (here                ? end::own
                                                                       : world.rank() == 0 ? end::told
                                                                                           : end::good));
    const auto first = [](const picky &a, const picky &) { return a; };
    CHECK(end_of([&] { static_cast<void>(world.allreduce(object, first)); }) ==
          (world.size() == 1 ? end::own : everywhere));
    CHECK(end_of([&] { static_cast<void>(world.iallgather(object).wait()); }) != end::good);
    CHECK(end_of([&] {
              static_cast<void>(world.iscatter(std::vector<picky>(many), {.root = bad}).wait());
          }) != end::good ||
          world.size() == 1);
    still_serves();
}

void callables_that_throw() {
    const auto ranks = static_cast<std::size_t>(world.size());
    const auto limit = [ranks](const std::string &a, const std::string &b) {
        if (a.size() + b.size() >= ranks)
            throw std::length_error{"as many as there are ranks"};
        return a + b;
    };
    const bool alone = world.size() == 1;
    CHECK(end_of([&] { static_cast<void>(world.allreduce(std::string("a"), limit)); }) == (alone ? end::good
                                                                                           : world.rank() == 0
                                                                                               ? end::own
                                                                                               : end::told));
    CHECK((end_of([&] {
               static_cast<void>(world.reduce(std::string("a"), limit, {.root = world.size() - 1}));
           }) == end::good) == (alone || (world.rank() != 0 && world.rank() != world.size() - 1)));
    CHECK((end_of([&] { static_cast<void>(world.scan(std::string("a"), limit)); }) == end::good) ==
          (alone || world.rank() != world.size() - 1));
    CHECK(end_of([&] { static_cast<void>(world.exscan(std::string("a"), limit)); }) == end::good ||
          world.rank() == world.size() - 1);
    const std::vector<std::string> uneven(1 + static_cast<std::size_t>(world.rank()), "z");
    CHECK((end_of([&] { static_cast<void>(world.scan(lisle::elements(uneven), std::plus<>{})); }) ==
           end::good) == (world.rank() == 0));
    still_serves();
}

template <class T> void wrong_numbers_of_objects(const T &object) {
    const auto ranks = static_cast<std::size_t>(world.size());
    for (int root = 0; root < world.size(); ++root) {
        for (const std::size_t wrong : {ranks - 1, ranks + 1}) {
            const std::vector<T> all(world.rank() == root ? wrong : 0, object);
            int thrown = MPI_SUCCESS;
            try {
                static_cast<void>(world.scatter(all, {.root = root}));
            } catch (const lisle::error &failure) {
                thrown = failure.error_class();
            }
            CHECK_EQ(thrown, MPI_ERR_COUNT);
        }
        const std::vector<T> right(world.rank() == root ? ranks : 0, object);
        const T mine = world.scatter(right, {.root = root});
        CHECK(mine == object);
    }
    still_serves();
}

void counts_that_do_not_fit() {
    const auto ranks = static_cast<std::size_t>(world.size());
    const std::vector<int> pieces(ranks, 1);
    for (const int wrong : {99, -1}) {
        std::vector<int> counts(ranks, 1);
        if (world.rank() == 0)
            counts[0] = wrong;
        CHECK(end_of([&] { static_cast<void>(world.alltoallv(pieces, counts)); }) ==
              (world.rank() == 0 ? end::own : end::told));
    }
    still_serves();
}

} // namespace

int main() {
    const lisle::environment mpi;
    for (int bad = 0; bad < world.size(); ++bad)
        objects_that_cannot_be_written(bad);
    callables_that_throw();
    wrong_numbers_of_objects(3);
    wrong_numbers_of_objects(std::array<short, 3>{1, 2, 3});
    wrong_numbers_of_objects(padded{'x', 1.5});
    // The objects that look like the mark of a refused scatter arrive, too.
    wrong_numbers_of_objects(std::bit_cast<std::uint64_t>(lisle::detail::scatter_mark));
    wrong_numbers_of_objects(lisle::detail::scatter_mark[0]);
    counts_that_do_not_fit();
}
