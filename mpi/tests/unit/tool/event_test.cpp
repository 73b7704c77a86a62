// SPDX-License-Identifier: Apache-2.0
// Events: callbacks run for the rank's communicators, once for each registration, with the event's values.
#include <cstring>
#include <gtest/gtest.h>
#include <vector>

#include "../abi/world_of_one.hpp"
#include "tool/event.hpp"

using namespace lisle;
using namespace lisle::tool;

namespace {

struct seen {
    communicator_facts facts;
    MPI_Count time;
    MPI_T_cb_safety safety;
};

void note(MPI_T_event_instance instance, MPI_T_event_registration, MPI_T_cb_safety safety, void *user_data) {
    const auto &event = *reinterpret_cast<const event_instance *>(instance);
    static_cast<std::vector<seen> *>(user_data)->push_back({event.facts, event.time, safety});
}

/// A registration for one event, removed at its end.
class listener {
  public:
    explicit listener(int type) : registration_{*event_registrations->add(made(type))} {
        watch_communicators();
    }
    ~listener() { event_registrations->remove(registration_); }
    listener(const listener &) = delete;
    listener &operator=(const listener &) = delete;

    void at(MPI_T_cb_safety level) { registration_.callbacks[place_of(level)] = {note, &seen_}; }
    [[nodiscard]] const std::vector<seen> &events() const { return seen_; }

  private:
    static std::unique_ptr<event_registration> made(int type) {
        auto registration = std::make_unique<event_registration>();
        registration->type = type;
        return registration;
    }
    event_registration &registration_;
    std::vector<seen> seen_;
};

int type_of(communicator_event kind) {
    const auto types = event_types();
    for (std::size_t i = 0; i < types.size(); ++i) {
        if (types[i].kind == kind) {
            return static_cast<int>(i);
        }
    }
    return -1;
}

struct event : world_of_one {};

} // namespace

TEST_F(event, communicators_begin_and_end) {
    listener begins{type_of(communicator_event::begins)};
    listener ends{type_of(communicator_event::ends)};
    begins.at(MPI_T_CB_REQUIRE_MPI_RESTRICTED);
    ends.at(MPI_T_CB_REQUIRE_MPI_RESTRICTED);
    const MPI_Count before = event_time();
    MPI_Comm copy = MPI_COMM_NULL;
    ASSERT_EQ(MPI_Comm_dup(MPI_COMM_SELF, &copy), MPI_SUCCESS);
    ASSERT_EQ(begins.events().size(), 1U);
    EXPECT_TRUE(ends.events().empty());
    ASSERT_EQ(MPI_Comm_free(&copy), MPI_SUCCESS);
    ASSERT_EQ(begins.events().size(), 1U);
    ASSERT_EQ(ends.events().size(), 1U);
    const seen &first = begins.events().front(), &last = ends.events().front();
    EXPECT_EQ(first.facts.context, last.facts.context);
    EXPECT_EQ(first.facts.size, 1);
    EXPECT_EQ(first.facts.rank, 0);
    EXPECT_LE(before, first.time);
    EXPECT_LE(first.time, last.time);
    EXPECT_LE(last.time, event_time());
}

TEST_F(event, a_registration_runs_its_least_demanding_callback_that_may_run_inside_a_call) {
    listener begins{type_of(communicator_event::begins)};
    begins.at(MPI_T_CB_REQUIRE_NONE);
    begins.at(MPI_T_CB_REQUIRE_THREAD_SAFE);
    begins.at(MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE);
    MPI_Comm copy = MPI_COMM_NULL;
    ASSERT_EQ(MPI_Comm_dup(MPI_COMM_SELF, &copy), MPI_SUCCESS);
    ASSERT_EQ(MPI_Comm_free(&copy), MPI_SUCCESS);
    ASSERT_EQ(begins.events().size(), 1U);
    EXPECT_EQ(begins.events().front().safety, MPI_T_CB_REQUIRE_THREAD_SAFE);
}

TEST_F(event, what_needs_no_safety_never_runs_inside_a_call) {
    listener begins{type_of(communicator_event::begins)};
    begins.at(MPI_T_CB_REQUIRE_NONE);
    MPI_Comm copy = MPI_COMM_NULL;
    ASSERT_EQ(MPI_Comm_dup(MPI_COMM_SELF, &copy), MPI_SUCCESS);
    ASSERT_EQ(MPI_Comm_free(&copy), MPI_SUCCESS);
    EXPECT_TRUE(begins.events().empty());
}

TEST_F(event, elements_lie_within_what_is_copied_and_do_not_overlap) {
    MPI_Aint end = 0;
    for (const event_element &each : event_elements()) {
        int size = 0;
        ASSERT_EQ(MPI_Type_size(each.type, &size), MPI_SUCCESS);
        EXPECT_GE(each.place, end) << each.name;
        end = each.place + size;
    }
    EXPECT_LE(end, static_cast<MPI_Aint>(sizeof(communicator_facts)));
}

TEST_F(event, safety_levels_are_told_apart) {
    for (std::size_t i = 0; i < std::size(safety_levels); ++i) {
        EXPECT_EQ(place_of(safety_levels[i]), i);
    }
    try {
        (void)place_of(static_cast<MPI_T_cb_safety>(33));
        FAIL() << "33 is no level";
    } catch (const mpi_error &error) {
        EXPECT_EQ(error.code(), MPI_T_ERR_INVALID);
        EXPECT_NE(std::strstr(error.what(), "33"), nullptr) << error.what();
    }
}
