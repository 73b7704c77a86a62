! SPDX-License-Identifier: Apache-2.0
! Programs of the module mpi_f08: handles of their own types, optional error arguments, constants that are known by their
! places, strings, logicals, callbacks, large counts.
module callbacks_f08
  use mpi_f08
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: copies = 0, deletions = 0, handled = 0, freed = 0
contains
  !> Adds, and can tell that it was called in order: not commutative.
  subroutine last_of_both(invec, inoutvec, len, datatype)
    type(c_ptr), value :: invec, inoutvec
    integer :: len
    type(MPI_Datatype) :: datatype
    integer, pointer :: in(:), inout(:)
    if (datatype /= MPI_INTEGER) error stop 2
    call c_f_pointer(invec, in, [len])
    call c_f_pointer(inoutvec, inout, [len])
    inout = 3 * in + inout
  end subroutine

  subroutine copy_one_more(oldcomm, comm_keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror)
    type(MPI_Comm) :: oldcomm
    integer :: comm_keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
    logical :: flag
    attribute_val_out = attribute_val_in + extra_state
    flag = .true.
    copies = copies + 1
    ierror = MPI_SUCCESS
  end subroutine

  subroutine delete_it(comm, comm_keyval, attribute_val, extra_state, ierror)
    type(MPI_Comm) :: comm
    integer :: comm_keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: attribute_val, extra_state
    deletions = deletions + 1
    ierror = MPI_SUCCESS
  end subroutine

  subroutine handle_error(comm, error_code)
    type(MPI_Comm) :: comm
    integer :: error_code
    integer :: class
    call MPI_Error_class(error_code, class)
    if (comm == MPI_COMM_WORLD .and. class == MPI_ERR_RANK) handled = handled + 1
  end subroutine

  subroutine query_state(extra_state, status, ierror)
    integer(kind=MPI_ADDRESS_KIND) :: extra_state
    type(MPI_Status) :: status
    integer :: ierror
    call MPI_Status_set_elements(status, MPI_INTEGER, int(extra_state))
    call MPI_Status_set_cancelled(status, .false.)
    status%MPI_SOURCE = MPI_UNDEFINED
    status%MPI_TAG = 7
    ierror = MPI_SUCCESS
  end subroutine

  subroutine free_state(extra_state, ierror)
    integer(kind=MPI_ADDRESS_KIND) :: extra_state
    integer :: ierror
    freed = freed + int(extra_state)
    ierror = MPI_SUCCESS
  end subroutine

  subroutine cancel_state(extra_state, complete, ierror)
    integer(kind=MPI_ADDRESS_KIND) :: extra_state
    logical :: complete
    integer :: ierror
    ierror = MPI_SUCCESS
  end subroutine
end module

program with_f08
  use mpi_f08
  use callbacks_f08
  use checks
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: rank, ranks, left, right

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  left = modulo(rank - 1, ranks)
  right = modulo(rank + 1, ranks)
  call messages
  call sections
  call requests
  call large_counts
  call collectives
  call operations
  call strings
  call attributes
  call errors
  call generalized
  call topologies
  call types
  call windows
  call files
  call MPI_Finalize()
