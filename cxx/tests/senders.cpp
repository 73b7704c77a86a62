// SPDX-License-Identifier: Apache-2.0
// Senders: chains of work on futures, tasks and schedulers, in one thread, beside co_await.
#include <lisle/execution.hpp>
#include <lisle/lisle.hpp>

#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "check.hpp"
#include "neighbours.hpp"

namespace {

/// The class of the error that a call throws; MPI_SUCCESS if it throws none.
template <class Call> int thrown_by(Call call) {
    try {
        call();
    } catch (const lisle::error &failure) {
        return failure.error_class();
    }
    return MPI_SUCCESS;
}

void values_pass_through_chains() {
    CHECK_EQ(lisle::sync_wait(lisle::just(20) | lisle::then([](int value) { return value + 1; }) |
                              lisle::then([](int value) { return 2 * value; })),
             42);
    const std::tuple<int, std::string> both = lisle::sync_wait(lisle::just(1, std::string("one")));
    CHECK(both == std::tuple(1, std::string("one")));
    bool ran = false;
    lisle::sync_wait(lisle::then(lisle::just(), [&] { ran = true; }));
    CHECK(ran);
}

void futures_are_senders() {
    auto receiving = world.ireceive<int>(previous_rank(), 1);
    const auto doubled =
        lisle::sync_wait(lisle::when_all(std::move(receiving), world.isend(world.rank(), next_rank(), 1)) |
                         lisle::then([](int got) { return 2 * got; }));
    CHECK_EQ(doubled, 2 * previous_rank());
    const auto [sum, most] = lisle::sync_wait(lisle::when_all(
        world.iallreduce(1, std::plus<>{}), world.iallreduce(world.rank(), lisle::maximum{})));
    CHECK(sum == world.size() && most == world.size() - 1);
}

/// An answer that depends on what came: the value stays where it is while it is sent.
void let_value_goes_on() {
    auto start = world.isend(std::vector<int>{world.rank()}, next_rank(), 2);
    auto answer =
        world.ireceive<std::vector<int>>(previous_rank(), 2) | lisle::let_value([](std::vector<int> &got) {
            got.push_back(world.rank());
            return world.isend(lisle::borrow(got), previous_rank(), 3);
        });
    auto back = world.ireceive<std::vector<int>>(next_rank(), 3);
    const std::vector<int> got = lisle::sync_wait(lisle::when_all(std::move(answer), std::move(back)));
    CHECK(got == (std::vector{world.rank(), next_rank()}));
    start.wait_complete();
}

void errors_and_stops() {
    const auto thrower = [](int) -> int { throw std::runtime_error{"no"}; };
    bool caught = false;
    try {
        lisle::sync_wait(lisle::just(1) | lisle::then(thrower) | lisle::then([&](int) { CHECK(false); }));
    } catch (const std::runtime_error &) {
        caught = true;
    }
    CHECK(caught);
    CHECK_EQ(lisle::sync_wait(lisle::just(1) | lisle::then(thrower) |
                              lisle::upon_error([](const std::exception_ptr &) { return 7; })),
             7);
    // One fails: receives that nobody would ever complete are asked to end, and the error is told.
    auto never = world.ireceive<int>(previous_rank(), 99);
    auto nested = lisle::when_all(world.ireceive<int>(previous_rank(), 98), lisle::just(1));
    CHECK_EQ(thrown_by([&] {
                 lisle::sync_wait(lisle::when_all(std::move(never), std::move(nested),
                                                  lisle::just(0) | lisle::then([](int) -> int {
                                                      throw lisle::error{1, MPI_ERR_OTHER, "f", {}, "no"};
                                                  })));
             }),
             MPI_ERR_OTHER);
}

lisle::task<int> add_one(lisle::communicator comm, int tag) {
    const int got = co_await (comm.ireceive<int>(previous_rank(), tag) |
                              lisle::then([](int value) { return value + 1; }));
    co_await lisle::when_all(comm.isend(got, next_rank(), tag + 1), lisle::just());
    co_return got;
}

/// Tasks wait for senders, and senders for tasks, in one scheduler and one thread.
void beside_coroutines() {
    const auto here = std::this_thread::get_id();
    lisle::scheduler scheduler;
    std::vector<int> order;
    auto chain = lisle::schedule(scheduler) | lisle::then([&] {
                     CHECK(std::this_thread::get_id() == here);
                     order.push_back(1);
                     return 5;
                 });
    auto sending = world.isend(world.rank(), next_rank(), 4);
    auto answer = world.ireceive<int>(previous_rank(), 5);
    const auto [five, task_value, got] =
        lisle::sync_wait(scheduler, lisle::when_all(std::move(chain), add_one(world, 4), std::move(answer)));
    CHECK_EQ(five, 5);
    CHECK_EQ(task_value, previous_rank() + 1);
    CHECK_EQ(got, (previous_rank() + world.size() - 1) % world.size() + 1);
    CHECK_EQ(order.size(), 1u);
    sending.wait();
    // Many chains at once, met in any order.
    std::vector<lisle::spawned<int>> sums;
    std::vector<lisle::future<>> sent;
    for (int i = 0; i < 20; ++i)
        sums.push_back(scheduler.spawn([](int tag) -> lisle::task<int> {
            co_return co_await (world.ireceive<int>(previous_rank(), tag) |
                                lisle::then([](int value) { return value + 1; }));
        }(10 + i)));
    for (int i = 19; i >= 0; --i)
        sent.push_back(world.isend(i, next_rank(), 10 + i));
    scheduler.run();
    for (int i = 0; i < 20; ++i)
        CHECK_EQ(sums[static_cast<std::size_t>(i)].get(), i + 1);
}

} // namespace

int main() {
    const lisle::environment mpi;
    values_pass_through_chains();
    futures_are_senders();
    let_value_goes_on();
    errors_and_stops();
    beside_coroutines();
}
