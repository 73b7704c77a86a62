// SPDX-License-Identifier: Apache-2.0
// The operations on targets [MPI-5.0 12.3]: they check what is to be done and go the target's way
// (rma/ways/). A request is returned of all that is not complete, which the caller waits for or frees; of
// puts and accumulates without one the origin's part is. Other arguments have been checked by the caller; the
// target is a rank of the window. Throws MPI_ERR_RMA_SYNC outside of an epoch, MPI_ERR_RMA_RANGE for data
// outside of the window.
#pragma once

#include "rma/elements/target_data.hpp"
#include "rma/window.hpp"

namespace lisle::rma {

[[nodiscard]] protocol::request *put(window &on, const typed_buffer &origin, const target_data &target);
[[nodiscard]] protocol::request *get(window &on, const typed_buffer &origin, const target_data &target);

/// Accumulate, and if `result` has a type get_accumulate. @param origin not read for MPI_NO_OP
[[nodiscard]] protocol::request *accumulate(window &on, const typed_buffer &origin,
                                            const typed_buffer *result, const target_data &target,
                                            const op &operation);
/// MPI_Fetch_and_op. @param origin may be null for MPI_NO_OP
[[nodiscard]] protocol::request *fetch_and_op(window &on, const void *origin, void *result,
                                              const target_data &target, const op &operation);
[[nodiscard]] protocol::request *compare_and_swap(window &on, const void *origin, const void *compare,
                                                  void *result, const target_data &target);

} // namespace lisle::rma
