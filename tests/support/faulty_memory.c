/* SPDX-License-Identifier: MIT */
#include "support/faulty_memory.h"

#include "support/test.h"

#include <jansson.h>
#include <openssl/crypto.h>
#include <sqlite3.h>

/* As large as the strictest alignment, so that what follows is aligned. */
union header {
    struct {
        size_t bytes;
        enum faulty_source source;
    } of;
    max_align_t alignment;
};

static struct {
    uint64_t requests; /* since faulty_memory_fail */
    uint64_t fails_at; /* 0: none */
    bool sticky;
    uint64_t failed;
    enum faulty_source hit;
    uint64_t live[FAULTY_SOURCES];
    uint64_t misused;
} memory;

static bool fails_now(enum faulty_source source)
{
    memory.requests++;
    const bool due = memory.fails_at != 0 &&
        (memory.sticky ? memory.requests >= memory.fails_at : memory.requests == memory.fails_at);
    if (due && memory.failed++ == 0) {
        memory.hit = source;
    }
    return due;
}

static void give_back(void *block)
{
    if (block != NULL) {
        union header *header = (union header *)block - 1;
        memory.live[header->of.source]--;
        free(header);
    }
}

/* Always to another place, as in mocks/fault_alloc.c. */
static void *take(enum faulty_source source, void *old, size_t bytes)
{
    if (fails_now(source)) {
        return NULL;
    }
    union header *made = malloc(sizeof(*made) + bytes);
    assert_non_null(made);
    made->of.bytes = bytes;
    made->of.source = source;
    memory.live[source]++;
    if (old != NULL) {
        const size_t had = ((union header *)old - 1)->of.bytes;
        memcpy(made + 1, old, had < bytes ? had : bytes);
        give_back(old);
    }
    return made + 1;
}

/* ---- the ledger --------------------------------------------------------------------------------- */

static void *deed_resize(void *self, void *block, size_t old_bytes, size_t new_bytes)
{
    (void)self;
    const size_t had = block == NULL ? 0 : ((union header *)block - 1)->of.bytes;
    memory.misused += old_bytes != had ? 1U : 0U;
    if (new_bytes == 0) {
        give_back(block);
        return NULL;
    }
    return take(FAULTY_DEED, block, new_bytes);
}

const struct deed_allocator *faulty_memory(void)
{
    static const struct deed_allocator allocator = {sizeof(allocator), NULL, deed_resize};
    return &allocator;
}

/* ---- SQLite ------------------------------------------------------------------------------------- */

static void *sqlite_malloc(int bytes)
{
    return take(FAULTY_SQLITE, NULL, (size_t)bytes);
}

static void *sqlite_realloc(void *block, int bytes)
{
    return take(FAULTY_SQLITE, block, (size_t)bytes);
}

static int sqlite_size(void *block)
{
    return block == NULL ? 0 : (int)((union header *)block - 1)->of.bytes;
}

static int sqlite_roundup(int bytes)
{
    return (bytes + 7) / 8 * 8;
}

static int sqlite_init(void *self)
{
    (void)self;
    return SQLITE_OK;
}

static void sqlite_shutdown(void *self)
{
    (void)self;
}

/* ---- jansson ------------------------------------------------------------------------------------ */

static void *jansson_malloc(size_t bytes)
{
    return take(FAULTY_JANSSON, NULL, bytes);
}

/* ---- OpenSSL ------------------------------------------------------------------------------------ */

static void *openssl_malloc(size_t bytes, const char *file, int line)
{
    (void)file;
    (void)line;
    return bytes == 0 ? NULL : take(FAULTY_OPENSSL, NULL, bytes);
}

static void openssl_free(void *block, const char *file, int line)
{
    (void)file;
    (void)line;
    give_back(block);
}

static void *openssl_realloc(void *block, size_t bytes, const char *file, int line)
{
    if (bytes == 0) {
        openssl_free(block, file, line);
        return NULL;
    }
    return take(FAULTY_OPENSSL, block, bytes);
}

/* ---- for all ------------------------------------------------------------------------------------ */

void faulty_memory_install(void)
{
    static const sqlite3_mem_methods methods = {.xMalloc = sqlite_malloc,
        .xFree = give_back,
        .xRealloc = sqlite_realloc,
        .xSize = sqlite_size,
        .xRoundup = sqlite_roundup,
        .xInit = sqlite_init,
        .xShutdown = sqlite_shutdown};
    const bool ready =
        CRYPTO_set_mem_functions(openssl_malloc, openssl_realloc, openssl_free) == 1 &&
        sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) == SQLITE_OK &&
        sqlite3_initialize() == SQLITE_OK;
    json_set_alloc_funcs(jansson_malloc, give_back);
    if (!ready) {
        (void)fprintf(stderr, "a library was used before its memory was taken over\n");
        abort();
    }
}

void faulty_memory_fail(uint64_t nth, bool sticky)
{
    memory.requests = 0;
    memory.failed = 0;
    memory.fails_at = nth;
    memory.sticky = sticky;
}

uint64_t faulty_memory_failed(void)
{
    return memory.failed;
}

enum faulty_source faulty_memory_hit(void)
{
    return memory.hit;
}

const char *faulty_source_name(enum faulty_source source)
{
    static const char *const names[FAULTY_SOURCES] = {"deed", "sqlite", "jansson", "openssl"};
    return names[source];
}

uint64_t faulty_memory_live(enum faulty_source source)
{
    return memory.live[source];
}

uint64_t faulty_memory_misused(void)
{
    return memory.misused;
}
