/* SPDX-License-Identifier: MIT
 *
 * marks.h - what has to happen at least once: a green run that never met its fault proves nothing.
 */
#ifndef DEED_MOCKS_SIMULATE_MARKS_H
#define DEED_MOCKS_SIMULATE_MARKS_H

#include <stdint.h>

/* The only list of marks. */
#define DEED_CRASH__MARK_LIST(MARK)                                                                \
    MARK(KILLED, "killed")                                                                         \
    MARK(POWERED, "power lost")                                                                    \
    MARK(UNITS_LOST, "unflushed writes lost")                                                      \
    MARK(UNITS_KEPT, "unflushed writes kept")                                                      \
    MARK(UNITS_TORN, "unflushed writes torn")                                                      \
    MARK(NAME_LOST, "a file vanished")                                                             \
    MARK(DIED_UNTOLD, "died after the effect, before the answer was stored")                       \
    MARK(DIED_TWICE, "died in a recovery")                                                         \
    MARK(REPLY_LOST, "an effect, and no answer")                                                   \
    MARK(LATE, "an effect after its call had ended")                                               \
    MARK(LATE_AFTER_LOOK, "an effect after a look that did not see it")                            \
    MARK(COPIES, "the network delivered twice")                                                    \
    MARK(RETRIED, "a second attempt after not_applied")                                            \
    MARK(REPLAYED, "a resend under the same key")                                                  \
    MARK(PRESENT, "settled by a look that saw it")                                                 \
    MARK(ABSENT_FINAL, "settled by final absence")                                                 \
    MARK(CLOSED, "settled by closing")                                                             \
    MARK(PENDING, "accepted before it was done")                                                   \
    MARK(REJECTED, "rejected for good")                                                            \
    MARK(PERSON, "settled by a person")                                                            \
    MARK(HELD, "held")                                                                             \
    MARK(DISPUTED, "disputed")                                                                     \
    MARK(RETRACTED, "retracted")                                                                   \
    MARK(GARBAGE, "an answer that was none")                                                       \
    MARK(UNCERTAIN, "an honest uncertain")                                                         \
    MARK(COMMIT_UNKNOWN, "a commit whose fate was not known")                                      \
    MARK(CHECKPOINTED, "died around a checkpoint")

enum deed_crash__mark {
#define DEED_CRASH__MARK_ENUM(ident, text) DEED_CRASH__MARK_##ident,
    DEED_CRASH__MARK_LIST(DEED_CRASH__MARK_ENUM)
#undef DEED_CRASH__MARK_ENUM
    DEED_CRASH__MARK_COUNT
};

#define DEED_CRASH__BIT(ident) (UINT64_C(1) << DEED_CRASH__MARK_##ident)

/* "died in a recovery"; NULL past the last one. */
const char *deed_crash__mark_text(unsigned mark);

#endif /* DEED_MOCKS_SIMULATE_MARKS_H */
