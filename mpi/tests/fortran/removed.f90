! SPDX-License-Identifier: Apache-2.0
! The procedures that MPI-3.0 removed give what those give that took their place.
module common_data
  implicit none
  integer, save :: numbers(10)
  double precision, save :: reals(10)
  integer, save :: errors = 0
contains
  subroutine count_error(comm, code)
    integer :: comm, code
    errors = errors + 1
  end subroutine
end module

program removed
  use common_data
  use checks
  implicit none
  include 'mpif.h'
  integer :: code
  call MPI_INIT(code)
  call extents()
  call vectors()
  call structures()
  call markers_within()
  call addresses()
  call handlers()
  call MPI_FINALIZE(code)
contains
  subroutine expect_bounds(type, lower, upper, what)
    integer, intent(in) :: type, lower, upper
    character(*), intent(in) :: what
    integer :: lb, ub, extent
    integer(MPI_ADDRESS_KIND) :: true_lb, true_extent
    call MPI_TYPE_LB(type, lb, code)
    call MPI_TYPE_UB(type, ub, code)
    call MPI_TYPE_EXTENT(type, extent, code)
    call check(lb == lower .and. ub == upper .and. extent == upper - lower, what)
    call MPI_TYPE_GET_EXTENT(type, true_lb, true_extent, code)
    call check(true_lb == lower .and. true_extent == upper - lower, what // ' by today''s call')
  end subroutine

  subroutine extents()
    integer :: type
    integer(MPI_ADDRESS_KIND) :: low = -8, size = 3000000000_MPI_ADDRESS_KIND
    call expect_bounds(MPI_DOUBLE_PRECISION, 0, 8, 'bounds of a predefined type')
    call MPI_TYPE_CREATE_RESIZED(MPI_INTEGER, low, 24_MPI_ADDRESS_KIND, type, code)
    call expect_bounds(type, -8, 16, 'bounds of a resized type')
    call MPI_TYPE_FREE(type, code)
    call MPI_TYPE_CREATE_RESIZED(MPI_INTEGER, low, size, type, code)
    call refused(type)
    call MPI_TYPE_FREE(type, code)
  end subroutine

  !> An extent of more than a default integer can say is an error.
  subroutine refused(type)
    integer, intent(in) :: type
    integer :: extent
    call MPI_COMM_SET_ERRHANDLER(MPI_COMM_SELF, MPI_ERRORS_RETURN, code)
    extent = 77
    call MPI_TYPE_EXTENT(type, extent, code)
    call check(code == MPI_ERR_ARG .and. extent == 77, 'an extent that does not fit')
    call MPI_COMM_SET_ERRHANDLER(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL, code)
  end subroutine

  !> Sends all of `from` by one type to oneself and receives plain integers.
  subroutine expect_sent(type, wanted, what)
    integer, intent(in) :: type, wanted(:)
    character(*), intent(in) :: what
    integer :: got(size(wanted)), from(12), i
    from = [(i, i=1, 12)]
    call MPI_TYPE_COMMIT(type, code)
    call MPI_SENDRECV(from, 1, type, 0, 1, got, size(got), MPI_INTEGER, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE, code)
    call check(all(got == wanted), what)
    call MPI_TYPE_FREE(type, code)
  end subroutine

  subroutine vectors()
    integer :: type
    call MPI_TYPE_HVECTOR(3, 2, 16, MPI_INTEGER, type, code)
    call expect_bounds(type, 0, 40, 'bounds of a vector')
    call expect_sent(type, [1, 2, 5, 6, 9, 10], 'a vector')
    call MPI_TYPE_HINDEXED(3, [1, 2, 1], [8, 16, 0], MPI_INTEGER, type, code)
    call expect_sent(type, [3, 5, 6, 1], 'an indexed type')
  end subroutine

  subroutine structures()
    integer :: type, refused_type
    call MPI_TYPE_STRUCT(2, [2, 1], [4, 24], [MPI_INTEGER, MPI_INTEGER], type, code)
    call expect_bounds(type, 4, 28, 'bounds of a structure')
    call expect_sent(type, [2, 3, 7], 'a structure')
    call MPI_TYPE_STRUCT(4, [1, 1, 1, 1], [-4, 4, 0, 40], [MPI_LB, MPI_INTEGER, MPI_UB, MPI_UB], type, code)
    call expect_bounds(type, -4, 40, 'bounds by markers')
    call expect_sent(type, [2], 'a structure with markers')
    call MPI_TYPE_STRUCT(2, [1, 0], [4, 400], [MPI_INTEGER, MPI_UB], type, code)
    call expect_bounds(type, 4, 8, 'a marker that is there no times')
    call MPI_TYPE_FREE(type, code)
    call MPI_COMM_SET_ERRHANDLER(MPI_COMM_WORLD, MPI_ERRORS_RETURN, code)
    call MPI_COMM_SET_ERRHANDLER(MPI_COMM_SELF, MPI_ERRORS_RETURN, code)
    call MPI_TYPE_STRUCT(-1, [1], [4], [MPI_INTEGER], refused_type, code)
    call check(code /= MPI_SUCCESS, 'a count below 0')
    call MPI_TYPE_CONTIGUOUS(1, MPI_UB, refused_type, code)
    call check(code /= MPI_SUCCESS, 'a marker is no type elsewhere')
    call MPI_COMM_SET_ERRHANDLER(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL, code)
    call MPI_COMM_SET_ERRHANDLER(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL, code)
  end subroutine

  !> A marker of a part holds for the whole: the highest one counts.
  subroutine markers_within()
    integer :: part, type
    call MPI_TYPE_STRUCT(2, [1, 1], [0, 20], [MPI_INTEGER, MPI_UB], part, code)
    call expect_bounds(part, 0, 20, 'a part with a marker')
    call MPI_TYPE_STRUCT(2, [2, 1], [4, 30], [part, MPI_UB], type, code)
    call expect_bounds(type, 4, 44, 'markers of parts')
    call expect_sent(type, [2, 7], 'a structure of parts with markers')
    call MPI_TYPE_FREE(part, code)
  end subroutine

  subroutine addresses()
    integer :: places(2), type
    call MPI_ADDRESS(numbers(2), places(1), code)
    call MPI_ADDRESS(numbers(7), places(2), code)
    call check(places(2) - places(1) == 20, 'a distance')
    call MPI_ADDRESS(reals(1), places(1), code)
    call MPI_ADDRESS(reals(4), places(2), code)
    call check(places(2) - places(1) == 24, 'a distance of reals')
    call MPI_TYPE_STRUCT(2, [1, 1], [0, places(2) - places(1)], [MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION], type, code)
    call expect_bounds(type, 0, 32, 'a structure by addresses')
    call MPI_TYPE_FREE(type, code)
  end subroutine

  subroutine handlers()
    integer :: handler, before
    integer :: nowhere = 0
    call MPI_ERRHANDLER_CREATE(count_error, handler, code)
    call MPI_ERRHANDLER_SET(MPI_COMM_WORLD, handler, code)
    call MPI_ERRHANDLER_GET(MPI_COMM_WORLD, before, code)
    call check(before == handler, 'the handler that was set')
    call MPI_SEND(nowhere, 1, MPI_INTEGER, 100000, 0, MPI_COMM_WORLD, code)
    call check(errors == 1, 'the handler is called')
    call MPI_ERRHANDLER_SET(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL, code)
    call MPI_ERRHANDLER_FREE(before, code)
    call MPI_ERRHANDLER_FREE(handler, code)
    call check(MPI_COMBINER_STRUCT_INTEGER /= MPI_COMBINER_STRUCT, 'combiners are there')
  end subroutine
end program
