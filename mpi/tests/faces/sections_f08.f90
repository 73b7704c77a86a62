! SPDX-License-Identifier: Apache-2.0
! What programs of MPICH's module mpi_f08 call, under the names that its compiler makes of them: procedures without an error
! argument, buffers with descriptors, variables of the module.
module names
  use, intrinsic :: iso_c_binding
  implicit none
  integer, parameter :: world = 1140850688, integers = 1275069467, total_of = 1476395011, status_size = 5
  integer(c_int), bind(C, name='MPIR_F08_MPI_IN_PLACE') :: in_place
  integer(c_int), bind(C, name='MPIR_F08_MPI_STATUSES_IGNORE_OBJ') :: statuses_ignore(status_size)
  integer(c_int), bind(C, name='__mpi_f08_link_constants_MOD_mpi_unweighted') :: unweighted(1)
  interface
    subroutine init(ierror) bind(C, name='mpi_init_f08_')
      integer, optional :: ierror
    end subroutine
    subroutine finalize(ierror) bind(C, name='mpi_finalize_f08_')
      integer, optional :: ierror
    end subroutine
    subroutine comm_rank(comm, rank, ierror) bind(C, name='mpi_comm_rank_f08_')
      integer :: comm, rank
      integer, optional :: ierror
    end subroutine
    subroutine comm_size(comm, size, ierror) bind(C, name='mpi_comm_size_f08_')
      integer :: comm, size
      integer, optional :: ierror
    end subroutine
    subroutine irecv(buf, count, datatype, source, tag, comm, request, ierror) bind(C, name='mpi_irecv_f08ts_')
      type(*), dimension(..) :: buf
      integer :: count, datatype, source, tag, comm, request
      integer, optional :: ierror
    end subroutine
    subroutine isend(buf, count, datatype, dest, tag, comm, request, ierror) bind(C, name='mpi_isend_f08ts_')
      type(*), dimension(..) :: buf
      integer :: count, datatype, dest, tag, comm, request
      integer, optional :: ierror
    end subroutine
    subroutine waitall(count, requests, statuses, ierror) bind(C, name='mpi_waitall_f08_')
      integer :: count, requests(*), statuses(*)
      integer, optional :: ierror
    end subroutine
    subroutine allreduce(sendbuf, recvbuf, count, datatype, op, comm, ierror) bind(C, name='mpi_allreduce_f08ts_')
      type(*), dimension(..) :: sendbuf, recvbuf
      integer :: count, datatype, op, comm
      integer, optional :: ierror
    end subroutine
    subroutine graph(comm, indegree, sources, sourceweights, outdegree, destinations, destweights, info, reorder, made, ierror) &
        bind(C, name='mpi_dist_graph_create_adjacent_f08_')
      integer :: comm, indegree, sources(*), sourceweights(*), outdegree, destinations(*), destweights(*), info, reorder, made
      integer, optional :: ierror
    end subroutine
    subroutine neighbor_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, ierror) &
        bind(C, name='mpi_neighbor_allgather_f08ts_')
      type(*), dimension(..) :: sendbuf, recvbuf
      integer :: sendcount, sendtype, recvcount, recvtype, comm
      integer, optional :: ierror
    end subroutine
    subroutine comm_free(comm, ierror) bind(C, name='mpi_comm_free_f08_')
      integer :: comm
      integer, optional :: ierror
    end subroutine
    integer function equal(one, other) bind(C, name='__mpi_f08_types_MOD_mpi_comm_eq')
      integer :: one, other
    end function
  end interface
end module

program sections_f08
  use names
  implicit none
  integer :: rank, ranks, previous, next, total, made, got, ierror, requests(2), table(10, 10)
  call init()
  call comm_rank(world, rank)
  call comm_size(world, ranks, ierror)
  next = mod(rank + 1, ranks)
  previous = mod(rank + ranks - 1, ranks)
  table = rank
  call irecv(table(1:10:2, 3), 5, integers, previous, 1, world, requests(1))
  call isend(table(2, 1:9:2), 5, integers, next, 1, world, requests(2))
  call waitall(2, requests, statuses_ignore)
  call expect(ierror == 0 .and. all(table(1:9:2, 3) == previous) .and. all(table(2:10:2, 3) == rank), 'sections of an array')
  total = rank + 1
  call allreduce(in_place, total, 1, integers, total_of, world)
  call expect(total == ranks * (ranks + 1) / 2, 'a sum in place')
  call graph(world, 1, [previous], unweighted, 1, [next], unweighted, 469762048, 0, made)
  call neighbor_allgather(rank, 1, integers, got, 1, integers, made)
  call expect(got == previous .and. equal(made, world) == 0 .and. equal(made, made) == 1, 'a neighbour, and handles compared')
  call comm_free(made)
  call finalize()
contains
  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    if (.not. holds) then
      write (0, '(a, i0, 2a)') 'rank ', rank, ': ', what
      error stop
    end if
  end subroutine
end program
