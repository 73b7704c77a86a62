/* SPDX-License-Identifier: Apache-2.0
 * The slots of a shared-memory collective area (mpi/src/collective/area/collective_area.hpp): when a rank may write a
 * slot again, and what it knows of the others' progress from their posts and from the numbers that they tell now
 * and then. Operations are of three kinds: all ranks post in slots; one posts in a slot; one posts in a small
 * slot, whose ring is longer and in whose operations ranks tell less often. Ranks look at all times: sleeping is
 * the subject of doorbell.pml. Memory is sequentially consistent; the data of a post are written in two
 * steps.
 *
 * Holds: who reads a post of operation k finds the data of operation k, all of it; no rank waits for ever.
 * BREAK_* leave one step out, and must make the check fail. */
#define RANKS 2
#define OPERATIONS 8
/* Slots, and how often a rank tells: 8 and 4, 32 and 16 in the code. */
#define DEPTH 2
#define TELLING 2
#define SMALL_DEPTH 4
#define SMALL_TELLING 4

#define all_post 0
#define one_posts 1
#define one_posts_small 2
/* Operations up to `turning` are of the one kind, the rest of the other. */
byte manners[2], posters[2], turning;
#define manner manners[number >= turning]
#define poster posters[number >= turning]

typedef rank_area {
    byte finished;              /* so many operations, as it has told */
    byte posted[DEPTH];         /* number of the operation plus one */
    byte first[DEPTH];          /* its data, in two halves */
    byte second[DEPTH];
    byte small_posted[SMALL_DEPTH];
    byte small_first[SMALL_DEPTH];
    byte small_second[SMALL_DEPTH];
}
rank_area area[RANKS];

proctype rank(byte self) {
    byte number, told, known, due; /* known: so many operations the other one has finished, for sure */
    byte other = RANKS - 1 - self;
    bit posts, reads;
    number = 0;
    do
    :: number == OPERATIONS -> break
    :: else ->
       posts = (manner == all_post || poster == self);
       reads = (manner == all_post || poster == other);
       due = (manner == one_posts_small -> SMALL_TELLING : TELLING);
#ifndef BREAK_DUE
       /* enter(): tell what small operations have left untold */
       if
       :: manner != one_posts_small && told + TELLING <= number ->
          area[self].finished = number;
          told = number
       :: else
       fi;
#endif
       if
       :: posts ->
#ifndef BREAK_ROOM
          /* has_room() */
          do
          :: number < known + (manner == one_posts_small -> SMALL_DEPTH : DEPTH) -> break
          :: else ->
             area[other].finished > known; /* looks until it is more */
             known = area[other].finished
          od;
#endif
          if
          :: manner == one_posts_small ->
             area[self].small_first[number % SMALL_DEPTH] = number;
             area[self].small_second[number % SMALL_DEPTH] = number;
             area[self].small_posted[number % SMALL_DEPTH] = number + 1
          :: else ->
             area[self].first[number % DEPTH] = number;
#ifdef BREAK_PUBLISH
             area[self].posted[number % DEPTH] = number + 1;
             area[self].second[number % DEPTH] = number
#else
             area[self].second[number % DEPTH] = number;
             area[self].posted[number % DEPTH] = number + 1
#endif
          fi
       :: else
       fi;
       if
       :: reads ->
          if
          :: manner == one_posts_small ->
             area[other].small_posted[number % SMALL_DEPTH] == number + 1;
             assert(area[other].small_first[number % SMALL_DEPTH] == number);
             assert(area[other].small_second[number % SMALL_DEPTH] == number)
          :: else ->
             area[other].posted[number % DEPTH] == number + 1;
             assert(area[other].first[number % DEPTH] == number);
             assert(area[other].second[number % DEPTH] == number)
          fi;
#ifdef BREAK_NOTED
          known = number + 1 /* but the other one may still read */
#else
          known = (known > number -> known : number) /* who posts has finished what came before */
#endif
       :: else
       fi;
       /* finish() */
#ifndef BREAK_TELL
       if
       :: (number + 1) % due == 0 ->
          area[self].finished = number + 1;
          told = number + 1
       :: else
       fi;
#endif
       number++
    od
}

inline choose(which) {
    if
    :: manners[which] = all_post
    :: manners[which] = one_posts
    :: manners[which] = one_posts_small
    fi;
    if
    :: posters[which] = 0
    :: posters[which] = 1
    fi
}

init {
    atomic {
        choose(0);
        choose(1);
        select(turning: 0 .. OPERATIONS - 1);
        run rank(0);
        run rank(1)
    }
}
