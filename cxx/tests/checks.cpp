// SPDX-License-Identifier: Apache-2.0
// LISLE_CHECKS=2: ranks that do not make the same collective call all throw, and go on afterwards.
#define LISLE_CHECKS 2
#include <lisle/lisle.hpp>

#include <functional>
#include <string>
#include <vector>

#include "check.hpp"

namespace {

const lisle::communicator world = lisle::world();

/// What a call throws at this rank: 0 for nothing.
template <class Call> int thrown_by(Call call) {
    const auto done = lisle::attempt(call);
    return done.has_value() ? 0 : done.error().error_class();
}

} // namespace

int main() {
    const lisle::environment mpi;
    const bool odd = world.rank() % 2 == 1;
    const int wrong = world.size() > 1 ? -1 : 0; // alone, every rank agrees
    const auto expected = [wrong](int error) { return wrong != 0 ? error : 0; };
    int value = 1;

    CHECK_EQ(thrown_by([&] { odd ? world.barrier() : world.broadcast(value); }), expected(MPI_ERR_OTHER));
    CHECK_EQ(thrown_by([&] { world.broadcast(value, {.root = odd ? 1 : 0}); }), expected(MPI_ERR_ROOT));
    CHECK_EQ(thrown_by([&] {
                 if (odd)
                     static_cast<void>(world.allgather('c'));
                 else
                     static_cast<void>(world.allgather(1));
             }),
             expected(MPI_ERR_TYPE));

    const auto reduce_by = [&](auto ones, auto others) {
        return thrown_by([&] {
            if (odd)
                static_cast<void>(world.allreduce(value, ones));
            else
                static_cast<void>(world.allreduce(value, others));
        });
    };
    const auto sum = [](int a, int b) { return a + b; };
    const auto other_sum = [](int a, int b) { return b + a; };
    CHECK_EQ(reduce_by(std::plus<>{}, lisle::maximum{}), expected(MPI_ERR_OP));
    CHECK_EQ(reduce_by(std::plus<>{}, sum), expected(MPI_ERR_OP));
    CHECK_EQ(reduce_by(sum, lisle::commutative(sum)), expected(MPI_ERR_OP));
    CHECK_EQ(reduce_by(std::plus<>{}, std::plus<int>{}), 0); // the same of MPI's
    CHECK_EQ(reduce_by(sum, other_sum), 0);                  // who could tell?
    std::vector<int> values(2, 1);
    CHECK_EQ(thrown_by([&] {
                 if (odd)
                     world.scan(lisle::in_place(values), std::plus<>{});
                 else
                     world.scan(lisle::in_place(values), std::multiplies<>{});
             }),
             expected(MPI_ERR_OP));
    CHECK_EQ(world.allreduce(std::string{"x"}, std::plus<>{}).size(), static_cast<std::size_t>(world.size()));
    CHECK_EQ(world.allreduce(1, std::plus<>{}), world.size());
}
