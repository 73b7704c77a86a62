/* SPDX-License-Identifier: Apache-2.0
 * What the host of thread and fiber ranks (mpi/src/launch/host) asks of the library: to turn a thread into a
 * rank, to run fibers, to let other threads inherit a rank, and to record how one ended. Plain C with default
 * visibility, since the host links the shared library as any program does. Not for users. */
#ifndef LISLE_HOST_INTERFACE_H
#define LISLE_HOST_INTERFACE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LISLE_HOST_CALL __attribute__((visibility("default")))

struct lisle_rank;

/* Number of ranks that this process of the job runs, and the first one's number in the job. */
LISLE_HOST_CALL int lisle_host_rank_count(void);
LISLE_HOST_CALL int lisle_host_first_rank(void);

/* Threads that run this process's ranks if they are fibers; 0 if each has a thread of its own. */
LISLE_HOST_CALL int lisle_host_worker_count(void);
/* Reserves the stacks of all fibers. Returns null, or a sentence that says why it cannot. */
LISLE_HOST_CALL const char *lisle_host_reserve_stacks(void);
/* Runs the fibers of one worker on the calling thread; returns when they have ended. `run` begins on the
 * fiber of each rank's index; *place_of_extra() is a variable of the calling thread that each fiber has for
 * itself. @pre stacks are reserved */
LISLE_HOST_CALL void lisle_host_run_worker(int worker, void (*run)(void *argument, int index), void *argument,
                                           void **(*place_of_extra)(void));
/* Ends the calling fiber. Returns if the caller is none. */
LISLE_HOST_CALL void lisle_host_end_fiber(void);
/* 1 if the caller is a fiber that is a rank. */
LISLE_HOST_CALL int lisle_host_in_fiber(void);
/* The same, and other fibers of its worker may run now: no library that Lisle itself uses is at work. */
LISLE_HOST_CALL int lisle_host_may_give_way(void);
/* For fibers only. Lets others of the caller's worker run first; 0 at once if none can. */
LISLE_HOST_CALL int lisle_host_yield(void);
/* For fibers only. How often the caller's bell has rung: messages ring it, and lisle_host_ring. */
LISLE_HOST_CALL uint32_t lisle_host_rung(void);
/* For fibers only. Others of the caller's worker run until the caller's bell rings or this time is over (0:
 * there is no limit); the worker sleeps if none can. Returns at once if the bell has rung since `seen`. */
LISLE_HOST_CALL void lisle_host_rest(uint32_t seen, uint64_t nanoseconds);
/* 1 if the job lives by simulated time. */
LISLE_HOST_CALL int lisle_host_has_simulated_time(void);
/* The job's time, in nanoseconds. */
LISLE_HOST_CALL int64_t lisle_host_time(void);
/* For fibers only. The same as a program sees that reads the clock, which takes simulated time. */
LISLE_HOST_CALL int64_t lisle_host_read_time(void);
/* 1 if the calling thread is a worker that is about to change over from one fiber to another, or has none to
 * run. Async-signal-safe. */
LISLE_HOST_CALL int lisle_host_between_fibers(void);
/* From now on each fiber calls this when it begins to run or goes on. */
LISLE_HOST_CALL void lisle_host_after_turns(void (*called)(void));
/* Rings the bell of a fiber. From any thread; async-signal-safe. */
LISLE_HOST_CALL void lisle_host_ring(const struct lisle_rank *fiber);

/* Makes the calling thread the rank with this index among the process's own. Once for each index. */
LISLE_HOST_CALL struct lisle_rank *lisle_host_begin_rank(int index);
/* The rank's arguments, its program's name first: the process's own are the host's. */
LISLE_HOST_CALL void lisle_host_set_arguments(struct lisle_rank *rank, int count, const char *const *words);
/* Which of the programs of its process it runs, from 0 on. */
LISLE_HOST_CALL void lisle_host_set_program(struct lisle_rank *rank, int program);
/* From now on this is called before threads of other ranks run a function of a rank's (MPIX_Parallel), by the
 * rank's thread. To be called before ranks run. */
LISLE_HOST_CALL void lisle_host_before_sharing(void (*called)(void));
/* The calling thread's rank, or null. */
LISLE_HOST_CALL struct lisle_rank *lisle_host_current_rank(void);
/* Makes the calling thread one of this rank's (null: of none): threads that a rank starts. */
LISLE_HOST_CALL void lisle_host_become(struct lisle_rank *rank);
/* 1 if the calling thread's rank has begun MPI, whether it has ended it or not. */
LISLE_HOST_CALL int lisle_host_has_begun_mpi(void);
/* The number in the job. */
LISLE_HOST_CALL int lisle_host_rank_number(const struct lisle_rank *rank);
/* The rank's program has ended with this exit status; the calling thread is of no rank afterwards.
 * Records it for the launcher (a rank that ends between MPI_Init and MPI_Finalize is an error). 1 if the
 * process is to end as well: in a job that goes on after failures, ranks that share a process fail together.
 */
LISLE_HOST_CALL int lisle_host_end_rank(struct lisle_rank *rank, int status);
/* What LISLE_CRASH wants to have prepared. */
LISLE_HOST_CALL void lisle_host_prepare_for_fault(void);
/* For a handler: notes for the launcher that a signal is about to end the process because of this rank, and
 * its stack. Waits for the launcher to ask the other ranks. Async-signal-safe. */
LISLE_HOST_CALL void lisle_host_record_fault(int rank_number, int signal, const void *address);

#ifdef __cplusplus
}
#endif

#endif
