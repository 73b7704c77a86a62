! SPDX-License-Identifier: Apache-2.0
! Buffers of mpi_f08 that are random sections of an array, with random datatypes and counts, in every kind of call that
! takes them as they are. Each is compared with the contiguous copy of the section, packed and unpacked.
program sections
  use mpi_f08
  use checks
  use random_sections
  use section_calls
  implicit none
  integer, parameter :: trials = 1200
  integer, asynchronous, target :: base(sizes(1), sizes(2), sizes(3), sizes(4))
  integer(1) :: packed(most_bytes)
  integer(1), asynchronous :: got(most_bytes)
  integer :: trial, kind, bytes, count
  type(section_bounds) :: s
  type(MPI_Datatype) :: type

  call MPI_Init()
  call open_all
  do trial = 1, trials
    s = random_section()
    kind = random_in(1, kinds_of_types)
    type = random_type(kind)
    base = numbers_of(left)
    count = random_in(0, most_elements(type, 4 * size(flat(base, s))))
    if (random_in(1, 3) == 1) count = most_elements(type, 4 * size(flat(base, s)))
    call pack_copy
    call try_out(random_in(1, ways_out))
    if (.not. overlaps(kind)) call try_in(random_in(1, ways_in))
    call MPI_Type_free(type)
  end do
  call close_all
  call MPI_Finalize()
contains

  function numbers_of(who) result(values)
    integer, intent(in) :: who
    integer :: values(sizes(1), sizes(2), sizes(3), sizes(4)), i
    values = reshape([(1000000 * (who + 1) + 7 * i, i = 1, product(sizes))], sizes)
  end function

  logical function of_integers()
    of_integers = .not. any(kind == [5, 8, 9, 11])
  end function

  subroutine pack_copy
    integer, allocatable :: copy(:)
    copy = [flat(base, s), 0]
    bytes = 0
    call MPI_Pack(copy, count, type, packed, most_bytes, bytes, MPI_COMM_SELF)
  end subroutine

  subroutine try_out(way)
    integer, intent(in) :: way
    if (way == 20 .and. .not. of_integers()) return
    base = numbers_of(rank)
    got = 0
    associate (f => s%first, l => s%last, d => s%step)
      select case (s%rank)
      case (1)
        call move_out(way, base(f(1):l(1):d(1), f(2), f(3), f(4)), count, type, got, bytes)
      case (2)
        call move_out(way, base(f(1):l(1):d(1), f(2), f(3):l(3):d(3), f(4)), count, type, got, bytes)
      case (3)
        call move_out(way, base(f(1), f(2):l(2):d(2), f(3):l(3):d(3), f(4):l(4):d(4)), count, type, got, bytes)
      case (4)
        call move_out(way, base(f(1):l(1):d(1), f(2):l(2):d(2), f(3):l(3):d(3), f(4):l(4):d(4)), count, type, got, &
                      bytes)
      end select
    end associate
    call MPI_F_sync_reg(got)
    if (any(got(:bytes) /= packed(:bytes))) call report('out of', way)
    call check(all(base == numbers_of(rank)), 'what is read only')
  end subroutine

  subroutine try_in(way)
    integer, intent(in) :: way
    integer :: expected(sizes(1), sizes(2), sizes(3), sizes(4)), position
    integer, allocatable :: copy(:)
    integer(1), asynchronous :: sent(most_bytes)
    if (any(way == [18, 19]) .and. .not. of_integers()) return
    expected = -1
    copy = [flat(expected, s), 0]
    position = 0
    call MPI_Unpack(packed, bytes, position, copy, count, type, MPI_COMM_SELF)
    call put_flat(expected, s, copy(:size(copy) - 1))
    call MPI_Sendrecv(packed, bytes, MPI_PACKED, left, 99, sent, bytes, MPI_PACKED, right, 99, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE)
    base = -1
    associate (f => s%first, l => s%last, d => s%step)
      select case (s%rank)
      case (1)
        call move_in(way, base(f(1):l(1):d(1), f(2), f(3), f(4)), count, type, sent, bytes)
      case (2)
        call move_in(way, base(f(1):l(1):d(1), f(2), f(3):l(3):d(3), f(4)), count, type, sent, bytes)
      case (3)
        call move_in(way, base(f(1), f(2):l(2):d(2), f(3):l(3):d(3), f(4):l(4):d(4)), count, type, sent, bytes)
      case (4)
        call move_in(way, base(f(1):l(1):d(1), f(2):l(2):d(2), f(3):l(3):d(3), f(4):l(4):d(4)), count, type, sent, &
                     bytes)
      end select
    end associate
    call MPI_F_sync_reg(base)
    if (any(base /= expected)) call report('into', way)
  end subroutine

  subroutine report(direction, way)
    character(len=*), intent(in) :: direction
    integer, intent(in) :: way
    print '(3a, i0, a, i0, a, i0, a, i0, a, i0)', 'wrong data ', direction, ' a section: way ', way, ', trial ', trial, &
      ', type ', kind, ', count ', count, ', rank ', s%rank
    print '(a, 3(4i3, a))', 'first ', s%first, ' last ', s%last, ' step ', s%step
    error stop 1
  end subroutine
end program
