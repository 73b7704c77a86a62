! SPDX-License-Identifier: Apache-2.0
! What the tests of the Fortran interfaces have in common.
module checks
  implicit none
contains
  !> Ends the job unless `right`.
  subroutine check(right, what)
    logical, intent(in) :: right
    character(len=*), intent(in) :: what
    if (.not. right) then
      print '(a, a)', 'wrong: ', what
      error stop 1
    end if
  end subroutine
end module
