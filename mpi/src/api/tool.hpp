// SPDX-License-Identifier: Apache-2.0
// The tool information interface [MPI-5.0 15.3]. Null pointers stand for results that are not wanted. Errors
// are returned; no error handler hears of them.
#pragma once

#include "communicator/info.hpp"
#include "mpi.h"

namespace lisle::api {

void t_category_changed(int *update_number);
void t_category_get_categories(int cat_index, int len, int indices[]);
void t_category_get_cvars(int cat_index, int len, int indices[]);
void t_category_get_events(int cat_index, int len, int indices[]);
void t_category_get_index(const char *name, int *cat_index);
void t_category_get_info(int cat_index, char *name, int *name_len, char *desc, int *desc_len, int *num_cvars,
                         int *num_pvars, int *num_categories);
void t_category_get_num(int *num_cat);
void t_category_get_num_events(int cat_index, int *num_events);
void t_category_get_pvars(int cat_index, int len, int indices[]);
void t_cvar_get_index(const char *name, int *cvar_index);
void t_cvar_get_info(int cvar_index, char *name, int *name_len, int *verbosity, MPI_Datatype *datatype,
                     MPI_T_enum *enumtype, char *desc, int *desc_len, int *bind, int *scope);
void t_cvar_get_num(int *num_cvar);
void t_cvar_handle_alloc(int cvar_index, void *obj_handle, MPI_T_cvar_handle *handle, int *count);
void t_cvar_handle_free(MPI_T_cvar_handle *handle);
void t_cvar_read(MPI_T_cvar_handle handle, void *buf);
void t_cvar_write(MPI_T_cvar_handle handle, const void *buf);
void t_enum_get_info(MPI_T_enum enumtype, int *num, char *name, int *name_len);
void t_enum_get_item(MPI_T_enum enumtype, int indx, int *value, char *name, int *name_len);
void t_event_callback_get_info(MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety,
                               MPI_Info *info_used);
void t_event_callback_set_info(MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety,
                               info *hints);
void t_event_copy(MPI_T_event_instance event_instance, void *buffer);
void t_event_get_index(const char *name, int *event_index);
void t_event_get_info(int event_index, char *name, int *name_len, int *verbosity,
                      MPI_Datatype array_of_datatypes[], MPI_Aint array_of_displacements[], int *num_elements,
                      MPI_T_enum *enumtype, MPI_Info *info, char *desc, int *desc_len, int *bind);
void t_event_get_num(int *num_events);
void t_event_get_source(MPI_T_event_instance event_instance, int *source_index);
void t_event_get_timestamp(MPI_T_event_instance event_instance, MPI_Count *event_timestamp);
void t_event_handle_alloc(int event_index, void *obj_handle, info *hints,
                          MPI_T_event_registration *event_registration);
void t_event_handle_free(MPI_T_event_registration event_registration, void *user_data,
                         MPI_T_event_free_cb_function free_cb_function);
void t_event_handle_get_info(MPI_T_event_registration event_registration, MPI_Info *info_used);
void t_event_handle_set_info(MPI_T_event_registration event_registration, info *hints);
void t_event_read(MPI_T_event_instance event_instance, int element_index, void *buffer);
void t_event_register_callback(MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety,
                               info *hints, void *user_data, MPI_T_event_cb_function event_cb_function);
void t_event_set_dropped_handler(MPI_T_event_registration event_registration,
                                 MPI_T_event_dropped_cb_function dropped_cb_function);
void t_finalize();
void t_init_thread(int required, int *provided);
void t_pvar_get_index(const char *name, int var_class, int *pvar_index);
void t_pvar_get_info(int pvar_index, char *name, int *name_len, int *verbosity, int *var_class,
                     MPI_Datatype *datatype, MPI_T_enum *enumtype, char *desc, int *desc_len, int *bind,
                     int *readonly, int *continuous, int *atomic);
void t_pvar_get_num(int *num_pvar);
void t_pvar_handle_alloc(MPI_T_pvar_session session, int pvar_index, void *obj_handle,
                         MPI_T_pvar_handle *handle, int *count);
void t_pvar_handle_free(MPI_T_pvar_session session, MPI_T_pvar_handle *handle);
void t_pvar_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buf);
void t_pvar_readreset(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buf);
void t_pvar_reset(MPI_T_pvar_session session, MPI_T_pvar_handle handle);
void t_pvar_session_create(MPI_T_pvar_session *session);
void t_pvar_session_free(MPI_T_pvar_session *session);
void t_pvar_start(MPI_T_pvar_session session, MPI_T_pvar_handle handle);
void t_pvar_stop(MPI_T_pvar_session session, MPI_T_pvar_handle handle);
void t_pvar_write(MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void *buf);
void t_source_get_info(int source_index, char *name, int *name_len, char *desc, int *desc_len,
                       MPI_T_source_order *ordering, MPI_Count *ticks_per_second, MPI_Count *max_ticks,
                       MPI_Info *info);
void t_source_get_num(int *num_sources);
void t_source_get_timestamp(int source_index, MPI_Count *timestamp);

} // namespace lisle::api
