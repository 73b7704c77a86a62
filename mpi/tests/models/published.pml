/* SPDX-License-Identifier: Apache-2.0
 * Receives that senders of another process may fill (mpi/src/fabric/local/published_receives.hpp,
 * mpi/src/protocol/matching/publications.cpp, mpi/src/protocol/rendezvous/delivery.cpp). The owner posts two
 * receives for one envelope and publishes both; it looks into its mailbox after it has published the last, and
 * otherwise as often as it likes. The sender announces two messages, and may claim a receive for each. Then both compute, if
 * they like for ever: the sender waits for the end of its first message without asking again. Memory is
 * sequentially consistent.
 *
 * Holds: the first receive gets the first message and the second one the second, each once; a sender that has
 * found no receive has one that looks.
 * BREAK_* leave one step out, and must make the check fail. */
#define RECEIVES 2
#define FREE 0
#define PUBLISHED 10 /* plus the version */
#define CLAIMED 50   /* plus the message */

byte state[RECEIVES];    /* a slot for each receive */
byte since[RECEIVES];
byte version;
byte sent;               /* announcements in the mailbox: each is its number, and its ticket */
byte taken;              /* by the owner */
byte posted, gone;       /* receives, and those that have left the table */
byte got[RECEIVES];      /* what each receive got, plus 1 */
byte stored;             /* messages that came before their receives */
bit delivered[RECEIVES]; /* messages that their sender has found a receive for */
byte unanswered;         /* the sender has found no receive for a message that it waits for */

inline give(receive, message) { assert(got[receive] == 0); got[receive] = message + 1 }
inline change(slot, next) { /* by the owner: a compare-and-swap */
    atomic {
        won = (state[slot] >= PUBLISHED && state[slot] < CLAIMED);
        if
        :: won -> state[slot] = next
        :: else
        fi
    }
}
inline publish(slot) {
    since[slot] = taken; version++;
    state[slot] = PUBLISHED + version
}
inline match(message) {
    if
    :: gone == posted -> stored++
    :: else ->
       /* publications::take() */
#ifndef BREAK_RENEW
       if
       :: gone + 1 < posted -> since[gone + 1] = message + 1; version++; change(gone + 1, PUBLISHED + version)
       :: else
       fi;
#endif
       change(gone, FREE);
       if
       :: won -> give(gone, message)
       :: else -> assert(state[gone] == CLAIMED + message)
       fi;
       gone++
    fi
}
inline look() {
    do
    :: taken != sent -> match(taken); taken++
    :: else -> break
    od
}

active proctype owner() {
    bit won;
    byte tries;
    do
    :: posted == RECEIVES -> break
    :: else ->
       if
       :: stored != 0 -> give(posted, taken - stored); stored--; posted++; gone++
       :: else ->
          publish(posted); posted++;
          if
#ifndef BREAK_LOOK
          :: look()
#else
          :: skip
#endif
          :: posted != RECEIVES -> skip /* another thread is at it, and posts the next one first */
          fi
       fi
    od;
    /* From here on it may compute for ever, or look now and then. */
    do
    :: tries < 2 -> tries++; look()
    :: break
    od;
    /* What a sender waits for without asking again has been looked at. */
end:
    (sent == 2 && unanswered != 0);
    assert(unanswered <= taken)
}

inline look_for_receive() { /* the oldest one: they are published in the order of their slots */
    seen = state[0];
    if
    :: seen >= PUBLISHED && seen < CLAIMED -> found = 0
    :: else ->
       seen = state[1];
       if
       :: seen >= PUBLISHED && seen < CLAIMED -> found = 1
       :: else -> found = RECEIVES
       fi
    fi
}
inline claim(message) {
    look_for_receive();
#ifndef BREAK_TWICE
    if
    :: found != RECEIVES -> look_for_receive()
    :: else
    fi;
#endif
    if
    :: found == RECEIVES -> unanswered = message + 1
    :: else ->
       begin = since[found];
#ifndef BREAK_SCAN
       if
       :: begin == message || (begin < message && delivered[begin]) -> /* it lies there, and none before it waits */
#endif
          atomic {
              won = (state[found] == seen);
              if
              :: won -> state[found] = CLAIMED + message; delivered[message] = 1; give(found, message)
              :: else
              fi
          }
#ifndef BREAK_SCAN
       :: else
       fi
#endif
    fi
}

active proctype sender() {
    byte found, seen, begin, message;
    bit won;
    do
    :: sent == 2 -> break
    :: else ->
       message = sent;
       sent++;
       if
       :: claim(message)
       :: skip
       fi
    od
}

/* The order of what has been received. */
active proctype check() {
end:
    (got[0] != 0 && got[1] != 0);
    assert(got[0] == 1 && got[1] == 2)
}
