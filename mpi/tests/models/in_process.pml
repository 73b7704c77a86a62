/* SPDX-License-Identifier: Apache-2.0
 * In-process collectives (mpi/src/collective/process/in_process.hpp): two worker groups of two ranks and rounds of two
 * kinds. In a reduction the last rank of all does the work; in an exchange the last rank of each group moves what
 * its group receives, first within the group and, once all groups are full, from the other. Each rank is a
 * thread here, so that ranks of one group, too, come in any order; fibers do less. Sleeping is the
 * subject of doorbell.pml. Memory is sequentially consistent.
 *
 * Holds: what is reduced or moved in a round was contributed for that round by all ranks; nobody leaves a round
 * without its result; no rank waits for ever.
 * BREAK_* leave one step out, and must make the check fail. */
#define GROUPS 2
#define MEMBERS 2
#define RANKS 4
#define ROUNDS 3

bit exchanges[ROUNDS]; /* what all ranks do in a round */
byte contribution[RANKS], result[RANKS]; /* the number of the round, plus one */
byte arrived[GROUPS], groups_full, served;
byte all_full, round;

inline check_contributions(first, count) {
    other = first;
    do
    :: other == first + count -> break
    :: else -> assert(contribution[other] == now + 1); other++
    od;
    other = 0
}
inline give_results(first, count) {
    other = first;
    do
    :: other == first + count -> break
    :: else -> result[other] = now + 1; other++
    od;
    other = 0
}

proctype rank(byte self) {
    byte now, other, own = self / MEMBERS;
    bit last;
    do
    :: now == ROUNDS -> break
    :: else ->
       assert(round == now);
       contribution[self] = now + 1;
       /* fills(): counts, and starts again from zero, which nobody else changes before the round ends */
       d_step { arrived[own]++; last = (arrived[own] == MEMBERS) }
       if
       :: last ->
#ifndef BREAK_RESET
          arrived[own] = 0;
#endif
          d_step { groups_full++; last = (groups_full == GROUPS) }
          if
          :: last -> groups_full = 0
          :: else
          fi;
          if
          :: !exchanges[now] ->
             if
             :: last ->
                check_contributions(0, RANKS);
                give_results(0, RANKS);
                round = now + 1
             :: else
             fi
          :: else ->
             if
             :: last -> all_full = now + 1
             :: else
             fi;
             check_contributions(own * MEMBERS, MEMBERS);
#ifndef BREAK_FULL
             all_full == now + 1;
#endif
             check_contributions((1 - own) * MEMBERS, MEMBERS);
             give_results(own * MEMBERS, MEMBERS);
             d_step { served++; last = (served == GROUPS) }
#ifdef BREAK_SERVED
             last = 1; /* ends the round, though the other group may be moving */
#endif
             if
             :: last -> served = 0; round = now + 1
             :: else
             fi
          fi
       :: else
       fi;
       round == now + 1;
       assert(result[self] == now + 1);
       now++
    od
}

init {
    byte i;
    atomic {
        do
        :: i == ROUNDS -> break
        :: else ->
           if
           :: exchanges[i] = 0
           :: exchanges[i] = 1
           fi;
           i++
        od;
        i = 0;
        do
        :: i == RANKS -> break
        :: else -> run rank(i); i++
        od
    }
}
