! SPDX-License-Identifier: Apache-2.0
! Sections whose elements are no integers one after the other: components and parts of numbers, texts, objects, buffers
! of no known size; blocks for each rank or partition; and what cannot be a section, which is refused.
program section_kinds
  use mpi_f08
  use checks
  use, intrinsic :: iso_c_binding
  implicit none
  type :: sample
    sequence
    integer :: number, weight
    real(kind=8) :: value
  end type
  integer :: rank, ranks, left, right

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  left = modulo(rank - 1, ranks)
  right = modulo(rank + 1, ranks)
  call components
  call objects
  call parts_of_numbers
  call texts
  call wider_elements
  call deep_sections
  call large_sections
  call shorter_messages
  call blocks_of_ranks
  call partitions
  call places
  call split_reads
  call converted_files
  call refused
  call MPI_Finalize()
contains

  !> Strides that are no multiples of an element.
  subroutine components
    type(sample), asynchronous :: from(10), into(10)
    type(MPI_Request) :: requests(2)
    integer :: i
    do i = 1, 10
      from(i) = sample(100 * rank + i, -i, i)
      into(i) = sample(0, 0, 0)
    end do
    call MPI_Irecv(into(10:1:-1)%weight, 7, MPI_INTEGER, left, 1, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(from%number, 7, MPI_INTEGER, right, 1, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call check(all(into%weight == [(0, i = 1, 3), (100 * left + i, i = 7, 1, -1)]), 'components')
    call check(all(into%number == 0) .and. all(into%value == 0), 'other components')
  end subroutine

  subroutine objects
    type(sample) :: from(4, 6), into(4, 6)
    type(MPI_Datatype) :: type
    integer :: i, j
    do j = 1, 6
      do i = 1, 4
        from(i, j) = sample(100 * rank + 10 * i + j, i, j)
        into(i, j) = sample(0, 0, 0)
      end do
    end do
    call MPI_Type_create_struct(2, [1, 1], [0_MPI_ADDRESS_KIND, 8_MPI_ADDRESS_KIND], [MPI_INTEGER, MPI_REAL8], type)
    call MPI_Type_commit(type)
    call MPI_Sendrecv(from(1:4:3, 6:1:-2), 5, type, right, 1, into(2:4:2, 1:6:2), 5, type, left, 1, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE)
    call MPI_Type_free(type)
    call check(all([into(2:4:2, 1:6:2)%number] == [116, 146, 114, 144, 112, 0] + 100 * [left - 1, left - 1, left - 1, &
               left - 1, left - 1, 0]), 'numbers of objects')
    call check(all([into(2:4:2, 1:6:2)%value] == [6, 6, 4, 4, 2, 0]), 'values of objects')
    call check(all(into%weight == 0) .and. all(into(1:3:2, :)%number == 0), 'gaps between objects')
  end subroutine

  subroutine parts_of_numbers
    complex :: from(5), into(5)
    integer :: i
    from = [(cmplx(rank + i, -i), i = 1, 5)]
    into = 0
    call MPI_Sendrecv(from%re, 5, MPI_REAL, right, 1, into%im, 5, MPI_REAL, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call check(all(into == [(cmplx(0, left + i), i = 1, 5)]), 'parts of complex numbers')
    into = 0
    call MPI_Sendrecv(from(1:5:2), 5, MPI_REAL, right, 1, into(5:1:-2), 5, MPI_REAL, left, 1, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE)
    call check(all(into(5:1:-2) == [cmplx(left + 1, -1), cmplx(left + 3, -3), cmplx(left + 5, 0)]), 'half a number')
  end subroutine

  subroutine texts
    character(len=5) :: from(4), into(4)
    character(len=:), allocatable :: longer(:, :)
    from = ['abcde', 'fghij', 'klmno', 'pqrst']
    into = '-----'
    call MPI_Sendrecv(from(4:1:-3), 8, MPI_CHARACTER, right, 1, into(1:4:2), 8, MPI_CHARACTER, left, 1, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE)
    call check(all(into == ['pqrst', '-----', 'abc--', '-----']), 'texts')
    into = '-----'
    call MPI_Sendrecv(from(:)(2:3), 7, MPI_CHARACTER, right, 1, into(:)(4:5), 7, MPI_CHARACTER, left, 1, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call check(all(into == ['---bc', '---gh', '---lm', '---q-']), 'parts of texts')
    allocate (character(len=3) :: longer(3, 4))
    longer = 'xyz'
    longer(1, :) = ['one', 'two', 'six', 'ten']
    into = '-----'
    call MPI_Sendrecv(longer(1, :), 12, MPI_CHARACTER, right, 1, into, 12, MPI_CHARACTER, left, 1, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE)
    call check(all(into == ['onetw', 'osixt', 'en---', '-----']), 'texts of a length that is found out')
  end subroutine

  !> Each of the datatype's elements lies in several of the section's.
  subroutine wider_elements
    integer :: from(9, 3), into(9)
    integer :: i
    from = reshape([(100 * rank + i, i = 1, 27)], [9, 3])
    into = 0
    call MPI_Sendrecv(from(1:9:3, :), 4, MPI_INTEGER8, right, 1, into, 4, MPI_INTEGER8, left, 1, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE)
    call check(all(into == [1, 4, 7, 10, 13, 16, 19, 22, -100 * left] + 100 * left), 'wider elements')
  end subroutine

  !> As many dimensions as there can be, none of which goes on where the one before ends.
  subroutine deep_sections
    integer, allocatable :: from(:, :, :, :, :, :, :, :, :, :, :, :, :, :, :), copy(:), into(:)
    integer :: i, count
    allocate (from(2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2), into(32768))
    from = reshape([(i, i = 1, 32768)], shape(from))
    copy = [from(2:1:-1, :, 2:1:-1, :, 2:1:-1, :, 2:1:-1, :, 2:1:-1, :, 2:1:-1, :, 2:1:-1, :, 2:1:-1)]
    do count = 1, 32768, 1057
      into = -1
      call MPI_Sendrecv(from(2:1:-1, :, 2:1:-1, :, 2:1:-1, :, 2:1:-1, :, 2:1:-1, :, 2:1:-1, :, 2:1:-1, :, 2:1:-1), &
                        count, MPI_INTEGER, right, 1, into, 32768, MPI_INTEGER, left, 1, MPI_COMM_WORLD, &
                        MPI_STATUS_IGNORE)
      call check(all(into(:count) == copy(:count)) .and. all(into(count + 1:) == -1), 'fifteen dimensions')
    end do
  end subroutine

  !> Messages that are under way when the calls have returned, by types that the calls have made and given up.
  subroutine large_sections
    integer, allocatable, asynchronous :: from(:, :), into(:, :)
    integer, allocatable :: copy(:), expected(:)
    type(MPI_Request) :: requests(4)
    type(MPI_Datatype) :: type
    integer :: i, j, n
    allocate (from(1000, 700), into(1000, 700))
    from = reshape([((1000000 * rank + 1000 * j + i, i = 1, 1000), j = 1, 700)], [1000, 700])
    into = -1
    n = 500 * 234 - 77
    call MPI_Type_vector(n / 3, 1, 3, MPI_INTEGER, type)
    call MPI_Type_commit(type)
    call MPI_Irecv(into(1000:1:-2, 1:700:3), n, MPI_INTEGER, left, 1, MPI_COMM_WORLD, requests(1))
    call MPI_Irecv(into(1:1000:2, 700:1:-3), 1, type, left, 2, MPI_COMM_WORLD, requests(2))
    call MPI_Isend(from(1:1000:2, 700:1:-3), n, MPI_INTEGER, right, 1, MPI_COMM_WORLD, requests(3))
    call MPI_Isend(from(1000:1:-2, 1:700:3), 1, type, right, 2, MPI_COMM_WORLD, requests(4))
    call MPI_Type_free(type)
    call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE)
    from = from + 1000000 * (left - rank)
    expected = pack(from(1:1000:2, 700:1:-3), .true.)
    copy = pack(into(1000:1:-2, 1:700:3), .true.)
    call check(all(copy(:n) == expected(:n)) .and. all(copy(n + 1:) == -1), 'a large section')
    expected = pack(from(1000:1:-2, 1:700:3), .true.)
    copy = pack(into(1:1000:2, 700:1:-3), .true.)
    call check(all(copy(1:n / 3 * 3:3) == expected(1:n / 3 * 3:3)), 'a large section with gaps')
    call check(all(copy(2:n:3) == -1) .and. all(copy(3:n:3) == -1), 'the gaps of a large section')
  end subroutine

  subroutine shorter_messages
    integer :: into(20, 3), count, i, expected(30)
    type(MPI_Status) :: status
    into = -1
    call MPI_Sendrecv([(100 * rank + i, i = 1, 13)], 13, MPI_INTEGER, right, 1, into(1:20:2, :), 30, MPI_INTEGER, left, &
                      1, MPI_COMM_WORLD, status)
    call MPI_Get_count(status, MPI_INTEGER, count)
    expected = [(100 * left + i, i = 1, 13), (-1, i = 14, 30)]
    call check(count == 13 .and. all([into(1:20:2, :)] == expected), 'a message shorter than the section')
    call assumed(into, 20)
  end subroutine

  subroutine assumed(into, count)
    integer, intent(in) :: count
    integer :: into(*), i
    call MPI_Sendrecv([(rank + i, i = 1, count)], count, MPI_INTEGER, right, 1, into, count, MPI_INTEGER, left, 1, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call check(all(into(:count) == [(left + i, i = 1, count)]), 'an array of no known size')
  end subroutine

  !> Of calls that go on: a column for each rank.
  subroutine blocks_of_ranks
    integer, asynchronous :: from(5, 2 * ranks), into(5, 2 * ranks)
    type(MPI_Request) :: request
    integer :: i, j
    from = reshape([((100 * rank + 10 * j + i, i = 1, 5), j = 1, 2 * ranks)], [5, 2 * ranks])
    into = -1
    call MPI_Ialltoall(from(1:5:2, 1::2), 3, MPI_INTEGER, into(5:1:-2, 2::2), 3, MPI_INTEGER, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call check(all([into(5:1:-2, 2::2)] == [((100 * j + 10 * (2 * rank + 1) + i, i = 1, 5, 2), j = 0, ranks - 1)]), &
               'columns from each rank')
    call check(all(into(:, 1::2) == -1) .and. all(into(2:4:2, :) == -1), 'other columns')
    into = -1
    call MPI_Igather(from(2:4:2, 1), 2, MPI_INTEGER, into(1:2, :ranks), 2, MPI_INTEGER, 0, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    if (rank == 0) then
      call check(all([into(1:2, :ranks)] == [(100 * j + 12, 100 * j + 14, j = 0, ranks - 1)]), 'columns at the root')
    end if
  end subroutine

  subroutine partitions
    integer, asynchronous :: from(5, 8), into(5, 8)
    type(MPI_Request) :: requests(2)
    integer :: i, j
    from = reshape([((100 * rank + 10 * j + i, i = 1, 5), j = 1, 8)], [5, 8])
    into = -1
    call MPI_Psend_init(from(2:4, 2::2), 4, 3, MPI_INTEGER, right, 1, MPI_COMM_WORLD, MPI_INFO_NULL, requests(1))
    call MPI_Precv_init(into(1:5:2, 1::2), 2, 6, MPI_INTEGER, left, 1, MPI_COMM_WORLD, MPI_INFO_NULL, requests(2))
    call MPI_Startall(2, requests)
    do i = 3, 0, -1
      call MPI_Pready(i, requests(1))
    end do
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call MPI_Request_free(requests(1))
    call MPI_Request_free(requests(2))
    call check(all([into(1:5:2, 1::2)] == [((100 * left + 20 * j + i, i = 2, 4), j = 1, 4)]), 'partitions')
  end subroutine

  subroutine places
    integer, target :: numbers(9)
    integer(kind=MPI_ADDRESS_KIND) :: here, there
    call MPI_Get_address(numbers(3:9:2), here)
    call MPI_Get_address(numbers(3), there)
    call check(here == there, 'the place of a section')
  end subroutine

  !> What ends a read stores nothing that it has not read.
  subroutine split_reads
    integer, asynchronous :: numbers(2, 6)
    type(MPI_File) :: file
    integer(kind=8) :: now
    character(len=60) :: name
    integer :: i
    call system_clock(now)
    call MPI_Bcast(now, 1, MPI_INTEGER8, 0, MPI_COMM_WORLD)
    write (name, '(a, i0)') 'section_kinds.data.', now
    call MPI_File_open(MPI_COMM_WORLD, name, ior(MPI_MODE_CREATE, ior(MPI_MODE_RDWR, MPI_MODE_DELETE_ON_CLOSE)), &
                       MPI_INFO_NULL, file)
    numbers = reshape([(100 * rank + i, i = 1, 12)], [2, 6])
    call MPI_File_write_at_all_begin(file, 24_MPI_OFFSET_KIND * rank, numbers(2, :), 6, MPI_INTEGER)
    call MPI_File_write_at_all_end(file, numbers(2, :), MPI_STATUS_IGNORE)
    numbers = -1
    call MPI_File_read_at_all_begin(file, 24_MPI_OFFSET_KIND * rank, numbers(1, ::2), 3, MPI_INTEGER)
    call MPI_File_read_at_all_end(file, numbers(1, ::2), MPI_STATUS_IGNORE)
    call check(all(numbers(1, ::2) == 100 * rank + [2, 4, 6]) .and. all(numbers(2, :) == -1), 'a read in two parts')
    call MPI_File_close(file)
  end subroutine

  !> Elements of another size in the file than in memory, of which fewer are there than are asked for.
  subroutine converted_files
    integer(kind=8), asynchronous :: numbers(3, 8)
    integer(kind=8) :: now
    type(MPI_File) :: file
    type(MPI_Status) :: status
    character(len=60) :: name
    integer :: i, count
    call system_clock(now)
    call MPI_Bcast(now, 1, MPI_INTEGER8, 0, MPI_COMM_WORLD)
    write (name, '(a, i0, a, i0)') 'section_kinds.portable.', now, '.', rank
    call MPI_File_open(MPI_COMM_SELF, name, ior(MPI_MODE_CREATE, ior(MPI_MODE_RDWR, MPI_MODE_DELETE_ON_CLOSE)), &
                       MPI_INFO_NULL, file)
    call MPI_File_set_view(file, 0_MPI_OFFSET_KIND, MPI_LONG, MPI_LONG, 'external32', MPI_INFO_NULL)
    numbers = reshape([(100_8 * rank + i, i = 1, 24)], [3, 8])
    call MPI_File_write(file, numbers(1:3:2, 8:1:-3), 5, MPI_LONG, status)
    call MPI_Get_count(status, MPI_LONG, count)
    call check(count == 5, 'what was written to a portable file')
    numbers = -1
    call MPI_File_read_at(file, 0_MPI_OFFSET_KIND, numbers(2, :), 8, MPI_LONG, status)
    call MPI_Get_count(status, MPI_LONG, count)
    call check(count == 5, 'what was read from a portable file')
    call check(all(numbers(2, :) == [100 * rank + [22, 24, 13, 15, 4], -1, -1, -1]), 'a portable file')
    call check(all(numbers(1:3:2, :) == -1), 'what lies between what was read')
    call MPI_File_close(file)
  end subroutine

  !> Memory that a call would use after the compiler's copy is gone, and too few elements.
  subroutine refused
    integer, asynchronous :: numbers(10), more(10)
    type(MPI_Request) :: request
    type(MPI_Win) :: window
    integer :: error
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
    numbers = 1
    call MPI_Send(numbers(1:10:2), 6, MPI_INTEGER, right, 1, MPI_COMM_WORLD, error)
    call check(class_of(error) == MPI_ERR_BUFFER, 'more than the section has')
    call MPI_Iallreduce(numbers(1:10:2), more, 5, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request, error)
    call check(class_of(error) == MPI_ERR_BUFFER, 'a section of a reduction that goes on')
    call MPI_Win_create(numbers(1:10:2), 20_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window, error)
    call check(class_of(error) == MPI_ERR_BUFFER, 'a section as a window')
    ! One that waits takes them.
    call MPI_Allreduce(numbers(1:10:2), more(2:10:2), 5, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call check(all(more(2:10:2) == ranks), 'a section of a reduction')
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL)
  end subroutine

  integer function class_of(error)
    integer, intent(in) :: error
    call MPI_Error_class(error, class_of)
  end function
end program
