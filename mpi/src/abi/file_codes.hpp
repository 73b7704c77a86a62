// SPDX-License-Identifier: Apache-2.0
// Errors of files that the program has got as codes and has not asked about (LISLE_CHECK=2): files return
// errors unless the program wants something else, so a call that nobody looks at fails in silence. A program
// that compares the code with MPI_SUCCESS and asks nothing more looks alike: what is said is a note.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "abi/call_address.hpp"
#include "execution/rank_local.hpp"

namespace lisle::abi {

/// Of one rank. Thread-safe.
class file_codes {
  public:
    /// The call that the thread is in returns an error. @param about the sentence about it
    void returned(int code, std::string about);
    /// The program asks what a code means.
    void asked(int code);
    /// Names those that are left.
    void report();

  private:
    static constexpr std::size_t most = 64;
    struct unasked {
        int code;
        std::string about;
        call_address place;
    };
    std::mutex mutex_; ///< protects list_
    std::vector<unasked> list_;
};

inline const rank_local<file_codes> rank_file_codes;

} // namespace lisle::abi
