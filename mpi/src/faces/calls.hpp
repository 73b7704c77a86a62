// SPDX-License-Identifier: Apache-2.0
// All that the generated calls of a face use.
#pragma once

#include "abi/call_table.hpp"
#include "faces/chosen/handle.hpp"
#include "faces/chosen/integers.hpp"
#include "faces/chosen/status.hpp"
#include "faces/constants.hpp"
#include "faces/handles.hpp"
#include "faces/special.hpp"
#include "faces/statuses.hpp"
#include "faces/text.hpp"

namespace lisle::face {

/// How many entries arrays of all-to-all calls have.
[[nodiscard]] int size_of(theirs<MPI_Comm> comm) noexcept;
[[nodiscard]] int destinations_of(theirs<MPI_Comm> comm) noexcept;
[[nodiscard]] int sources_of(theirs<MPI_Comm> comm) noexcept;
[[nodiscard]] bool is_root(theirs<MPI_Comm> comm, int root) noexcept;
[[nodiscard]] int sum_of(int count, const int *values) noexcept;

/// The object that a variable of the tool interface is bound to: the address of a handle.
class tool_object {
  public:
    explicit tool_object(void *given) noexcept
        : given_{given != nullptr}, handle_{given_ ? static_cast<theirs<MPI_Comm> *>(given)->ours()
                                                   : nullptr} {}
    operator void *() noexcept { return given_ ? &handle_ : nullptr; }

  private:
    bool given_;
    MPI_Comm handle_;
};

} // namespace lisle::face
