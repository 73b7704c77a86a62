! SPDX-License-Identifier: Apache-2.0
! The ocean of ocean_atmosphere.cpp in Fortran, on any number of ranks. The atmosphere is another program, in C or Python:
!
!   mpirun -n 2 ocean : -n 3 atmosphere
!   mpirun -n 2 ocean : -n 3 python3 atmosphere.py
!
! What they print is what ocean_atmosphere prints.
program ocean
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08
  use lisle_couple
  implicit none
  integer, parameter :: n = 32, air_size = 64, period = 4, end_time = 200
  real(real64), parameter :: exchange = 0.02_real64
  type(couple_job) :: job
  type(couple_component) :: self
  type(couple_points) :: mine
  type(MPI_Comm) :: ranks
  integer :: rank, size_of_ranks, first, rows
  real(real64), allocatable, target :: water(:, :), above(:, :)
  logical :: is_over

  call MPI_Init()
  call job%make(MPI_COMM_WORLD, ["ocean"])
  self = job%component("ocean")
  ranks%MPI_VAL = self%ranks()
  call MPI_Comm_rank(ranks, rank)
  call MPI_Comm_size(ranks, size_of_ranks)
  first = n*rank/size_of_ranks + 1
  rows = n*(rank + 1)/size_of_ranks + 1 - first
  allocate (water(n, rows), above(n, rows))
  call begin_with(water)

  ! The step after the end, in which nothing happens: the atmosphere's last straight line ends there.
  call self%runs(period=int(period, int64), end=end_time + 1_int64)
  mine = couple_block([n, n], [1, first], [n, rows])
  call self%offers("temperature", water, mine, unit="C")
  call self%wants("above", above, mine, from="atmosphere", field="temperature", weights=means(), unit="C")
  call job%begin()
  do while (.not. self%is_at_end())
    call self%put()
    call self%get()
    is_over = self%time() == end_time
    call self%advance()
    if (.not. is_over) call step()
  end do
  call tell()
  call job%end()
  call MPI_Finalize()

contains

  !> A warm patch in cold water.
  subroutine begin_with(values)
    real(real64), intent(out) :: values(:, :)
    integer :: x, y
    do y = 1, rows
      do x = 1, n
        values(x, y) = 4 + 26*exp(-((first + y - 18)**2 + (x - 11)**2)/40.0_real64)
      end do
    end do
  end subroutine

  !> Four points of air are one of water.
  type(couple_weights) function means()
    integer(int64) :: below, beside, x, y
    allocate (means%places(0), means%sources(0), means%factors(0))
    do y = 1, rows
      do x = 1, n
        do below = 0, 1
          do beside = 1, 2
            means%places = [means%places, (y - 1)*n + x]
            means%sources = [means%sources, (2*(first + y - 2) + below)*air_size + 2*(x - 1) + beside]
            means%factors = [means%factors, 0.25_real64]
          end do
        end do
      end do
    end do
  end function

  !> Heat spreads; the air takes or gives some. Edges are joined.
  subroutine step()
    real(real64) :: old(n, 0:rows + 1), around
    integer :: x, y, before, after
    before = modulo(rank - 1, size_of_ranks)
    after = modulo(rank + 1, size_of_ranks)
    old(:, 1:rows) = water
    call MPI_Sendrecv(water(:, rows), n, MPI_REAL8, after, 0, old(:, 0), n, MPI_REAL8, before, 0, ranks, &
                      MPI_STATUS_IGNORE)
    call MPI_Sendrecv(water(:, 1), n, MPI_REAL8, before, 0, old(:, rows + 1), n, MPI_REAL8, after, 0, ranks, &
                      MPI_STATUS_IGNORE)
    do y = 1, rows
      do x = 1, n
        around = old(x, y - 1) + old(x, y + 1) + old(modulo(x - 2, n) + 1, y) + old(modulo(x, n) + 1, y) - 4*old(x, y)
        water(x, y) = old(x, y) + period*(0.05_real64*around + 0.3_real64*exchange*(above(x, y) - old(x, y)))
      end do
    end do
  end subroutine

  subroutine tell()
    real(real64) :: own, all
    own = sum(water)
    call MPI_Reduce(own, all, 1, MPI_REAL8, MPI_SUM, 0, ranks)
    if (rank == 0) print "(a, f0.9)", "heat of the ocean ", all/n**2
  end subroutine

end program
