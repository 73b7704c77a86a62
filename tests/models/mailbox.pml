/* SPDX-License-Identifier: Apache-2.0
 * The mailbox of src/fabric/mailbox.hpp: senders claim cells by compare-and-swap against the credit, the
 * receiver drains, returns credit, and sleeps through the word that claims go through. Memory is taken to be
 * sequentially consistent; that each pair of release and acquire suffices is argued in docs/design/mailbox.md.
 *
 * Holds: no cell is written before it was read; messages of a sender come in order; nobody waits for ever.
 * BREAK_* leave one step out, and must make the check fail. */
#define SENDERS 2
#define EACH 3
#define CELLS 2
#define MASK 7 /* tickets wrap, and do so here: they begin at 6 */
#define BEGIN 6
#define NEXT(t) ((t + 1) & MASK)

byte claimed = BEGIN; /* with `sleeping`: one word */
bit sleeping;
byte credit = BEGIN;
byte stamp[CELLS] = 255;
byte from[CELLS];
byte number[CELLS];
bit unread[CELLS]; /* published or being read: for the assertion only */
byte bell;

proctype sender(byte me) {
    byte sent, seen, seen_credit;
    bit seen_sleeping, won;
    do
    :: sent == EACH -> break
    :: else ->
       seen_credit = credit;
       d_step { seen = claimed; seen_sleeping = sleeping }
       if
       :: ((seen - seen_credit) & MASK) >= CELLS -> credit != seen_credit /* full: again, when it can differ */
       :: else ->
          d_step {
              won = (claimed == seen && sleeping == seen_sleeping);
              if
              :: won -> claimed = NEXT(seen); sleeping = 0
              :: else
              fi
          }
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
             sent++
          :: else
          fi
       fi
    od
}

active proctype receiver() {
    byte consumed = BEGIN, got, seen_bell, who;
    byte expected[SENDERS];
    bit nothing;
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
          d_step { nothing = (claimed == consumed); sleeping = 1 } /* fetch_or */
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
