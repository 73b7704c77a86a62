// SPDX-License-Identifier: Apache-2.0
// Where a rank keeps what a function of the C library returns by a pointer to static memory: the function's
// form with _r fills it.
#pragma once

#include <cerrno>
#include <cstddef>
#include <vector>

namespace lisle::host {

template <class Record> class own_result {
  public:
    /// @param ask takes (record, text, its size, where to put the address) and returns an errno number, as
    /// getpwnam_r does. Returns the record, or null.
    template <class Ask> Record *filled_by(Ask ask) {
        if (text_.empty()) {
            text_.resize(usual);
        }
        for (;;) {
            Record *found = nullptr;
            const int error = ask(&record_, text_.data(), text_.size(), &found);
            if (error != ERANGE) {
                errno = error != 0 ? error : errno;
                return found;
            }
            text_.resize(text_.size() * 2);
        }
    }

  private:
    static constexpr std::size_t usual = 1024;

    Record record_{};
    std::vector<char> text_; ///< empty until the first call
};

} // namespace lisle::host
