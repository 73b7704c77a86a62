! SPDX-License-Identifier: Apache-2.0
! The coupling from Fortran: two models with periods 1 and 2, fields of one to three dimensions that are linear in time,
! so that what is read between two times has to be exact.
program coupling
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use lisle_couple
  implicit none
  interface
    function init(argc, argv) bind(C, name="MPI_Init") result(code)
      import
      type(c_ptr), value :: argc, argv
      integer(c_int) :: code
    end function
    function finalize() bind(C, name="MPI_Finalize") result(code)
      import
      integer(c_int) :: code
    end function
    function rank_in(comm, rank) bind(C, name="MPI_Comm_rank") result(code)
      import
      type(c_ptr), value :: comm
      integer(c_int), intent(out) :: rank
      integer(c_int) :: code
    end function
    function comm_of(comm) bind(C, name="MPI_Comm_fromint") result(handle)
      import
      integer(c_int), value :: comm
      type(c_ptr) :: handle
    end function
  end interface
  integer, parameter :: world = int(z'101')  ! MPI_COMM_WORLD of the standard's binary interface
  integer(int64), parameter :: last = 20
  type(couple_model) :: model
  character(4) :: names(0:1) = ["slow", "fast"]
  integer :: rank
  real(real64) :: line(5), plane(3, 4), cube(2, 3, 4), at, wrong(7)

  call expect(init(c_null_ptr, c_null_ptr) == 0, "MPI_Init")
  call expect(rank_in(comm_of(world), rank) == 0, "MPI_Comm_rank")
  call expect(couple_init(world, names(rank), int(2 - rank, int64), 0_int64, names(1 - rank), model) == 0, "init")
  do
    at = real(couple_time(model), real64)
    call expect(couple_post(model, "line", line_at(rank, at)) == 0, "post of a line")
    call expect(couple_post(model, "plane", plane_at(rank, at)) == 0, "post of a plane")
    call expect(couple_post(model, "cube", cube_at(rank, at)) == 0, "post of a cube")
    call expect(couple_sync(model) == 0, "sync")
    call expect(couple_read(model, names(1 - rank), "line", line) == 0, "read of a line")
    call expect(couple_read(model, names(1 - rank), "plane", plane) == 0, "read of a plane")
    call expect(couple_read(model, names(1 - rank), "cube", cube) == 0, "read of a cube")
    call expect(all(abs(line - line_at(1 - rank, at)) < 1e-9_real64), "a line")
    call expect(all(abs(plane - plane_at(1 - rank, at)) < 1e-9_real64), "a plane")
    call expect(all(abs(cube - cube_at(1 - rank, at)) < 1e-9_real64), "a cube")
    if (couple_time(model) >= last) exit
    call expect(couple_advance(model) == 0, "advance")
  end do
  call expect(couple_read(model, names(1 - rank), "line", wrong(1:3)) == -1, "too little room is refused")
  call expect(len(couple_message(model)) > 0, "with a sentence")
  call expect(couple_read(model, names(1 - rank), "line", wrong) == -1, "another shape is refused")
  call expect(couple_finish(model) == 0, "finish")
  call expect(finalize() == 0, "MPI_Finalize")

contains

  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (.not. holds) then
      print *, "rank", rank, ": ", what, ": ", couple_message(model)
      error stop 1
    end if
  end subroutine

  pure function line_at(of, time) result(values)
    integer, intent(in) :: of
    real(real64), intent(in) :: time
    real(real64) :: values(5)
    integer :: i
    values = [(100 * of + i + 0.5_real64 * time, i=1, 5)]
  end function
  pure function plane_at(of, time) result(values)
    integer, intent(in) :: of
    real(real64), intent(in) :: time
    real(real64) :: values(3, 4)
    integer :: i
    values = reshape([(200 * of + i + 2 * time, i=1, 12)], [3, 4])
  end function
  pure function cube_at(of, time) result(values)
    integer, intent(in) :: of
    real(real64), intent(in) :: time
    real(real64) :: values(2, 3, 4)
    integer :: i
    values = reshape([(300 * of + i - time, i=1, 24)], [2, 3, 4])
  end function

end program
