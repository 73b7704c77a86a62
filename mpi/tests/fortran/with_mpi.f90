! SPDX-License-Identifier: Apache-2.0
! Programs of the module mpi: handles are integers, statuses arrays of them; choice arguments of every type and rank;
! addresses as integers and as TYPE(C_PTR); callbacks without an interface.
program with_mpi
  use mpi
  use checks
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: rank, ranks, left, right, error
  integer :: called = 0
  external :: add_squares

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  left = modulo(rank - 1, ranks)
  right = modulo(rank + 1, ranks)
  call messages
  call memory
  call operations
  call attributes
  call conversions
  call MPI_Finalize(error)
contains

  subroutine messages
    integer :: status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 2), requests(2), count, number
    character(len=5) :: letters
    real :: matrix(2, 3)
    complex :: one
    logical :: flag
    letters = 'rank' // char(iachar('0') + modulo(rank, 10))
    call MPI_Sendrecv_replace(letters, 5, MPI_CHARACTER, right, 1, left, 1, MPI_COMM_WORLD, status, error)
    call check(letters == 'rank' // char(iachar('0') + modulo(left, 10)), 'letters')
    call check(status(MPI_SOURCE) == left .and. status(MPI_TAG) == 1, 'a status')
    call MPI_Get_count(status, MPI_CHARACTER, count, error)
    call check(count == 5, 'a count')
    matrix = rank
    one = cmplx(rank, -rank)
    call MPI_Isend(one, 1, MPI_COMPLEX, right, 2, MPI_COMM_WORLD, requests(1), error)
    call MPI_Irecv(matrix, 6, MPI_REAL, left, 2, MPI_COMM_WORLD, requests(2), error)
    call MPI_Waitall(2, requests, statuses, error)
    call MPI_F_sync_reg(matrix)
    call check(matrix(1, 1) == left .and. matrix(2, 1) == -left .and. matrix(1, 2) == rank, 'one complex number')
    call MPI_Get_elements(statuses(:, 2), MPI_REAL, count, error)
    call check(count == 2 .and. statuses(MPI_TAG, 2) == 2, 'one of several statuses')
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
    call check(all(requests == MPI_REQUEST_NULL), 'requests that are complete')
    number = 1
    call MPI_Allreduce(MPI_IN_PLACE, number, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    call check(number == ranks, 'a sum in place')
    call MPI_Op_commutative(MPI_SUM, flag, error)
    call check(flag, 'a logical')
    call MPI_Sizeof(one, count, error)
    call check(count == 8, 'a size')
  end subroutine

  subroutine memory
    integer(kind=MPI_ADDRESS_KIND) :: address
    type(c_ptr) :: pointer
    integer, pointer :: numbers(:)
    integer :: window
    call MPI_Alloc_mem(400_MPI_ADDRESS_KIND, MPI_INFO_NULL, address, error)
    call check(address /= 0, 'an address')
    pointer = transfer(address, pointer)
    call MPI_Win_create(pointer_to(pointer), 400_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window, error)
    numbers => pointer_to(pointer)
    numbers = -1
    call MPI_F_sync_reg(numbers)
    call MPI_Win_fence(0, window, error)
    call MPI_Put(rank, 1, MPI_INTEGER, right, 99_MPI_ADDRESS_KIND, 1, MPI_INTEGER, window, error)
    call MPI_Win_fence(0, window, error)
    call MPI_F_sync_reg(numbers)
    call check(numbers(100) == left, 'what was put')
    call MPI_Win_free(window, error)
    call MPI_Free_mem(numbers, error)
    call MPI_Alloc_mem(40_MPI_ADDRESS_KIND, MPI_INFO_NULL, pointer, error)
    numbers => pointer_to(pointer)
    numbers(10) = 5
    call MPI_Free_mem(numbers, error)
  end subroutine

  function pointer_to(pointer) result(numbers)
    type(c_ptr), intent(in) :: pointer
    integer, pointer :: numbers(:)
    call c_f_pointer(pointer, numbers, [100])
  end function

  subroutine operations
    integer :: op, result(3)
    call MPI_Op_create(add_squares, .true., op, error)
    call MPI_Reduce([1, 2, 3] * rank, result, 3, MPI_INTEGER, op, 0, MPI_COMM_WORLD, error)
    call MPI_Op_free(op, error)
    if (rank == 0) call check(all(result == [1, 2, 3] * (ranks * (ranks - 1) / 2)), 'an operation of the program')
  end subroutine

  subroutine attributes
    integer :: key, copy, old_key, number
    integer(kind=MPI_ADDRESS_KIND) :: value
    logical :: there
    call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, key, 0_MPI_ADDRESS_KIND, error)
    call MPI_Keyval_create(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, old_key, 0, error)
    call MPI_Comm_set_attr(MPI_COMM_SELF, key, -5_MPI_ADDRESS_KIND, error)
    call MPI_Attr_put(MPI_COMM_SELF, old_key, -6, error)
    call MPI_Attr_get(MPI_COMM_SELF, old_key, number, there, error)
    call check(there .and. number == -6, 'an attribute of MPI-1')
    call MPI_Comm_dup(MPI_COMM_SELF, copy, error)
    call MPI_Comm_get_attr(copy, key, value, there, error)
    call check(there .and. value == -5, 'a copied attribute')
    call MPI_Attr_get(copy, old_key, number, there, error)
    call check(.not. there, 'an attribute that is not copied')
    call MPI_Comm_free(copy, error)
    call MPI_Comm_delete_attr(MPI_COMM_SELF, key, error)
    call MPI_Attr_delete(MPI_COMM_SELF, old_key, error)
    call MPI_Comm_free_keyval(key, error)
    call MPI_Keyval_free(old_key, error)
  end subroutine

  subroutine conversions
    integer :: old(MPI_STATUS_SIZE), again(MPI_STATUS_SIZE)
    type(MPI_Status) :: new
    call MPI_Sendrecv(rank, 1, MPI_INTEGER, right, 3, called, 1, MPI_INTEGER, left, 3, MPI_COMM_WORLD, old, error)
    call MPI_Status_f2f08(old, new, error)
    call check(new%MPI_SOURCE == left .and. new%MPI_TAG == 3, 'a status of mpi_f08')
    call MPI_Status_f082f(new, again, error)
    call check(all(again == old), 'the status again')
  end subroutine
end program

subroutine add_squares(in, inout, len, datatype)
  integer, intent(in) :: len, datatype
  integer :: in(len), inout(len)
  inout = inout + in
end subroutine
