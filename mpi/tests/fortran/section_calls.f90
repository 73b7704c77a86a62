! SPDX-License-Identifier: Apache-2.0
! Each way to move the data of a buffer, which arrives here as it is given: out of it, to bytes, and from bytes into it.
! Messages go to the rank on the right and come from the left.
module section_calls
  use mpi_f08
  implicit none
  integer, parameter :: ways_out = 25, ways_in = 23
  integer :: rank, ranks, left, right
  type(MPI_File) :: file
  type(MPI_Win) :: window
  integer, parameter :: most_bytes = 16384
  integer(1), asynchronous :: memory(most_bytes)
contains

  subroutine open_all
    integer(kind=8) :: now
    character(len=60) :: name
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    left = modulo(rank - 1, ranks)
    right = modulo(rank + 1, ranks)
    call system_clock(now) ! other shapes of this test run at the same time
    call MPI_Bcast(now, 1, MPI_INTEGER8, 0, MPI_COMM_WORLD)
    write (name, '(a, i0, a, i0)') 'sections.data.', now, '.', rank
    call MPI_File_open(MPI_COMM_SELF, name, ior(MPI_MODE_CREATE, ior(MPI_MODE_RDWR, MPI_MODE_DELETE_ON_CLOSE)), &
                       MPI_INFO_NULL, file)
    call MPI_Win_create(memory, int(most_bytes, MPI_ADDRESS_KIND), 1, MPI_INFO_NULL, MPI_COMM_WORLD, window)
  end subroutine

  subroutine close_all
    call MPI_Win_free(window)
    call MPI_File_close(file)
  end subroutine

  !> Moves the data of the left rank's `buf` to `got`. With a gap between elements and MPI_BYTE at one end only, signatures
  !> fit.
  subroutine move_out(way, buf, count, type, got, bytes)
    integer, intent(in) :: way, count, bytes
    type(*), dimension(..), asynchronous :: buf
    type(MPI_Datatype), intent(in) :: type
    integer(1), asynchronous, intent(inout) :: got(:)
    type(MPI_Request) :: in, out
    integer(1), allocatable :: all(:)
    integer(kind=MPI_COUNT_KIND) :: large
    if (way <= 11) call MPI_Irecv(got, bytes, MPI_PACKED, left, way, MPI_COMM_WORLD, in)
    if (way >= 12 .and. way <= 18) call MPI_File_seek(file, 0_MPI_OFFSET_KIND, MPI_SEEK_SET)
    if (way >= 12 .and. way <= 18) call MPI_File_seek_shared(file, 0_MPI_OFFSET_KIND, MPI_SEEK_SET)
    select case (way)
    case (1)
      call MPI_Send(buf, count, type, right, way, MPI_COMM_WORLD)
    case (2)
      call MPI_Ssend(buf, count, type, right, way, MPI_COMM_WORLD)
    case (3)
      call MPI_Isend(buf, count, type, right, way, MPI_COMM_WORLD, out)
      call MPI_Wait(out, MPI_STATUS_IGNORE)
    case (4)
      call MPI_Issend(buf, count, type, right, way, MPI_COMM_WORLD, out)
      call MPI_Wait(out, MPI_STATUS_IGNORE)
    case (5, 6)
      if (way == 5) call MPI_Send_init(buf, count, type, right, way, MPI_COMM_WORLD, out)
      if (way == 6) call MPI_Ssend_init(buf, count, type, right, way, MPI_COMM_WORLD, out)
      call MPI_Start(out)
      call MPI_Wait(out, MPI_STATUS_IGNORE)
      call MPI_Request_free(out)
    case (7)
      call MPI_Sendrecv(buf, count, type, right, way, all, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &
                        MPI_STATUS_IGNORE)
    case (8)
      call MPI_Isendrecv(buf, count, type, right, way, all, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, out)
      call MPI_Wait(out, MPI_STATUS_IGNORE)
    case (9)
      large = count
      call MPI_Send(buf, large, type, right, way, MPI_COMM_WORLD)
    case (10)
      allocate (all(bytes + MPI_BSEND_OVERHEAD))
      call MPI_Buffer_attach(all, size(all))
      call MPI_Bsend(buf, count, type, right, way, MPI_COMM_WORLD)
      block
        use, intrinsic :: iso_c_binding, only: c_ptr
        type(c_ptr) :: detached
        integer :: length
        call MPI_Buffer_detach(detached, length)
      end block
    case (11)
      call MPI_Ibsend(buf, 0, type, MPI_PROC_NULL, way, MPI_COMM_WORLD, out)
      call MPI_Wait(out, MPI_STATUS_IGNORE)
      call MPI_Send(buf, count, type, right, way, MPI_COMM_WORLD)
    case (12)
      call MPI_File_write(file, buf, count, type, MPI_STATUS_IGNORE)
    case (13)
      call MPI_File_write_at_all(file, 0_MPI_OFFSET_KIND, buf, count, type, MPI_STATUS_IGNORE)
    case (14)
      call MPI_File_iwrite_at(file, 0_MPI_OFFSET_KIND, buf, count, type, out)
      call MPI_Wait(out, MPI_STATUS_IGNORE)
    case (15)
      call MPI_File_write_all_begin(file, buf, count, type)
      call MPI_File_write_all_end(file, buf, MPI_STATUS_IGNORE)
    case (16)
      call MPI_File_write_ordered(file, buf, count, type, MPI_STATUS_IGNORE)
    case (17)
      call MPI_File_write_shared(file, buf, count, type, MPI_STATUS_IGNORE)
    case (18)
      call MPI_File_write_ordered_begin(file, buf, count, type)
      call MPI_File_write_ordered_end(file, buf, MPI_STATUS_IGNORE)
    case (19, 20)
      call MPI_Win_fence(0, window)
      if (way == 19) call MPI_Put(buf, count, type, right, 0_MPI_ADDRESS_KIND, bytes, MPI_BYTE, window)
      if (way == 20) call MPI_Accumulate(buf, count, type, right, 0_MPI_ADDRESS_KIND, bytes / 4, MPI_INTEGER, &
                                         MPI_REPLACE, window)
      call MPI_Win_fence(0, window)
      got(:bytes) = memory(:bytes)
    case (21:25)
      allocate (all(bytes * ranks))
      call gather(way, buf, count, type, all, bytes)
      got(:bytes) = all(left * bytes + 1:left * bytes + bytes)
    end select
    if (way <= 11) call MPI_Wait(in, MPI_STATUS_IGNORE)
    if (way >= 12 .and. way <= 18) then
      call MPI_File_read_at(file, 0_MPI_OFFSET_KIND, memory, bytes, MPI_BYTE, MPI_STATUS_IGNORE)
      call MPI_Sendrecv(memory, bytes, MPI_BYTE, right, way, got, bytes, MPI_BYTE, left, way, MPI_COMM_WORLD, &
                        MPI_STATUS_IGNORE)
    end if
  end subroutine

  subroutine gather(way, buf, count, type, all, bytes)
    integer, intent(in) :: way, count, bytes
    type(*), dimension(..), asynchronous :: buf
    type(MPI_Datatype), intent(in) :: type
    integer(1), asynchronous, intent(inout) :: all(:)
    type(MPI_Request) :: request
    integer :: i
    select case (way)
    case (21)
      call MPI_Iallgather(buf, count, type, all, bytes, MPI_PACKED, MPI_COMM_WORLD, request)
    case (22)
      call MPI_Igather(buf, count, type, all, bytes, MPI_PACKED, 0, MPI_COMM_WORLD, request)
    case (23)
      call MPI_Iallgatherv(buf, count, type, all, [(bytes, i = 1, ranks)], [(bytes * i, i = 0, ranks - 1)], MPI_PACKED, &
                           MPI_COMM_WORLD, request)
    case (24)
      call MPI_Allgather_init(buf, count, type, all, bytes, MPI_PACKED, MPI_COMM_WORLD, MPI_INFO_NULL, request)
      call MPI_Start(request)
    case (25)
      call MPI_Gather(buf, count, type, all, bytes, MPI_PACKED, 0, MPI_COMM_WORLD)
      request = MPI_REQUEST_NULL
    end select
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    if (request /= MPI_REQUEST_NULL) call MPI_Request_free(request)
    if (way == 22 .or. way == 25) call MPI_Bcast(all, bytes * ranks, MPI_PACKED, 0, MPI_COMM_WORLD)
  end subroutine

  !> Moves `sent` of the left rank into `buf`.
  subroutine move_in(way, buf, count, type, sent, bytes)
    integer, intent(in) :: way, count, bytes
    type(*), dimension(..), asynchronous :: buf
    type(MPI_Datatype), intent(in) :: type
    integer(1), asynchronous, intent(inout) :: sent(:)
    type(MPI_Request) :: in, out
    type(MPI_Message) :: message
    integer(1) :: nothing(1)
    if (way <= 9) call MPI_Isend(sent, bytes, MPI_PACKED, right, way, MPI_COMM_WORLD, out)
    if (way >= 10 .and. way <= 16) then
      call MPI_Sendrecv(sent, bytes, MPI_BYTE, right, way, memory, bytes, MPI_BYTE, left, way, MPI_COMM_WORLD, &
                        MPI_STATUS_IGNORE)
      call MPI_File_write_at(file, 0_MPI_OFFSET_KIND, memory, bytes, MPI_BYTE, MPI_STATUS_IGNORE)
      call MPI_File_seek(file, 0_MPI_OFFSET_KIND, MPI_SEEK_SET)
      call MPI_File_seek_shared(file, 0_MPI_OFFSET_KIND, MPI_SEEK_SET)
    end if
    select case (way)
    case (1)
      call MPI_Recv(buf, count, type, left, way, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    case (2, 3)
      if (way == 2) call MPI_Irecv(buf, count, type, left, way, MPI_COMM_WORLD, in)
      if (way == 3) call MPI_Irecv(buf, int(count, MPI_COUNT_KIND), type, left, way, MPI_COMM_WORLD, in)
      call MPI_Wait(in, MPI_STATUS_IGNORE)
    case (4)
      call MPI_Recv_init(buf, count, type, left, way, MPI_COMM_WORLD, in)
      call MPI_Start(in)
      call MPI_Wait(in, MPI_STATUS_IGNORE)
      call MPI_Request_free(in)
    case (5)
      call MPI_Mprobe(left, way, MPI_COMM_WORLD, message, MPI_STATUS_IGNORE)
      call MPI_Mrecv(buf, count, type, message, MPI_STATUS_IGNORE)
    case (6)
      call MPI_Mprobe(left, way, MPI_COMM_WORLD, message, MPI_STATUS_IGNORE)
      call MPI_Imrecv(buf, count, type, message, in)
      call MPI_Wait(in, MPI_STATUS_IGNORE)
    case (7)
      call MPI_Sendrecv(nothing, 0, MPI_BYTE, MPI_PROC_NULL, 0, buf, count, type, left, way, MPI_COMM_WORLD, &
                        MPI_STATUS_IGNORE)
    case (8)
      call MPI_Sendrecv_replace(buf, count, type, MPI_PROC_NULL, 0, left, way, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    case (9)
      call MPI_Isendrecv(nothing, 0, MPI_BYTE, MPI_PROC_NULL, 0, buf, count, type, left, way, MPI_COMM_WORLD, in)
      call MPI_Wait(in, MPI_STATUS_IGNORE)
    case (10)
      call MPI_File_read(file, buf, count, type, MPI_STATUS_IGNORE)
    case (11)
      call MPI_File_read_at_all(file, 0_MPI_OFFSET_KIND, buf, count, type, MPI_STATUS_IGNORE)
    case (12)
      call MPI_File_iread_at(file, 0_MPI_OFFSET_KIND, buf, count, type, in)
      call MPI_Wait(in, MPI_STATUS_IGNORE)
    case (13)
      call MPI_File_read_all_begin(file, buf, count, type)
      call MPI_File_read_all_end(file, buf, MPI_STATUS_IGNORE)
    case (14)
      call MPI_File_read_ordered(file, buf, count, type, MPI_STATUS_IGNORE)
    case (15)
      call MPI_File_read_shared(file, buf, count, type, MPI_STATUS_IGNORE)
    case (16)
      call MPI_File_read_ordered_begin(file, buf, count, type)
      call MPI_File_read_ordered_end(file, buf, MPI_STATUS_IGNORE)
    case (17:19)
      call MPI_Win_fence(0, window)
      memory(:bytes) = sent(:bytes)
      call MPI_Win_fence(0, window)
      if (way == 17) call MPI_Get(buf, count, type, left, 0_MPI_ADDRESS_KIND, bytes, MPI_BYTE, window)
      if (way >= 18) call MPI_Get_accumulate(nothing, 0, MPI_INTEGER, buf, count, type, left, 0_MPI_ADDRESS_KIND, &
                                             bytes / 4, MPI_INTEGER, MPI_NO_OP, window)
      call MPI_Win_fence(0, window)
    case (20:23)
      call spread_out(way, buf, count, type, sent, bytes)
    end select
    if (way <= 9) call MPI_Wait(out, MPI_STATUS_IGNORE)
  end subroutine

  !> From rank 0, whose left is the last rank.
  subroutine spread_out(way, buf, count, type, sent, bytes)
    integer, intent(in) :: way, count, bytes
    type(*), dimension(..), asynchronous :: buf
    type(MPI_Datatype), intent(in) :: type
    integer(1), asynchronous, intent(inout) :: sent(:)
    integer(1), allocatable, asynchronous :: all(:)
    type(MPI_Request) :: request
    integer :: i, root
    allocate (all(bytes * ranks))
    select case (way)
    case (20)
      call MPI_Allgather(sent, bytes, MPI_PACKED, all, bytes, MPI_PACKED, MPI_COMM_WORLD)
      all = cshift(all, -bytes)
      call MPI_Iscatter(all, bytes, MPI_PACKED, buf, count, type, 0, MPI_COMM_WORLD, request)
      call MPI_Wait(request, MPI_STATUS_IGNORE)
    case (21)
      call MPI_Allgather(sent, bytes, MPI_PACKED, all, bytes, MPI_PACKED, MPI_COMM_WORLD)
      all = cshift(all, -bytes)
      call MPI_Iscatterv(all, [(bytes, i = 1, ranks)], [(bytes * i, i = 0, ranks - 1)], MPI_PACKED, buf, count, type, &
                         0, MPI_COMM_WORLD, request)
      call MPI_Wait(request, MPI_STATUS_IGNORE)
    case (22, 23)
      do root = 0, ranks - 1
        all = sent(:bytes)
        if (rank == modulo(root + 1, ranks) .and. ranks > 1) then
          if (way == 22) call MPI_Bcast(buf, count, type, root, MPI_COMM_WORLD)
          if (way == 23) call MPI_Ibcast(buf, count, type, root, MPI_COMM_WORLD, request)
        else
          if (way == 22) call MPI_Bcast(all, bytes, MPI_PACKED, root, MPI_COMM_WORLD)
          if (way == 23) call MPI_Ibcast(all, bytes, MPI_PACKED, root, MPI_COMM_WORLD, request)
        end if
        if (way == 23) call MPI_Wait(request, MPI_STATUS_IGNORE)
      end do
      if (ranks == 1) call MPI_Sendrecv(all, bytes, MPI_PACKED, 0, way, buf, count, type, 0, way, MPI_COMM_SELF, &
                                        MPI_STATUS_IGNORE)
    end select
  end subroutine
end module
