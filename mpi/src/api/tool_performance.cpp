// SPDX-License-Identifier: Apache-2.0
// Performance variables: sessions, handles, values.
#include "api/tool.hpp"
#include "communicator/predefined.hpp"
#include "tool/performance.hpp"

#include <cstring>

namespace lisle::api {

using namespace tool;

namespace {

const performance_session &session_at(MPI_T_pvar_session session) {
    require_initialized();
    return performance_sessions->find(session, MPI_T_ERR_INVALID_SESSION);
}

performance_handle &handle_at(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
    const performance_session &owner = session_at(session);
    performance_handle &found = performance_handles->find(handle, MPI_T_ERR_INVALID_HANDLE);
    if (&found.session() != &owner) {
        fail(MPI_T_ERR_INVALID_HANDLE, "the handle belongs to another session");
    }
    return found;
}

/// Does something to one handle, or to all of the session for which it makes sense.
template <class Function>
void for_handles(MPI_T_pvar_session session, MPI_T_pvar_handle handle, int error, Function function) {
    if (handle != MPI_T_PVAR_ALL_HANDLES) {
        performance_handle &found = handle_at(session, handle);
        if (!found.variable().counts()) {
            fail(error, found.variable().name, " always shows what is now");
        }
        function(found);
        return;
    }
    const performance_session &owner = session_at(session);
    performance_handles->each([&](performance_handle &each) {
        if (&each.session() == &owner && each.variable().counts()) {
            function(each);
        }
    });
}

void read_into(const performance_handle &handle, void *buf) {
    if (buf == nullptr) {
        fail(MPI_T_ERR_INVALID, "buf is a null pointer");
    }
    const unsigned long long value = handle.read();
    std::memcpy(buf, &value, sizeof value);
}

} // namespace

void t_pvar_get_num(int *num_pvar) {
    require_initialized();
    check_wanted(num_pvar, "num_pvar");
    *num_pvar = static_cast<int>(performance_variables().size());
}

void t_pvar_get_info(int pvar_index, char *name, int *name_len, int *verbosity, int *var_class,
                     MPI_Datatype *datatype, MPI_T_enum *enumtype, char *desc, int *desc_len, int *bind,
                     int *readonly, int *continuous, int *atomic) {
    require_initialized();
    check_index(pvar_index, performance_variables().size());
    const performance_variable &variable = performance_variables()[static_cast<std::size_t>(pvar_index)];
    store_string(variable.name, name, name_len);
    store_string(variable.meaning, desc, desc_len);
    store(verbosity, static_cast<int>(MPI_T_VERBOSITY_USER_DETAIL));
    store(var_class, variable.variable_class);
    store(datatype, MPI_UNSIGNED_LONG_LONG);
    store(enumtype, MPI_T_ENUM_NULL);
    store(bind, variable.binding);
    store(readonly, 1);
    store(continuous, variable.counts() ? 0 : 1);
    store(atomic, 0);
}

void t_pvar_get_index(const char *name, int var_class, int *pvar_index) {
    require_initialized();
    check_wanted(name, "name");
    check_wanted(pvar_index, "pvar_index");
    const int found = index_of(performance_variables(), name);
    if (performance_variables()[static_cast<std::size_t>(found)].variable_class != var_class) {
        fail(MPI_T_ERR_INVALID_NAME, name, " is of another class");
    }
    *pvar_index = found;
}

void t_pvar_session_create(MPI_T_pvar_session *session) {
    require_initialized();
    check_wanted(session, "session");
    *session = reinterpret_cast<MPI_T_pvar_session>(
        performance_sessions->add(std::make_unique<performance_session>()));
}

void t_pvar_session_free(MPI_T_pvar_session *session) {
    check_wanted(session, "session");
    const performance_session &ended = session_at(*session);
    performance_handles->remove_if(
        [&ended](const performance_handle &each) { return &each.session() == &ended; });
    performance_sessions->remove(ended);
    *session = MPI_T_PVAR_SESSION_NULL;
}

void t_pvar_handle_alloc(MPI_T_pvar_session session, int pvar_index, void *obj_handle,
                         MPI_T_pvar_handle *handle, int *count) {
    const performance_session &owner = session_at(session);
    check_index(pvar_index, performance_variables().size());
    check_wanted(handle, "handle");
    const performance_variable &variable = performance_variables()[static_cast<std::size_t>(pvar_index)];
    const communicator *of = nullptr;
    if (variable.binding == MPI_T_BIND_MPI_COMM) {
        of = obj_handle != nullptr ? find_communicator(*static_cast<const MPI_Comm *>(obj_handle)) : nullptr;
        if (of == nullptr) {
            fail(MPI_T_ERR_INVALID_HANDLE, "obj_handle points to no communicator");
        }
    }
    *handle = reinterpret_cast<MPI_T_pvar_handle>(
        performance_handles->add(std::make_unique<performance_handle>(owner, variable, of)));
    store(count, 1);
}

void t_pvar_handle_free(MPI_T_pvar_session session, MPI_T_pvar_handle *handle) {
    check_wanted(handle, "handle");
    performance_handles->remove(handle_at(session, *handle));
    *handle = MPI_T_PVAR_HANDLE_NULL;
}

void t_pvar_start(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
    for_handles(session, handle, MPI_T_ERR_PVAR_NO_STARTSTOP, [](performance_handle &each) { each.start(); });
}

void t_pvar_stop(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
    for_handles(session, handle, MPI_T_ERR_PVAR_NO_STARTSTOP, [](performance_handle &each) { each.stop(); });
}

void t_pvar_reset(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
    for_handles(session, handle, MPI_T_ERR_PVAR_NO_WRITE, [](performance_handle &each) { each.reset(); });
}

void t_pvar_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buf) {
    read_into(handle_at(session, handle), buf);
}

void t_pvar_readreset(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *) {
    fail(MPI_T_ERR_PVAR_NO_ATOMIC, handle_at(session, handle).variable().name,
         " cannot be read and reset in one go");
}

void t_pvar_write(MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void *) {
    fail(MPI_T_ERR_PVAR_NO_WRITE, handle_at(session, handle).variable().name, " cannot be set");
}

} // namespace lisle::api
