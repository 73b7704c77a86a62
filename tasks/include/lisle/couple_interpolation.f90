! SPDX-License-Identifier: Apache-2.0
! Weights for values at points, and weights in files, of the module of couple.f90, which includes this file.
module lisle_couple_interpolation
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use lisle_couple_calls
  use lisle_couple_grids
  implicit none
  private
  public :: couple_located, couple_elements
  public :: couple_nearest_weights, couple_bilinear_weights, couple_read_weights, couple_write_weights
  public :: couple_plane, couple_sphere, couple_lose_weight, couple_rescale, couple_text, couple_scrip, couple_esmf

  !> Where distances are taken: in a plane, or on a sphere by longitude and latitude, in radians.
  enum, bind(C)
    enumerator :: couple_plane = 0, couple_sphere
  end enum
  !> What the other corners of an element do where some are masked: keep their weights, or make their sum 1.
  enum, bind(C)
    enumerator :: couple_lose_weight = 0, couple_rescale
  end enum
  !> What a file of weights is.
  enum, bind(C)
    enumerator :: couple_text = 0, couple_scrip, couple_esmf
  end enum

  !> Points with their places: of the sender their numbers in its grid, of the receiver the caller's places. Nothing: none.
  type couple_located
    integer(int64), allocatable :: numbers(:)
    real(real64), allocatable :: x(:), y(:)
  end type

  !> Triangles and convex quadrilaterals of the sender's mesh, that the caller has.
  type couple_elements
    private
    type(c_ptr) :: inside = c_null_ptr
  contains
    procedure :: add, clear
  end type

  !> As C has them; the arrays live as long as this.
  type c_points
    type(located) :: inside
    integer(c_int64_t), allocatable :: numbers(:)
    real(c_double), allocatable :: x(:), y(:)
  end type

