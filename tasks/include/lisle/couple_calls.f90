! SPDX-License-Identifier: Apache-2.0
! The functions of lisle/couple.h as the modules of couple_grids.f90 and couple.f90 call them. Included by couple.f90.
module lisle_couple_calls
  use, intrinsic :: iso_c_binding
  implicit none

  type, bind(C) :: iteration_rule
    real(c_double) :: relaxation, relative, absolute, least_new
    integer(c_int) :: how, most, reused_steps
  end type

  type, bind(C) :: located
    integer(c_int64_t) :: points
    type(c_ptr) :: numbers, x, y
  end type

  interface
    function from_int(comm) bind(C, name="MPI_Comm_fromint") result(handle)
      import
      integer(c_int), value :: comm
      type(c_ptr) :: handle
    end function
    function to_int(handle) bind(C, name="MPI_Comm_toint") result(comm)
      import
      type(c_ptr), value :: handle
      integer(c_int) :: comm
    end function
    function length_in_c(text) bind(C, name="strlen") result(length)
      import
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function
    function message_in_c() bind(C, name="lisle_couple_message") result(text)
      import
      type(c_ptr) :: text
    end function
    integer(c_int) function points_block(dimensions, grid, begin, extents, points) bind(C, name="lisle_couple_points_block")
      import
      integer(c_int), value :: dimensions
      integer(c_int64_t), intent(in) :: grid(*), begin(*), extents(*)
      type(c_ptr), intent(out) :: points
    end function
    integer(c_int) function points_list(grid_points, count, numbers, points) bind(C, name="lisle_couple_points_list")
      import
      integer(c_int64_t), value :: grid_points, count
      integer(c_int64_t), intent(in) :: numbers(*)
      type(c_ptr), intent(out) :: points
    end function
    integer(c_int) function points_mask(points, count, left_out) bind(C, name="lisle_couple_points_mask")
      import
      type(c_ptr), value :: points
      integer(c_int64_t), value :: count
      integer(c_signed_char), intent(in) :: left_out(*)
    end function
    integer(c_int) function points_free(points) bind(C, name="lisle_couple_points_free")
      import
      type(c_ptr), intent(inout) :: points
    end function
    integer(c_int) function weights_make(count, places, sources, factors, weights) bind(C, name="lisle_couple_weights_make")
      import
      integer(c_int64_t), value :: count
      integer(c_int64_t), intent(in) :: places(*), sources(*)
      real(c_double), intent(in) :: factors(*)
      type(c_ptr), intent(out) :: weights
    end function
    integer(c_int) function weights_overlap(all, from, to, normalisation, period, weights) &
        bind(C, name="lisle_couple_weights_overlap")
      import
      type(c_ptr), value :: all, from, to
      integer(c_int), value :: normalisation
      real(c_double), value :: period
      type(c_ptr), intent(out) :: weights
    end function
    integer(c_int) function weights_size(weights, entries, cells) bind(C, name="lisle_couple_weights_size")
      import
      type(c_ptr), value :: weights
      integer(c_int64_t), intent(out) :: entries, cells
    end function
    integer(c_int) function weights_entries(weights, places, sources, factors) bind(C, name="lisle_couple_weights_entries")
      import
      type(c_ptr), value :: weights
      integer(c_int64_t), intent(out) :: places(*), sources(*)
      real(c_double), intent(out) :: factors(*)
    end function
    integer(c_int) function weights_covered(weights, covered) bind(C, name="lisle_couple_weights_covered")
      import
      type(c_ptr), value :: weights
      real(c_double), intent(out) :: covered(*)
    end function
    integer(c_int) function weights_missed(weights, places, missed) bind(C, name="lisle_couple_weights_missed")
      import
      type(c_ptr), value :: weights
      integer(c_int64_t), intent(out) :: places
      type(c_ptr), value :: missed
    end function
    integer(c_int) function weights_nearest(all, from, to, surface, period, neighbours, power, weights) &
        bind(C, name="lisle_couple_weights_nearest")
      import
      type(c_ptr), value :: all
      type(located), intent(in) :: from, to
      integer(c_int), value :: surface, neighbours
      real(c_double), value :: period, power
      type(c_ptr), intent(out) :: weights
    end function
    integer(c_int) function weights_bilinear(all, from, to, masked, period, weights) &
        bind(C, name="lisle_couple_weights_bilinear")
      import
      type(c_ptr), value :: all, from
      type(located), intent(in) :: to
      integer(c_int), value :: masked
      real(c_double), value :: period
      type(c_ptr), intent(out) :: weights
    end function
    integer(c_int) function weights_read(all, path, wanted, sender_points, weights) &
        bind(C, name="lisle_couple_weights_read")
      import
      type(c_ptr), value :: all, wanted
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int64_t), value :: sender_points
      type(c_ptr), intent(out) :: weights
    end function
    integer(c_int) function weights_write(all, path, weights, wanted, sender_points, form) &
        bind(C, name="lisle_couple_weights_write")
      import
      type(c_ptr), value :: all, weights, wanted
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int64_t), value :: sender_points
      integer(c_int), value :: form
    end function
    integer(c_int) function elements_make(elements) bind(C, name="lisle_couple_elements_make")
      import
      type(c_ptr), intent(out) :: elements
    end function
    integer(c_int) function elements_add(elements, corners, points, x, y, masked) bind(C, name="lisle_couple_elements_add")
      import
      type(c_ptr), value :: elements
      integer(c_int), value :: corners
      integer(c_int64_t), intent(in) :: points(*)
      real(c_double), intent(in) :: x(*), y(*)
      integer(c_signed_char), intent(in) :: masked(*)
    end function
    integer(c_int) function elements_free(elements) bind(C, name="lisle_couple_elements_free")
      import
      type(c_ptr), intent(inout) :: elements
    end function
    integer(c_int) function weights_free(weights) bind(C, name="lisle_couple_weights_free")
      import
      type(c_ptr), intent(inout) :: weights
    end function
    integer(c_int) function cells_make(cells) bind(C, name="lisle_couple_cells_make")
      import
      type(c_ptr), intent(out) :: cells
    end function
    integer(c_int) function cells_add(cells, number, corners, x, y) bind(C, name="lisle_couple_cells_add")
      import
      type(c_ptr), value :: cells
      integer(c_int64_t), value :: number
      integer(c_int), value :: corners
      real(c_double), intent(in) :: x(*), y(*)
    end function
    integer(c_int) function cells_add_spherical(cells, number, west, east, south, north) &
        bind(C, name="lisle_couple_cells_add_spherical")
      import
      type(c_ptr), value :: cells
      integer(c_int64_t), value :: number
      real(c_double), value :: west, east, south, north
    end function
    integer(c_int) function cells_free(cells) bind(C, name="lisle_couple_cells_free")
      import
      type(c_ptr), intent(inout) :: cells
    end function
    integer(c_int) function job_make(all, count, own, job) bind(C, name="lisle_couple_job_make")
      import
      type(c_ptr), value :: all
      integer(c_int), value :: count
      type(c_ptr), intent(in) :: own(*)
      type(c_ptr), intent(out) :: job
    end function
    integer(c_int) function job_component(job, name, component) bind(C, name="lisle_couple_job_component")
      import
      type(c_ptr), value :: job
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), intent(out) :: component
    end function
    integer(c_int) function job_begin(job) bind(C, name="lisle_couple_job_begin")
      import
      type(c_ptr), value :: job
    end function
    integer(c_int) function job_end(job) bind(C, name="lisle_couple_job_end")
      import
      type(c_ptr), intent(inout) :: job
    end function
    integer(c_int) function ranks_in_c(component, comm) bind(C, name="lisle_couple_ranks")
      import
      type(c_ptr), value :: component
      type(c_ptr), intent(out) :: comm
    end function
    integer(c_int) function runs_in_c(component, period, offset, end) bind(C, name="lisle_couple_runs")
      import
      type(c_ptr), value :: component
      integer(c_int64_t), value :: period, offset, end
    end function
    integer(c_int) function offers_in_c(component, name, points, data, type, field) bind(C, name="lisle_couple_offers")
      import
      type(c_ptr), value :: component, points, data
      integer(c_intptr_t), value :: type
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), intent(out) :: field
    end function
    integer(c_int) function wants_in_c(component, name, points, data, type, from, field) bind(C, name="lisle_couple_wants")
      import
      type(c_ptr), value :: component, points, data
      integer(c_intptr_t), value :: type
      character(kind=c_char), intent(in) :: name(*), from(*)
      type(c_ptr), intent(out) :: field
    end function
    integer(c_int) function field_levels(field, levels, point_stride, level_stride) bind(C, name="lisle_couple_field_levels")
      import
      type(c_ptr), value :: field
      integer(c_int64_t), value :: levels, point_stride, level_stride
    end function
    integer(c_int) function field_unit(field, unit) bind(C, name="lisle_couple_field_unit")
      import
      type(c_ptr), value :: field
      character(kind=c_char), intent(in) :: unit(*)
    end function
    integer(c_int) function field_over_time(field, how) bind(C, name="lisle_couple_field_over_time")
      import
      type(c_ptr), value :: field
      integer(c_int), value :: how
    end function
    integer(c_int) function field_lag(field, lag) bind(C, name="lisle_couple_field_lag")
      import
      type(c_ptr), value :: field
      integer(c_int64_t), value :: lag
    end function
    integer(c_int) function field_every(field, every) bind(C, name="lisle_couple_field_every")
      import
      type(c_ptr), value :: field
      integer(c_int64_t), value :: every
    end function
    integer(c_int) function field_source(field, name) bind(C, name="lisle_couple_field_source")
      import
      type(c_ptr), value :: field
      character(kind=c_char), intent(in) :: name(*)
    end function
    integer(c_int) function field_weights(field, weights) bind(C, name="lisle_couple_field_weights")
      import
      type(c_ptr), value :: field, weights
    end function
    function time_in_c(component) bind(C, name="lisle_couple_time") result(time)
      import
      type(c_ptr), value :: component
      integer(c_int64_t) :: time
    end function
    function is_at_end_in_c(component) bind(C, name="lisle_couple_is_at_end") result(flag)
      import
      type(c_ptr), value :: component
      integer(c_int) :: flag
    end function
    integer(c_int) function put_in_c(component, field) bind(C, name="lisle_couple_put")
      import
      type(c_ptr), value :: component, field
    end function
    integer(c_int) function get_in_c(component, field) bind(C, name="lisle_couple_get")
      import
      type(c_ptr), value :: component, field
    end function
    integer(c_int) function advance_in_c(component) bind(C, name="lisle_couple_advance")
      import
      type(c_ptr), value :: component
    end function
    integer(c_int) function job_configure(job, path) bind(C, name="lisle_couple_job_configure")
      import
      type(c_ptr), value :: job
      character(kind=c_char), intent(in) :: path(*)
    end function
    integer(c_int) function job_draw(job, path) bind(C, name="lisle_couple_job_draw")
      import
      type(c_ptr), value :: job
      character(kind=c_char), intent(in) :: path(*)
    end function
    integer(c_int) function job_save(job, path) bind(C, name="lisle_couple_job_save")
      import
      type(c_ptr), value :: job
      character(kind=c_char), intent(in) :: path(*)
    end function
    integer(c_int) function job_load(job, path) bind(C, name="lisle_couple_job_load")
      import
      type(c_ptr), value :: job
      character(kind=c_char), intent(in) :: path(*)
    end function
    integer(c_int) function job_watch(job) bind(C, name="lisle_couple_job_watch")
      import
      type(c_ptr), value :: job
    end function
    integer(c_int) function keeps_in_c(component, name, points, data, type, field) bind(C, name="lisle_couple_keeps")
      import
      type(c_ptr), value :: component, points, data
      integer(c_intptr_t), value :: type
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), intent(out) :: field
    end function
    integer(c_int) function field_iterated(field) bind(C, name="lisle_couple_field_iterated")
      import
      type(c_ptr), value :: field
    end function
    integer(c_int) function settle_in_c(component) bind(C, name="lisle_couple_settle")
      import
      type(c_ptr), value :: component
    end function
    integer(c_int) function repeat_in_c(component) bind(C, name="lisle_couple_repeat")
      import
      type(c_ptr), value :: component
    end function
    integer(c_int) function iteration_defaults(rule) bind(C, name="lisle_couple_iteration_defaults")
      import
      type(iteration_rule), intent(out) :: rule
    end function
    integer(c_int) function fixed_point_make(ranks, rule, point) bind(C, name="lisle_couple_fixed_point_make")
      import
      type(c_ptr), value :: ranks
      type(iteration_rule), intent(in) :: rule
      type(c_ptr), intent(out) :: point
    end function
    integer(c_int) function fixed_point_begin(point, fields, parts, sizes) bind(C, name="lisle_couple_fixed_point_begin")
      import
      type(c_ptr), value :: point
      integer(c_int), value :: fields
      type(c_ptr), intent(in) :: parts(*)
      integer(c_int64_t), intent(in) :: sizes(*)
    end function
    integer(c_int) function fixed_point_repeats(point, fields, parts, sizes, again) &
        bind(C, name="lisle_couple_fixed_point_repeats")
      import
      type(c_ptr), value :: point
      integer(c_int), value :: fields
      type(c_ptr), intent(in) :: parts(*)
      integer(c_int64_t), intent(in) :: sizes(*)
      integer(c_int), intent(out) :: again
    end function
    integer(c_int) function fixed_point_progress(point, has_converged, iterations) &
        bind(C, name="lisle_couple_fixed_point_progress")
      import
      type(c_ptr), value :: point
      integer(c_int), intent(out) :: has_converged, iterations
    end function
    integer(c_int) function fixed_point_history(point, differences) bind(C, name="lisle_couple_fixed_point_history")
      import
      type(c_ptr), value :: point
      real(c_double), intent(out) :: differences(*)
    end function
    integer(c_int) function fixed_point_free(point) bind(C, name="lisle_couple_fixed_point_free")
      import
      type(c_ptr), intent(inout) :: point
    end function
  end interface

end module
