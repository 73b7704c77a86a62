! SPDX-License-Identifier: Apache-2.0
! A program of Fortran 77 that includes mpif.h, in fixed source form.
      program header
      implicit none
      include 'mpif.h'
      integer rank, ranks, error, left, right, i, code
      integer status(MPI_STATUS_SIZE), numbers(3), length
      integer block, types(2), blocks(2)
      integer (kind=MPI_ADDRESS_KIND) places(2)
      double precision value, before
      character*(MPI_MAX_PROCESSOR_NAME) name
      logical flag
      call mpi_init(error)
      call mpi_comm_rank(MPI_COMM_WORLD, rank, error)
      call mpi_comm_size(MPI_COMM_WORLD, ranks, error)
      code = 0
      before = mpi_wtime()
      left = mod(rank + ranks - 1, ranks)
      right = mod(rank + 1, ranks)
      do 10 i = 1, 3
        numbers(i) = rank
   10 continue
      call mpi_sendrecv_replace(numbers, 3, MPI_INTEGER, right, 1,
     &    left, 1, MPI_COMM_WORLD, status, error)
      if (numbers(1) .ne. left .or. status(MPI_SOURCE) .ne. left) then
        code = 1
      end if
! From and to absolute addresses.
      call mpi_get_address(numbers, places(1), error)
      call mpi_get_address(value, places(2), error)
      blocks(1) = 3
      blocks(2) = 1
      types(1) = MPI_INTEGER
      types(2) = MPI_DOUBLE_PRECISION
      call mpi_type_create_struct(2, blocks, places, types, block,
     &    error)
      call mpi_type_commit(block, error)
      value = rank + 0.25d0
      call mpi_sendrecv_replace(MPI_BOTTOM, 1, block, left, 2, right, 2,
     &    MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
      call mpi_f_sync_reg(value, error)
      if (value .ne. right + 0.25d0) code = 2
      call mpi_type_free(block, error)
      call mpi_get_processor_name(name, length, error)
      if (length .le. 0 .or. name(length+1:) .ne. ' ') code = 3
      call mpi_comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, places(1),
     &    flag, error)
      if (.not. flag .or. places(1) .lt. 32767) code = 4
      if (mpi_wtime() .lt. before) code = 5
      call mpi_comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN,
     &    error)
      call mpi_send(value, 1, MPI_DOUBLE_PRECISION, -9, 0,
     &    MPI_COMM_WORLD, error)
      if (error .eq. MPI_SUCCESS) code = 6
      if (code .ne. 0) then
        print *, 'wrong: step ', code
        call mpi_abort(MPI_COMM_WORLD, code, error)
      end if
      call mpi_finalize(error)
      end
