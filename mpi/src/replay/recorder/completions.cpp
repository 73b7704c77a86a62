// SPDX-License-Identifier: Apache-2.0
// Calls about requests: their places, and which of them have ended.
#include "replay/recorder/asked_requests.hpp"

using namespace lisle::replay;

namespace {

void note_completed(asked_requests &asked, int count, const MPI_Request *now) {
    asked.note();
    for (int at = 0; at < count; ++at) {
        asked.done(now, at, at);
    }
}

void note_one_of(noted_call &here, asked_requests &asked, int index, const MPI_Request *now) {
    here.number(index == MPI_UNDEFINED ? -1 : index);
    if (index != MPI_UNDEFINED) {
        asked.done(now, index, 0);
    }
}

void note_some_of(noted_call &here, asked_requests &asked, int count, const int *indices,
                  const MPI_Request *now) {
    here.numbers(indices, count == MPI_UNDEFINED ? 0 : count);
    for (int at = 0; at < count && count != MPI_UNDEFINED; ++at) {
        asked.done(now, indices[at], at);
    }
}

} // namespace

extern "C" {

int MPI_Wait(MPI_Request *request, MPI_Status *status) {
    noted_call here{"MPI_Wait"};
    asked_requests asked{here, 1, request, status};
    const int result = PMPI_Wait(request, asked.pass());
    if (here.ended(result)) {
        note_completed(asked, 1, request);
    }
    return result;
}

int MPI_Waitall(int count, MPI_Request array_of_requests[], MPI_Status *array_of_statuses) {
    noted_call here{"MPI_Waitall"};
    asked_requests asked{here, count, array_of_requests, array_of_statuses};
    const int result = PMPI_Waitall(count, array_of_requests, asked.pass());
    if (here.ended(result)) {
        note_completed(asked, count, array_of_requests);
    }
    return result;
}

int MPI_Waitany(int count, MPI_Request array_of_requests[], int *indx, MPI_Status *status) {
    noted_call here{"MPI_Waitany"};
    asked_requests asked{here, count, array_of_requests, status};
    const int result = PMPI_Waitany(count, array_of_requests, indx, asked.pass());
    if (here.ended(result)) {
        asked.note();
        note_one_of(here, asked, *indx, array_of_requests);
    }
    return result;
}

int MPI_Waitsome(int incount, MPI_Request array_of_requests[], int *outcount, int array_of_indices[],
                 MPI_Status *array_of_statuses) {
    noted_call here{"MPI_Waitsome"};
    asked_requests asked{here, incount, array_of_requests, array_of_statuses};
    const int result = PMPI_Waitsome(incount, array_of_requests, outcount, array_of_indices, asked.pass());
    if (here.ended(result)) {
        asked.note();
        note_some_of(here, asked, *outcount, array_of_indices, array_of_requests);
    }
    return result;
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
    noted_call here{"MPI_Test"};
    asked_requests asked{here, 1, request, status};
    const int result = PMPI_Test(request, flag, asked.pass());
    if (here.ended(result)) {
        note_completed(asked, *flag != 0 ? 1 : 0, request);
        here.looked(*flag != 0);
    }
    return result;
}

int MPI_Testall(int count, MPI_Request array_of_requests[], int *flag, MPI_Status *array_of_statuses) {
    noted_call here{"MPI_Testall"};
    asked_requests asked{here, count, array_of_requests, array_of_statuses};
    const int result = PMPI_Testall(count, array_of_requests, flag, asked.pass());
    if (here.ended(result)) {
        note_completed(asked, *flag != 0 ? count : 0, array_of_requests);
        here.looked(*flag != 0);
    }
    return result;
}

int MPI_Testany(int count, MPI_Request array_of_requests[], int *indx, int *flag, MPI_Status *status) {
    noted_call here{"MPI_Testany"};
    asked_requests asked{here, count, array_of_requests, status};
    const int result = PMPI_Testany(count, array_of_requests, indx, flag, asked.pass());
    if (here.ended(result)) {
        asked.note();
        here.looked(*flag != 0);
        if (*flag != 0) {
            note_one_of(here, asked, *indx, array_of_requests);
        }
    }
    return result;
}

int MPI_Testsome(int incount, MPI_Request array_of_requests[], int *outcount, int array_of_indices[],
                 MPI_Status *array_of_statuses) {
    noted_call here{"MPI_Testsome"};
    asked_requests asked{here, incount, array_of_requests, array_of_statuses};
    const int result = PMPI_Testsome(incount, array_of_requests, outcount, array_of_indices, asked.pass());
    if (here.ended(result)) {
        asked.note();
        here.looked(*outcount != 0);
        if (*outcount != 0) {
            note_some_of(here, asked, *outcount, array_of_indices, array_of_requests);
        }
    }
    return result;
}

int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status) {
    noted_call here{"MPI_Request_get_status"};
    const int result = PMPI_Request_get_status(request, flag, status);
    if (here.ended(result)) {
        here.request(request);
        here.looked(*flag != 0);
    }
    return result;
}

int MPI_Start(MPI_Request *request) {
    noted_call here{"MPI_Start"};
    const int result = PMPI_Start(request);
    if (here.ended(result)) {
        here.request(*request);
    }
    return result;
}

int MPI_Startall(int count, MPI_Request array_of_requests[]) {
    noted_call here{"MPI_Startall"};
    const int result = PMPI_Startall(count, array_of_requests);
    if (here.ended(result)) {
        asked_requests{here, count, array_of_requests, MPI_STATUSES_IGNORE}.note();
    }
    return result;
}

int MPI_Cancel(MPI_Request *request) {
    noted_call here{"MPI_Cancel"};
    const int result = PMPI_Cancel(request);
    if (here.ended(result)) {
        here.request(*request);
    }
    return result;
}

int MPI_Request_free(MPI_Request *request) {
    noted_call here{"MPI_Request_free"};
    const MPI_Request freed = *request;
    const int result = PMPI_Request_free(request);
    if (here.ended(result)) {
        here.request(freed);
        if (const known_request *const known = here.record().requests().find(freed)) {
            here.record().requests().forget(freed, known->place);
        }
    }
    return result;
}

} // extern "C"
