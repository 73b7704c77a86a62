// SPDX-License-Identifier: Apache-2.0
// Each rank's own environment variables. It begins as the process's; what a rank sets no other rank sees, and
// one rank's setenv cannot move the array under another rank's getenv.
#pragma once

#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace lisle::host {

class environment {
  public:
    environment();

    [[nodiscard]] char *get(std::string_view name) const;
    /// Puts this "name=value" in, whose memory then belongs to the environment.
    void put(char *entry);
    /// Puts a copy in, which stays even when it is replaced: the program may hold a pointer into it.
    void set(std::string entry);
    void remove(std::string_view name);
    void clear();
    /// The null-terminated array, for exec and main.
    [[nodiscard]] char **array() const;
    /// The program keeps its variable `environ` here from now on; it may also assign to it.
    void live_at(char ***variable);

  private:
    [[nodiscard]] char **find(std::string_view name) const;
    void adopt();
    void put_locked(char *entry);

    mutable std::mutex mutex_; ///< protects what is below
    std::vector<char *> entries_;
    std::list<std::string> copies_; ///< of `set`
    char **own_variable_ = nullptr;
    char ***variable_ = &own_variable_; ///< what it points to counts; entries_, unless the program assigned
};

} // namespace lisle::host
