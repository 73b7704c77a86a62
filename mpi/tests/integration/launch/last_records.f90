! SPDX-License-Identifier: Apache-2.0
! last_records END: each rank prints a record, and then rank 1 ends the job, as in last_lines.cpp.
program last_records
  use mpi
  implicit none
  character(8) :: way
  integer :: rank, ierror
  call get_command_argument(1, way)
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  print '(a, i0)', 'printed by rank ', rank
  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  if (rank == 1) then
    select case (way)
    case ('abort'); call MPI_Abort(MPI_COMM_WORLD, 3, ierror)
    case ('exit'); stop 3
    case ('error'); call MPI_Send(rank, 1, MPI_INTEGER, 100000, 0, MPI_COMM_WORLD, ierror)
    case ('fault'); call abort()
    case ('kill'); call kill_self()
    end select
    write (0, '(a)') 'ready'
    do
      call sleep(100)
    end do
  end if
  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  call MPI_Finalize(ierror)
contains
  subroutine kill_self()
    integer, parameter :: sigkill = 9
    ierror = kill(getpid(), sigkill)
  end subroutine
end program
