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

/* Who says `applied` with a token we know, or do not, is heard. */
#define keeps(what) PROMISE(IB7_late_word_kept, what != APPLIED || outcome == APPLIED)

/* What may have taken effect and is not known not to have. */
inline count_sends_that_count()
{
    doubts = 0;
    for (i : 0 .. ATTEMPTS - 1) {
        doubts = (sent[i] && verdict[i] != NOT_APPLIED -> doubts + 1 : doubts)
    }
}

inline send(slot)
{
    printf("step send w%d a%d\n", me, slot + 1);
    sent[slot] = !HAS_KEY && !HAS_LOOKUP;
    count_sends_that_count();
    PROMISE(IE2_blind_sends_once, doubts <= 1 || spoken);
    copies[slot] = 1;
    awaited[slot] = true
}

inline gives_up(slot)
{
    awaited[slot] = false;
    leased = (slot == count - 1 -> false : leased)
}

inline start(slot, event, generation)
{
    PROMISE(IB7_disputed_begins_nothing, !disputed);
    begin(event, generation);
    slot = count - 1;
    busy++
}

/* What was asked is one moment; what it is worth is decided when it is written. */
inline ask(shown)
{
    seen = shown;
    mine = count;
    count_aged(aged);
    due = (looks > 0 && age[count - 1] >= OLD);
    busy++
}

#define can_crash (crashes > 0)
inline crash()
{
    printf("step crash w%d\n", me);
    crashes--;
    busy--;
    HAPPENED(CRASH)
}

proctype Worker(byte me)
{
    byte mine;
    byte aged;
    byte seen;
    bool due;
idle:
    mine = 0;
    due = false;
    aged = 0;
    seen = 0;
    if
    :: d_step {
        may_attempt ->
            about = (count == 0 -> 0 : next_generation);
            if
            :: count > 0 && about > gen[count - 1] -> HAPPENED(NEW_KEY)
            :: else -> skip
            fi;
            start(mine, EVENT_ATTEMPT, about);
            printf("step begin w%d a%d\n", me, mine + 1);
            forget()
       }; goto ready
    :: d_step {
        may_replay ->
            about = REPLAY_GENERATION;
            start(mine, EVENT_REPLAY, about);
            printf("step replay w%d a%d\n", me, mine + 1);
            forget()
       }; goto ready
    :: d_step {
        may_look && effects - fresh == 0 ->
            if
            :: fresh > 0 -> HAPPENED(LAGGING)
            :: else -> skip
            fi;
            printf("step ask w%d absent\n", me);
            ask(0);
            forget()
       }; goto asked
    :: d_step {
        may_look && effects > 0 && effects - fresh <= 1 ->
            printf("step ask w%d present\n", me);
            ask(1);
            forget()
       }; goto asked
    :: d_step {
        may_look && effects > 1 ->
            printf("step ask w%d twice\n", me);
            ask(2);
            forget()
       }; goto asked
    :: d_step {
        may_bar ->
            barred[gen[count - 1]] = (effects == 0);
            seen = effects;
            mine = count;
            busy++;
            if
            :: seen == 0 -> printf("step bar w%d closed\n", me)
            :: else -> printf("step bar w%d present\n", me)
            fi;
            forget()
       }; goto barred_by
    fi;
ready:
    if
    :: d_step { MAY_SEND(mine) -> send(mine) }; goto waiting
    :: d_step {
        !MAY_SEND(mine) ->
            printf("step too-late w%d a%d\n", me, mine + 1);
            HAPPENED(TOO_LATE);
            unsent[mine] = true;
            busy--;
            finish(mine, NOT_APPLIED, false);
            forget()
       }; goto idle
    :: d_step { can_crash -> gives_up(mine); crash() }; goto idle
    fi;
waiting:
    if
    :: d_step {
        reply[mine] != OUTCOME_NONE ->
            printf("step word w%d a%d ", me, mine + 1);
            say(reply[mine]);
            awaited[mine] = false;
            busy--;
            word = reply[mine];
            reply[mine] = OUTCOME_NONE;
            finish(OWN_SLOT(mine), word, first[mine]);
            keeps(word);
            forget()
       }; goto idle
    :: d_step {
        true ->
            printf("step word w%d a%d unknown\n", me, mine + 1);
            gives_up(mine);
            busy--;
#ifdef BREAK_ZERO_MEANS_APPLIED
            finish(mine, APPLIED, false);
#endif
            forget()
       }; goto idle
    :: d_step { can_crash -> gives_up(mine); crash() }; goto idle
    fi;
asked:
    if
    :: d_step {
        true ->
            printf("step write w%d\n", me);
            looks = (due && looks > 0 && mine == count -> looks - 1 : looks);
            if
            :: seen == 0 -> write_absent(aged, mine)
            :: else -> write_present(seen)
            fi;
            busy--;
            forget()
       }; goto idle
    :: d_step { can_crash -> crash() }; goto idle
    fi;
barred_by:
    if
    :: d_step {
        true ->
            printf("step write w%d\n", me);
            if
            :: seen > 0 -> write_present(seen)
            :: else -> write_closed(mine)
            fi;
            busy--;
            forget()
       }; goto idle
    :: d_step { can_crash -> crash() }; goto idle
    fi
}

/* One for each slot: the request on its way, and a word that nobody waits for any more. */
proctype Request(byte slot)
{
    do
    :: d_step { copies[slot] > 0 && !executes(slot) -> answer_again(slot) }
    :: d_step { copies[slot] > 0 && executes(slot) -> take_effect(slot) }
    :: d_step { copies[slot] > 0 && executes(slot) && slot != LOST -> refuse(slot, REJECTED) }
    :: d_step { copies[slot] > 0 && executes(slot) && slot != LOST -> refuse(slot, NOT_APPLIED) }
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
    :: d_step { leased -> printf("step lapse a%d\n", count); leased = false; HAPPENED(LAPSE) }
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
    (decisions > 0 && !disputed && !fenced && \
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
                !(HAS_LOOKUP && effects > 0 && settled_as_nothing && grade != FIRST_HAND && count > 0));
            forget()
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
