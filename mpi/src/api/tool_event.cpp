// SPDX-License-Identifier: Apache-2.0
// Events and their source.
#include "api/tool.hpp"
#include "tool/event.hpp"

#include <cstring>
#include <limits>

namespace lisle::api {

using namespace tool;

namespace {

constexpr std::string_view source_name = "lisle_rank";

event_registration &registration_at(MPI_T_event_registration handle) {
    require_initialized();
    return event_registrations->find(handle, MPI_T_ERR_INVALID_HANDLE);
}

const event_instance &instance_at(MPI_T_event_instance handle) {
    require_initialized();
    if (handle == nullptr) {
        fail(MPI_T_ERR_INVALID_HANDLE, "event_instance is a null pointer");
    }
    return *reinterpret_cast<const event_instance *>(handle);
}

/// An info object without keys: Lisle knows no hints about events.
void give_no_hints(MPI_Info *into) {
    if (into != nullptr) {
        *into = handle_of<MPI_Info>(*std::make_unique<info>().release());
    }
}

} // namespace

void t_source_get_num(int *num_sources) {
    require_initialized();
    check_wanted(num_sources, "num_sources");
    *num_sources = 1;
}

void t_source_get_info(int source_index, char *name, int *name_len, char *desc, int *desc_len,
                       MPI_T_source_order *ordering, MPI_Count *ticks_per_second, MPI_Count *max_ticks,
                       MPI_Info *info) {
    require_initialized();
    check_index(source_index, 1);
    store_string(source_name, name, name_len);
    store_string("the calls of this rank", desc, desc_len);
    store(ordering, MPI_T_SOURCE_ORDERED);
    store(ticks_per_second, 1'000'000'000);
    store(max_ticks, std::numeric_limits<MPI_Count>::max());
    give_no_hints(info);
}

void t_source_get_timestamp(int source_index, MPI_Count *timestamp) {
    require_initialized();
    check_index(source_index, 1);
    check_wanted(timestamp, "timestamp");
    *timestamp = event_time();
}

void t_event_get_num(int *num_events) {
    require_initialized();
    check_wanted(num_events, "num_events");
    *num_events = static_cast<int>(event_types().size());
}

void t_event_get_info(int event_index, char *name, int *name_len, int *verbosity,
                      MPI_Datatype array_of_datatypes[], MPI_Aint array_of_displacements[], int *num_elements,
                      MPI_T_enum *enumtype, MPI_Info *info, char *desc, int *desc_len, int *bind) {
    require_initialized();
    check_index(event_index, event_types().size());
    const event_type &type = event_types()[static_cast<std::size_t>(event_index)];
    const auto elements = event_elements();
    store_string(type.name, name, name_len);
    store_string(type.meaning, desc, desc_len);
    store(verbosity, static_cast<int>(MPI_T_VERBOSITY_USER_DETAIL));
    if (num_elements != nullptr) {
        for (int i = 0; i < *num_elements && static_cast<std::size_t>(i) < elements.size(); ++i) {
            const event_element &element = elements[static_cast<std::size_t>(i)];
            if (array_of_datatypes != nullptr) {
                array_of_datatypes[i] = element.type;
            }
            if (array_of_displacements != nullptr) {
                array_of_displacements[i] = element.place;
            }
        }
        *num_elements = static_cast<int>(elements.size());
    }
    store(enumtype, MPI_T_ENUM_NULL);
    give_no_hints(info);
    store(bind, static_cast<int>(MPI_T_BIND_NO_OBJECT));
}

void t_event_get_index(const char *name, int *event_index) {
    require_initialized();
    check_wanted(name, "name");
    check_wanted(event_index, "event_index");
    *event_index = index_of(event_types(), name);
}

void t_event_handle_alloc(int event_index, void *, info *, MPI_T_event_registration *event_registration) {
    require_initialized();
    check_index(event_index, event_types().size());
    check_wanted(event_registration, "event_registration");
    auto made = std::make_unique<tool::event_registration>();
    made->type = event_index;
    *event_registration =
        reinterpret_cast<MPI_T_event_registration>(event_registrations->add(std::move(made)));
}

void t_event_handle_set_info(MPI_T_event_registration event_registration, info *) {
    registration_at(event_registration);
}

void t_event_handle_get_info(MPI_T_event_registration event_registration, MPI_Info *info_used) {
    registration_at(event_registration);
    check_wanted(info_used, "info_used");
    give_no_hints(info_used);
}

void t_event_register_callback(MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety, info *,
                               void *user_data, MPI_T_event_cb_function event_cb_function) {
    auto &registration = registration_at(event_registration);
    registration.callbacks[place_of(cb_safety)] = {event_cb_function, user_data};
}

void t_event_callback_set_info(MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety,
                               info *) {
    registration_at(event_registration);
    static_cast<void>(place_of(cb_safety));
}

void t_event_callback_get_info(MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety,
                               MPI_Info *info_used) {
    registration_at(event_registration);
    static_cast<void>(place_of(cb_safety));
    check_wanted(info_used, "info_used");
    give_no_hints(info_used);
}

void t_event_handle_free(MPI_T_event_registration event_registration, void *user_data,
                         MPI_T_event_free_cb_function free_cb_function) {
    event_registrations->remove(registration_at(event_registration));
    // No event of the registration is under way any more: callbacks run inside calls of this rank.
    if (free_cb_function != nullptr) {
        free_cb_function(event_registration, MPI_T_CB_REQUIRE_MPI_RESTRICTED, user_data);
    }
}

void t_event_set_dropped_handler(MPI_T_event_registration event_registration,
                                 MPI_T_event_dropped_cb_function) {
    registration_at(event_registration); // nothing is ever dropped
}

void t_event_read(MPI_T_event_instance event_instance, int element_index, void *buffer) {
    const tool::event_instance &event = instance_at(event_instance);
    check_index(element_index, event_elements().size());
    check_wanted(buffer, "buffer");
    const event_element &element = event_elements()[static_cast<std::size_t>(element_index)];
    const auto *const from = reinterpret_cast<const char *>(&event.facts) + element.place;
    std::memcpy(buffer, from, element.type == MPI_INT64_T ? sizeof(std::int64_t) : sizeof(int));
}

void t_event_copy(MPI_T_event_instance event_instance, void *buffer) {
    check_wanted(buffer, "buffer");
    std::memcpy(buffer, &instance_at(event_instance).facts, sizeof(communicator_facts));
}

void t_event_get_timestamp(MPI_T_event_instance event_instance, MPI_Count *event_timestamp) {
    check_wanted(event_timestamp, "event_timestamp");
    *event_timestamp = instance_at(event_instance).time;
}

void t_event_get_source(MPI_T_event_instance event_instance, int *source_index) {
    check_wanted(source_index, "source_index");
    static_cast<void>(instance_at(event_instance));
    *source_index = 0;
}

} // namespace lisle::api
