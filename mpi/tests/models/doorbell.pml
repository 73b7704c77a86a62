/* SPDX-License-Identifier: Apache-2.0
 * How fibers are woken (mpi/src/execution/doorbell.cpp, fiber_worker.cpp): ringers bring news to two fibers of one
 * worker, each through its bell, which puts itself on the home's list; the worker sleeps only if no fiber can
 * run. Checked: every fiber hears all its news (no lost wake-up: a worker asleep for ever is an invalid end
 * state), and a bell is in the list at most once (the link is never overwritten while it is in use).
 * Atomic blocks stand for single atomic instructions and for the futex calls. Left out on purpose, and noticed:
 * BREAK_SLEEP the look at the list before sleep, BREAK_FLAG the flag that keeps a bell from entering twice. */
#define FIBERS 2
#define RINGS 1          /* by each ringer */
#define RINGERS 4

byte news[FIBERS];       /* how often something was written for the fiber */
byte word[FIBERS];       /* counts rings */
bit queued[FIBERS];
byte next[FIBERS];       /* entry + 1, 0: end */
bit listed[FIBERS];      /* for the assertion only */
byte rung;               /* newest entry + 1 */
bit asleep;
byte finished;           /* fibers that have heard all */

proctype ringer(byte which) {
    byte n = 0; byte newest; bit was; bit done;
    do
    :: n < RINGS ->
        atomic { news[which]++ }
        atomic { word[which]++ }
#ifdef BREAK_FLAG
        was = 0;
#else
        atomic { was = queued[which]; queued[which] = 1 }
#endif
        if
        :: was == 0 ->
            newest = rung;
            done = 0;
            do
            :: done -> break
            :: else ->
                next[which] = newest;
                atomic {
                    if
                    :: rung == newest -> assert(!listed[which]); rung = which + 1; listed[which] = 1; done = 1
                    :: else -> newest = rung
                    fi
                }
            od;
            if
            :: asleep -> asleep = 0 /* exchange and futex_wake */
            :: else
            fi
        :: else
        fi;
        n++
    :: else -> break
    od
}

/* The worker runs each fiber that is ready until it parks, as one thread. */
active proctype worker() {
    byte heard[FIBERS]; byte seen[FIBERS]; bit parked[FIBERS]; bit over[FIBERS];
    byte entry; byte f; bit any;
    do
    :: finished == FIBERS -> break
    :: else ->
        /* run the ready fibers */
        f = 0;
        do
        :: f == FIBERS -> break
        :: f < FIBERS && (parked[f] || over[f]) -> f++
        :: f < FIBERS && !parked[f] && !over[f] ->
            seen[f] = word[f];
            heard[f] = news[f]; /* the last look */
            if
            :: heard[f] == RINGERS / FIBERS * RINGS -> over[f] = 1; finished++
            :: else ->
                if
                :: word[f] == seen[f] -> parked[f] = 1
                :: else
                fi
            fi
        od;
        /* collect_rung */
        atomic { entry = rung; rung = 0 }
        do
        :: entry == 0 -> break
        :: else ->
            f = entry - 1;
            entry = next[f];
            atomic { queued[f] = 0; listed[f] = 0 }
            parked[f] = 0
        od;
        /* sleep_at_home, if nobody can run */
        any = 0;
        f = 0;
        do
        :: f == FIBERS -> break
        :: else -> any = any || (!parked[f] && !over[f]); f++
        od;
        if
        :: any || finished == FIBERS
        :: else ->
            asleep = 1;
#ifdef BREAK_SLEEP
            asleep == 0;
#else
            if
            :: rung == 0 -> asleep == 0 /* futex_wait: blocks until woken */
            :: else
            fi;
#endif
            asleep = 0
        fi
    od
}

init {
    byte r = 0;
    do
    :: r < RINGERS -> run ringer(r % FIBERS); r++
    :: else -> break
    od
}
