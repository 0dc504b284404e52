/* SPDX-License-Identifier: MIT
 *
 * Chance that repeats: SplitMix64, whose whole state is one number.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <deed/ext/error.h>
#include <deed/mock/clock.h>

struct deed_sim_random {
    pthread_mutex_t mutex;
    struct deed_random source;
    uint64_t state;
    bool broken;
};

static uint64_t next_number(struct deed_sim_random *random)
{
    random->state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t mixed = random->state;
    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ (mixed >> 31);
}

static bool fill(void *self, void *buffer, size_t buffer_bytes)
{
    struct deed_sim_random *random = self;
    unsigned char *bytes = buffer;
    (void)pthread_mutex_lock(&random->mutex);
    bool works = !random->broken;
    for (size_t i = 0; works && i < buffer_bytes; i += 8) {
        uint64_t number = next_number(random);
        for (size_t j = i; j < buffer_bytes && j < i + 8; j++) {
            bytes[j] = (unsigned char)(number >> (8 * (j - i))); /* the same on any machine */
        }
    }
    (void)pthread_mutex_unlock(&random->mutex);
    return works;
}

deed_rc deed_sim_random_new(uint64_t seed, deed_sim_random **random_out, struct deed_error *err)
{
    struct deed_sim_random *random = calloc(1, sizeof(*random));
    if (random == NULL) {
        return deed_error_set(err, DEED_E_NOMEM, "mock.random", "no memory for chance");
    }
    (void)pthread_mutex_init(&random->mutex, NULL);
    random->source = (struct deed_random){sizeof(struct deed_random), random, fill};
    random->state = seed;
    *random_out = random;
    return DEED_OK;
}

void deed_sim_random_free(deed_sim_random *random)
{
    if (random != NULL) {
        (void)pthread_mutex_destroy(&random->mutex);
        free(random);
    }
}

const struct deed_random *deed_sim_random_source(const deed_sim_random *random)
{
    return &random->source;
}

void deed_sim_random_break(deed_sim_random *random, bool broken)
{
    (void)pthread_mutex_lock(&random->mutex);
    random->broken = broken;
    (void)pthread_mutex_unlock(&random->mutex);
}

uint64_t deed_sim_random_below(deed_sim_random *random, uint64_t bound)
{
    if (bound <= 1) {
        return 0;
    }
    (void)pthread_mutex_lock(&random->mutex);
    uint64_t number = next_number(random) % bound; /* the bias below 2^-32 matters to no test */
    (void)pthread_mutex_unlock(&random->mutex);
    return number;
}
