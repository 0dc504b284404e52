/* SPDX-License-Identifier: MIT
 *
 * The protocol of one intent (docs/internals/model.md): workers that die, a person, a clock, and a
 * network that carries each request when it likes. Each step is one transaction or one event of the
 * world. A step prints itself, so that a trail is a scenario for the C code.
 */
#include "sizes.pml"
#include "machine.pml"
#include "promise.pml"
#include "variants.pml"
#include "world.pml"
#include "ledger.pml"

bool awaited[SLOTS]; /* a worker waits for the answer */
bool sent[SLOTS];    /* at a blind provider */
byte busy;           /* workers that are not idle */
byte crashes = CRASHES;
byte decisions = DECISIONS;

#include "worker.pml"

#define may_refuse(slot) (copies[slot] > 0 && executes(slot) && slot != LOST)

/* One for each slot: the request on its way, and a word that nobody waits for any more. */
proctype Request(byte slot)
{
    do
    :: d_step { copies[slot] > 0 && !executes(slot) -> answer_again(slot); forget() }
    :: d_step { copies[slot] > 0 && executes(slot) -> take_effect(slot); forget() }
    :: d_step { may_refuse(slot) -> refuse(slot, REJECTED); forget() }
    :: d_step { may_refuse(slot) -> refuse(slot, NOT_APPLIED); forget() }
    :: d_step {
        HAS_KEY && copies[slot] == 1 && doubles > 0 ->
            printf("step double a%d\n", slot + 1);
            copies[slot] = 2;
            doubles--;
            HAPPENED(DOUBLED);
            forget()
       }
#if LIES > 0
    :: d_step {
        copies[slot] == 1 && stray == 0 && age[slot] == HORIZON - 1 ->
            printf("step stray a%d\n", slot + 1);
            stray = slot + 1;
            forget()
       }
#endif
    :: d_step {
        reply[slot] != OUTCOME_NONE && !awaited[slot] ->
            printf("step late a%d ", slot + 1);
            say(reply[slot]);
            HAPPENED(LATE_WORD);
            word = reply[slot];
            reply[slot] = OUTCOME_NONE;
            finish(OWN_SLOT(slot), word, first[slot]);
            keeps(word);
            forget()
       }
    od
}

proctype Clock()
{
    do
    :: d_step { time_matters -> printf("step tick\n"); tick(); forget() }
    :: d_step { leased -> printf("step lapse a%d\n", count); leased = false; HAPPENED(LAPSE); forget() }
    od
}

inline decide()
{
    decisions--;
    spoken = true;
    if
    :: disputed -> disputed = false; HAPPENED(DISPUTE_ENDED)
    :: else -> skip
    fi
}

/* Could what it did be on its way, or there unseen? */
#define hides(slot) (unresolved(slot) && PERSON_WAITS && age[slot] < VISIBLE)
#if ATTEMPTS > 3
#define nothing_hides (!hides(0) && !hides(1) && !hides(2) && !hides(3))
#elif ATTEMPTS > 2
#define nothing_hides (!hides(0) && !hides(1) && !hides(2))
#else
#define nothing_hides (!hides(0) && !hides(1))
#endif
#define may_affirm \
    (decisions > 0 && effects > 0 && \
        (disputed || (state == STATE_ATTEMPTED && !leased) || (state == STATE_RECORDED && fenced) || \
            ((state == STATE_CONFIRMED || state == STATE_RECONCILED) && outcome != APPLIED)))
#define may_deny \
    (decisions > 0 && effects == 0 && nothing_hides && \
        (disputed || (state == STATE_ATTEMPTED && !leased)))
#define may_retract \
    (decisions > 0 && !disputed && !fenced && count >= RETRACTS_FROM && \
        (state == STATE_RECORDED || \
            ((state == STATE_CONFIRMED || state == STATE_RECONCILED) && outcome == NOT_APPLIED)))

/* Sees all that can be seen, and tells the truth. */
proctype Person()
{
    do
    :: d_step {
        may_affirm ->
            printf("step person applied\n");
            HAPPENED(PERSON_AFFIRMS);
            decide();
            about = (count > 0 -> count - 1 : LOST);
            settle(EVENT_RECONCILE, APPLIED, PERSON, about, 1);
            forget()
       }
    :: d_step {
        may_deny ->
            printf("step person not_applied\n");
            HAPPENED(PERSON_DENIES);
            decide();
            settle(EVENT_RECONCILE, NOT_APPLIED, PERSON, count, 0);
            forget()
       }
    :: d_step {
        may_retract ->
            printf("step person retracted\n");
            decisions--;
            spoken = true;
            PROMISE(IB2_retracted_needs_none, effects == 0 || !in_contract);
            move(EVENT_RETRACT, RETRACTED);
            forget()
       }
#if RESTORES > 0
    :: d_step {
        fenced && effects == 0 && age[LOST] >= VISIBLE ->
            printf("step person lifts\n");
            HAPPENED(LIFTED);
            fenced = false;
            spoken = true;
            forget()
       }
#endif
    od
}

/* Nothing is under way, everything has landed or never will, and nobody looks any more. */
#define nothing_flies (copies[0] == 0 && copies[1] == 0 && copies[ATTEMPTS - 1] == 0)
#define quiet (busy == 0 && !time_matters && nothing_flies && looks == 0 && state != STATE_ATTEMPTED)

proctype Judge()
{
    do
    :: d_step {
        quiet ->
            PROMISE(IB8_surprise_is_noticed,
                !(HAS_LOOKUP && effects > 0 && settled_as_nothing && grade != FIRST_HAND && count > 0))
       }
    od
}

init
{
    c_code { atexit(print_counts); };
    move(EVENT_RECORD, OUTCOME_NONE);
    if
    :: HAS_KEY -> stores = true; printf("step stores\n")
    :: true
    fi;
#if RESTORES > 0
    if
    :: true -> fenced = true; copies[LOST] = 1; printf("step restored a%d\n", LOST + 1)
    :: true
    fi;
#endif
    atomic {
        for (i : 1 .. WORKERS) { run Worker(i - 1) }
        for (i : 0 .. SLOTS - 1) { run Request(i) }
        run Clock();
        run Person();
#if LIES > 0
        run Judge();
#endif
        i = 0
    }
}
