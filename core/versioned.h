/* SPDX-License-Identifier: MIT
 *
 * The structs of the headers that may grow and pass through the core, each with the last member that
 * no call can do without: what is smaller is refused. Never move one further down.
 */
#ifndef DEED_CORE_VERSIONED_H
#define DEED_CORE_VERSIONED_H

#include <deed/evidence.h>
#include <deed/ext/size.h>
#include <deed/ext/store.h>
#include <deed/ledger.h>

#define DEED__SHAPE_LIST(SHAPE)                                                                    \
    SHAPE(deed_answer, verdict)                                                                    \
    SHAPE(deed_attempt, token)                                                                     \
    SHAPE(deed_begin, binding)                                                                     \
    SHAPE(deed_binding, bytes_count)                                                               \
    SHAPE(deed_check, intents)                                                                     \
    SHAPE(deed_decision, reason)                                                                   \
    SHAPE(deed_evidence, outcome)                                                                  \
    SHAPE(deed_executor, attempt)                                                                  \
    SHAPE(deed_find, provider_key)                                                                 \
    SHAPE(deed_ledger_info, name)                                                                  \
    SHAPE(deed_list, flags)                                                                        \
    SHAPE(deed_options, clock)                                                                     \
    SHAPE(deed_pass, seen)                                                                         \
    SHAPE(deed_plan, provider_key)                                                                 \
    SHAPE(deed_profile, send_ms)                                                                   \
    SHAPE(deed_record, payload)                                                                    \
    SHAPE(deed_result, needs_person) /* all that an exit status is made of */                      \
    SHAPE(deed_status, counts)                                                                     \
    SHAPE(deed_store, close)  /* the core calls every function of a store, */                      \
    SHAPE(deed_tx, pass_each) /* and of its transactions */                                        \
    SHAPE(deed_trace, event)                                                                       \
    SHAPE(deed_verified, outcome)                                                                  \
    SHAPE(deed_verifier, verify)                                                                   \
    SHAPE(deed_webhook, scheme)

#define DEED__SHAPE_DECLARE(type, needed) extern const struct deed_shape deed__shape_##type;
DEED__SHAPE_LIST(DEED__SHAPE_DECLARE)
#undef DEED__SHAPE_DECLARE

extern const struct deed_shape deed__shape_deed_clock;
extern const struct deed_shape deed__shape_deed_random;
extern const struct deed_shape deed__shape_deed_allocator;

/* Is the member inside of what was given? One that is not is absent, whatever lies there. */
#define DEED__HAS(given, member)                                                                   \
    ((given)->size >= (size_t)((const char *)&(given)->member - (const char *)(given)) +           \
            sizeof((given)->member))

#endif
