// SPDX-License-Identifier: Apache-2.0
#include "file/agreement.hpp"

#include "base/error_texts.hpp"

namespace lisle::file {

mpi_error error_of_other(int rank, int code) {
    return {code, sentence("the system refused rank ", rank, " of the file its part: ", error_text(code))};
}

party all_of(communicator &members) {
    return {members.channel(message_space::agreement), members.next_agreement_tag()};
}

void agree(communicator &members, const failure &own) {
    shared_result common{0, own ? own->code() : MPI_SUCCESS, members.rank()};
    all_of(members).agree(common);
    if (own) {
        throw mpi_error{*own};
    }
    if (common.code != MPI_SUCCESS) {
        throw error_of_other(common.by, common.code);
    }
}

} // namespace lisle::file
