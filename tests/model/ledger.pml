/* SPDX-License-Identifier: MIT
 *
 * The ledger: one intent, and every decision about it. Names and order are those of core/finish.c,
 * core/look.c, core/plan.c, core/settle.c and core/person.c; its state changes by `move` alone.
 */
byte state;
byte outcome;
byte grade;    /* of the outcome */
byte count;    /* attempts */
byte settled;  /* attempts that the last settlement ended the doubt of */
byte ground;   /* the attempt that `applied` rests on */
byte looks;    /* second looks that are due some day */
bool disputed;
bool fenced;
bool leased;   /* the newest attempt is in flight, as far as the ledger can tell */
byte verdict[SLOTS];
bool replayed[SLOTS];
bool unsent[SLOTS]; /* closed by its own worker, before the first byte */
byte gen[SLOTS];
#ifdef BREAK_RESEND_AFTER_ABSENCE
bool denied; /* a look-up has seen nothing */
#endif

#define FIRST_HAND 1
#define INFERRED 2
#define PERSON 3

/* Scratch: zero between steps, so that it makes no states. */
byte i;
byte about;
byte doubts;
byte word;
byte shown_gen;
bool found;
bool disputes;

/* The end of every step. */
inline forget()
{
    printf("is %d %d %d\n", state, outcome, disputed);
    i = 0;
    about = 0;
    doubts = 0;
    word = 0;
    shown_gen = 0;
    found = false;
    disputes = false
}

#define in_doubt(slot) (slot >= settled && slot < count && verdict[slot] == OUTCOME_NONE)
#define unresolved(slot) \
    (slot < count && verdict[slot] == OUTCOME_NONE && (slot >= settled || disputed))

inline count_doubts()
{
    doubts = 0;
    for (i : 0 .. ATTEMPTS - 1) {
        doubts = (in_doubt(i) -> doubts + 1 : doubts)
    }
}

/* One key, honoured, in one place. */
#define is_one_effect(one, other) \
    (one == other || (HAS_KEY && one < count && other < count && gen[one] == gen[other]))

/* Could there be a second effect beside the one that a word about `slot` speaks of? */
inline second_effect(slot)
{
    found = false;
    for (i : 0 .. ATTEMPTS - 1) {
        found = found || (i < count && (in_doubt(i) || verdict[i] == APPLIED) &&
                             !is_one_effect(slot, i))
    }
}

inline dispute()
{
    if
    :: !disputed -> disputed = true; HAPPENED(DISPUTE)
    :: else -> skip
    fi
}

/* A word about `slot` settles. `seen` is how many effects it speaks of. */
inline settle(event, says, rests_on, slot, seen)
{
    disputes = false;
    if
    :: says == APPLIED && rests_on != PERSON ->
        second_effect(slot);
        disputes = found || seen > 1 || outcome == RETRACTED || (grade == PERSON && denies)
    :: else -> skip
    fi;
    PROMISE(IB7_only_a_person_ends_a_dispute, !disputed);
    PROMISE(IB1_applied_needs_an_effect, says != APPLIED || effects > 0);
    PROMISE(IB2_not_applied_needs_none, says == APPLIED || effects == 0 || !in_contract);
    BELIEVE(IB3_doubt_stays, rests_on != FIRST_HAND || says == APPLIED || doubts == 0);
    move(event, says);
    BELIEVE(IB5_inferred_is_not_confirmed, state != STATE_CONFIRMED || rests_on == FIRST_HAND);
    grade = rests_on;
    settled = count;
    ground = (says == APPLIED -> slot : 0);
    leased = false;
    looks = (SECOND_LOOKS && HAS_LOOKUP && says == NOT_APPLIED && rests_on != FIRST_HAND -> LOOKS : 0);
    if
    :: disputes -> dispute()
    :: else -> skip
    fi
}

/* `applied`, and the attempt it speaks of decides nothing any more, or is none of ours. */
inline late_applied(slot, seen, rests_on)
{
    if
    :: outcome != APPLIED ->
        if
        :: slot == LOST -> HAPPENED(UNKNOWN_TOKEN)
        :: else -> skip
        fi;
        settle(EVENT_RECONCILE, APPLIED, rests_on, slot, seen)
    :: else ->
        second_effect(slot);
        if
        :: found || seen > 1 || !is_one_effect(slot, ground) -> dispute()
        :: else -> skip
        fi
    fi
}

/* The own word of an attempt made since the last settlement. */
inline settle_open(slot, says, is_stored)
{
    count_doubts();
    found = false;
    for (i : 0 .. ATTEMPTS - 1) {
        found = found || (i >= settled && i < count && verdict[i] == REJECTED)
    }
    about = (says != APPLIED && found -> REJECTED : says);
    if
    :: says == APPLIED && (doubts == 0 || CONFIRMS_IN_DOUBT) ->
        BELIEVE_ALWAYS(IB5_confirmed_first_hand, doubts == 0);
        settle(EVENT_CONFIRM, APPLIED, FIRST_HAND, slot, 1)
    :: says == APPLIED && !(doubts == 0 || CONFIRMS_IN_DOUBT) ->
        settle(EVENT_RECONCILE, APPLIED, INFERRED, slot, 1)
    :: says != APPLIED && doubts > 0 && is_stored && replayed[slot] ->
        HAPPENED(STORED_FIRST);
        settle(EVENT_RECONCILE, says, INFERRED, slot, 1)
    :: says != APPLIED && doubts > 0 && !(is_stored && replayed[slot]) && !NEGATIVE_SETTLES(slot) ->
        HAPPENED(SAYS_NOTHING)
    :: says != APPLIED && (doubts == 0 || (NEGATIVE_SETTLES(slot) && !is_stored)) ->
        if
        :: count - settled == 1 -> settle(EVENT_CONFIRM, about, FIRST_HAND, slot, 1)
        :: else -> settle(EVENT_RECONCILE, about, FIRST_HAND, slot, 1)
        fi
    fi
}

