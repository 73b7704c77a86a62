// SPDX-License-Identifier: Apache-2.0
// The libraries that a rank opens while it runs (dlopen). Each rank gets copies, whose names are looked up in
// the program and its libraries first, as in a process.
#pragma once

#include "launch/host/image/image.hpp"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace lisle::host {

class hosted_rank;

/// Thread-safe. No lock is held while constructors and destructors run.
class opened_libraries {
  public:
    /// Opens a library by path for the rank and gives the loader's handle. Its constructors have run. Throws
    /// `refusal`.
    void *open(hosted_rank &rank, const std::string &path, int flags, const program_file &asker);

    /// One use less of what this handle stands for: the last one ends it, unless other libraries may refer to
    /// it. False if the handle is of another kind.
    bool close(void *handle);

    /// The file whose code is at this address, or null.
    [[nodiscard]] const program_file *owner_of(const void *address) const;
    /// The same question in a handler of signals: no if it cannot be told.
    [[nodiscard]] bool may_contain(const void *address) const;

    /// Runs the destructors of all, the last one first.
    void destruct();

  private:
    struct entry {
        std::unique_ptr<image> code;
        void *handle = nullptr;
        std::size_t uses = 0;       ///< by dlopen, and by those that need it
        std::vector<entry *> needs; ///< what it was opened with
        bool lasting = false;       ///< others may refer to it without a use
        bool global = false;        ///< RTLD_GLOBAL
        bool ending = false;        ///< its destructors run
    };
    entry *find(const std::string &path);
    entry &load(hosted_rank &rank, const std::string &path, int flags, const program_file &asker,
                std::vector<entry *> &fresh);
    void drop(entry &which);

    mutable std::recursive_mutex mutex_; ///< protects what is below
    std::vector<char *> arguments_;      ///< argv for constructors
    std::vector<std::unique_ptr<entry>> entries_;
};

} // namespace lisle::host
