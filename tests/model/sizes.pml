/* SPDX-License-Identifier: MIT
 *
 * What kind of provider, how much of everything, and how long things take. -DCLASS_... and -DLARGE are
 * given by scripts/model, as is -DBREAK_... for a variant that is broken on purpose.
 */
#if defined(CLASS_KEYED) || defined(CLASS_KEYED_LOOKUP)
#define HAS_KEY true /* a key is honoured inside its window, whatever was answered first */
#else
#define HAS_KEY false
#endif
#if defined(CLASS_LOOKUP) || defined(CLASS_KEYED_LOOKUP) || defined(CLASS_CLOSABLE)
#define HAS_LOOKUP true
#else
#define HAS_LOOKUP false
#endif
#ifdef CLASS_CLOSABLE
#define HAS_BAR true /* it can be asked to bar a key for ever */
#else
#define HAS_BAR false
#endif

#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef ATTEMPTS
#define ATTEMPTS 2
#endif
#ifndef CRASHES
#define CRASHES 1
#endif
#ifndef DOUBLES
#define DOUBLES 1 /* of requests, by the network */
#endif
#ifndef DECISIONS
#define DECISIONS 1 /* of a person who tells the truth */
#endif
#ifndef LIES
#define LIES 0 /* requests that land after their horizon: beyond what a provider declares */
#endif
#ifndef RESTORES
#define RESTORES 0 /* 1: the ledger may be a copy from before an attempt that it does not know */
#endif
#ifdef WALK
#define RETRACTS_FROM 1 /* attempts: a walk shall not end before it has begun */
#else
#define RETRACTS_FROM 0
#endif
#define LOOKS 1 /* second looks after a `not_applied` that was inferred */
#define GENERATIONS 2

/* In ticks, from the begin of an attempt: the first moment at which it may not send any more; nothing
 * of it lands; every effect of it is visible. A window counts from the first attempt of its key. */
#define SEND 1
#define HORIZON 2
#define VISIBLE 3
#define WINDOW 4
#if LIES > 0
#define STRAY 4 /* what lands after its horizon lands before this */
#define OLD 5   /* second looks are due, and older than this is nothing */
#else
#define OLD 4
#endif

#define SLOTS (ATTEMPTS + 1)
#define LOST ATTEMPTS /* the slot of an attempt that this ledger does not know */
