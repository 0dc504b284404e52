/* SPDX-License-Identifier: MIT
 *
 * deed/seam.h - named places between two steps, where a test may stop or kill the process.
 *
 * A hook can watch and can die. It cannot switch a rule off: every value the core decides with is
 * on the other side of the call. Nothing installed sets a hook, and no environment variable does;
 * only the library that `deed crashtest` preloads into the program it tests.
 */
#ifndef DEED_SEAM_H
#define DEED_SEAM_H

#include <deed/base.h>

DEED_BEGIN_DECLS

/* In the order in which one action meets them. The only list of seams: append only. */
#define DEED_SEAM_LIST(SEAM)                                                                       \
    SEAM(RECORD_WRITTEN, "record.written") /* in the transaction, not committed */                 \
    SEAM(RECORD_COMMITTED, "record.committed")                                                     \
    SEAM(ATTEMPT_PREPARED, "attempt.prepared") /* bytes encoded, nothing written */                \
    SEAM(ATTEMPT_WRITTEN, "attempt.written")                                                       \
    SEAM(ATTEMPT_DURABLE, "attempt.durable") /* committed; the executor is called next */          \
    SEAM(SEND_ALLOWED, "send.allowed")       /* may_send said yes; no byte is out */               \
    SEAM(SEND_EFFECT, "send.effect")         /* a mock's: the effect is in the world */            \
    SEAM(REPLY_READ, "reply.read")           /* the executor returned, nothing is stored */        \
    SEAM(FINISH_WRITTEN, "finish.written")                                                         \
    SEAM(FINISH_COMMITTED, "finish.committed")                                                     \
    SEAM(PASS_BEFORE_LOOK, "pass.before_look")                                                     \
    SEAM(PASS_AFTER_LOOK, "pass.after_look") /* the answer is read, nothing is stored */           \
    SEAM(RECONCILE_WRITTEN, "reconcile.written")                                                   \
    SEAM(RECONCILE_COMMITTED, "reconcile.committed")                                               \
    SEAM(REPLAY_WRITTEN, "replay.written")                                                         \
    SEAM(REPLAY_DURABLE, "replay.durable")                                                         \
    SEAM(PERSON_WRITTEN, "person.written")                                                         \
    SEAM(PERSON_COMMITTED, "person.committed")                                                     \
    SEAM(MIGRATE_WRITTEN, "migrate.written")                                                       \
    SEAM(MIGRATE_COMMITTED, "migrate.committed")                                                   \
    SEAM(CHECKPOINT_LOCKED, "checkpoint.locked") /* the sibling holds the write lock */            \
    SEAM(CHECKPOINT_DONE, "checkpoint.done")                                                       \
    SEAM(OUTBOX_RECORDED, "outbox.recorded")   /* in the ledger, and in the host's file too */     \
    SEAM(OUTBOX_REMOVED, "outbox.removed")     /* out of the host's file */                        \
    SEAM(EVIDENCE_WRITTEN, "evidence.written") /* outside evidence is in its transaction */        \
    SEAM(EVIDENCE_COMMITTED, "evidence.committed")

typedef enum deed_seam {
#define DEED_SEAM_ENUM(ident, name) DEED_SEAM_##ident,
    DEED_SEAM_LIST(DEED_SEAM_ENUM)
#undef DEED_SEAM_ENUM
    DEED_SEAM_COUNT
} deed_seam;

/* Called at each seam, on the thread that crosses it. */
typedef void (*deed_seam_hook)(void *context, deed_seam seam);

/* Sets the hook of this process; NULL removes it. The one process-wide setting of the library: a
 * kit for other languages must reach it without a handle. Set it before other threads start. */
DEED_API void deed_seam_hook_set(deed_seam_hook hook, void *context);

/* The seam's name; NULL past the last one. */
DEED_API const char *deed_seam_name(deed_seam seam);

/* Crosses a seam: one predictable branch when no hook is set. For stores, executors and mocks. */
DEED_API void deed_seam_cross(deed_seam seam);

DEED_END_DECLS
#endif /* DEED_SEAM_H */
