! SPDX-License-Identifier: Apache-2.0
program lines
    use mpi_f08
    implicit none
    real :: own, all
    integer :: i
    call MPI_Init()
    own = 1
    do i = 1, 3
        call MPI_Allreduce(own, all, 1, MPI_REAL, MPI_SUM, MPI_COMM_WORLD)
    end do
    call MPI_Allreduce(own, all, 1, MPI_REAL, MPI_MAX, MPI_COMM_WORLD)
    call MPI_Finalize()
end program lines