contains

  !> points: of the sender's grid, around the element. masked: corners without a value.
  subroutine add(self, points, x, y, masked, error)
    class(couple_elements), intent(inout) :: self
    integer(int64), intent(in) :: points(:)
    real(real64), intent(in) :: x(:), y(:)
    logical, optional, intent(in) :: masked(:)
    integer, optional, intent(out) :: error
    logical :: flags(size(points))
    integer(c_int) :: code
    flags = .false.
    if (present(masked)) flags = masked
    if (size(x) /= size(points) .or. size(y) /= size(points)) then
      call refuse("an element of "//decimal(size(points, kind=int64))//" points with "// &
                  decimal(size(x, kind=int64))//" corners in x and "//decimal(size(y, kind=int64))//" in y", error)
      return
    end if
    code = exist(self)
    if (code == 0) code = elements_add(self%inside, size(points), points - 1, x, y, &
                                       merge(1_c_signed_char, 0_c_signed_char, flags))
    call conclude(code, error)
  end subroutine

  !> Makes them, unless there are some.
  integer(c_int) function exist(elements) result(code)
    class(couple_elements), intent(inout) :: elements
    code = 0
    if (.not. c_associated(elements%inside)) code = elements_make(elements%inside)
  end function

  !> Forgets all, and gives their memory back.
  subroutine clear(self)
    class(couple_elements), intent(inout) :: self
    call conclude(elements_free(self%inside))
  end subroutine

  !> Collective over the ranks of both grids: of the nearest points. from: without points that are masked.
  subroutine couple_nearest_weights(comm, from, to, weights, surface, period, neighbours, power, error)
    type(*), target, intent(in) :: comm
    type(couple_located), intent(in) :: from, to
    type(couple_weights), intent(out) :: weights
    integer, optional, intent(in) :: surface, neighbours
    real(real64), optional, intent(in) :: period, power
    integer, optional, intent(out) :: error
    type(c_points), target :: sender, receiver
    type(c_ptr) :: made
    integer(c_int) :: code, on, most
    real(real64) :: around, falling
    on = couple_sphere
    if (present(surface)) on = surface
    most = 1
    if (present(neighbours)) most = neighbours
    around = 0
    if (present(period)) around = period
    falling = 1
    if (present(power)) falling = power
    if (.not. (are_whole(from, error) .and. are_whole(to, error))) return
    call as_in_c(from, sender)
    call as_in_c(to, receiver)
    code = weights_nearest(communicator(comm), sender%inside, receiver%inside, on, around, most, falling, made)
    if (code == 0) code = taken(made, weights)
    call conclude(code, error)
  end subroutine

  !> Collective over the ranks of both grids: bilinear in quadrilaterals, linear in triangles.
  subroutine couple_bilinear_weights(comm, from, to, weights, masked, period, error)
    type(*), target, intent(in) :: comm
    class(couple_elements), intent(inout) :: from
    type(couple_located), intent(in) :: to
    type(couple_weights), intent(out) :: weights
    integer, optional, intent(in) :: masked
    real(real64), optional, intent(in) :: period
    integer, optional, intent(out) :: error
    type(c_points), target :: receiver
    type(c_ptr) :: made
    integer(c_int) :: code, way
    real(real64) :: around
    way = couple_rescale
    if (present(masked)) way = masked
    around = 0
    if (present(period)) around = period
    if (.not. are_whole(to, error)) return
    call as_in_c(to, receiver)
    code = exist(from)
    if (code == 0) code = weights_bilinear(communicator(comm), from%inside, receiver%inside, way, around, made)
    if (code == 0) code = taken(made, weights)
    call conclude(code, error)
  end subroutine

  !> Collective: the weights of the caller's points, from a file whose content says what it is.
  subroutine couple_read_weights(comm, path, wanted, sender_points, weights, error)
    type(*), target, intent(in) :: comm
    character(*), intent(in) :: path
    type(couple_points), intent(in) :: wanted
    integer(int64), intent(in) :: sender_points
    type(couple_weights), intent(out) :: weights
    integer, optional, intent(out) :: error
    type(c_ptr) :: points, made
    integer(c_int) :: code, ignored
    code = wanted%as_in_c(points)
    if (code == 0) then
      code = weights_read(communicator(comm), in_c(path), points, sender_points, made)
      ignored = points_free(points)
    end if
    if (code == 0) code = taken(made, weights)
    call conclude(code, error)
  end subroutine

  !> Collective.
  subroutine couple_write_weights(comm, path, weights, wanted, sender_points, form, error)
    type(*), target, intent(in) :: comm
    character(*), intent(in) :: path
    type(couple_weights), intent(in) :: weights
    type(couple_points), intent(in) :: wanted
    integer(int64), intent(in) :: sender_points
    integer, optional, intent(in) :: form
    integer, optional, intent(out) :: error
    type(c_ptr) :: points, made
    integer(c_int) :: code, ignored, as
    as = couple_text
    if (present(form)) as = form
    code = weights_make(size(weights%places, kind=int64), weights%places - 1, weights%sources - 1, weights%factors, made)
    if (code == 0) code = wanted%as_in_c(points)
    if (code == 0) then
      code = weights_write(communicator(comm), in_c(path), made, points, sender_points, as)
      ignored = points_free(points)
    end if
    ignored = weights_free(made)
    call conclude(code, error)
  end subroutine

  !> Whether all have as many entries.
  logical function are_whole(points, error)
    type(couple_located), intent(in) :: points
    integer, optional, intent(out) :: error
    integer :: numbers, x, y
    numbers = 0
    if (allocated(points%numbers)) numbers = size(points%numbers)
    x = 0
    if (allocated(points%x)) x = size(points%x)
    y = 0
    if (allocated(points%y)) y = size(points%y)
    are_whole = numbers == x .and. x == y
    if (.not. are_whole) call refuse("points have not as many numbers as places in x and in y", error)
  end function

  subroutine as_in_c(points, made)
    type(couple_located), intent(in) :: points
    type(c_points), target, intent(out) :: made
    if (allocated(points%numbers)) then
      allocate (made%numbers, source=points%numbers - 1)
      allocate (made%x, source=points%x)
      allocate (made%y, source=points%y)
    else
      allocate (made%numbers(0), made%x(0), made%y(0))
    end if
    made%inside%points = size(made%numbers, kind=int64)
    made%inside%numbers = c_loc(made%numbers)
    made%inside%x = c_loc(made%x)
    made%inside%y = c_loc(made%y)
  end subroutine

end module
