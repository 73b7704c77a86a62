! SPDX-License-Identifier: Apache-2.0
! Random sections of an array of integers, and random datatypes to be laid over their elements. The contiguous copy of
! a section, with which the standard compares it, is what `flat` gives and `put_flat` stores back. All ranks draw the
! same numbers.
module random_sections
  use mpi_f08
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  integer, parameter :: sizes(4) = [9, 6, 5, 4]
  integer, parameter :: kinds_of_types = 12

  !> base(first:last:step) along the first dimensions, and base(first) along the others.
  type section_bounds
    integer :: rank, first(4), last(4), step(4)
  end type

  integer(int64), private :: state = 20261128
contains

  integer function random_in(low, high)
    integer, intent(in) :: low, high
    state = iand(state * 1103515245_int64 + 12345_int64, 2147483647_int64)
    random_in = low + int(modulo(state / 1024, int(high - low + 1, int64)))
  end function

  type(section_bounds) function random_section() result(s)
    integer :: i, one
    s%rank = random_in(1, 4)
    do i = 1, 4
      s%first(i) = random_in(1, sizes(i))
      s%last(i) = random_in(1, sizes(i))
      one = random_in(1, 3)
      s%step(i) = merge(one, -one, s%last(i) >= s%first(i))
    end do
    if (random_in(1, 30) == 1) s%step(1) = -s%step(1) ! most of them are empty then
  end function

  function flat(base, s) result(values)
    integer, intent(in) :: base(:, :, :, :)
    type(section_bounds), intent(in) :: s
    integer, allocatable :: values(:)
    associate (f => s%first, l => s%last, d => s%step)
      select case (s%rank)
      case (1)
        values = base(f(1):l(1):d(1), f(2), f(3), f(4))
      case (2)
        values = pack(base(f(1):l(1):d(1), f(2), f(3):l(3):d(3), f(4)), .true.)
      case (3)
        values = pack(base(f(1), f(2):l(2):d(2), f(3):l(3):d(3), f(4):l(4):d(4)), .true.)
      case (4)
        values = pack(base(f(1):l(1):d(1), f(2):l(2):d(2), f(3):l(3):d(3), f(4):l(4):d(4)), .true.)
      end select
    end associate
  end function

  subroutine put_flat(base, s, values)
    integer, intent(inout) :: base(:, :, :, :)
    type(section_bounds), intent(in) :: s
    integer, intent(in) :: values(:)
    integer :: n(4)
    n = max(0, (s%last - s%first + s%step) / s%step)
    associate (f => s%first, l => s%last, d => s%step)
      select case (s%rank)
      case (1)
        base(f(1):l(1):d(1), f(2), f(3), f(4)) = values
      case (2)
        base(f(1):l(1):d(1), f(2), f(3):l(3):d(3), f(4)) = reshape(values, [n(1), n(3)])
      case (3)
        base(f(1), f(2):l(2):d(2), f(3):l(3):d(3), f(4):l(4):d(4)) = reshape(values, [n(2), n(3), n(4)])
      case (4)
        base(f(1):l(1):d(1), f(2):l(2):d(2), f(3):l(3):d(3), f(4):l(4):d(4)) = reshape(values, n)
      end select
    end associate
  end subroutine

  !> A committed type: with gaps, of bytes that cut elements, of elements wider than the section's, in another order,
  !> with bounds that are set.
  function random_type(kind) result(made)
    integer, intent(in) :: kind
    type(MPI_Datatype) :: made, part
    select case (kind)
    case (1)
      call MPI_Type_dup(MPI_INTEGER, made)
    case (2)
      call MPI_Type_contiguous(random_in(1, 7), MPI_INTEGER, made)
    case (3)
      call MPI_Type_vector(random_in(1, 5), random_in(1, 2), random_in(2, 4), MPI_INTEGER, made)
    case (4)
      call MPI_Type_indexed(3, [2, 1, 3], [5, 0, 8], MPI_INTEGER, made)
    case (5)
      call MPI_Type_create_struct(3, [1, 5, 1], [4_MPI_ADDRESS_KIND, 9_MPI_ADDRESS_KIND, 16_MPI_ADDRESS_KIND], &
                                  [MPI_INTEGER, MPI_BYTE, MPI_DOUBLE_PRECISION], made)
    case (6)
      call MPI_Type_vector(2, 1, 3, MPI_INTEGER, part)
      call MPI_Type_create_resized(part, -4_MPI_ADDRESS_KIND, 20_MPI_ADDRESS_KIND, made)
      call MPI_Type_free(part)
    case (7)
      call MPI_Type_create_subarray(2, [4, 3], [2, 2], [1, 1], MPI_ORDER_FORTRAN, MPI_INTEGER, made)
    case (8)
      call MPI_Type_dup(MPI_BYTE, made)
    case (9)
      call MPI_Type_dup(MPI_DOUBLE_PRECISION, made)
    case (10)
      call MPI_Type_create_hindexed_block(4, 1, [12_MPI_ADDRESS_KIND, 8_MPI_ADDRESS_KIND, 4_MPI_ADDRESS_KIND, &
                                          0_MPI_ADDRESS_KIND], MPI_INTEGER, made)
    case (11)
      call MPI_Type_contiguous(6, MPI_BYTE, part)
      call MPI_Type_create_resized(part, 0_MPI_ADDRESS_KIND, 7_MPI_ADDRESS_KIND, made)
      call MPI_Type_free(part)
    case (12)
      call MPI_Type_vector(3, 2, 5, MPI_INTEGER, part)
      call MPI_Type_create_resized(part, 0_MPI_ADDRESS_KIND, 8_MPI_ADDRESS_KIND, made)
      call MPI_Type_free(part)
    end select
    call MPI_Type_commit(made)
  end function

  !> Whether different elements of a type, or one after the other, have bytes in common.
  logical function overlaps(kind)
    integer, intent(in) :: kind
    overlaps = kind == 12
  end function

  !> How many elements of a type fit into so many bytes.
  integer function most_elements(type, bytes)
    type(MPI_Datatype), intent(in) :: type
    integer, intent(in) :: bytes
    integer(kind=MPI_ADDRESS_KIND) :: lower, extent, true_lower, true_extent
    call MPI_Type_get_extent(type, lower, extent)
    call MPI_Type_get_true_extent(type, true_lower, true_extent)
    most_elements = 0
    if (bytes >= true_lower + true_extent) most_elements = int((bytes - true_lower - true_extent) / extent) + 1
  end function
end module