/* A word with a token: it resolves its own attempt, and overwrites nothing. */
inline finish(slot, says, is_stored)
{
    if
    :: slot == LOST || verdict[slot] != OUTCOME_NONE ->
        if
        :: says == APPLIED && (slot == LOST || verdict[slot] != APPLIED) && !DROPS_LATE ->
            late_applied(slot, 1, INFERRED)
        :: else -> skip
        fi
    :: else ->
        found = in_doubt(slot) && state == STATE_ATTEMPTED;
        verdict[slot] = says;
        leased = (slot == count - 1 -> false : leased);
        if
        :: found -> settle_open(slot, says, is_stored)
        :: !found && says == APPLIED && !DROPS_LATE -> late_applied(slot, 1, INFERRED)
        :: else -> skip
        fi
    fi
}

/* ---- may it be sent? ------------------------------------------------------------------------ */

#define obstacle (disputed || (fenced && !SENDS_FENCED))
#define may_attempt \
    (count < ATTEMPTS && !obstacle && \
        (state == STATE_RECORDED || ((state == STATE_CONFIRMED || state == STATE_RECONCILED) && \
                                        outcome == NOT_APPLIED)) && \
        (count == 0 || next_generation < GENERATIONS))
#define key_lasts(ahead) (key_age[gen[count - 1]] + ahead <= WINDOW)
/* Of attempts made since the last settlement the first is the oldest, and the window counts from it or
 * from before it: what is in doubt lands inside if the newest does. */
#define newest_lands_inside (key_age[gen[count - 1]] - age[count - 1] + HORIZON <= WINDOW)
#define error_is_stored (stores && !unsent[count - 1] && verdict[count - 1] == NOT_APPLIED)
#define next_generation \
    (gen[count - 1] + \
        (barred[gen[count - 1]] || (HAS_KEY && (error_is_stored || !key_lasts(HORIZON))) -> 1 : 0))
#define may_replay \
    (count > 0 && count < ATTEMPTS && state == STATE_ATTEMPTED && !leased && !obstacle && \
        REPLAY_IS_SAFE)

inline begin(event, generation)
{
    move(event, OUTCOME_NONE);
    gen[count] = generation;
    replayed[count] = (event == EVENT_REPLAY);
    grade = 0;
    looks = 0;
    count++;
    leased = true
}

/* ---- what a look is worth ------------------------------------------------------------------- */

#define may_look \
    (HAS_LOOKUP && count > 0 && \
        ((state == STATE_ATTEMPTED && !leased && !disputed) || (looks > 0 && state != STATE_ATTEMPTED)))
#define may_bar (HAS_BAR && count > 0 && state == STATE_ATTEMPTED && !leased && !disputed)

/* The attempts, oldest first, that had landed and become visible when it was asked. */
inline count_aged(into)
{
    into = 0;
    for (i : 0 .. ATTEMPTS - 1) {
        into = (i < count && age[i] >= VISIBLE -> i + 1 : into)
    }
}

/* The newest attempt under the key of what is shown. */
inline find_shown()
{
    shown_gen = gen[count - 1];
    for (i : 0 .. ATTEMPTS - 1) {
        shown_gen = (i < count && did[i] == APPLIED -> gen[i] : shown_gen)
    }
    for (i : 0 .. ATTEMPTS - 1) {
        about = (i < count && gen[i] == shown_gen -> i : about)
    }
}

/* Absent, as asked when `aged` attempts could hide nothing any more. */
inline write_absent(aged, asked_of)
{
    found = true;
    for (i : 0 .. ATTEMPTS - 1) {
        found = found && !(in_doubt(i) && COUNTS_AS_DOUBT(i, asked_of) && !IS_AGED(i, aged))
    }
    if
    :: disputed ->
#ifdef BREAK_DISPUTE_ENDS_BY_LOOK
        settle(EVENT_RECONCILE, NOT_APPLIED, INFERRED, count, 0);
        disputed = false
#else
        skip
#endif
    :: !disputed && state == STATE_ATTEMPTED && found ->
        HAPPENED(FINAL);
        settle(EVENT_RECONCILE, NOT_APPLIED, INFERRED, count, 0)
    :: !disputed && state == STATE_ATTEMPTED && !found ->
#ifdef BREAK_RESEND_AFTER_ABSENCE
        denied = true;
#endif
        HAPPENED(TOO_EARLY)
    :: else -> skip
    fi
}

/* Barred for whatever was sent before it was asked. */
inline write_closed(asked_of)
{
    found = true;
    for (i : 0 .. ATTEMPTS - 1) {
        found = found && (CLOSES_ALL || !(in_doubt(i) && i >= asked_of))
    }
    if
    :: !disputed && state == STATE_ATTEMPTED && found ->
        settle(EVENT_RECONCILE, NOT_APPLIED, INFERRED, count, 0)
    :: else -> skip
    fi
}

inline write_present(seen)
{
    if
    :: !disputed ->
        if
        :: outcome == NOT_APPLIED || outcome == RETRACTED -> HAPPENED(SECOND_LOOK)
        :: else -> skip
        fi;
        find_shown();
        late_applied(about, seen, INFERRED)
    :: else -> skip
    fi
}
