! SPDX-License-Identifier: Apache-2.0
! Points, cells and weights of the module of couple.f90, which includes this file, and how it reports what fails.
module lisle_couple_grids
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit, int64, real64
  use lisle_couple_calls
  implicit none
  private
  public :: couple_points, couple_cells, couple_weights
  public :: couple_block, couple_list, couple_overlap_weights, couple_message
  public :: couple_whole_area, couple_covered_area
  public :: conclude, refuse, in_c, decimal, communicator, taken ! for the files of couple.f90 alone

  !> Of conservative weights: integrals agree, or constants stay what they are.
  enum, bind(C)
    enumerator :: couple_whole_area = 0, couple_covered_area
  end enum

  !> Which points of a grid the caller has, in the order of its memory.
  type couple_points
    private
    integer(c_int64_t), allocatable :: grid(:), begin(:), extents(:) ! of a block, as C has them
    integer(c_int64_t), allocatable :: numbers(:)                    ! of a list, from 0
    logical, allocatable :: left_out(:)
  contains
    procedure :: places
    procedure, private :: masked_1, masked_2, masked_3
    !> masked(left_out): the same without the points whose entry is true; their places in memory stay.
    generic :: masked => masked_1, masked_2, masked_3
    procedure :: as_in_c => points_in_c ! for couple.f90 alone
  end type

  interface couple_block
    !> couple_block(grid, first, extents): a part of a grid of one to three dimensions, integers of either kind.
    module procedure block_short, block_long
  end interface
  interface couple_list
    !> couple_list(grid_points, numbers): points by their numbers; of either kind.
    module procedure list_short, list_long
  end interface

  !> The caller's rows of a sparse matrix: places of its own, points of the sender, factors.
  type couple_weights
    integer(int64), allocatable :: places(:), sources(:)
    real(real64), allocatable :: factors(:)
    real(real64), allocatable :: covered(:) !< of those made from cells: which part of each of the caller's is covered
    integer(int64), allocatable :: missed(:) !< places that get nothing, of those of nearest points and of elements
  end type

  !> Convex polygons that the caller has, with their numbers in the sender's grid or with its own places.
  type couple_cells
    private
    type(c_ptr) :: inside = c_null_ptr
  contains
    procedure :: add, add_spherical, clear
  end type

  character(:), allocatable, save :: own_message ! of what was refused here, before C was called

