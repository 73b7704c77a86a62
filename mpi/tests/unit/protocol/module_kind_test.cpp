// SPDX-License-Identifier: Apache-2.0
// A kind of packet that a module adds: a ball that ranks throw round their job, caught by whichever thread
// makes progress. The example of mpi/docs/how-to/add-a-packet-kind.md.
#include <algorithm>
#include <array>
#include <atomic>

#include <gtest/gtest.h>

#include "../collective/inside.hpp"
#include "protocol/engine.hpp"
#include "protocol/message/active_messages.hpp"
#include "protocol/message/read_payload.hpp"
#include "protocol/wait.hpp"

using namespace lisle;
using namespace lisle::protocol;

namespace {

constexpr std::uint8_t ball_kind = first_module_kind + 100;
constexpr int ranks = 3, throws = 30;

/// The payload, as it travels.
struct ball {
    int throws_left;
    int thrown;
};

// Each ball comes to rest where it began, so its rank is told by its arrival. Relaxed would do: nothing else
// is read because of what these say.
static_assert(throws % ranks == 0);
std::array<std::atomic<int>, ranks> times_thrown{};

std::size_t numbered(engine &home) {
    return static_cast<std::size_t>(home.core().self.number);
}

/// @pre the lock of `home` is held
void throw_on_locked(engine &home, ball what) {
    const int next = (home.core().self.number + 1) % ranks;
    fabric::packet_header header{};
    header.kind = ball_kind;
    home.out().send_control_locked(next, header, &what, sizeof what);
}

const packet_kind_of_module balls{ball_kind, [](engine &home, const arrival &packet) {
                                      const auto came = read_payload<ball>(packet);
                                      if (came.throws_left == 0) {
                                          times_thrown[numbered(home)] = came.thrown;
                                          return;
                                      }
                                      throw_on_locked(home, {came.throws_left - 1, came.thrown + 1});
                                  }};

/// Each rank throws a ball and goes on until that one is at rest.
void play(int workers) {
    std::ranges::fill(times_thrown, 0);
    collective::on_ranks(ranks, workers, [](communicator &) {
        rank &self = this_rank();
        engine &home = self.engine();
        home.core().lock();
        throw_on_locked(home, {throws - 1, 1});
        home.core().unlock();
        wait_until(self, [&home] { return times_thrown[numbered(home)] != 0; });
    });
    for (const auto &each : times_thrown) {
        EXPECT_EQ(each, throws);
    }
}

} // namespace

TEST(module_kind, goes_round_threads) {
    play(0);
}

TEST(module_kind, goes_round_fibers) {
    play(2);
}
