! SPDX-License-Identifier: Apache-2.0
! Model coupling for Fortran: the calls of lisle/couple.h, which says more. A program compiles this file along with its own.
!
!   use lisle_couple
!   type(couple_job) :: job
!   type(couple_component) :: ocean
!   type(couple_points) :: mine
!   real(real64), target :: water(180, 10), flux(180, 10)
!
!   call job%make(MPI_COMM_WORLD, ["ocean"])                 ! an integer or a type(MPI_Comm)
!   ocean = job%component("ocean")
!   call ocean%runs(period=4_int64, end=200_int64)
!   mine = couple_block([180, 90], [1, first_row], shape(water))
!   call ocean%offers("temperature", water, mine, unit="K")
!   call ocean%wants("heat", flux, mine, from="atmosphere", how=couple_mean)
!   call job%begin()
!   do while (.not. ocean%is_at_end())
!     call ocean%put()
!     call ocean%get()
!     call ocean%advance()
!     call step(water, flux)                                 ! to the new time
!   end do
!   call job%end()
!
! As Fortran has it, the first index of an array is the dense one, and points of grids, first points of blocks and places in
! an array are counted from 1: the point 1 is what C, C++ and Python call 0, and a grid (nx, ny) is their [ny][nx].
! Fields are arrays of real64 or real32 of any rank, dense and with the attribute target, since their memory is used until
! the job ends. Each call has a last argument `error`: 0, or -1 with a sentence in couple_message(). Without this
! argument a call that fails prints the sentence and stops the program.
include "couple_calls.f90"
include "couple_grids.f90"
include "couple_interpolation.f90"
include "couple_iteration.f90"

module lisle_couple
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real32, real64
  use lisle_couple_calls
  use lisle_couple_grids
  use lisle_couple_interpolation
  use lisle_couple_iteration
  implicit none
  private
  public :: couple_job, couple_component, couple_points, couple_cells, couple_weights
  public :: couple_block, couple_list, couple_overlap_weights, couple_message
  public :: couple_located, couple_elements
  public :: couple_nearest_weights, couple_bilinear_weights, couple_read_weights, couple_write_weights
  public :: couple_plane, couple_sphere, couple_lose_weight, couple_rescale, couple_text, couple_scrip, couple_esmf

  !> What becomes of values over time.
  enum, bind(C)
    enumerator :: couple_latest = 0, couple_linear, couple_mean, couple_sum, couple_minimum, couple_maximum
  end enum
  public :: couple_latest, couple_linear, couple_mean, couple_sum, couple_minimum, couple_maximum
  public :: couple_whole_area, couple_covered_area
  public :: couple_fixed_point, couple_plain, couple_constant, couple_aitken, couple_quasi_newton

  type couple_component
    private
    type(c_ptr) :: inside = c_null_ptr
  contains
    procedure :: ranks, runs, time => time_of, is_at_end, put, get, settle, repeat => repeat_step, advance
    procedure, private :: offers_64, offers_32, keeps_64, keeps_32, wants_64, wants_32
    generic :: keeps => keeps_64, keeps_32
    generic :: offers => offers_64, offers_32
    generic :: wants => wants_64, wants_32
  end type

  type couple_job
    private
    type(c_ptr) :: inside = c_null_ptr
  contains
    procedure :: make, component, configure, watch, begin, draw, save => save_job, load, end => end_job
  end type

  ! Constants of the standard's binary interface.
  integer(c_intptr_t), parameter :: double_in_c = int(z'214', c_intptr_t), float_in_c = int(z'210', c_intptr_t)

