// SPDX-License-Identifier: Apache-2.0
// Beginning and end of the tool interface, control variables, enumerations, categories.
#include "api/tool.hpp"
#include "tool/category.hpp"
#include "tool/control.hpp"
#include "tool/event.hpp"

namespace lisle::api {

using namespace tool;

namespace {

control_handle &handle_at(MPI_T_cvar_handle handle) {
    return control_handles->find(handle, MPI_T_ERR_INVALID_HANDLE);
}

const category &category_at(int index) {
    require_initialized();
    check_index(index, all_categories().size());
    return all_categories()[static_cast<std::size_t>(index)];
}

/// At most `most` of the indices.
void store_list(const std::vector<int> &list, int most, int *into) {
    for (int i = 0; i < most && static_cast<std::size_t>(i) < list.size(); ++i) {
        into[i] = list[static_cast<std::size_t>(i)];
    }
}

} // namespace

void t_init_thread(int, int *provided) {
    uses->value.fetch_add(1, std::memory_order_relaxed);
    watch_communicators();
    store(provided, static_cast<int>(MPI_THREAD_MULTIPLE));
}

void t_finalize() {
    require_initialized();
    if (uses->value.fetch_sub(1, std::memory_order_relaxed) == 1) {
        event_registrations->remove_if([](const event_registration &) { return true; });
    }
}

void t_cvar_get_num(int *num_cvar) {
    require_initialized();
    check_wanted(num_cvar, "num_cvar");
    *num_cvar = static_cast<int>(control_variables().size());
}

void t_cvar_get_info(int cvar_index, char *name, int *name_len, int *verbosity, MPI_Datatype *datatype,
                     MPI_T_enum *enumtype, char *desc, int *desc_len, int *bind, int *scope) {
    require_initialized();
    check_index(cvar_index, control_variables().size());
    const control_variable &variable = control_variables()[static_cast<std::size_t>(cvar_index)];
    store_string(variable.name, name, name_len);
    store_string(variable.meaning, desc, desc_len);
    const bool may_change = changeable(variable.which);
    store(verbosity, may_change ? MPI_T_VERBOSITY_TUNER_BASIC : MPI_T_VERBOSITY_USER_BASIC);
    store(datatype, datatype_of(variable));
    if (enumtype != nullptr) {
        *enumtype = reinterpret_cast<MPI_T_enum>(const_cast<enumeration *>(variable.words));
    }
    store(bind, static_cast<int>(MPI_T_BIND_NO_OBJECT));
    store(scope, may_change ? MPI_T_SCOPE_ALL_EQ : MPI_T_SCOPE_READONLY);
}

void t_cvar_get_index(const char *name, int *cvar_index) {
    require_initialized();
    check_wanted(name, "name");
    check_wanted(cvar_index, "cvar_index");
    *cvar_index = index_of(control_variables(), name);
}

void t_cvar_handle_alloc(int cvar_index, void *, MPI_T_cvar_handle *handle, int *count) {
    require_initialized();
    check_index(cvar_index, control_variables().size());
    check_wanted(handle, "handle");
    const control_variable &variable = control_variables()[static_cast<std::size_t>(cvar_index)];
    *handle = reinterpret_cast<MPI_T_cvar_handle>(
        control_handles->add(std::make_unique<control_handle>(control_handle{&variable})));
    store(count, count_of(variable));
}

void t_cvar_handle_free(MPI_T_cvar_handle *handle) {
    require_initialized();
    check_wanted(handle, "handle");
    control_handles->remove(handle_at(*handle));
    *handle = MPI_T_CVAR_HANDLE_NULL;
}

void t_cvar_read(MPI_T_cvar_handle handle, void *buf) {
    require_initialized();
    check_wanted(buf, "buf");
    tool::read(*handle_at(handle).variable, buf);
}

void t_cvar_write(MPI_T_cvar_handle handle, const void *buf) {
    require_initialized();
    check_wanted(buf, "buf");
    tool::write(*handle_at(handle).variable, buf);
}

void t_enum_get_info(MPI_T_enum enumtype, int *num, char *name, int *name_len) {
    require_initialized();
    const enumeration &found = find_enumeration(enumtype);
    store(num, found.words.size());
    store_string(found.name, name, name_len);
}

void t_enum_get_item(MPI_T_enum enumtype, int indx, int *value, char *name, int *name_len) {
    require_initialized();
    const enumeration &found = find_enumeration(enumtype);
    if (indx < 0 || static_cast<std::size_t>(indx) >= found.words.size()) {
        fail(MPI_T_ERR_INVALID_ITEM, "item ", indx, " is outside the enumeration, which has ",
             found.words.size(), " items");
    }
    store(value, found.first + indx);
    store_string(found.words[static_cast<std::size_t>(indx)], name, name_len);
}

void t_category_get_num(int *num_cat) {
    require_initialized();
    check_wanted(num_cat, "num_cat");
    *num_cat = static_cast<int>(all_categories().size());
}

void t_category_get_info(int cat_index, char *name, int *name_len, char *desc, int *desc_len, int *num_cvars,
                         int *num_pvars, int *num_categories) {
    const category &found = category_at(cat_index);
    store_string(found.name, name, name_len);
    store_string(found.meaning, desc, desc_len);
    store(num_cvars, found.controls.size());
    store(num_pvars, found.performances.size());
    store(num_categories, found.categories.size());
}

void t_category_get_num_events(int cat_index, int *num_events) {
    store(num_events, category_at(cat_index).events.size());
}

void t_category_get_index(const char *name, int *cat_index) {
    require_initialized();
    check_wanted(name, "name");
    check_wanted(cat_index, "cat_index");
    *cat_index = index_of(all_categories(), name);
}

void t_category_get_cvars(int cat_index, int len, int indices[]) {
    store_list(category_at(cat_index).controls, len, indices);
}

void t_category_get_pvars(int cat_index, int len, int indices[]) {
    store_list(category_at(cat_index).performances, len, indices);
}

void t_category_get_events(int cat_index, int len, int indices[]) {
    store_list(category_at(cat_index).events, len, indices);
}

void t_category_get_categories(int cat_index, int len, int indices[]) {
    store_list(category_at(cat_index).categories, len, indices);
}

void t_category_changed(int *update_number) {
    require_initialized();
    check_wanted(update_number, "update_number");
    *update_number = 0; // the tables are fixed
}

} // namespace lisle::api