contains

  subroutine messages
    integer :: numbers(5), count, error, size
    real(kind=8) :: column(3, 2)
    type(MPI_Status) :: status
    logical :: flag
    numbers = 0
    call MPI_Sendrecv([1, 2, 3] + rank, 3, MPI_INTEGER, right, 4, numbers, 5, MPI_INTEGER, left, MPI_ANY_TAG, &
                      MPI_COMM_WORLD, status, error)
    call check(error == MPI_SUCCESS, 'the error code')
    call check(all(numbers == [1 + left, 2 + left, 3 + left, 0, 0]), 'what was received')
    call check(status%MPI_SOURCE == left .and. status%MPI_TAG == 4, 'the status')
    call MPI_Get_count(status, MPI_INTEGER, count)
    call check(count == 3, 'the count')
    call MPI_Get_count(status, MPI_DOUBLE_PRECISION, count)
    call check(count == MPI_UNDEFINED, 'the count of another type')
    ! A section with gaps, in and out.
    column = rank
    call MPI_Sendrecv(column(1, :), 2, MPI_DOUBLE_PRECISION, right, 5, column(3, :), 2, MPI_DOUBLE_PRECISION, left, 5, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call check(all(column(3, :) == left) .and. all(column(:2, :) == rank), 'a section with gaps')
    call MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, flag, MPI_STATUS_IGNORE)
    call check(.not. flag, 'no message')
    call MPI_Sizeof(column, size)
    call check(size == 8, 'the size of an element')
  end subroutine

  !> Parts of arrays with gaps, of which the messages are complete only later; whole ones and their beginnings.
  subroutine sections
    integer, asynchronous :: from(6, 7), into(6, 7, 2)
    integer :: expected(6, 7, 2), i, j, count
    type(MPI_Request) :: requests(2)
    from = reshape([((100 * j + i + 1000 * rank, i = 1, 6), j = 1, 7)], [6, 7])
    do count = 0, 12
      into = -1
      call MPI_Irecv(into(2:6:2, 1:7:2, 2), count, MPI_INTEGER, left, count, MPI_COMM_WORLD, requests(1))
      call MPI_Isend(from(1:6:2, 7:1:-2), count, MPI_INTEGER, right, count, MPI_COMM_WORLD, requests(2))
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
      expected = -1
      do i = 0, count - 1
        expected(2 + 2 * mod(i, 3), 1 + 2 * (i / 3), 2) = 100 * (7 - 2 * (i / 3)) + 1 + 2 * mod(i, 3) + 1000 * left
      end do
      call check(all(into == expected), 'a section with gaps')
    end do
    call complex_numbers
    call too_many
  end subroutine

  !> Elements of two numbers, counted by numbers.
  subroutine complex_numbers
    complex :: from(5), into(5)
    integer :: i
    from = [(cmplx(rank, i), i = 1, 5)]
    into = 0
    call MPI_Sendrecv(from(1:5:2), 6, MPI_REAL, right, 1, into(5:1:-2), 3, MPI_COMPLEX, left, 1, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE)
    call check(all(into == [cmplx(left, 5), (0., 0.), cmplx(left, 3), (0., 0.), cmplx(left, 1)]), 'pairs with gaps')
  end subroutine

  !> More elements than the section has.
  subroutine too_many
    integer :: numbers(5), error
    type(MPI_Errhandler) :: before
    numbers = 0
    call MPI_Comm_get_errhandler(MPI_COMM_SELF, before)
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
    call MPI_Send(numbers(1:5:2), 4, MPI_INTEGER, 0, 1, MPI_COMM_SELF, error)
    call check(error /= MPI_SUCCESS, 'more than the section has')
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, before)
  end subroutine

  subroutine requests
    type(MPI_Request) :: all(4), one
    type(MPI_Status) :: statuses(4)
    integer, asynchronous :: values(4)
    integer :: i, at, count, indices(4), seen
    logical :: done
    do i = 1, 4
      call MPI_Irecv(values(i), 1, MPI_INTEGER, left, i, MPI_COMM_WORLD, all(i))
    end do
    do i = 1, 4
      call MPI_Send(10 * i, 1, MPI_INTEGER, right, i, MPI_COMM_WORLD)
    end do
    call MPI_Waitany(4, all, at, statuses(1))
    call MPI_F_sync_reg(values)
    call check(at >= 1 .and. at <= 4, 'an index')
    call check(statuses(1)%MPI_TAG == at .and. values(at) == 10 * at, 'the message of the index')
    call check(all(at) == MPI_REQUEST_NULL, 'a request that is complete')
    seen = 1
    do while (seen < 4)
      call MPI_Waitsome(4, all, count, indices, statuses)
      do i = 1, count
        call check(statuses(i)%MPI_TAG == indices(i), 'one of some')
      end do
      seen = seen + count
    end do
    call MPI_Waitsome(4, all, count, indices, MPI_STATUSES_IGNORE)
    call check(count == MPI_UNDEFINED, 'none is left')
    call MPI_Testany(4, all, at, done, MPI_STATUS_IGNORE)
    call check(done .and. at == MPI_UNDEFINED, 'no index')
    call MPI_Send_init(rank, 1, MPI_INTEGER, right, 8, MPI_COMM_WORLD, all(1))
    call MPI_Recv_init(values, 1, MPI_INTEGER, left, 8, MPI_COMM_WORLD, all(2))
    do i = 1, 3
      call MPI_Startall(2, all)
      call MPI_Waitall(2, all, MPI_STATUSES_IGNORE)
      call MPI_F_sync_reg(values) ! or the compiler takes it for what it was
      call check(values(1) == left, 'a persistent message')
    end do
    one = all(1)
    call check(one /= MPI_REQUEST_NULL, 'a request that stays')
    call MPI_Request_free(all(1))
    call MPI_Request_free(all(2))
    call check(all(1) == MPI_REQUEST_NULL, 'a freed request')
  end subroutine

  subroutine large_counts
    integer(kind=MPI_COUNT_KIND) :: count, lower, extent
    type(MPI_Status) :: status
    type(MPI_Datatype) :: type
    integer :: numbers(3)
    count = 3
    call MPI_Sendrecv([rank, rank, rank], count, MPI_INTEGER, right, 1, numbers, count, MPI_INTEGER, left, 1, &
                      MPI_COMM_WORLD, status)
    call MPI_Get_count(status, MPI_INTEGER, count)
    call check(count == 3 .and. all(numbers == left), 'a large count')
    count = 5000000000_MPI_COUNT_KIND
    call MPI_Type_contiguous(count, MPI_INTEGER, type)
    call MPI_Type_get_extent(type, lower, extent)
    call check(lower == 0 .and. extent == 4 * count, 'a large extent')
    call MPI_Type_free(type)
  end subroutine

  subroutine collectives
    integer :: numbers(2), i
    integer, allocatable :: all_numbers(:), counts(:), places(:)
    type(MPI_Datatype), allocatable :: kinds(:)
    type(MPI_Comm) :: half
    numbers = [rank, 1]
    call MPI_Allreduce(MPI_IN_PLACE, numbers, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call check(all(numbers == [ranks * (ranks - 1) / 2, ranks]), 'a sum in place')
    allocate(all_numbers(ranks), counts(ranks), places(ranks), kinds(ranks))
    counts = 1
    places = [(4 * i, i = 0, ranks - 1)]
    kinds = MPI_INTEGER
    all_numbers = 100 * rank + [(i, i = 0, ranks - 1)]
    call MPI_Alltoallw(MPI_IN_PLACE, counts, places, kinds, all_numbers, counts, places, kinds, MPI_COMM_WORLD)
    call check(all(all_numbers == [(100 * i + rank, i = 0, ranks - 1)]), 'types for each rank')
    call MPI_Comm_split(MPI_COMM_WORLD, modulo(rank, 2), -rank, half)
    call MPI_Allgather(rank, 1, MPI_INTEGER, all_numbers, 1, MPI_INTEGER, half)
    call check(all_numbers(1) >= rank, 'a part in another order')
    call MPI_Comm_free(half)
    call check(half == MPI_COMM_NULL, 'a freed communicator')
  end subroutine

  subroutine operations
    type(MPI_Op) :: op
    integer :: result(40), expected, i
    logical :: commutes
    call MPI_Op_create(last_of_both, .false., op)
    call MPI_Op_commutative(op, commutes)
    call check(.not. commutes, 'an operation that does not commute')
    call MPI_Allreduce([(rank, i = 1, 40)], result, 40, MPI_INTEGER, op, MPI_COMM_WORLD)
    call MPI_Op_free(op)
    expected = ranks - 1
    do i = ranks - 2, 0, -1
      expected = expected + 3 * i
    end do
    ! Any grouping in rank order: 3 a + b is not associative, so only two ranks have one result.
    if (ranks <= 2) call check(all(result == expected), 'an operation of the program')
  end subroutine

  subroutine strings
    character(len=MPI_MAX_OBJECT_NAME) :: name
    character(len=MPI_MAX_ERROR_STRING) :: text
    character(len=20) :: value
    type(MPI_Info) :: info
    integer :: length, error
    logical :: there
    call MPI_Comm_set_name(MPI_COMM_SELF, ' mine   ')
    call MPI_Comm_get_name(MPI_COMM_SELF, name, length)
    call check(name == ' mine' .and. length == 5, 'a name')
    call MPI_Info_create(info)
    call MPI_Info_set(info, '  key ', ' some value  ')
    length = len(value)
    call MPI_Info_get_string(info, 'key', length, value, there)
    call check(there .and. value == 'some value' .and. length == 10, 'a value')
    length = 4
    call MPI_Info_get_string(info, 'key', length, value, there)
    call check(there .and. value == 'some' .and. length == 10, 'the beginning of a value')
    value = 'untouched'
    length = len(value)
    call MPI_Info_get_string(info, 'another', length, value, there)
    call check(.not. there .and. value == 'untouched', 'no value')
    call MPI_Info_free(info)
    call MPI_Error_string(MPI_ERR_RANK, text, length, error)
    call check(error == MPI_SUCCESS .and. length > 10 .and. text(length + 1:) == ' ', 'a sentence')
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
    call MPI_Send(length, 1, MPI_INTEGER, 99, 0, MPI_COMM_SELF, error)
    call check(error == MPI_ERR_RANK, 'the error of a rank')
    call MPI_Error_string(error, text, length)
    call check(index(text, 'rank 99 is outside') > 0 .and. index(text, '(at with_f08') > 0, 'its place: ' // text)
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL)
  end subroutine

  subroutine attributes
    integer(kind=MPI_ADDRESS_KIND) :: value
    integer :: key
    logical :: there
    type(MPI_Comm) :: another
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, there)
    call check(there .and. value >= 32767, 'the largest tag')
    call MPI_Comm_create_keyval(copy_one_more, delete_it, key, 5_MPI_ADDRESS_KIND)
    call MPI_Comm_get_attr(MPI_COMM_WORLD, key, value, there)
    call check(.not. there, 'no attribute')
    call MPI_Comm_dup(MPI_COMM_SELF, another)
    call MPI_Comm_set_attr(another, key, 1000000000000_MPI_ADDRESS_KIND)
    block
      type(MPI_Comm) :: copy
      call MPI_Comm_dup(another, copy)
      call MPI_Comm_get_attr(copy, key, value, there)
      call check(there .and. value == 1000000000005_MPI_ADDRESS_KIND .and. copies == 1, 'a copied attribute')
      call MPI_Comm_free(copy)
    end block
    call MPI_Comm_free(another)
    call check(deletions == 2, 'deleted attributes')
    call MPI_Comm_free_keyval(key)
    call check(key == MPI_KEYVAL_INVALID, 'a freed key')
    call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, key, 0_MPI_ADDRESS_KIND)
    call MPI_Comm_free_keyval(key)
  end subroutine

  subroutine errors
    type(MPI_Errhandler) :: handler, before
    integer :: error, class
    call MPI_Comm_get_errhandler(MPI_COMM_WORLD, before)
    call MPI_Comm_create_errhandler(handle_error, handler)
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler)
    call MPI_Send(rank, 1, MPI_INTEGER, ranks + 5, 0, MPI_COMM_WORLD, error)
    call MPI_Error_class(error, class)
    call check(class == MPI_ERR_RANK .and. handled == 1, 'an error handler')
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, before)
    call MPI_Errhandler_free(handler)
    call check(handler == MPI_ERRHANDLER_NULL, 'a freed handler')
  end subroutine

  subroutine generalized
    type(MPI_Request) :: request
    type(MPI_Status) :: status
    integer :: count
    call MPI_Grequest_start(query_state, free_state, cancel_state, 6_MPI_ADDRESS_KIND, request)
    call MPI_Grequest_complete(request)
    call MPI_Wait(request, status)
    call MPI_Get_count(status, MPI_INTEGER, count)
    call check(count == 6 .and. status%MPI_TAG == 7 .and. freed == 6, 'a generalized request')
  end subroutine

  subroutine topologies
    type(MPI_Comm) :: grid, graph
    integer :: dimensions(2), places(2), sources(1), destinations(1), weights(1), before, after, in, out
    logical :: periods(2), weighted
    dimensions = [ranks, 1]
    call MPI_Cart_create(MPI_COMM_WORLD, 2, dimensions, [.true., .false.], .false., grid)
    call MPI_Cart_get(grid, 2, dimensions, periods, places)
    call check(periods(1) .and. .not. periods(2) .and. places(1) == rank, 'a grid')
    call MPI_Cart_shift(grid, 0, 1, before, after)
    call check(before == left .and. after == right, 'neighbours in a grid')
    call MPI_Comm_free(grid)
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [left], MPI_UNWEIGHTED, 1, [right], MPI_UNWEIGHTED, &
                                        MPI_INFO_NULL, .false., graph)
    call MPI_Dist_graph_neighbors_count(graph, in, out, weighted)
    call check(in == 1 .and. out == 1 .and. .not. weighted, 'a graph')
    call MPI_Dist_graph_neighbors(graph, 1, sources, MPI_UNWEIGHTED, 1, destinations, MPI_UNWEIGHTED)
    call check(sources(1) == left .and. destinations(1) == right, 'neighbours in a graph')
    call MPI_Comm_free(graph)
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [left], [3], 1, [right], [3], MPI_INFO_NULL, .false., graph)
    call MPI_Dist_graph_neighbors(graph, 1, sources, weights, 1, destinations, weights)
    call check(weights(1) == 3, 'weights')
    call MPI_Comm_free(graph)
  end subroutine

  subroutine types
    type(MPI_Datatype) :: pair, part, found(2)
    integer :: integers(4), addresses, counts, kinds, combiner
    integer(kind=MPI_ADDRESS_KIND) :: places(2), at(2), base
    integer, target :: number
    real, target :: value
    call MPI_Get_address(number, at(1))
    call MPI_Get_address(value, at(2))
    call MPI_Type_create_struct(2, [1, 1], at, [MPI_INTEGER, MPI_REAL], pair)
    call MPI_Type_commit(pair)
    number = rank
    value = rank + 0.5
    ! From and to absolute addresses.
    call MPI_Sendrecv_replace(MPI_BOTTOM, 1, pair, right, 2, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_F_sync_reg(number)
    call MPI_F_sync_reg(value)
    call check(number == left .and. value == left + 0.5, 'absolute addresses')
    call MPI_Type_get_envelope(pair, integers(1), addresses, kinds, combiner)
    call check(combiner == MPI_COMBINER_STRUCT .and. integers(1) == 3 .and. kinds == 2, 'an envelope')
    call MPI_Type_get_contents(pair, 3, 2, 2, integers, places, found)
    call check(found(1) == MPI_INTEGER .and. found(2) == MPI_REAL .and. all(places == at), 'contents')
    call MPI_Type_free(pair)
    call MPI_Type_create_subarray(2, [4, 4], [2, 2], [1, 1], MPI_ORDER_FORTRAN, MPI_INTEGER, part)
    call MPI_Type_size(part, counts)
    call check(counts == 16, 'a part of an array')
    call MPI_Type_free(part)
    base = MPI_Aint_add(at(1), 8_MPI_ADDRESS_KIND)
    call check(MPI_Aint_diff(base, at(1)) == 8, 'addresses')
    call check(MPI_Wtime() > 0 .and. MPI_Wtick() < 1, 'the time')
  end subroutine

  subroutine windows
    type(MPI_Win) :: window
    type(c_ptr) :: base
    integer, pointer :: memory(:)
    integer :: number
    integer(kind=MPI_ADDRESS_KIND) :: value
    logical :: there
    call MPI_Win_allocate(40_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, base, window)
    call c_f_pointer(base, memory, [10])
    call MPI_Win_get_attr(window, MPI_WIN_SIZE, value, there)
    call check(there .and. value == 40, "a window's size")
    call MPI_Win_get_attr(window, MPI_WIN_DISP_UNIT, value, there)
    call check(value == 4, "a window's unit")
    memory = -1
    call MPI_Win_fence(0, window)
    call MPI_Put(rank, 1, MPI_INTEGER, right, 3_MPI_ADDRESS_KIND, 1, MPI_INTEGER, window)
    call MPI_Win_fence(0, window)
    call check(memory(4) == left, 'what was put')
    call MPI_Win_lock(MPI_LOCK_SHARED, left, 0, window)
    call MPI_Fetch_and_op(rank, number, MPI_INTEGER, left, 3_MPI_ADDRESS_KIND, MPI_NO_OP, window)
    call MPI_Win_unlock(left, window)
    call check(number == modulo(left - 1, ranks), 'what was fetched')
    call MPI_Win_free(window)
    call check(window == MPI_WIN_NULL, 'a freed window')
  end subroutine

  subroutine files
    type(MPI_File) :: file
    type(MPI_Status) :: status
    integer :: numbers(2), count, error
    integer(kind=MPI_OFFSET_KIND) :: size, now
    character(len=40) :: name
    call MPI_File_open(MPI_COMM_WORLD, 'no such folder/file', MPI_MODE_RDONLY, MPI_INFO_NULL, file, error)
    call check(error /= MPI_SUCCESS, 'a file that is not there')
    call system_clock(now) ! other shapes of this test run at the same time
    write (name, '(a, i0)') 'with_f08.data.', now
    call MPI_Bcast(name, len(name), MPI_CHARACTER, 0, MPI_COMM_WORLD)
    call MPI_File_open(MPI_COMM_WORLD, name, ior(MPI_MODE_CREATE, ior(MPI_MODE_RDWR, MPI_MODE_DELETE_ON_CLOSE)), &
                       MPI_INFO_NULL, file)
    call MPI_File_write_at_all(file, 8_MPI_OFFSET_KIND * rank, [rank, -rank], 2, MPI_INTEGER, status)
    call MPI_Get_count(status, MPI_INTEGER, count)
    call check(count == 2, 'what was written')
    call MPI_File_sync(file)
    call MPI_Barrier(MPI_COMM_WORLD)
    call MPI_File_sync(file)
    call MPI_File_read_at(file, 8_MPI_OFFSET_KIND * left, numbers, 2, MPI_INTEGER, MPI_STATUS_IGNORE)
    call check(all(numbers == [left, -left]), 'what was read')
    call MPI_File_get_size(file, size)
    call check(size == 8 * ranks, 'the size of a file')
    call MPI_File_close(file)
    call check(file == MPI_FILE_NULL, 'a closed file')
  end subroutine
end program
