// SPDX-License-Identifier: Apache-2.0
// Events: tools register callbacks. A callback runs inside the call that causes the event, on that call's
// thread, with no lock held. Nothing is buffered, so nothing is ever dropped.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "communicator/info.hpp"
#include "communicator/observer.hpp"
#include "tool/interface.hpp"

namespace lisle::tool {

/// One value of an event.
struct event_element {
    std::string_view name;
    MPI_Datatype type;
    MPI_Aint place; ///< in the struct that MPI_T_event_copy fills
};

struct event_type {
    std::string_view name;
    communicator_event kind;
    const char *meaning;
};
[[nodiscard]] std::span<const event_type> event_types();

/// The values of all events there are: they are about communicators.
struct communicator_facts {
    std::int64_t context; ///< identifies the communicator
    int size;
    int rank;
};
[[nodiscard]] std::span<const event_element> event_elements();

/// An event while its callbacks run. Handles of type MPI_T_event_instance point to one.
struct event_instance {
    communicator_facts facts;
    MPI_Count time;
};

/// The safety levels of callbacks, from the least that is required of one on.
inline constexpr MPI_T_cb_safety safety_levels[] = {MPI_T_CB_REQUIRE_NONE, MPI_T_CB_REQUIRE_MPI_RESTRICTED,
                                                    MPI_T_CB_REQUIRE_THREAD_SAFE,
                                                    MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE};
/// The place of a level. Throws MPI_T_ERR_INVALID.
[[nodiscard]] std::size_t place_of(MPI_T_cb_safety level);

/// What MPI_T_event_handle_alloc makes.
struct event_registration {
    struct callback {
        MPI_T_event_cb_function *function = nullptr;
        void *user_data = nullptr;
    };
    int type;
    callback callbacks[std::size(safety_levels)];
};
inline const rank_local<handle_list<event_registration>> event_registrations;

/// Nanoseconds of the source's clock.
[[nodiscard]] MPI_Count event_time() noexcept;
/// Begins to listen, for as long as the process lives.
void watch_communicators() noexcept;

} // namespace lisle::tool
