/* SPDX-License-Identifier: Apache-2.0
 * How a thread sleeps whose rank has several engines (mpi/src/protocol/tracks.hpp, waiter::sleep_unless_news). It
 * waits for a message on the first engine, which is sent only when one on the second has been taken, and for a
 * send on the second that another thread completes. No other thread of the rank looks at the second engine;
 * it is made while the waiting one may sleep already, and its message may be there before. What is done under
 * an engine's lock is one step here; engine_lock.pml is about that lock. Memory is sequentially consistent.
 *
 * Holds: the waiting thread never sleeps through news of any engine.
 * BREAK_* leave one step out, and must make the check fail. */
bit packet[2], armed[2], open[2]; /* by track */
byte news[2], sleepers[2];
byte bell;
bit received, answered, sent; /* on the first; on the second; the send that is completed there */

inline look(track) {
    d_step {
        if
        :: open[track] && packet[track] ->
           packet[track] = 0;
           news[track]++;
           wake = (sleepers[track] != 0);
           if
           :: track == 0 -> received = 1
           :: else -> answered = 1
           fi
        :: else
        fi
    }
    if
    :: wake -> bell++; wake = 0
    :: else
    fi
}

/* May this engine's owner sleep? Sets `asleep` of the track if so, else `stay`. */
inline add_sleeper(track) {
    d_step {
        if
        :: !open[track] || stay
#ifndef BREAK_COMPARE
        :: open[track] && !stay && news[track] != seen[track] -> seen[track] = news[track]; stay = 1
#endif
        :: else ->
           if
           :: packet[track] -> stay = 1
           :: else -> armed[track] = 1; sleepers[track]++; asleep[track] = 1
           fi
        fi
    }
}
inline remove_sleeper(track) {
    d_step {
        if
        :: asleep[track] -> sleepers[track]--; asleep[track] = 0
        :: else
        fi
    }
}

active proctype waiter() {
    byte seen_bell;
    byte seen[2];
    bit asleep[2];
    bit stay, wake;
    open[0] = 1;
    do
    :: received && sent -> break
    :: else ->
       look(0);
       look(1);
       seen_bell = bell;
       stay = 0;
       add_sleeper(0);
#ifndef BREAK_ELSEWHERE
       add_sleeper(1);
#endif
       if
       :: !stay -> bell != seen_bell
       :: else
       fi;
       remove_sleeper(0);
       remove_sleeper(1)
    od;
    assert(answered && sleepers[0] == 0 && sleepers[1] == 0)
}

/* Another thread of the rank: becomes a member of a communicator on the second track, and leaves. */
active proctype opener() {
    open[1] = 1;
#ifndef BREAK_OPEN
    bell++
#endif
}

/* Has copied the data of a send on the second track. */
active proctype copier() {
    bit wake;
    open[1];
    d_step { sent = 1; news[1]++; wake = (sleepers[1] != 0) }
    if
    :: wake -> bell++
    :: else
    fi
}

/* Another rank. */
active proctype peer() {
    bit wake;
    d_step { packet[1] = 1; wake = armed[1]; armed[1] = 0 }
    if
    :: wake -> bell++
    :: else
    fi;
    answered;
    d_step { packet[0] = 1; wake = armed[0]; armed[0] = 0 }
    if
    :: wake -> bell++
    :: else
    fi
}
