/* SPDX-License-Identifier: MIT
 *
 * The rules that a variant may break, each as it should be and as it is broken. tests/model/variants.list
 * says where each is tried, and which change of the C code breaks the same rule. Two are where they break:
 * BREAK_ZERO_MEANS_APPLIED in deed.pml, BREAK_DISPUTE_ENDS_BY_LOOK in ledger.pml.
 */
#ifdef BREAK_EARLY_ABSENCE
#define IS_AGED(slot, aged) true
#elif defined(BREAK_JUDGED_WHEN_WRITTEN)
#define IS_AGED(slot, aged) (age[slot] >= VISIBLE)
#else
#define IS_AGED(slot, aged) (slot < aged) /* when it was asked */
#endif

#ifdef BREAK_LATER_ATTEMPTS_IGNORED
#define COUNTS_AS_DOUBT(slot, asked_of) (slot < asked_of)
#else
#define COUNTS_AS_DOUBT(slot, asked_of) true /* whatever is in doubt when it is written */
#endif

#ifdef BREAK_CLOSED_COVERS_ALL
#define CLOSES_ALL true
#else
#define CLOSES_ALL false /* what was begun after it was asked goes out under another key */
#endif

#ifdef BREAK_NEGATIVE_REPLAY_SETTLES
#define NEGATIVE_SETTLES(slot) replayed[slot]
#else
#define NEGATIVE_SETTLES(slot) false
#endif

#if defined(BREAK_KEYLESS_RESEND)
#define REPLAY_IS_SAFE true
#elif defined(BREAK_RESEND_AFTER_ABSENCE)
#define REPLAY_IS_SAFE denied
#elif defined(BREAK_REPLAY_PAST_WINDOW)
#define REPLAY_IS_SAFE HAS_KEY
#elif defined(BREAK_REPLAY_STARTS_IN_WINDOW)
#define REPLAY_IS_SAFE (HAS_KEY && newest_lands_inside && key_age[gen[count - 1]] < WINDOW)
#else
#define REPLAY_IS_SAFE (HAS_KEY && newest_lands_inside && key_lasts(HORIZON))
#endif

#ifdef BREAK_REPLAY_TAKES_NEW_KEY
#define REPLAY_GENERATION (gen[count - 1] + (gen[count - 1] < GENERATIONS - 1 -> 1 : 0))
#else
#define REPLAY_GENERATION gen[count - 1]
#endif

#ifdef BREAK_CONFIRM_WITHOUT_TOKEN
#define OWN_SLOT(slot) (count - 1)
#else
#define OWN_SLOT(slot) slot
#endif

#ifdef BREAK_MAY_SEND_ALWAYS
#define MAY_SEND(slot) true
#else
#define MAY_SEND(slot) (age[slot] < SEND)
#endif

#ifdef BREAK_CONFIRM_IN_DOUBT
#define CONFIRMS_IN_DOUBT true
#else
#define CONFIRMS_IN_DOUBT false
#endif

#ifdef BREAK_PERSON_EARLY
#define PERSON_WAITS false
#else
#define PERSON_WAITS true
#endif

#ifdef BREAK_FENCE_IGNORED
#define SENDS_FENCED true
#else
#define SENDS_FENCED false
#endif

#ifdef BREAK_LATE_WORD_DROPPED
#define DROPS_LATE true
#else
#define DROPS_LATE false
#endif

#ifdef BREAK_SECOND_LOOK_MISSING
#define SECOND_LOOKS false
#else
#define SECOND_LOOKS true
#endif
