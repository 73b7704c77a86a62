/* SPDX-License-Identifier: Apache-2.0
 * The mailbox of mpi/src/fabric/local/mailbox.hpp: senders claim cells against the credit, by compare-and-swap or, who holds
 * the lease of mpi/src/fabric/local/claim_lease.hpp, by a load and a store; the receiver drains, returns credit, and sleeps
 * through the word that claims go through. Memory is taken to be sequentially consistent: that each pair of release
 * and acquire suffices, and the remote barrier, is argued in mpi/docs/design/mailbox.md.
 *
 * Holds: no cell is written before it was read; messages of a sender come in order; nobody waits for ever.
 * BREAK_* leave one step out, and must make the check fail. */
#ifndef SENDERS
#define SENDERS 2
#endif
#ifndef EACH
#define EACH 3
#endif
#define CELLS 2
#define MASK 7 /* tickets wrap, and do so here: they begin at 6 */
#define BEGIN 6
#define NEXT(t) ((t + 1) & MASK)

byte claimed = BEGIN; /* with `sleeping` and `leased`: one word */
bit sleeping, leased;
byte credit = BEGIN;
byte stamp[CELLS] = 255;
byte from[CELLS];
byte number[CELLS];
bit unread[CELLS]; /* published or being read: for the assertion only */
byte bell;

/* The lease. A sender takes it when it likes: the rules for when are of no consequence here. */
#define NONE 100
#define RECALLED 101
#define ABOUT 50 /* + sender: about to hold */
byte tenant = NONE;
#ifdef BREAK_PLACES /* one for all tenants */
bit changing[1];
#define place(who) 0
#else
bit changing[SENDERS];
#define place(who) who
#endif

inline take_lease(me) {
    if
    :: d_step { tenant == NONE -> tenant = ABOUT + me } ->
       d_step {
           taken = (claimed == NEXT(seen) && !sleeping && !leased);
           if
           :: taken -> leased = 1
           :: else
           fi
       }
       if
       :: taken -> tenant = me
       :: else -> tenant = NONE
       fi
    :: else
    fi
}

/* Ends the lease, or waits while somebody else does. */
inline recall_lease(whose) {
    whose = tenant;
    if
    :: whose == NONE
    :: whose != NONE && (whose == RECALLED || whose >= ABOUT) -> tenant != whose
    :: else ->
       if
       :: d_step { tenant == whose -> tenant = RECALLED } ->
#ifndef BREAK_CHANGING
          !changing[place(whose)]; /* after the remote barrier */
#endif
          leased = 0; /* fetch_and */
          tenant = NONE
       :: else
       fi
    fi
}

proctype sender(byte me) {
    byte sent, seen, seen_credit, whose;
    bit seen_sleeping, seen_leased, won, taken;
    do
    :: sent == EACH -> break
    :: else ->
       seen_credit = credit;
       d_step { seen = claimed; seen_sleeping = sleeping; seen_leased = leased }
       if
       :: ((seen - seen_credit) & MASK) >= CELLS -> credit != seen_credit /* full: again, when it can differ */
       :: else ->
          won = 0;
          if
          :: seen_leased && tenant == me ->
             changing[place(me)] = 1;
             if
             :: tenant == me -> d_step { claimed = NEXT(seen); sleeping = 0; leased = 1; won = 1 } /* a store */
#ifdef BREAK_RECALLED
             :: else -> d_step { claimed = NEXT(seen); sleeping = 0; leased = 1; won = 1 }
#else
             :: else
#endif
             fi;
             changing[place(me)] = 0
          :: seen_leased && tenant != me
          :: !seen_leased ->
             d_step {
                 won = (claimed == seen && sleeping == seen_sleeping && !leased);
                 if
                 :: won -> claimed = NEXT(seen); sleeping = 0
                 :: else
                 fi
             }
          fi;
          if
          :: won ->
             assert(!unread[seen % CELLS]);
             from[seen % CELLS] = me;
             number[seen % CELLS] = sent;
             unread[seen % CELLS] = 1;
             stamp[seen % CELLS] = NEXT(seen);
             if
#ifndef BREAK_RING
             :: seen_sleeping -> bell++
#endif
             :: else
             fi;
             sent++;
             if
             :: !seen_leased -> take_lease(me)
             :: true
             fi
          :: !won && seen_leased -> recall_lease(whose)
          :: else
          fi
       fi
    od
}

active proctype receiver() {
    byte consumed = BEGIN, got, seen_bell, who, whose;
    byte expected[SENDERS];
    bit nothing, seen_leased;
    do
    :: got == SENDERS * EACH -> break
    :: else ->
       if
       :: stamp[consumed % CELLS] == NEXT(consumed) ->
          who = from[consumed % CELLS];
          assert(number[consumed % CELLS] == expected[who]);
          expected[who]++;
          got++;
#ifdef BREAK_CREDIT
          consumed = NEXT(consumed);
          credit = consumed;
          unread[((consumed - 1) & MASK) % CELLS] = 0
#else
          unread[consumed % CELLS] = 0;
          consumed = NEXT(consumed);
          credit = consumed
#endif
       :: else ->
          seen_bell = bell;
#ifdef BREAK_ARM
          nothing = (claimed == consumed);
          sleeping = 1;
#else
          do /* arm() */
          :: d_step { nothing = (claimed == consumed); seen_leased = leased } ->
             if
             :: !nothing -> break
#ifndef BREAK_LEASED
             :: nothing && seen_leased -> recall_lease(whose)
#endif
             :: else ->
                if
#ifdef BREAK_LEASED
                :: d_step { claimed == consumed -> sleeping = 1 } -> break
#else
                :: d_step { claimed == consumed && !leased -> sleeping = 1 } -> break
#endif
                :: else
                fi
             fi
          od;
#endif
          if
          :: nothing -> bell != seen_bell /* sleeps */
          :: else -> stamp[consumed % CELLS] == NEXT(consumed) /* it is coming: polls until it is there */
          fi
       fi
    od
}

init {
    atomic {
        byte i;
        for (i : 0 .. SENDERS - 1) {
            run sender(i)
        }
    }
}
