/* SPDX-License-Identifier: Apache-2.0
 * Receives that are started without the lock of their engine (mpi/src/protocol/matching/started_receives.hpp). The owner
 * starts two, for messages that are alike; the sender sends two and helps after each, so it may hold the lock
 * while a receive is started. There is one slot, so the second receive finds it free or takes the lock. Memory
 * is sequentially consistent.
 *
 * Holds: the first receive gets the first message, and both get one; nothing is stored that a posted receive
 * would take.
 * BREAK_* leave one step out, and must make the check fail. */
#define RECEIVES 2

bit held;
byte slot;                 /* the receive that was started and has not been entered */
byte begin, end;           /* written by the holder of the lock, and by the owner */
byte sent, taken;          /* messages in the mailbox and out of it: each is its number */
byte posted, matched;      /* receives in the row and out of it */
byte stored, unstored;     /* messages put among the stored ones (the latest taken), and taken from them */
byte order[RECEIVES];      /* what each receive got, plus 1 */

inline lock() { atomic { !held -> held = 1 } }
inline unlock() { assert(posted == matched || stored == unstored); held = 0 }
inline give(receive, message) { assert(order[receive] == 0); order[receive] = message + 1 }
inline post(receive) {
    if
#ifndef BREAK_STORED
    :: stored != unstored -> assert(posted == matched); give(receive, taken - (stored - unstored)); unstored++; posted++; matched++
#endif
    :: else -> assert(receive == posted); posted++
    fi
}
inline enter_started() {
    if
    :: begin != end ->
#ifdef BREAK_SLOT
       begin++; entered = slot; post(entered)
#else
       entered = slot; post(entered); begin++
#endif
    :: else
    fi
}
inline take_packets() {
    do
    :: taken != sent ->
       if
       :: posted != matched -> give(matched, taken); matched++
       :: else -> stored++
       fi;
       taken++
    :: else -> break
    od
}

active proctype owner() {
    byte receive, entered;
    do
    :: receive == RECEIVES -> break
    :: else ->
       if
       :: stored == unstored && end == begin -> slot = receive; end++
       :: else -> lock();
#ifndef BREAK_TURN
          enter_started();
#endif
          post(receive); unlock()
       fi;
       receive++
    od;
    do
    :: order[0] != 0 && order[1] != 0 -> break
    :: else -> lock(); enter_started(); take_packets(); unlock()
    od;
    assert(order[0] == 1 && order[1] == 2)
}

active proctype sender() {
    byte entered;
    bit got;
    do
    :: sent == RECEIVES -> break
    :: else ->
       sent++;
       d_step { got = !held; held = 1 }
       if
       :: got -> enter_started(); take_packets(); unlock()
       :: else
       fi
    od
}
