/* SPDX-License-Identifier: Apache-2.0
 * Sessions, the objects made from them, and process sets. */
#include "twins.h"

static MPI_Session begin(void) {
    MPI_Session session;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    return session;
}

static MPI_Group everybody(MPI_Session session) {
    MPI_Group group;
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    return group;
}

static MPI_Comm communicator(MPI_Session session, const char *tag) {
    MPI_Group group = everybody(session);
    MPI_Comm made;
    MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL,
                               &made); /* A session_tags session_communicator_left */
    MPI_Group_free(&group);
    return made;
}

/* Beside MPI_Init, whose MPI_Finalize lists what is left. */
static void session_left(void) {
    MPI_Session session = begin();
    MPI_Group group = everybody(session);
    MPI_Group_free(&group);
    if (right) {
        MPI_Session_finalize(&session);
    }
}

static void session_groups_mixed(void) {
    MPI_Session first = begin(), second = begin();
    MPI_Group one = everybody(first), other = everybody(right ? first : second), both;
    MPI_Group_union(one, other, &both); /* A session_groups_mixed */
    MPI_Group_free(&both);
    MPI_Group_free(&other);
    MPI_Group_free(&one);
    MPI_Session_finalize(&second);
    MPI_Session_finalize(&first);
}

static void session_requests_mixed(void) {
    MPI_Session first = begin(), second = begin();
    MPI_Comm one = communicator(first, "one"), other = communicator(second, "other");
    MPI_Request requests[2];
    MPI_Ibarrier(one, &requests[0]);
    MPI_Ibarrier(other, &requests[1]);
    if (right) {
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    } else {
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); /* A session_requests_mixed */
    }
    MPI_Comm_free(&other);
    MPI_Comm_free(&one);
    MPI_Session_finalize(&second);
    MPI_Session_finalize(&first);
}

static void session_communicator_left(void) {
    MPI_Session session = begin();
    MPI_Comm made = communicator(session, "left");
    MPI_Barrier(made);
    if (right) {
        MPI_Comm_free(&made);
    }
    MPI_Session_finalize(&session);
}

static void session_request_left(void) {
    MPI_Session session = begin();
    MPI_Comm made = communicator(session, "busy");
    MPI_Request request;
    int mine, data = 0;
    MPI_Comm_rank(made, &mine);
    MPI_Irecv(&data, 1, MPI_INT, 1 - mine, 5, made, &request); /* A session_request_left */
    if (right) {
        MPI_Send(&mine, 1, MPI_INT, 1 - mine, 5, made);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&made);
    MPI_Session_finalize(&session);
}

/* The first rank and the others name their group otherwise: they never meet. */
static void session_tags(void) {
    MPI_Session session = begin();
    MPI_Comm made = communicator(session, "ocean");
    int mine;
    MPI_Comm_rank(made, &mine);
    MPI_Comm next = communicator(session, mine == 0 || right ? "ice" : "land");
    MPI_Comm_free(&next);
    MPI_Comm_free(&made);
    MPI_Session_finalize(&session);
}

static void session_unknown_set(void) {
    MPI_Session session = begin();
    MPI_Group group;
    MPI_Group_from_session_pset(session, right ? "mpi://SELF" : "app://ocean",
                                &group); /* A session_unknown_set */
    MPI_Group_free(&group);
    MPI_Session_finalize(&session);
}

static void session_ended(void) {
    MPI_Session session = begin(), copy = session;
    int sets;
    if (!right) {
        MPI_Session_finalize(&session);
    }
    MPI_Session_get_num_psets(copy, MPI_INFO_NULL, &sets); /* A session_ended */
    if (right) {
        MPI_Session_finalize(&session);
    }
}

const struct mistake session_mistakes[] = {
    {"session_left", session_left, MPI_THREAD_SINGLE},
    {"session_groups_mixed", session_groups_mixed, sessions_alone},
    {"session_requests_mixed", session_requests_mixed, sessions_alone},
    {"session_communicator_left", session_communicator_left, sessions_alone},
    {"session_request_left", session_request_left, sessions_alone},
    {"session_tags", session_tags, sessions_alone},
    {"session_unknown_set", session_unknown_set, sessions_alone},
    {"session_ended", session_ended, sessions_alone},
    {0},
};
