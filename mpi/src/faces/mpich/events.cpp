// SPDX-License-Identifier: Apache-2.0
// Events of the tool interface. Callbacks see the program's constants; what Lisle hands through is the
// program's function with its own data, which stays until the registration goes.
#include <cstdlib>
#include <new>
#include <pthread.h>

#include "faces/calls.hpp"

namespace lisle::face {

namespace {

struct event_callback {
    any_function function;
    void *user_data;
    MPI_T_event_registration registration;
    event_callback *next;
};

using event_function = void (*)(MPI_T_event_instance, MPI_T_event_registration, int safety, void *user_data);
using free_function = void (*)(MPI_T_event_registration, int safety, void *user_data);

/// Of the system, since C++'s may throw.
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
event_callback *callbacks = nullptr; ///< protected by the mutex

event_callback *keep(const event_callback &given) noexcept {
    void *const memory = std::malloc(sizeof(event_callback));
    if (memory == nullptr) {
        return nullptr;
    }
    auto *const kept = new (memory) event_callback{given};
    pthread_mutex_lock(&mutex);
    kept->next = callbacks;
    callbacks = kept;
    pthread_mutex_unlock(&mutex);
    return kept;
}

void forget(MPI_T_event_registration registration) noexcept {
    pthread_mutex_lock(&mutex);
    for (event_callback **link = &callbacks; *link != nullptr;) {
        event_callback *const one = *link;
        if (one->registration == registration) {
            *link = one->next;
            std::free(one);
        } else {
            link = &one->next;
        }
    }
    pthread_mutex_unlock(&mutex);
}

void hear_event(MPI_T_event_instance instance, MPI_T_event_registration registration, MPI_T_cb_safety safety,
                void *state) {
    const auto &own = *static_cast<event_callback *>(state);
    reinterpret_cast<event_function>(own.function)(instance, registration, theirs_callback_safety(safety),
                                                   own.user_data);
}

struct free_callback {
    any_function function;
    void *user_data;
};

void hear_end(MPI_T_event_registration registration, MPI_T_cb_safety safety, void *state) {
    const auto &own = *static_cast<free_callback *>(state);
    reinterpret_cast<free_function>(own.function)(registration, theirs_callback_safety(safety),
                                                  own.user_data);
}

MPI_T_cb_safety ours_safety(int theirs) noexcept {
    return static_cast<MPI_T_cb_safety>(ours_callback_safety(theirs));
}

} // namespace

int t_event_register_callback(MPI_T_event_registration event_registration, int cb_safety,
                              theirs<MPI_Info> info, void *user_data,
                              any_function event_cb_function) noexcept {
    event_callback *const kept = event_cb_function != nullptr
                                     ? keep({event_cb_function, user_data, event_registration, nullptr})
                                     : nullptr;
    if (event_cb_function != nullptr && kept == nullptr) {
        return MPI_T_ERR_MEMORY;
    }
    return lisle_calls.MPI_T_event_register_callback(event_registration, ours_safety(cb_safety), info.ours(),
                                                     kept, kept != nullptr ? hear_event : nullptr);
}

int t_event_callback_set_info(MPI_T_event_registration event_registration, int cb_safety,
                              theirs<MPI_Info> info) noexcept {
    return lisle_calls.MPI_T_event_callback_set_info(event_registration, ours_safety(cb_safety), info.ours());
}

int t_event_callback_get_info(MPI_T_event_registration event_registration, int cb_safety,
                              theirs<MPI_Info> *info_used) noexcept {
    return lisle_calls.MPI_T_event_callback_get_info(event_registration, ours_safety(cb_safety),
                                                     given_handle<MPI_Info>{info_used});
}

/// Lisle drops no event, so it never calls the handler.
int t_event_set_dropped_handler(MPI_T_event_registration event_registration, any_function) noexcept {
    return lisle_calls.MPI_T_event_set_dropped_handler(event_registration, nullptr);
}

int t_event_handle_free(MPI_T_event_registration event_registration, void *user_data,
                        any_function free_cb_function) noexcept {
    free_callback end{free_cb_function, user_data}; // which is called in here
    const int code = lisle_calls.MPI_T_event_handle_free(event_registration, &end,
                                                         free_cb_function != nullptr ? hear_end : nullptr);
    if (code == MPI_SUCCESS) {
        forget(event_registration);
    }
    return code;
}

int t_event_get_info(int event_index, char *name, int *name_len, int *verbosity,
                     theirs<MPI_Datatype> array_of_datatypes[], MPI_Aint array_of_displacements[],
                     int *num_elements, MPI_T_enum *enumtype, theirs<MPI_Info> *info, char *desc,
                     int *desc_len, int *bind) noexcept {
    const int room = num_elements != nullptr ? *num_elements : 0;
    return lisle_calls.MPI_T_event_get_info(
        event_index, name, name_len, given_value<theirs_verbosity>{verbosity},
        given_handles<MPI_Datatype>{array_of_datatypes, room}, array_of_displacements, num_elements, enumtype,
        given_handle<MPI_Info>{info}, desc, desc_len, given_value<theirs_bind>{bind});
}

int t_source_get_info(int source_index, char *name, int *name_len, char *desc, int *desc_len, int *ordering,
                      MPI_Count *ticks_per_second, MPI_Count *max_ticks, theirs<MPI_Info> *info) noexcept {
    MPI_T_source_order order = MPI_T_SOURCE_ORDERED;
    const int code =
        lisle_calls.MPI_T_source_get_info(source_index, name, name_len, desc, desc_len, &order,
                                          ticks_per_second, max_ticks, given_handle<MPI_Info>{info});
    if (code == MPI_SUCCESS && ordering != nullptr) {
        *ordering = theirs_source_order(order);
    }
    return code;
}

} // namespace lisle::face
