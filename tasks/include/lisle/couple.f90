! SPDX-License-Identifier: Apache-2.0
! Model coupling for Fortran: the calls of lisle/couple.h. A program compiles this file along with its own.
! Each call gives 0, or -1 with a sentence in couple_message(). Times are integer(int64). An array's first
! index is the last extent of the field that others see, as its elements lie in memory.
module lisle_couple
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none
  private
  public :: couple_init, couple_time, couple_sync, couple_advance, couple_post, couple_read, couple_finish
  public :: couple_message, couple_model

  !> A model. One thread uses it.
  type couple_model
    private
    type(c_ptr) :: inside = c_null_ptr
  end type

  !> couple_post(model, field, values): values of one to three dimensions.
  interface couple_post
    module procedure post_1, post_2, post_3
  end interface

  !> couple_read(model, other, field, values): what comes has to have the shape of values.
  interface couple_read
    module procedure read_1, read_2, read_3
  end interface

  interface
    function comm_of(comm) bind(C, name="MPI_Comm_fromint") result(handle)
      import
      integer(c_int), value :: comm
      type(c_ptr) :: handle
    end function
    function init_in_c(comm, name, period, offset, connected, model) bind(C, name="lisle_couple_init") result(code)
      import
      type(c_ptr), value :: comm
      character(kind=c_char), intent(in) :: name(*), connected(*)
      integer(c_int64_t), value :: period, offset
      type(c_ptr), intent(out) :: model
      integer(c_int) :: code
    end function
    function message_in_c(model) bind(C, name="lisle_couple_message") result(text)
      import
      type(c_ptr), value :: model
      type(c_ptr) :: text
    end function
    function time_in_c(model) bind(C, name="lisle_couple_time") result(time)
      import
      type(c_ptr), value :: model
      integer(c_int64_t) :: time
    end function
    function sync_in_c(model) bind(C, name="lisle_couple_sync") result(code)
      import
      type(c_ptr), value :: model
      integer(c_int) :: code
    end function
    function advance_in_c(model) bind(C, name="lisle_couple_advance") result(code)
      import
      type(c_ptr), value :: model
      integer(c_int) :: code
    end function
    function post_in_c(model, field, values, extents) bind(C, name="lisle_couple_post") result(code)
      import
      type(c_ptr), value :: model
      character(kind=c_char), intent(in) :: field(*)
      real(c_double), intent(in) :: values(*)
      integer(c_int64_t), intent(in) :: extents(3)
      integer(c_int) :: code
    end function
    function read_in_c(model, other, field, values, capacity, extents) bind(C, name="lisle_couple_read") result(code)
      import
      type(c_ptr), value :: model
      character(kind=c_char), intent(in) :: other(*), field(*)
      real(c_double), intent(inout) :: values(*)
      integer(c_int64_t), value :: capacity
      integer(c_int64_t), intent(out) :: extents(3)
      integer(c_int) :: code
    end function
    function finish_in_c(model) bind(C, name="lisle_couple_finish") result(code)
      import
      type(c_ptr), intent(inout) :: model
      integer(c_int) :: code
    end function
    function length_in_c(text) bind(C, name="strlen") result(length)
      import
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function
  end interface

contains

  !> Collective over the communicator, an integer handle. connected: names with commas between.
  integer function couple_init(comm, name, period, offset, connected, model)
    integer, intent(in) :: comm
    character(*), intent(in) :: name, connected
    integer(int64), intent(in) :: period, offset
    type(couple_model), intent(out) :: model
    couple_init = init_in_c(comm_of(comm), in_c(name), period, offset, in_c(connected), model%inside)
  end function

  integer(int64) function couple_time(model)
    type(couple_model), intent(in) :: model
    couple_time = time_in_c(model%inside)
  end function

  integer function couple_sync(model)
    type(couple_model), intent(in) :: model
    couple_sync = sync_in_c(model%inside)
  end function

  integer function couple_advance(model)
    type(couple_model), intent(in) :: model
    couple_advance = advance_in_c(model%inside)
  end function

  integer function couple_finish(model)
    type(couple_model), intent(inout) :: model
    couple_finish = finish_in_c(model%inside)
  end function

  !> What happened in the last call that failed.
  function couple_message(model) result(text)
    type(couple_model), intent(in) :: model
    character(:), allocatable :: text
    type(c_ptr) :: from
    character(kind=c_char), pointer :: letters(:)
    integer :: i
    from = message_in_c(model%inside)
    call c_f_pointer(from, letters, [length_in_c(from)])
    allocate (character(size(letters)) :: text)
    do i = 1, size(letters)
      text(i:i) = letters(i)
    end do
  end function

  integer function post_1(model, field, values)
    type(couple_model), intent(in) :: model
    character(*), intent(in) :: field
    real(real64), intent(in) :: values(:)
    post_1 = post_in_c(model%inside, in_c(field), values, extents_of(shape(values)))
  end function
  integer function post_2(model, field, values)
    type(couple_model), intent(in) :: model
    character(*), intent(in) :: field
    real(real64), intent(in) :: values(:, :)
    post_2 = post_in_c(model%inside, in_c(field), values, extents_of(shape(values)))
  end function
  integer function post_3(model, field, values)
    type(couple_model), intent(in) :: model
    character(*), intent(in) :: field
    real(real64), intent(in) :: values(:, :, :)
    post_3 = post_in_c(model%inside, in_c(field), values, extents_of(shape(values)))
  end function

  integer function read_1(model, other, field, values)
    type(couple_model), intent(in) :: model
    character(*), intent(in) :: other, field
    real(real64), intent(inout) :: values(:)
    integer(c_int64_t) :: extents(3)
    read_1 = read_in_c(model%inside, in_c(other), in_c(field), values, size(values, kind=c_int64_t), extents)
    if (read_1 == 0 .and. any(extents /= extents_of(shape(values)))) read_1 = -1
  end function
  integer function read_2(model, other, field, values)
    type(couple_model), intent(in) :: model
    character(*), intent(in) :: other, field
    real(real64), intent(inout) :: values(:, :)
    integer(c_int64_t) :: extents(3)
    read_2 = read_in_c(model%inside, in_c(other), in_c(field), values, size(values, kind=c_int64_t), extents)
    if (read_2 == 0 .and. any(extents /= extents_of(shape(values)))) read_2 = -1
  end function
  integer function read_3(model, other, field, values)
    type(couple_model), intent(in) :: model
    character(*), intent(in) :: other, field
    real(real64), intent(inout) :: values(:, :, :)
    integer(c_int64_t) :: extents(3)
    read_3 = read_in_c(model%inside, in_c(other), in_c(field), values, size(values, kind=c_int64_t), extents)
    if (read_3 == 0 .and. any(extents /= extents_of(shape(values)))) read_3 = -1
  end function

  pure function in_c(text) result(letters)
    character(*), intent(in) :: text
    character(kind=c_char) :: letters(len_trim(text) + 1)
    integer :: i
    do i = 1, len_trim(text)
      letters(i) = text(i:i)
    end do
    letters(len_trim(text) + 1) = c_null_char
  end function

  !> The shape of an array as C sees it: the last extent is the dense one, those that are missing are 1.
  pure function extents_of(shape_here) result(extents)
    integer, intent(in) :: shape_here(:)
    integer(c_int64_t) :: extents(3)
    integer :: i
    extents = 1
    do i = 1, size(shape_here)
      extents(i) = shape_here(size(shape_here) + 1 - i)
    end do
  end function

end module
