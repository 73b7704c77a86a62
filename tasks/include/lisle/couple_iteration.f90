! SPDX-License-Identifier: Apache-2.0
! Fixed points of the module of couple.f90, which includes this file: values for which components repeat a step until they no
! longer change.
module lisle_couple_iteration
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use lisle_couple_calls
  use lisle_couple_grids
  implicit none
  private
  public :: couple_fixed_point, couple_plain, couple_constant, couple_aitken, couple_quasi_newton

  !> How the next values are made.
  enum, bind(C)
    enumerator :: couple_plain = 0, couple_constant, couple_aitken, couple_quasi_newton
  end enum

  type couple_fixed_point
    private
    type(c_ptr) :: inside = c_null_ptr
  contains
    procedure :: make, begin, repeats, has_converged, iterations, history, clear
  end type

contains

  !> Collective. comm: an integer or a type(MPI_Comm). What is left out is as in lisle/couple/fixed_point.hpp.
  subroutine make(self, comm, how, relaxation, relative, absolute, least_new, most, reused_steps, error)
    class(couple_fixed_point), intent(inout) :: self
    type(*), target, intent(in) :: comm
    integer, optional, intent(in) :: how, most, reused_steps
    real(real64), optional, intent(in) :: relaxation, relative, absolute, least_new
    integer, optional, intent(out) :: error
    type(iteration_rule) :: rule
    integer(c_int) :: code
    code = iteration_defaults(rule)
    if (present(how)) rule%how = how
    if (present(relaxation)) rule%relaxation = relaxation
    if (present(relative)) rule%relative = relative
    if (present(absolute)) rule%absolute = absolute
    if (present(least_new)) rule%least_new = least_new
    if (present(most)) rule%most = most
    if (present(reused_steps)) rule%reused_steps = reused_steps
    if (code == 0) code = fixed_point_make(communicator(comm), rule, self%inside)
    call conclude(code, error)
  end subroutine

  !> Collective: a new step begins with a guess, of which each rank has a part of each field, always of the same size.
  subroutine begin(self, first, second, third, error)
    class(couple_fixed_point), intent(in) :: self
    real(real64), target, intent(in) :: first(..)
    real(real64), optional, target, intent(in) :: second(..), third(..)
    integer, optional, intent(out) :: error
    type(c_ptr) :: parts(3)
    integer(c_int64_t) :: sizes(3)
    integer(c_int) :: fields
    if (are_taken(first, second, third, parts, sizes, fields, error)) &
      call conclude(fixed_point_begin(self%inside, fields, parts, sizes), error)
  end subroutine

  !> Collective: whether the step is to be repeated. What came out becomes the next values then.
  logical function repeats(self, first, second, third, error)
    class(couple_fixed_point), intent(in) :: self
    real(real64), target, intent(inout) :: first(..)
    real(real64), optional, target, intent(inout) :: second(..), third(..)
    integer, optional, intent(out) :: error
    type(c_ptr) :: parts(3)
    integer(c_int64_t) :: sizes(3)
    integer(c_int) :: fields, again
    again = 0
    if (are_taken(first, second, third, parts, sizes, fields, error)) &
      call conclude(fixed_point_repeats(self%inside, fields, parts, sizes, again), error)
    repeats = again /= 0
  end function

  !> The places and sizes of one to three fields, unless one of them is not dense.
  logical function are_taken(first, second, third, parts, sizes, fields, error) result(are)
    real(real64), target, intent(in) :: first(..)
    real(real64), optional, target, intent(in) :: second(..), third(..)
    type(c_ptr), intent(out) :: parts(3)
    integer(c_int64_t), intent(out) :: sizes(3)
    integer(c_int), intent(out) :: fields
    integer, optional, intent(out) :: error
    fields = 1
    are = is_contiguous(first)
    parts = c_loc(first)
    sizes = size(first, kind=c_int64_t)
    if (present(second)) then
      fields = 2
      are = are .and. is_contiguous(second)
      parts(2) = c_loc(second)
      sizes(2) = size(second, kind=c_int64_t)
    end if
    if (present(third)) then
      fields = fields + 1
      are = are .and. is_contiguous(third)
      parts(fields) = c_loc(third)
      sizes(fields) = size(third, kind=c_int64_t)
    end if
    if (.not. are) call refuse("a field of a fixed point is not dense", error)
  end function

  logical function has_converged(self)
    class(couple_fixed_point), intent(in) :: self
    integer(c_int) :: converged, number
    call conclude(fixed_point_progress(self%inside, converged, number))
    has_converged = converged /= 0
  end function

  !> Of the present step.
  integer function iterations(self)
    class(couple_fixed_point), intent(in) :: self
    integer(c_int) :: converged, number
    call conclude(fixed_point_progress(self%inside, converged, number))
    iterations = number
  end function

  !> By iteration of the present step the largest of the fields' relative differences.
  function history(self) result(differences)
    class(couple_fixed_point), intent(in) :: self
    real(real64), allocatable :: differences(:)
    allocate (differences(self%iterations()))
    call conclude(fixed_point_history(self%inside, differences))
  end function

  !> Gives its memory back.
  subroutine clear(self)
    class(couple_fixed_point), intent(inout) :: self
    call conclude(fixed_point_free(self%inside))
  end subroutine

end module