contains

  ! ---- jobs ----

  !> Collective over all ranks of all components. comm: an integer or a type(MPI_Comm). own: the names of those that the
  !> caller is a rank of.
  subroutine make(self, comm, own, error)
    class(couple_job), intent(inout) :: self
    type(*), target, intent(in) :: comm
    character(*), intent(in) :: own(:)
    integer, optional, intent(out) :: error
    character(kind=c_char), target :: names(len(own) + 1, size(own))
    type(c_ptr) :: places(size(own))
    integer :: i
    do i = 1, size(own)
      names(:len_trim(own(i)) + 1, i) = in_c(own(i))
      places(i) = c_loc(names(1, i))
    end do
    call conclude(job_make(communicator(comm), size(own), places, self%inside), error)
  end subroutine

  !> One of the caller's own.
  function component(self, name, error)
    class(couple_job), intent(in) :: self
    character(*), intent(in) :: name
    integer, optional, intent(out) :: error
    type(couple_component) :: component
    call conclude(job_component(self%inside, in_c(name), component%inside), error)
  end function

  !> Collective, once: compares what all have declared.
  subroutine begin(self, error)
    class(couple_job), intent(in) :: self
    integer, optional, intent(out) :: error
    call conclude(job_begin(self%inside), error)
  end subroutine

  !> Collective, when all is declared: a file says whose fields wants are, in place of what the program says.
  subroutine configure(self, path, error)
    class(couple_job), intent(in) :: self
    character(*), intent(in) :: path
    integer, optional, intent(out) :: error
    call conclude(job_configure(self%inside, in_c(path)), error)
  end subroutine

  !> Collective, once the job has begun: a picture (SVG) of the components and of how long they have waited.
  subroutine draw(self, path, error)
    class(couple_job), intent(in) :: self
    character(*), intent(in) :: path
    integer, optional, intent(out) :: error
    call conclude(job_draw(self%inside, in_c(path)), error)
  end subroutine

  !> Collective, when all have put at a time and none has gone on: a file for each component, PATH.NAME.
  subroutine save_job(self, path, error)
    class(couple_job), intent(in) :: self
    character(*), intent(in) :: path
    integer, optional, intent(out) :: error
    call conclude(job_save(self%inside, in_c(path)), error)
  end subroutine

  !> Collective, once, after begin() and before anything is put: all stand where they stood.
  subroutine load(self, path, error)
    class(couple_job), intent(in) :: self
    character(*), intent(in) :: path
    integer, optional, intent(out) :: error
    call conclude(job_load(self%inside, in_c(path)), error)
  end subroutine

  !> At all ranks, before the job begins: how long each component waits is measured, for draw().
  subroutine watch(self, error)
    class(couple_job), intent(in) :: self
    integer, optional, intent(out) :: error
    call conclude(job_watch(self%inside), error)
  end subroutine

  !> Collective, once its components are at their ends.
  subroutine end_job(self, error)
    class(couple_job), intent(inout) :: self
    integer, optional, intent(out) :: error
    call conclude(job_end(self%inside), error)
  end subroutine

  ! ---- components: what they declare before the job begins ----

  !> The communicator of the component's ranks, an integer handle; for mpi_f08, comm%MPI_VAL = ocean%ranks().
  integer function ranks(self, error)
    class(couple_component), intent(in) :: self
    integer, optional, intent(out) :: error
    type(c_ptr) :: handle
    integer(c_int) :: code
    ranks = 0
    code = ranks_in_c(self%inside, handle)
    if (code == 0) ranks = to_int(handle)
    call conclude(code, error)
  end function

  !> Its times: offset, offset + period, ... before the end.
  subroutine runs(self, period, end, offset, error)
    class(couple_component), intent(in) :: self
    integer(int64), intent(in) :: period, end
    integer(int64), optional, intent(in) :: offset
    integer, optional, intent(out) :: error
    integer(int64) :: first
    first = 0
    if (present(offset)) first = offset
    call conclude(runs_in_c(self%inside, period, first, end), error)
  end subroutine

  !> offers(name, values, points, [unit, levels, columns, error]): a field that the component has: level after level, or
  !> with columns = .true. the levels of a point side by side.
  subroutine offers_64(self, name, values, points, unit, levels, columns, error)
    class(couple_component), intent(in) :: self
    character(*), intent(in) :: name
    real(real64), target, intent(in) :: values(..)
    type(couple_points), intent(in) :: points
    character(*), optional, intent(in) :: unit
    integer, optional, intent(in) :: levels
    logical, optional, intent(in) :: columns
    integer, optional, intent(out) :: error
    if (fits(name, points, size(values, kind=int64), is_contiguous(values), levels, error)) &
      call offer(self, .false., name, c_loc(values), double_in_c, points, unit, levels, columns, error)
  end subroutine
  subroutine offers_32(self, name, values, points, unit, levels, columns, error)
    class(couple_component), intent(in) :: self
    character(*), intent(in) :: name
    real(real32), target, intent(in) :: values(..)
    type(couple_points), intent(in) :: points
    character(*), optional, intent(in) :: unit
    integer, optional, intent(in) :: levels
    logical, optional, intent(in) :: columns
    integer, optional, intent(out) :: error
    if (fits(name, points, size(values, kind=int64), is_contiguous(values), levels, error)) &
      call offer(self, .false., name, c_loc(values), float_in_c, points, unit, levels, columns, error)
  end subroutine

  !> keeps(): what else belongs to the component's state, for restart files.
  subroutine keeps_64(self, name, values, points, unit, levels, columns, error)
    class(couple_component), intent(in) :: self
    character(*), intent(in) :: name
    real(real64), target, intent(inout) :: values(..)
    type(couple_points), intent(in) :: points
    character(*), optional, intent(in) :: unit
    integer, optional, intent(in) :: levels
    logical, optional, intent(in) :: columns
    integer, optional, intent(out) :: error
    if (fits(name, points, size(values, kind=int64), is_contiguous(values), levels, error)) &
      call offer(self, .true., name, c_loc(values), double_in_c, points, unit, levels, columns, error)
  end subroutine
  subroutine keeps_32(self, name, values, points, unit, levels, columns, error)
    class(couple_component), intent(in) :: self
    character(*), intent(in) :: name
    real(real32), target, intent(inout) :: values(..)
    type(couple_points), intent(in) :: points
    character(*), optional, intent(in) :: unit
    integer, optional, intent(in) :: levels
    logical, optional, intent(in) :: columns
    integer, optional, intent(out) :: error
    if (fits(name, points, size(values, kind=int64), is_contiguous(values), levels, error)) &
      call offer(self, .true., name, c_loc(values), float_in_c, points, unit, levels, columns, error)
  end subroutine

  subroutine offer(self, is_kept, name, values, type, points, unit, levels, columns, error)
    class(couple_component), intent(in) :: self
    logical, intent(in) :: is_kept
    character(*), intent(in) :: name
    type(c_ptr), intent(in) :: values
    integer(c_intptr_t), intent(in) :: type
    type(couple_points), intent(in) :: points
    character(*), optional, intent(in) :: unit
    integer, optional, intent(in) :: levels
    logical, optional, intent(in) :: columns
    integer, optional, intent(out) :: error
    type(c_ptr) :: mine, field
    integer(c_int) :: code, ignored
    code = points%as_in_c(mine)
    if (code == 0 .and. is_kept) code = keeps_in_c(self%inside, in_c(name), mine, values, type, field)
    if (code == 0 .and. .not. is_kept) code = offers_in_c(self%inside, in_c(name), mine, values, type, field)
    if (code == 0) code = described(field, points, unit, levels, columns)
    if (c_associated(mine)) ignored = points_free(mine)
    call conclude(code, error)
  end subroutine

  !> wants(name, values, points, from, [field, how, lag, every, weights, unit, levels, columns, iterated, error]): a field that
  !> the component gets from another one (from; "" if a configuration says whose it is), where it may have another name (field).
  subroutine wants_64(self, name, values, points, from, field, how, lag, every, weights, unit, levels, columns, iterated, &
                      error)
    class(couple_component), intent(in) :: self
    character(*), intent(in) :: name, from
    real(real64), target, intent(inout) :: values(..)
    type(couple_points), intent(in) :: points
    character(*), optional, intent(in) :: field, unit
    integer, optional, intent(in) :: how
    integer(int64), optional, intent(in) :: lag, every
    type(couple_weights), optional, intent(in) :: weights
    integer, optional, intent(in) :: levels
    logical, optional, intent(in) :: columns, iterated
    integer, optional, intent(out) :: error
    if (fits(name, points, size(values, kind=int64), is_contiguous(values), levels, error)) &
      call want(self, name, c_loc(values), double_in_c, points, from, field, how, lag, every, weights, unit, levels, columns, &
                iterated, error)
  end subroutine
  subroutine wants_32(self, name, values, points, from, field, how, lag, every, weights, unit, levels, columns, iterated, &
                      error)
    class(couple_component), intent(in) :: self
    character(*), intent(in) :: name, from
    real(real32), target, intent(inout) :: values(..)
    type(couple_points), intent(in) :: points
    character(*), optional, intent(in) :: field, unit
    integer, optional, intent(in) :: how
    integer(int64), optional, intent(in) :: lag, every
    type(couple_weights), optional, intent(in) :: weights
    integer, optional, intent(in) :: levels
    logical, optional, intent(in) :: columns, iterated
    integer, optional, intent(out) :: error
    if (fits(name, points, size(values, kind=int64), is_contiguous(values), levels, error)) &
      call want(self, name, c_loc(values), float_in_c, points, from, field, how, lag, every, weights, unit, levels, columns, &
                iterated, error)
  end subroutine

  subroutine want(self, name, values, type, points, from, field, how, lag, every, weights, unit, levels, columns, iterated, &
                  error)
    class(couple_component), intent(in) :: self
    character(*), intent(in) :: name, from
    type(c_ptr), intent(in) :: values
    integer(c_intptr_t), intent(in) :: type
    type(couple_points), intent(in) :: points
    character(*), optional, intent(in) :: field, unit
    integer, optional, intent(in) :: how
    integer(int64), optional, intent(in) :: lag, every
    type(couple_weights), optional, intent(in) :: weights
    integer, optional, intent(in) :: levels
    logical, optional, intent(in) :: columns, iterated
    integer, optional, intent(out) :: error
    type(c_ptr) :: mine, handle
    integer(c_int) :: code, ignored
    if (present(weights)) then
      if (.not. are_whole(name, weights, error)) return
    end if
    code = points%as_in_c(mine)
    if (code == 0) code = wants_in_c(self%inside, in_c(name), mine, values, type, in_c(from), handle)
    if (code == 0) code = described(handle, points, unit, levels, columns)
    if (code == 0) code = asked(handle, field, how, lag, every, weights, iterated)
    if (c_associated(mine)) ignored = points_free(mine)
    call conclude(code, error)
  end subroutine

  !> Whether an array is dense and has as many elements as a field needs.
  logical function fits(name, points, elements, is_dense, levels, error)
    character(*), intent(in) :: name
    type(couple_points), intent(in) :: points
    integer(int64), intent(in) :: elements
    logical, intent(in) :: is_dense
    integer, optional, intent(in) :: levels
    integer, optional, intent(out) :: error
    integer(int64) :: needed
    needed = points%places()
    if (present(levels)) needed = needed*levels
    fits = is_dense .and. elements == needed
    if (.not. is_dense) then
      call refuse("the array for """//name//""" is not dense", error)
    else if (.not. fits) then
      call refuse("the array for """//name//""" has "//decimal(elements)//" elements, not "//decimal(needed), error)
    end if
  end function

  logical function are_whole(name, weights, error)
    character(*), intent(in) :: name
    type(couple_weights), intent(in) :: weights
    integer, optional, intent(out) :: error
    are_whole = allocated(weights%places) .and. allocated(weights%sources) .and. allocated(weights%factors)
    if (are_whole) are_whole = size(weights%places) == size(weights%sources) .and. &
                               size(weights%places) == size(weights%factors)
    if (.not. are_whole) &
      call refuse("the weights of """//name//""" have not as many places as sources and factors", error)
  end function

  !> What is said of any field besides its points.
  integer(c_int) function described(field, points, unit, levels, columns) result(code)
    type(c_ptr), intent(in) :: field
    type(couple_points), intent(in) :: points
    character(*), optional, intent(in) :: unit
    integer, optional, intent(in) :: levels
    logical, optional, intent(in) :: columns
    logical :: side_by_side
    code = 0
    side_by_side = .false.
    if (present(columns)) side_by_side = columns
    if (present(levels)) then
      if (side_by_side) then
        code = field_levels(field, int(levels, int64), int(levels, int64), 1_int64)
      else
        code = field_levels(field, int(levels, int64), 1_int64, points%places())
      end if
    end if
    if (code == 0 .and. present(unit)) code = field_unit(field, in_c(unit))
  end function

  !> What is said of a field that is wanted besides that.
  integer(c_int) function asked(handle, field, how, lag, every, weights, iterated) result(code)
    type(c_ptr), intent(in) :: handle
    character(*), optional, intent(in) :: field
    integer, optional, intent(in) :: how
    integer(int64), optional, intent(in) :: lag, every
    type(couple_weights), optional, intent(in) :: weights
    logical, optional, intent(in) :: iterated
    type(c_ptr) :: rows
    integer(c_int) :: ignored
    code = 0
    if (present(field)) code = field_source(handle, in_c(field))
    if (code == 0 .and. present(how)) code = field_over_time(handle, how)
    if (code == 0 .and. present(lag)) code = field_lag(handle, lag)
    if (code == 0 .and. present(every)) code = field_every(handle, every)
    if (code == 0 .and. present(iterated)) then
      if (iterated) code = field_iterated(handle)
    end if
    if (code == 0 .and. present(weights)) then
      code = weights_make(size(weights%places, kind=int64), weights%places - 1, weights%sources - 1, weights%factors, rows)
      if (code == 0) then
        code = field_weights(handle, rows)
        ignored = weights_free(rows)
      end if
    end if
  end function

  ! ---- components: at each of their times ----

  integer(int64) function time_of(self)
    class(couple_component), intent(in) :: self
    time_of = time_in_c(self%inside)
  end function

  logical function is_at_end(self)
    class(couple_component), intent(in) :: self
    is_at_end = is_at_end_in_c(self%inside) /= 0
  end function

  !> Gives away a field as it is now; without a name, all that have not been put at this time.
  subroutine put(self, field, error)
    class(couple_component), intent(in) :: self
    character(*), optional, intent(in) :: field
    integer, optional, intent(out) :: error
    character(kind=c_char), allocatable, target :: name(:)
    if (present(field)) then
      allocate (name, source=in_c(field))
      call conclude(put_in_c(self%inside, c_loc(name)), error)
    else
      call conclude(put_in_c(self%inside, c_null_ptr), error)
    end if
  end subroutine

  !> Waits for a field's values at this time; without a name, for all that have not been got.
  subroutine get(self, field, error)
    class(couple_component), intent(in) :: self
    character(*), optional, intent(in) :: field
    integer, optional, intent(out) :: error
    character(kind=c_char), allocatable, target :: name(:)
    if (present(field)) then
      allocate (name, source=in_c(field))
      call conclude(get_in_c(self%inside, c_loc(name)), error)
    else
      call conclude(get_in_c(self%inside, c_null_ptr), error)
    end if
  end subroutine

  !> Waits until what was put has been taken, so that its memory may change.
  subroutine settle(self, error)
    class(couple_component), intent(in) :: self
    integer, optional, intent(out) :: error
    call conclude(settle_in_c(self%inside), error)
  end subroutine

  !> repeat(): this time once more, for what is iterated: at both sides, equally often.
  subroutine repeat_step(self, error)
    class(couple_component), intent(in) :: self
    integer, optional, intent(out) :: error
    call conclude(repeat_in_c(self%inside), error)
  end subroutine

  !> To the next time.
  subroutine advance(self, error)
    class(couple_component), intent(in) :: self
    integer, optional, intent(out) :: error
    call conclude(advance_in_c(self%inside), error)
  end subroutine

end module
