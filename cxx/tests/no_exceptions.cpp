// SPDX-License-Identifier: Apache-2.0
// Compiled with -fno-exceptions: the interface does the same, and attempt() takes what fails.
#include <lisle/coroutine.hpp>
#include <lisle/lisle.hpp>
#include <lisle/topology.hpp>

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "check.hpp"

#if defined(__cpp_exceptions)
#error "this test is about programs without exceptions"
#endif

namespace {

const lisle::communicator world = lisle::world();

/// The class of the error of a call; MPI_SUCCESS if there is none.
template <class Call> int error_of(Call call) {
    auto got = lisle::attempt(call);
    return got.has_value() ? MPI_SUCCESS : got.error().error_class();
}

void what_succeeds(int rank, int size, int next, int previous) {
    CHECK_EQ(world.sendrecv(rank, {.dest = next, .source = previous}), previous);
    auto sending = world.isend(std::vector<int>(5, rank), next);
    CHECK_EQ(lisle::attempt([&] { return world.receive<std::vector<int>>(previous); }).value().back(),
             previous);
    CHECK_EQ(sending.wait().size(), 5u);
    CHECK_EQ(world.allreduce(rank, lisle::maximum{}), size - 1);
    CHECK_EQ(world.allreduce(std::string("a"), std::plus<>{}).size(), static_cast<std::size_t>(size));
    CHECK_EQ(world.scan(std::string("a"), std::plus<>{}).size(), static_cast<std::size_t>(rank + 1));
    CHECK_EQ(world.allgather(std::string("b")).size(), static_cast<std::size_t>(size));
    CHECK_EQ(world.allgatherv(std::vector<int>(static_cast<std::size_t>(rank), 1))
                 .counts[static_cast<std::size_t>(rank)],
             rank);
    const auto sum = [](lisle::communicator comm) -> lisle::task<int> {
        co_return co_await comm.iallreduce(1, std::plus<>{});
    };
    CHECK_EQ(lisle::run_task(sum(world)), size);
    auto doubled = world.ireceive<int>(previous, 4).then([](int value) { return 2 * value; });
    world.send(4, next, 4);
    CHECK_EQ(doubled.wait(), 8);
}

/// What a receive of a message of another type and size gives: over MPIs that compare no types it does not
/// fit.
const int of_another_type = lisle::detail::strict(MPI_CHAR) == MPI_CHAR ? MPI_ERR_TRUNCATE : MPI_ERR_TYPE;

void what_fails(int rank, int size, int next, int previous) {
    CHECK_EQ(error_of([&] { world.send(1, size); }), MPI_ERR_RANK);
    CHECK_EQ(error_of([&] { return world.receive<int>(size); }), MPI_ERR_RANK);
    CHECK_EQ(error_of([&] { return world.receive<std::string>(size); }), MPI_ERR_RANK);
    auto sending = world.isend('c', next);
    CHECK_EQ(error_of([&] { return world.receive<double>(previous); }), of_another_type);
    sending.wait();
    auto receiving = world.ireceive<int>(previous, 1);
    CHECK_EQ(error_of([&] { return receiving.take(); }), MPI_ERR_REQUEST);
    world.send(7, next, 1);
    CHECK_EQ(error_of([&] { CHECK_EQ(receiving.wait(), 7); }), MPI_SUCCESS);
    CHECK_EQ(error_of([&] { return receiving.wait(); }), MPI_ERR_REQUEST);
    std::vector<int> ten(10);
    CHECK_EQ(error_of([&] { static_cast<void>(world.partitioned_send_init(lisle::borrow(ten), 0, 0)); }),
             MPI_ERR_COUNT);
    const auto ranks = static_cast<std::size_t>(size);
    const std::vector<int> wrong(ranks + 1, 1);
    CHECK_EQ(error_of([&] { return world.scatter(wrong); }), MPI_ERR_COUNT);
    CHECK_EQ(error_of([&] { return world.scatterv(ten, {.counts = wrong}); }), MPI_ERR_COUNT);
    CHECK_EQ(error_of([&] { return world.alltoallv(ten, wrong); }), MPI_ERR_COUNT);
    CHECK_EQ(error_of([&] {
                 return world.reduce_scatter(std::vector<int>(ranks), std::plus<>{}, {.counts = wrong});
             }),
             MPI_ERR_COUNT);
    CHECK_EQ(error_of([&] {
                 std::vector<int> in_place(ranks);
                 world.allgatherv(lisle::in_place(in_place), {.counts = wrong});
             }),
             MPI_ERR_COUNT);
    // The first error is the one that is told, and attempts may stand in each other.
    const auto outer = lisle::attempt([&] {
        CHECK_EQ(error_of([&] { world.send(1, size); }), MPI_ERR_RANK);
        world.send(1, rank, -5);
        world.send(1, size);
    });
    CHECK(!outer.has_value() && outer.error().error_class() == MPI_ERR_TAG);
    CHECK_EQ(lisle::attempt([&] { return world.receive<int>(size); }).value_or(3), 3);
}

} // namespace

int main() {
    const lisle::environment mpi;
    const int rank = world.rank();
    const int size = world.size();
    const int next = (rank + 1) % size;
    const int previous = (rank + size - 1) % size;
    what_succeeds(rank, size, next, previous);
    what_fails(rank, size, next, previous);
    what_succeeds(rank, size, next, previous);
}
