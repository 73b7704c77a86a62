! SPDX-License-Identifier: Apache-2.0
! Blanks around the command and the arguments of a spawned job mean nothing [MPI-5.0 11.8.2].
program spawn_blanks
  use mpi
  use checks
  implicit none
  character(*), parameter :: given(3) = [character(16) :: 'plain', '   in front', '  two  words  ']
  character(*), parameter :: wanted(3) = [character(16) :: 'plain', 'in front', 'two  words']
  integer :: code, parent
  call MPI_Init(code)
  call MPI_Comm_get_parent(parent, code)
  if (parent == MPI_COMM_NULL) then
    call one_command()
    call several_commands()
  else
    call look_at_arguments()
    call MPI_Barrier(parent, code)
    call MPI_Comm_disconnect(parent, code)
  end if
  call MPI_Finalize(code)
contains
  function command() result(path)
    character(500) :: path
    call get_command_argument(0, path)
    path = '   ' // path
  end function

  subroutine one_command()
    integer :: children, codes(1)
    call MPI_Comm_spawn(command(), [character(16) :: given, ' '], 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, children, codes, code)
    call check(code == MPI_SUCCESS, 'a command with blanks in front')
    call MPI_Barrier(children, code)
    call MPI_Comm_disconnect(children, code)
  end subroutine

  subroutine several_commands()
    integer :: children, codes(2)
    character(16) :: arguments(2, 4)
    arguments(1, :) = [character(16) :: given, ' ']
    arguments(2, :) = arguments(1, :)
    call MPI_Comm_spawn_multiple(2, [command(), command()], arguments, [1, 1], [MPI_INFO_NULL, MPI_INFO_NULL], 0, MPI_COMM_SELF, &
                                 children, codes, code)
    call check(code == MPI_SUCCESS, 'several commands with blanks in front')
    call MPI_Barrier(children, code)
    call MPI_Comm_disconnect(children, code)
  end subroutine

  subroutine look_at_arguments()
    character(100) :: got
    integer :: i, length
    call check(command_argument_count() == 3, 'the number of arguments')
    do i = 1, 3
      call get_command_argument(i, got, length)
      call check(got == wanted(i) .and. length == len_trim(wanted(i)), 'argument "' // trim(got) // '"')
    end do
  end subroutine
end program
