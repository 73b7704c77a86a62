// SPDX-License-Identifier: Apache-2.0
// Probes: the message that one has found is the one that a replay looks for.
#include "replay/recorder/noted_call.hpp"

using namespace lisle::replay;

extern "C" {

int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status) {
    noted_call here{"MPI_Probe"};
    asked_status asked{status};
    const int result = PMPI_Probe(source, tag, comm, asked.pass());
    if (here.ended(result)) {
        here.number(asked.source(source));
        here.number(asked.tag(tag));
        here.handle(comm);
    }
    return result;
}

int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status) {
    noted_call here{"MPI_Mprobe"};
    asked_status asked{status};
    const int result = PMPI_Mprobe(source, tag, comm, message, asked.pass());
    if (here.ended(result)) {
        here.number(asked.source(source));
        here.number(asked.tag(tag));
        here.handle(comm);
        here.made(*message);
    }
    return result;
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status) {
    noted_call here{"MPI_Iprobe"};
    asked_status asked{status};
    const int result = PMPI_Iprobe(source, tag, comm, flag, asked.pass());
    if (here.ended(result)) {
        here.number(source);
        here.number(tag);
        here.handle(comm);
        here.looked(*flag != 0);
        if (*flag != 0) {
            here.number(asked.source(source));
            here.number(asked.tag(tag));
        }
    }
    return result;
}

int MPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status) {
    noted_call here{"MPI_Improbe"};
    asked_status asked{status};
    const int result = PMPI_Improbe(source, tag, comm, flag, message, asked.pass());
    if (here.ended(result)) {
        here.number(source);
        here.number(tag);
        here.handle(comm);
        here.looked(*flag != 0);
        if (*flag != 0) {
            here.number(asked.source(source));
            here.number(asked.tag(tag));
            here.made(*message);
        }
    }
    return result;
}

} // extern "C"
