/* SPDX-License-Identifier: MIT
 *
 * Blocks: a row and, right behind it, every text it points to. Arenas: blocks for one operation.
 */
#include <string.h>

#include "reference_impl.h"

/* ---- texts of each kind of row ----------------------------------------------------------- */

static void pack(struct packer *packer, const char **text, size_t bytes)
{
    if (*text == NULL) {
        return;
    }
    if (packer->at != NULL) {
        memcpy(packer->at, *text, bytes);
        packer->at[bytes] = '\0';
        *text = packer->at;
        packer->at += bytes + 1;
    }
    packer->bytes += bytes + 1;
}

static void pack_string(struct packer *packer, const char **text)
{
    pack(packer, text, *text == NULL ? 0 : strlen(*text));
}

static void pack_text(struct packer *packer, struct deed_text *text)
{
    pack(packer, &text->data, text->bytes);
}

static void pack_ledger(struct packer *packer, void *row)
{
    struct deed_ledger_row *ledger = row;
    pack_string(packer, &ledger->name);
}

static void pack_intent(struct packer *packer, void *row)
{
    struct deed_intent_row *intent = row;
    pack_string(packer, &intent->key);
    pack_string(packer, &intent->held_reason);
    pack_string(packer, &intent->disputed_reason);
    pack_string(packer, &intent->reference);
}

static void pack_payload(struct packer *packer, void *row)
{
    struct deed_payload *payload = row;
    pack_text(packer, &payload->kind);
    pack_text(packer, &payload->target);
    pack_text(packer, &payload->body);
}

static void pack_whole_intent(struct packer *packer, void *row)
{
    pack_intent(packer, row);
    pack_payload(packer, &((struct deed_intent_row *)row)->payload);
}

static void pack_attempt(struct packer *packer, void *row)
{
    struct deed_attempt_row *attempt = row;
    pack_string(packer, &attempt->executor);
    pack_string(packer, &attempt->executor_version);
    pack_string(packer, &attempt->account_scope);
    pack_string(packer, &attempt->endpoint);
    pack_string(packer, &attempt->provider_key);
    pack_string(packer, &attempt->handle);
}

static void pack_bytes(struct packer *packer, void *row)
{
    pack_text(packer, row);
}

static void pack_whole_attempt(struct packer *packer, void *row)
{
    pack_attempt(packer, row);
    pack_text(packer, &((struct deed_attempt_row *)row)->bytes);
}

static void pack_evidence(struct packer *packer, void *row)
{
    struct deed_evidence_row *evidence = row;
    pack_string(packer, &evidence->source);
    pack_string(packer, &evidence->reference);
    pack_text(packer, &evidence->excerpt);
    pack_string(packer, &evidence->actor);
    pack_string(packer, &evidence->statement);
    pack_string(packer, &evidence->event_id);
}

static void pack_event(struct packer *packer, void *row)
{
    struct deed_event_row *event = row;
    pack_string(packer, &event->actor);
    pack_string(packer, &event->detail);
}

static void pack_pass(struct packer *packer, void *row)
{
    struct deed_pass_row *pass = row;
    pack_string(packer, &pass->actor);
    pack_string(packer, &pass->reasons);
}

const struct shape deed__reference_ledger_shape = {sizeof(struct deed_ledger_row), pack_ledger};
const struct shape deed__reference_intent_shape = {sizeof(struct deed_intent_row), pack_intent};
const struct shape deed__reference_payload_shape = {sizeof(struct deed_payload), pack_payload};
const struct shape deed__reference_attempt_shape = {sizeof(struct deed_attempt_row), pack_attempt};
const struct shape deed__reference_bytes_shape = {sizeof(struct deed_text), pack_bytes};
const struct shape deed__reference_evidence_shape = {
    sizeof(struct deed_evidence_row), pack_evidence};
const struct shape deed__reference_event_shape = {sizeof(struct deed_event_row), pack_event};
const struct shape deed__reference_pass_shape = {sizeof(struct deed_pass_row), pack_pass};
const struct shape deed__reference_whole_intent_shape = {
    sizeof(struct deed_intent_row), pack_whole_intent};
const struct shape deed__reference_whole_attempt_shape = {
    sizeof(struct deed_attempt_row), pack_whole_attempt};

union any_row {
    struct deed_ledger_row ledger;
    struct deed_intent_row intent;
    struct deed_payload payload;
    struct deed_attempt_row attempt;
    struct deed_text text;
    struct deed_evidence_row evidence;
    struct deed_event_row event;
    struct deed_pass_row pass;
};

static size_t block_bytes(const struct shape *shape, const void *row)
{
    union any_row measured;
    memcpy(&measured, row, shape->row_bytes);
    struct packer packer = {NULL, 0};
    shape->pack(&packer, &measured);
    return shape->row_bytes + packer.bytes;
}

static void fill_block(void *data, const struct shape *shape, const void *row)
{
    memcpy(data, row, shape->row_bytes);
    struct packer packer = {(char *)data + shape->row_bytes, 0};
    shape->pack(&packer, data);
}

/* What is used too late shall be seen, without ASan too. */
static void spoil(void *data, size_t bytes)
{
#ifndef NDEBUG
    memset(data, 0xdd, bytes);
#else
    (void)data;
    (void)bytes;
#endif
}

bool deed__reference_block_new(const struct deed_allocator *memory, const struct shape *shape,
    const void *row, struct block *block_out)
{
    size_t bytes = block_bytes(shape, row);
    void *data = memory->resize(memory->self, NULL, 0, bytes);
    if (data == NULL) {
        return false;
    }
    fill_block(data, shape, row);
    block_out->data = data;
    block_out->bytes = bytes;
    return true;
}

void deed__reference_block_free(const struct deed_allocator *memory, struct block *block)
{
    if (block->data != NULL) {
        spoil(block->data, block->bytes);
        (void)memory->resize(memory->self, block->data, block->bytes, 0);
    }
    block->data = NULL;
    block->bytes = 0;
}

/* ---- arenas ------------------------------------------------------------------------------ */

#define CHUNK_BYTES 4096U

struct chunk {
    struct chunk *next;
    size_t bytes;
    size_t used; /* of content */
    max_align_t content[];
};

static void *take(struct arena *arena, size_t bytes)
{
    size_t whole = (bytes + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    struct chunk *chunk = arena->chunks;
    if (chunk == NULL || chunk->bytes - sizeof(*chunk) - chunk->used < whole) {
        size_t size = sizeof(*chunk) + (whole > CHUNK_BYTES ? whole : CHUNK_BYTES);
        chunk = arena->memory->resize(arena->memory->self, NULL, 0, size);
        if (chunk == NULL) {
            return NULL;
        }
        chunk->next = arena->chunks;
        chunk->bytes = size;
        chunk->used = 0;
        arena->chunks = chunk;
    }
    void *start = (char *)chunk->content + chunk->used;
    chunk->used += whole;
    return start;
}

void *deed__reference_arena_row(struct arena *arena, const struct shape *shape, const void *row)
{
    void *data = take(arena, block_bytes(shape, row));
    if (data != NULL) {
        fill_block(data, shape, row);
    }
    return data;
}

void deed__reference_arena_free(struct arena *arena)
{
    while (arena->chunks != NULL) {
        struct chunk *chunk = arena->chunks;
        arena->chunks = chunk->next;
        spoil(chunk->content, chunk->used);
        (void)arena->memory->resize(arena->memory->self, chunk, chunk->bytes, 0);
    }
}