contains

  ! ---- errors ----

  !> What happened in the last call that failed.
  function couple_message() result(text)
    character(:), allocatable :: text
    type(c_ptr) :: from
    character(kind=c_char), pointer :: letters(:)
    integer :: i
    if (allocated(own_message)) then
      text = own_message
      return
    end if
    from = message_in_c()
    call c_f_pointer(from, letters, [length_in_c(from)])
    allocate (character(size(letters)) :: text)
    do i = 1, size(letters)
      text(i:i) = letters(i)
    end do
  end function

  !> Hands on what C has returned, or ends the program.
  subroutine conclude(code, error)
    integer(c_int), intent(in) :: code
    integer, optional, intent(out) :: error
    if (code /= 0 .and. allocated(own_message)) deallocate (own_message)
    call report(int(code), error)
  end subroutine

  subroutine refuse(sentence, error)
    character(*), intent(in) :: sentence
    integer, optional, intent(out) :: error
    own_message = "couple: "//sentence
    call report(-1, error)
  end subroutine

  subroutine report(code, error)
    integer, intent(in) :: code
    integer, optional, intent(out) :: error
    if (present(error)) then
      error = code
    else if (code /= 0) then
      write (error_unit, "(a)") couple_message()
      error stop 1
    end if
  end subroutine

  pure function in_c(text) result(letters)
    character(*), intent(in) :: text
    character(kind=c_char) :: letters(len_trim(text) + 1)
    integer :: i
    do i = 1, len_trim(text)
      letters(i) = text(i:i)
    end do
    letters(len_trim(text) + 1) = c_null_char
  end function

  pure function decimal(number) result(text)
    integer(int64), intent(in) :: number
    character(:), allocatable :: text
    character(24) :: digits
    write (digits, "(i0)") number
    text = trim(digits)
  end function

  ! ---- points ----

  pure function block_long(grid, first, extents) result(made)
    integer(int64), intent(in) :: grid(:), first(:), extents(:)
    type(couple_points) :: made
    allocate (made%grid, source=grid(size(grid):1:-1))
    allocate (made%begin, source=first(size(first):1:-1) - 1)
    allocate (made%extents, source=extents(size(extents):1:-1))
  end function
  pure function block_short(grid, first, extents) result(made)
    integer, intent(in) :: grid(:), first(:), extents(:)
    type(couple_points) :: made
    made = block_long(int(grid, int64), int(first, int64), int(extents, int64))
  end function

  pure function list_long(grid_points, numbers) result(made)
    integer(int64), intent(in) :: grid_points, numbers(:)
    type(couple_points) :: made
    allocate (made%grid, source=[grid_points])
    allocate (made%numbers, source=numbers - 1)
  end function
  pure function list_short(grid_points, numbers) result(made)
    integer, intent(in) :: grid_points, numbers(:)
    type(couple_points) :: made
    made = list_long(int(grid_points, int64), int(numbers, int64))
  end function

  !> In the caller's memory, those of masked points with them.
  pure integer(int64) function places(self)
    class(couple_points), intent(in) :: self
    places = 0
    if (allocated(self%numbers)) then
      places = size(self%numbers, kind=int64)
    else if (allocated(self%extents)) then
      places = product(self%extents)
    end if
  end function

  pure function masked_1(self, left_out) result(made)
    class(couple_points), intent(in) :: self
    logical, intent(in) :: left_out(:)
    type(couple_points) :: made
    if (allocated(self%grid)) allocate (made%grid, source=self%grid)
    if (allocated(self%begin)) allocate (made%begin, source=self%begin)
    if (allocated(self%extents)) allocate (made%extents, source=self%extents)
    if (allocated(self%numbers)) allocate (made%numbers, source=self%numbers)
    allocate (made%left_out, source=left_out)
  end function
  pure function masked_2(self, left_out) result(made)
    class(couple_points), intent(in) :: self
    logical, intent(in) :: left_out(:, :)
    type(couple_points) :: made
    made = self%masked_1(reshape(left_out, [size(left_out)]))
  end function
  pure function masked_3(self, left_out) result(made)
    class(couple_points), intent(in) :: self
    logical, intent(in) :: left_out(:, :, :)
    type(couple_points) :: made
    made = self%masked_1(reshape(left_out, [size(left_out)]))
  end function

  !> C's handle, which the caller frees; null if a call has failed, whose code this is.
  integer(c_int) function points_in_c(self, points) result(code)
    class(couple_points), intent(in) :: self
    type(c_ptr), intent(out) :: points
    integer(c_int) :: ignored
    points = c_null_ptr
    if (allocated(self%numbers)) then
      code = points_list(self%grid(1), size(self%numbers, kind=int64), self%numbers, points)
    else if (allocated(self%grid)) then
      code = points_block(size(self%grid), self%grid, self%begin, self%extents, points)
    else
      code = points_list(0_int64, 0_int64, [0_int64], points)
    end if
    if (code == 0 .and. allocated(self%left_out)) then
      code = points_mask(points, size(self%left_out, kind=int64), &
                         merge(1_c_signed_char, 0_c_signed_char, self%left_out))
      if (code /= 0) ignored = points_free(points)
    end if
  end function

  ! ---- cells and weights ----

  !> number: in the sender's grid, or the caller's place. x, y: corners, in either direction.
  subroutine add(self, number, x, y, error)
    class(couple_cells), intent(inout) :: self
    integer(int64), intent(in) :: number
    real(real64), intent(in) :: x(:), y(:)
    integer, optional, intent(out) :: error
    integer(c_int) :: code
    if (size(x) /= size(y)) then
      call refuse("a cell with "//decimal(size(x, kind=int64))//" corners in x and "// &
                  decimal(size(y, kind=int64))//" in y", error)
      return
    end if
    code = exist(self)
    if (code == 0) code = cells_add(self%inside, number - 1, size(x), x, y)
    call conclude(code, error)
  end subroutine

  !> Between two longitudes and two latitudes, in radians.
  subroutine add_spherical(self, number, west, east, south, north, error)
    class(couple_cells), intent(inout) :: self
    integer(int64), intent(in) :: number
    real(real64), intent(in) :: west, east, south, north
    integer, optional, intent(out) :: error
    integer(c_int) :: code
    code = exist(self)
    if (code == 0) code = cells_add_spherical(self%inside, number - 1, west, east, south, north)
    call conclude(code, error)
  end subroutine

  !> Makes them, unless there are some.
  integer(c_int) function exist(cells) result(code)
    class(couple_cells), intent(inout) :: cells
    code = 0
    if (.not. c_associated(cells%inside)) code = cells_make(cells%inside)
  end function

  !> Forgets all, and gives their memory back.
  subroutine clear(self)
    class(couple_cells), intent(inout) :: self
    call conclude(cells_free(self%inside))
  end subroutine

  !> Collective over the ranks of both grids: first-order conservative weights, from the cells that each rank has of either.
  !> comm: an integer or a type(MPI_Comm). period: of x, where the plane is a cylinder.
  subroutine couple_overlap_weights(comm, from, to, normalisation, weights, period, error)
    type(*), target, intent(in) :: comm
    class(couple_cells), intent(inout) :: from, to
    integer, intent(in) :: normalisation
    type(couple_weights), intent(out) :: weights
    real(real64), optional, intent(in) :: period
    integer, optional, intent(out) :: error
    type(c_ptr) :: made
    integer(c_int) :: code
    real(real64) :: around
    around = 0
    if (present(period)) around = period
    code = exist(from)
    if (code == 0) code = exist(to)
    if (code == 0) code = weights_overlap(communicator(comm), from%inside, to%inside, normalisation, around, made)
    if (code == 0) code = taken(made, weights)
    call conclude(code, error)
  end subroutine

  !> Takes over what C has made, and frees it.
  integer(c_int) function taken(made, weights) result(code)
    type(c_ptr), intent(inout) :: made
    type(couple_weights), intent(out) :: weights
    integer(c_int64_t) :: entries, cells, missed
    integer(c_int64_t), allocatable, target :: places(:)
    code = weights_size(made, entries, cells)
    if (code == 0) code = weights_missed(made, missed, c_null_ptr)
    allocate (places(missed))
    if (code == 0) code = weights_missed(made, missed, c_loc(places))
    allocate (weights%missed, source=places + 1)
    allocate (weights%places(entries), weights%sources(entries), weights%factors(entries), weights%covered(cells))
    if (code == 0) code = weights_entries(made, weights%places, weights%sources, weights%factors)
    if (code == 0) code = weights_covered(made, weights%covered)
    if (code == 0) code = weights_free(made)
    weights%places = weights%places + 1
    weights%sources = weights%sources + 1
  end function

  !> C's handle of an integer or a type(MPI_Comm), which has an integer and nothing else.
  type(c_ptr) function communicator(comm)
    type(*), target, intent(in) :: comm
    integer(c_int), pointer :: number
    call c_f_pointer(c_loc(comm), number)
    communicator = from_int(number)
  end function

end module
