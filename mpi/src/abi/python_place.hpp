// SPDX-License-Identifier: Apache-2.0
// Where a Python program is: the interpreter that calls this library is found by its files on the stack, and
// nothing is linked with it.
#pragma once

namespace lisle::abi {

/// The interpreter whose code lies in a loaded file.
class python_interpreter {
  public:
    /// @param address in the file @return null: none whose frames can be read. Of static duration.
    /// Thread-safe
    [[nodiscard]] static const python_interpreter *in_file_of(const void *address) noexcept;

    /// "halo.py:12 in exchange", of static duration: the innermost function of the calling thread that is
    /// none of mpi4py's; null: the thread runs no Python, or there is no memory. Takes no lock of the
    /// interpreter's, which another thread may hold for long.
    [[nodiscard]] const char *place() const noexcept;

  private:
    class frames;
    const frames *frames_ = nullptr; ///< of static duration
};

} // namespace lisle::abi
