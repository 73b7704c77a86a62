/* SPDX-License-Identifier: Apache-2.0
 * Who may do a rank's matching: the lock of an engine (mpi/src/protocol/progress/engine_lock.hpp) and what goes with it.
 * The owner waits for two things, a packet and the end of a send that another thread completes. It looks for a
 * while with the lock held, lets it go when somebody wants it, and sleeps if there was no news. A sender
 * delivers the packet and tries to help; it never waits for the lock. Memory is sequentially consistent.
 *
 * Holds: one thread at a time matches; a thread that waits for the lock gets it; the owner never sleeps through news.
 * BREAK_* leave one step out, and must make the check fail. */
#define LOOKS 2

bit held;
byte waiting;      /* in lock(): the holder sees that it is wanted */
byte inside;       /* threads that hold it: for the assertion only */
bit packet, armed; /* the mailbox: something is there; the receiver sleeps */
bit received, sent; /* what the owner waits for */
byte news, sleepers, bell;

inline enter() { inside++; assert(inside == 1) }
inline leave() { inside--; held = 0 }
inline lock() {
    waiting++;
    atomic { !held -> held = 1 }
    waiting--;
    enter()
}
inline note() { news++; wake = (sleepers != 0) }
inline ring_if_wanted() {
    if
    :: wake -> bell++; wake = 0
    :: else
    fi
}
inline take_packet() {
    if
    :: packet -> packet = 0; received = 1; note()
    :: else
    fi
}

active proctype owner() {
    byte looks, seen_bell, seen_news;
    bit wake, taken, asleep;
    do
    :: received && sent -> break
    :: else ->
       /* look_for */
       d_step { taken = !held; held = 1 }
       if
       :: taken ->
          enter();
          looks = 0;
          do
          :: packet -> take_packet(); break
          :: !packet && waiting == 0 && looks < LOOKS -> looks++
#ifdef BREAK_WANTED
          :: !packet && waiting != 0 -> packet /* looks until one comes */
#else
          :: !packet && waiting != 0 -> break
#endif
          :: !packet && looks == LOOKS && waiting == 0 -> break
          od;
          leave();
          ring_if_wanted()
       :: else
       fi;
       /* sleep_unless_news */
       seen_bell = bell;
       lock();
       asleep = 0;
       if
#ifndef BREAK_NEWS
       :: news != seen_news -> seen_news = news
#endif
       :: else ->
          /* fetch_or on the word that claims go through */
          d_step { armed = !packet }
          if
          :: armed -> sleepers++; asleep = 1
          :: else
          fi
       fi;
       leave();
       if
       :: asleep -> bell != seen_bell; lock(); sleepers--; leave()
       :: else
       fi
    od
}

/* Sends the packet, and helps a receiver that may be computing. */
active proctype sender() {
    bit wake, taken;
    d_step { packet = 1; wake = armed; armed = 0 }
    ring_if_wanted();
    d_step { taken = !held; held = 1 }
    if
    :: taken -> enter(); take_packet(); leave(); ring_if_wanted()
    :: else /* the holder will look, or the owner has yet to */
    fi
}

/* Has copied the data of the owner's other message, and says so. */
active proctype copier() {
    bit wake;
    lock();
    sent = 1;
    note();
    leave();
    ring_if_wanted()
}
