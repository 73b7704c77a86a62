// SPDX-License-Identifier: Apache-2.0
// Why a rank ends its job.
#pragma once

#include <string>

#include "base/error.hpp"

namespace lisle {

enum class abort_cause : unsigned char {
    gave_up, ///< Lisle cannot go on in this rank, and has said why
    called,  ///< MPI_Abort
    errors_are_fatal,
    errors_abort ///< the handlers of these names
};

/// "rank 2 called MPI_Abort with code 7"
[[nodiscard]] inline std::string in_words(abort_cause cause, int rank, int code) {
    switch (cause) {
    case abort_cause::called:
        return sentence("rank ", rank, " called MPI_Abort with code ", code);
    case abort_cause::errors_are_fatal:
        return sentence("rank ", rank, " was ended by MPI_ERRORS_ARE_FATAL with error code ", code);
    case abort_cause::errors_abort:
        return sentence("rank ", rank, " was ended by MPI_ERRORS_ABORT with error code ", code);
    case abort_cause::gave_up:
        break;
    }
    return sentence("rank ", rank, " ended the job with code ", code);
}

} // namespace lisle
