/* SPDX-License-Identifier: MIT
 *
 * The world: provider, network and time. What is here the ledger does not see; it only counts what
 * really happened. A slot is an attempt; its request lands at any moment before its horizon, or never,
 * in any order with the others.
 */
byte age[SLOTS];    /* ticks since the attempt began, at most OLD */
byte copies[SLOTS]; /* of its request, on the way */
byte did[SLOTS];    /* what the provider did with it; OUTCOME_NONE: nothing yet */
byte reply[SLOTS];  /* on its way back; OUTCOME_NONE: none */
bool first[SLOTS];  /* the reply is marked as the stored first answer of the key */
byte effects;
byte fresh;            /* effects that a look-up may not show yet */
byte key[GENERATIONS]; /* what the provider keeps under it */
byte key_age[GENERATIONS];
bool barred[GENERATIONS];
bool stores; /* it keeps errors under a key, too */
byte doubles = DOUBLES;
byte stray; /* 1 + the slot whose request lands after its horizon; 0: none */
bool spoken; /* a person has decided something */

/* Has the provider kept to what it declares? */
#define in_contract (stray == 0)
#define denies (outcome == REJECTED || outcome == NOT_APPLIED || outcome == RETRACTED)
#define settled_as_nothing (denies && !disputed)

/* Would the provider do what the request says, or answer from what it knows? */
#define executes(slot) \
    (did[slot] == OUTCOME_NONE && !barred[gen[slot]] && \
        !(HAS_KEY && key[gen[slot]] != OUTCOME_NONE))
/* A copy of a request that took effect, under a key that is kept no longer. */
#define happens_again(slot) \
    (did[slot] == APPLIED && !barred[gen[slot]] && !(HAS_KEY && key[gen[slot]] != OUTCOME_NONE))

inline effect(slot)
{
    effects++;
    fresh++;
    key[gen[slot]] = (HAS_KEY -> APPLIED : OUTCOME_NONE);
    PROMISE(IE1_at_most_one_effect, effects <= 1 || !in_contract);
    PROMISE(IB2_nothing_after_not_applied, !settled_as_nothing || !in_contract)
}

inline take_effect(slot)
{
    printf("step land a%d effect\n", slot + 1);
    if
    :: age[slot] >= HORIZON -> HAPPENED(STRAYED)
    :: else -> skip
    fi;
    copies[slot]--;
    did[slot] = APPLIED;
    reply[slot] = APPLIED;
    effect(slot)
}

inline refuse(slot, how)
{
    printf("step land a%d ", slot + 1);
    say(how);
    copies[slot]--;
    did[slot] = how;
    reply[slot] = how;
    key[gen[slot]] = (HAS_KEY && stores -> how : key[gen[slot]])
}

/* Not executed: barred, a copy, or known by its key. */
inline answer_again(slot)
{
    copies[slot]--;
    if
    :: happens_again(slot) ->
        printf("step land a%d effect\n", slot + 1);
        effect(slot)
    :: else ->
        printf("step land a%d again\n", slot + 1);
        if
        :: barred[gen[slot]] -> HAPPENED(BARRED)
        :: !barred[gen[slot]] && did[slot] == OUTCOME_NONE ->
            did[slot] = key[gen[slot]];
            reply[slot] = key[gen[slot]];
            first[slot] = true
        :: else -> skip /* a copy of what was answered already */
        fi
    fi
}

#define key_begun(generation) (count > 0 && gen[count - 1] >= generation)

/* A tick: what has passed its horizon never lands, and what has happened shows. */
inline tick()
{
    for (i : 0 .. SLOTS - 1) {
        age[i] = (age[i] < OLD && (i < count || (RESTORES > 0 && i == LOST)) -> age[i] + 1 : age[i]);
        if
        :: copies[i] > 0 && age[i] >= HORIZON && stray != i + 1 ->
            copies[i] = 0; HAPPENED(DROPPED)
#if LIES > 0
        :: copies[i] > 0 && age[i] >= STRAY && stray == i + 1 -> copies[i] = 0
#endif
        :: else -> skip
        fi
    }
    for (i : 0 .. GENERATIONS - 1) {
        key_age[i] = (key_begun(i) && key_age[i] < WINDOW -> key_age[i] + 1 : key_age[i]);
        if
        :: key_age[i] >= WINDOW && key[i] != OUTCOME_NONE ->
            key[i] = OUTCOME_NONE; HAPPENED(KEY_FORGOTTEN)
        :: else -> skip
        fi
    }
    fresh = 0
}

/* Does time still change anything? */
#define time_matters \
    (fresh > 0 || (count > 0 && age[count - 1] < OLD) || (RESTORES > 0 && age[LOST] < OLD) || \
        (HAS_KEY && count > 0 && key_age[gen[count - 1]] < WINDOW))
