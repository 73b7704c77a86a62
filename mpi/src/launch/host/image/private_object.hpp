// SPDX-License-Identifier: Apache-2.0
// Variables of shared libraries of which each rank gets its own, because programs take them for theirs:
// getopt's, stdin, stdout, stderr, the C++ standard streams. The program's references are pointed to the
// rank's objects before any of its code runs.
#pragma once

#include "launch/host/image/image.hpp"

#include <cstddef>
#include <initializer_list>
#include <string_view>

namespace lisle::host {

class hosted_rank;

struct private_object {
    const char *symbol;
    std::size_t size;
    /// Constructs the rank's object at this place, aligned for anything.
    void (*construct)(hosted_rank &rank, void *place);
};

/// A namespace-scope object that makes these known. Defined by the file that keeps the variables' values.
class private_objects {
  public:
    private_objects(std::initializer_list<private_object> objects);
};

/// The rank's own object under this symbol; null if none of its files refers to it.
[[nodiscard]] void *private_object_of(const hosted_rank &rank, std::string_view symbol);

/// The references of a closure that lead to private objects: the same for all ranks.
class private_references {
  public:
    explicit private_references(const closure &unit);

    /// Gives the rank its own objects. @pre the image, of this closure, is loaded and none of its code has
    /// run.
    void bind(hosted_rank &rank, const image &loaded) const;

  private:
    struct reference {
        std::size_t module;
        outer_reference where;
        const private_object *object;
    };
    std::vector<reference> references_; ///< the program's first
};

/// Refuses programs that hold a copy of a shared library's variable which the library goes on changing: in a
/// process the two are one, among ranks they would come apart.
void check_copied_variables(const image &loaded);

/// Refuses programs that bring their own allocator: libraries would go on using the C library's.
void check_replaced_functions(const image &loaded);

} // namespace lisle::host
