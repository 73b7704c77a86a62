! SPDX-License-Identifier: Apache-2.0
! Coupling from Fortran: a slow and a fast component on any ranks, real64 and real32 fields of one to three dimensions, in
! blocks, lists and with masks, with levels in either order, over time, regridded, iterated, configured and saved; what is
! refused, with its sentence.
program coupling
  use, intrinsic :: iso_fortran_env, only: int64, real32, real64
  use mpi_f08
  use lisle_couple
  implicit none
  integer, parameter :: nx = 3, ny = 4, levels = 2
  integer(int64), parameter :: last = 20
  character(4), parameter :: names(0:1) = ["slow", "fast"]
  type(MPI_Comm) :: own
  type(couple_job) :: job
  type(couple_component) :: self
  integer :: rank, ranks, which, own_rank, own_ranks, first, rows

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  which = merge(0, 1, rank < (ranks + 1)/2)
  call job%make(MPI_COMM_WORLD, [names(which)])
  self = job%component(names(which))
  own%MPI_VAL = self%ranks()
  call MPI_Comm_rank(own, own_rank)
  call MPI_Comm_size(own, own_ranks)
  first = ny*own_rank/own_ranks + 1
  rows = ny*(own_rank + 1)/own_ranks + 1 - first
  call run()
  call job%end()
  call check_refusals()
  call check_interpolated()
  call check_conservative()
  call check_iteration()
  call check_files()
  call MPI_Finalize()

