// SPDX-License-Identifier: Apache-2.0
// Sessions without MPI_Init, and hints.
#include <lisle/info.hpp>
#include <lisle/lisle.hpp>
#include <lisle/session.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "check.hpp"

namespace {

struct padded {
    char letter;
    double number;
};

void hints_are_values() {
    lisle::info hints{{"first", "1"}, {"second", "two"}};
    const lisle::info copy = hints;
    hints.set("first", "one");
    hints.set("third", "");
    CHECK(hints.get("first") == "one" && copy.get("first") == "1");
    CHECK(!hints.get("fourth").has_value());
    CHECK_EQ(hints.size(), 3u);
    CHECK(hints.erase("second") && !hints.erase("second"));
    CHECK_EQ(hints.all().size(), 2u);
    CHECK_EQ(copy.all().back().key, "second");
    const lisle::info none;
    CHECK(none.size() == 0 && !none.get("first").has_value() && none.native() == MPI_INFO_NULL);
    hints = none;
    CHECK_EQ(hints.size(), 0u);
}

void sessions_need_no_init() {
    const lisle::session first;
    const std::vector<std::string> sets = first.process_sets();
    CHECK(std::count(sets.begin(), sets.end(), "mpi://WORLD") == 1);
    CHECK(std::count(sets.begin(), sets.end(), "mpi://SELF") == 1);
    CHECK(first.describe("mpi://SELF").get("mpi_size") == "1");
    const auto everybody = first.group();
    const auto all = first.communicator();
    CHECK_EQ(everybody.size(), all.size());
    CHECK_EQ(all.rank(), everybody.rank());
    CHECK_EQ(all.allreduce(1, std::plus<>{}), all.size());
    // What the headers keep for a rank is there, too.
    padded p{'x', all.rank() == 0 ? 2.5 : 0};
    all.broadcast(p);
    CHECK_EQ(p.number, 2.5);
    const auto sum = all.allreduce(all.rank(), [](int a, int b) { return a + b; });
    CHECK_EQ(sum, all.size() * (all.size() - 1) / 2);
    const std::string names = all.allreduce(std::string(1, 'x'), std::plus<>{});
    CHECK_EQ(names.size(), static_cast<std::size_t>(all.size()));

    const lisle::session second{lisle::info{{"mpi_memory_alloc_kinds", "mpi"}}, lisle::threads::multiple};
    const auto alone = second.communicator("mpi://SELF", "alone");
    CHECK_EQ(alone.size(), 1);
    const auto failed = lisle::attempt([&] { return alone.receive<int>(5); });
    CHECK(!failed.has_value() && failed.error().error_class() == MPI_ERR_RANK);
    CHECK(!lisle::attempt([&] { return second.group("no such set").size(); }).has_value());
}

void communicators_have_hints() {
    const lisle::environment mpi;
    const auto world = lisle::world();
    const lisle::info hints{{"mpi_assert_no_any_tag", "true"}};
    const auto quick = world.dup(hints);
    CHECK(quick.hints().get("mpi_assert_no_any_tag") == "true");
    CHECK(world.hints().get("mpi_assert_no_any_tag") != "true");
    world.dup().hints(lisle::info{{"unknown to all", "1"}});
    const auto parts =
        world.split_by(lisle::hardware::guided, lisle::info{{"mpi_hw_resource_type", "mpi_shared_memory"}});
    CHECK(parts.size() >= 1);
}

} // namespace

int main() {
    sessions_need_no_init();
    communicators_have_hints();
    hints_are_values();
}