contains

  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    integer :: ended
    if (.not. holds) then
      print *, "rank", rank, ": ", what, ": ", couple_message()
      call MPI_Abort(MPI_COMM_WORLD, 1, ended)
    end if
  end subroutine

  !> Of a point, by its number from 1; linear in time, so that what is got between two times has to be exact.
  elemental real(real64) function value_of(of, point, level, time)
    integer, intent(in) :: of, point, level
    real(real64), intent(in) :: time
    value_of = 1000*of + 10*point + 200*level + time/2
  end function

  subroutine run()
    real(real64), target :: line(rows), flat(nx, rows), deep(nx, rows, levels)
    real(real64), target :: line_got(rows), flat_got(nx, rows), deep_got(nx, rows, levels), sums(rows), late(nx, rows)
    real(real64), target :: seldom(nx, rows)
    real(real32), target :: side(levels, nx, rows), side_got(levels, nx, rows)
    type(couple_points) :: on_line, on_plane
    type(couple_weights) :: pairs
    integer :: x, y, other
    real(real64) :: now
    logical :: land(nx, rows)

    other = 1 - which
    on_line = couple_list(ny, [(y, y=first, first + rows - 1)])
    on_plane = couple_block([nx, ny], [1, first], [nx, rows])
    land = .false.
    if (first == 1 .and. rows > 0) land(2, 1) = .true.
    call self%runs(period=int(2 - which, int64), end=last + 1)
    call self%offers("line", line, on_line, unit="m")
    call self%offers("flat", flat, on_plane)
    call self%offers("deep", deep, on_plane, levels=levels)
    call self%offers("side", side, on_plane, levels=levels, columns=.true.)
    call self%wants("line", line_got, on_line, from=names(other), how=couple_linear, unit="m")
    call self%wants("flat", flat_got, on_plane%masked(land), from=names(other), how=couple_linear)
    call self%wants("deep", deep_got, on_plane, from=names(other), levels=levels, how=couple_linear)
    call self%wants("side", side_got, on_plane, from=names(other), levels=levels, columns=.true., how=couple_linear)
    call self%wants("late", late, on_plane, from=names(other), field="flat", how=couple_linear, lag=2_int64)
    call self%wants("seldom", seldom, on_plane, from=names(other), field="flat", how=couple_linear, every=4_int64)
    ! Each place of the line is the sum of the first and the last of a row of the plane.
    pairs%places = [([int(y, int64), int(y, int64)], y=1, rows)]
    pairs%sources = [([(first + y - 2)*nx + 1_int64, (first + y - 2)*nx + int(nx, int64)], y=1, rows)]
    pairs%factors = [(1.0_real64, y=1, 2*rows)]
    call self%wants("sums", sums, on_line, from=names(other), field="flat", weights=pairs, how=couple_linear)
    flat_got = -1
    call job%begin()
    do while (.not. self%is_at_end())
      now = real(self%time(), real64)
      do y = 1, rows
        line(y) = value_of(which, first + y - 1, 0, now)
        do x = 1, nx
          flat(x, y) = value_of(which, (first + y - 2)*nx + x, 0, now)
          deep(x, y, :) = value_of(which, (first + y - 2)*nx + x, [1, 2], now)
          side(:, x, y) = real(deep(x, y, :), real32)
        end do
      end do
      call self%put("line")
      call self%put()
      call self%get("late")
      call self%get()
      do y = 1, rows
        call expect(near(line_got(y), value_of(other, first + y - 1, 0, now)), "a line")
        call expect(near(sums(y), value_of(other, (first + y - 2)*nx + 1, 0, now) + &
                         value_of(other, (first + y - 1)*nx, 0, now)), "what is regridded")
        do x = 1, nx
          call expect(near(flat_got(x, y), merge(-1.0_real64, value_of(other, (first + y - 2)*nx + x, 0, now), &
                                                 land(x, y))), "a plane")
          call expect(near(late(x, y), value_of(other, (first + y - 2)*nx + x, 0, max(now - 2, 0.0_real64))), "a lag")
          call expect(near(seldom(x, y), value_of(other, (first + y - 2)*nx + x, 0, now - mod(now, 4.0_real64))), "a period")
          call expect(all(near(deep_got(x, y, :), value_of(other, (first + y - 2)*nx + x, [1, 2], now))), "levels")
          call expect(all(near(real(side_got(:, x, y), real64), deep_got(x, y, :))), "levels side by side")
        end do
      end do
      call self%advance()
    end do
  end subroutine

  elemental logical function near(got, right)
    real(real64), intent(in) :: got, right
    near = abs(got - right) < 1e-3_real64
  end function

  subroutine check_refusals()
    type(couple_job) :: wrong
    type(couple_component) :: all
    type(couple_points) :: two
    type(couple_weights) :: nothing
    real(real64), target :: values(4)
    integer :: error
    call wrong%make(MPI_COMM_WORLD%MPI_VAL, ["all"])
    all = wrong%component("none", error)
    call expect(error == -1 .and. couple_message() == "couple: this rank is none of ""none""", "a name")
    all = wrong%component("all", error)
    call expect(error == 0, "a component")
    two = couple_block([2], [1], [2])
    call all%offers("x", values(1:3), two, error=error)
    call expect(error == -1 .and. couple_message() == "couple: the array for ""x"" has 3 elements, not 2", "a size")
    call all%offers("x", values(1:4:3), two, error=error)
    call expect(error == -1 .and. couple_message() == "couple: the array for ""x"" is not dense", "a stride")
    call all%wants("x", values(1:2), two, from="all", weights=nothing, error=error)
    call expect(error == -1 .and. index(couple_message(), "have not as many places as sources") > 0, "weights")
    call all%offers("x", values(1:2), couple_block([2], [2], [2]), error=error)
    call expect(error == -1 .and. couple_message() == &
                "couple: a block of 2 points from 1 on does not lie in a grid of 2 (dimension 0)", "a block")
    call all%wants("x", values(1:2), two, from="nobody", error=error)
    call expect(error == 0, "a want")
    call wrong%begin(error)
    call expect(error == -1 .and. couple_message() == &
                "couple: ""x"" of ""all"" is wanted from ""nobody"", but no component has this name: all", "a name")
    call wrong%end()
  end subroutine

  !> A square of the first rank for two points of each, of which one is outside; through a file and back.
  subroutine check_interpolated()
    type(couple_elements) :: square
    type(couple_located) :: corners, own
    type(couple_weights) :: made, read
    type(couple_points) :: wanted
    character(:), allocatable :: path
    character(1000) :: folder
    integer :: error
    call get_environment_variable("TMPDIR", folder)
    if (folder == "") folder = "/tmp"
    path = trim(folder)//"/lisle-fortran-weights."//trim(unique())
    corners = couple_located([integer(int64) :: 1, 2, 4, 3], [0, 1, 1, 0]*1.0_real64, [0, 0, 1, 1]*1.0_real64)
    if (rank == 0) call square%add(corners%numbers, corners%x, corners%y)
    own = couple_located([integer(int64) :: 1, 2], [0.25_real64, 3.0_real64], [0.5_real64, 0.1_real64])
    wanted = couple_list(2*ranks, [2*rank + 1, 2*rank + 2])
    call couple_bilinear_weights(MPI_COMM_WORLD, square, own, made)
    call expect(size(made%missed) == 1 .and. all(made%missed == 2), "missed")
    call couple_write_weights(MPI_COMM_WORLD, path, made, wanted, 4_int64)
    call couple_read_weights(MPI_COMM_WORLD, path, wanted, 4_int64, read)
    call expect(all(made%places == 1) .and. all(made%sources == [1, 2, 3, 4]) .and. &
                all(near(made%factors, [0.375_real64, 0.125_real64, 0.375_real64, 0.125_real64])), "bilinear")
    call expect(all(read%places == made%places) .and. all(read%sources == made%sources) .and. &
                all(near(read%factors, made%factors)), "read")
    if (rank /= 0) corners = couple_located([integer(int64) ::], [real(real64) ::], [real(real64) ::])
    call couple_nearest_weights(MPI_COMM_WORLD, corners, own, made, surface=couple_plane)
    call expect(all(made%places == [1, 2]) .and. all(made%sources == [1, 2]) .and. all(near(made%factors, 1.0_real64)), &
                "nearest")
    call couple_nearest_weights(MPI_COMM_WORLD, corners, own, made, surface=7, error=error)
    call expect(error == -1 .and. index(couple_message(), "there is no surface 7") > 0, "surface")
    call square%clear()
    call MPI_Barrier(MPI_COMM_WORLD)
    if (rank == 0) then
      open (newunit=error, file=path)
      close (error, status="delete")
    end if
  end subroutine

  !> A name that all ranks have and no other run.
  function unique() result(name)
    character(20) :: name
    integer(int64) :: ticks
    call system_clock(ticks)
    call MPI_Bcast(ticks, 1, MPI_INTEGER8, 0, MPI_COMM_WORLD)
    write (name, "(i0)") ticks
  end function

  !> Six cells of the first rank for two of the last one.
  subroutine check_conservative()
    type(couple_cells) :: from, to
    type(couple_weights) :: made
    integer(int64) :: i
    real(real64) :: x
    if (rank == 0) then
      do i = 1, 6
        x = real(i - 1, real64)
        call from%add(i, [x, x + 1, x + 1, x], [0, 0, 1, 1]*1.0_real64)
      end do
    end if
    if (rank == ranks - 1) then
      call to%add_spherical(1_int64, 0.0_real64, 3.0_real64, 0.0_real64, asin(1.0_real64))
      call to%add_spherical(2_int64, 3.0_real64, 6.0_real64, 0.0_real64, asin(1.0_real64))
    end if
    call couple_overlap_weights(MPI_COMM_WORLD, from, to, couple_whole_area, made)
    if (rank == ranks - 1) then
      call expect(all(made%places == [1, 1, 1, 2, 2, 2]) .and. all(made%sources == [1, 2, 3, 4, 5, 6]), "cells")
      call expect(all(near(made%factors, 1/3.0_real64)) .and. all(near(made%covered, 1.0_real64)), "areas")
    else
      call expect(size(made%places) == 0, "no cells")
    end if
    call from%clear()
    call to%clear()
  end subroutine

  !> Two sides that share all ranks: x = cos y and y = x, of a point at the first rank.
  subroutine check_iteration()
    type(couple_job) :: both
    type(couple_component) :: cosine, same
    type(couple_points) :: point
    type(couple_fixed_point) :: agreement
    real(real64), allocatable, target :: x(:), y(:), got_x(:), got_y(:)
    real(real64), allocatable :: differences(:)
    logical :: again
    integer :: own_points, i, error
    own_points = merge(1, 0, rank == 0)
    allocate (x(own_points), y(own_points), got_x(own_points), got_y(own_points))
    x = 1
    point = couple_list(1, [(1, i=1, own_points)])
    call both%make(MPI_COMM_WORLD, ["cosine", "same  "])
    cosine = both%component("cosine")
    same = both%component("same")
    call cosine%runs(period=1_int64, end=1_int64)
    call same%runs(period=1_int64, end=1_int64)
    call cosine%offers("x", x, point)
    call same%wants("x", got_x, point, from="cosine", iterated=.true.)
    call same%offers("y", y, point)
    call cosine%wants("y", got_y, point, from="same", iterated=.true.)
    call both%begin()
    call agreement%make(MPI_COMM_WORLD, how=4, error=error)
    call expect(error == -1 .and. couple_message() == &
                "couple: lisle_couple_fixed_point_make: there is no acceleration 4", "an acceleration")
    call agreement%make(MPI_COMM_WORLD, how=couple_quasi_newton, relative=1e-10_real64)
    call agreement%begin(x)
    do
      call cosine%put()
      call same%get()
      y = got_x
      call same%put()
      call cosine%get()
      call cosine%settle()
      x = cos(got_y)
      again = agreement%repeats(x)
      if (.not. again) exit
      call cosine%repeat()
      call same%repeat()
    end do
    call cosine%advance()
    call same%advance()
    differences = agreement%history()
    call expect(agreement%has_converged() .and. agreement%iterations() < 12, "a fixed point")
    call expect(size(differences) == agreement%iterations() .and. minval(differences) <= 1e-10_real64, "its history")
    call expect(all(abs(x - 0.7390851332_real64) < 1e-9_real64), "the number that is its cosine")
    call agreement%clear()
    call both%end()
  end subroutine

  subroutine check_files()
    character(256) :: folder
    character(24) :: number
    character(:), allocatable :: path
    integer :: unit, length
    integer(int64) :: ticks
    call system_clock(ticks)
    call MPI_Bcast(ticks, 1, MPI_INTEGER8, 0, MPI_COMM_WORLD)
    call get_environment_variable("TMPDIR", folder, length)
    if (length == 0) folder = "/tmp"
    write (number, "(i0)") ticks
    path = trim(folder)//"/lisle-fortran-"//trim(number)
    if (rank == 0) then
      open (newunit=unit, file=path//".txt")
      write (unit, "(a)") "sea.heat <- air.flux mean"
      close (unit)
    end if
    call MPI_Barrier(MPI_COMM_WORLD)
    call run_with_files(path, goes_on=.false.)
    call run_with_files(path, goes_on=.true.)
    if (rank == 0) then
      call remove(path//".txt")
      call remove(path//".svg")
      call remove(path//".air")
      call remove(path//".sea")
    end if
  end subroutine

  subroutine remove(path)
    character(*), intent(in) :: path
    integer :: unit, error
    open (newunit=unit, file=path, status="old", iostat=error)
    call expect(error == 0, path)
    close (unit, status="delete")
  end subroutine

  !> A job that a file puts together, saved at its third step or gone on from there.
  subroutine run_with_files(path, goes_on)
    character(*), intent(in) :: path
    logical, intent(in) :: goes_on
    type(couple_job) :: both
    type(couple_component) :: air, sea
    type(couple_points) :: point
    real(real64), allocatable, target :: flux(:), heat(:)
    real(real32), allocatable, target :: clock(:)
    integer :: own_points, i
    integer(int64) :: now
    own_points = merge(1, 0, rank == 0)
    allocate (flux(own_points), heat(own_points), clock(own_points))
    clock = 0
    point = couple_list(1, [(1, i=1, own_points)])
    call both%make(MPI_COMM_WORLD, ["air", "sea"])
    air = both%component("air")
    sea = both%component("sea")
    call air%runs(period=1_int64, end=6_int64)
    call sea%runs(period=1_int64, end=6_int64)
    call air%offers("flux", flux, point)
    call air%keeps("clock", clock, point)
    call sea%wants("heat", heat, point, from="")
    call both%configure(path//".txt")
    call both%watch()
    call both%begin()
    if (goes_on) then
      call both%load(path)
      call expect(air%time() == 3 .and. sea%time() == 3 .and. all(nint(clock) == 7), "what was saved")
    end if
    do while (.not. air%is_at_end())
      now = air%time()
      if (.not. goes_on .or. now /= 3) then ! else it was put and got before
        flux = real(10 + now, real64)
        call air%put()
        clock = real(now + 4, real32)
        call sea%get()
      end if
      if (.not. goes_on .and. now == 3) call both%save(path)
      call expect(all(near(heat, real(10 + max(now - 1, 0_int64), real64))), "heat by a configuration")
      call air%advance()
      call sea%advance()
    end do
    call both%draw(path//".svg")
    call both%end()
  end subroutine

end program
