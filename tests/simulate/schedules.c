/* SPDX-License-Identifier: MIT
 *
 * simulate.schedules - two and three workers on one ledger, in as many orders as there is time for.
 *
 *   simulate.schedules [--size quick|pack|long|night] [--seed N] [--scenario NAME] [--class NAME]
 *                      [--replay FILE --mode NAME]
 *
 * For each scenario and class of providers: every order of the steps of workers that meet no fault;
 * every order with two preemptions at most, with each single fault of the provider; then by
 * priorities (PCT) and by chance, with deaths, clocks and faults. What was tried is counted, and a
 * thing that had to happen and did not is a failure. A broken promise prints the shortest trail.
 */
#include "schedule.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The modes; trails name them. */
static const struct mode modes[] = {
    {.name = "orders", .faults_most = UINT32_MAX},
    {.name = "faults", .preemptions = 2, .faults_most = 1},
    {.name = "deaths", .preemptions = 2, .faults_most = UINT32_MAX, .deaths_most = 1},
    {.name = "moves", .preemptions = 2, .faults_most = UINT32_MAX, .moves_most = 1},
    {.name = "pct", .faults_most = 0, .moves_most = 2, .deaths_most = 1},
    {.name = "swarm", .faults_most = 0, .moves_most = 4, .deaths_most = 2},
    {.name = "disk", .faults_most = 1, .moves_most = 1, .deaths_most = 1, .mixed = true},
    {.name = "dice", .faults_most = 3, .moves_most = 3, .deaths_most = 1, .mixed = true},
};
#define MODES      (sizeof(modes) / sizeof(modes[0]))
#define EXHAUSTIVE 4U /* so many of them */
#define DICE       (MODES - 1)
#define DISK       (MODES - 2)

struct size {
    const char *name;
    uint64_t exhaustive_most; /* runs of one mode, scenario and class */
    uint64_t by_chance;       /* PCT, swarm */
    uint64_t by_dice;
    uint64_t on_disk;
};
static const struct size sizes[] = {{"quick", 4, 4, 36, 1}, {"pack", 400, 100, 300, 8},
    {"long", 3000, 5000, 30000, 2000}, {"night", 200000, 200000, 1000000, 50000}};

struct seen {
    uint64_t *hashes;
    size_t capacity; /* a power of two */
    size_t count;
};

struct tour {
    struct stage memory;
    struct stage disk;
    struct stage *stage; /* of the two, the one in use */
    const struct size *size;
    uint64_t seed;
    const char *scenario; /* NULL: all */
    const char *class_name;
    struct seen seen;
    uint64_t runs[MODES];
    uint64_t distinct[MODES];
    uint64_t complete[MODES]; /* of scenarios and classes, in how many nothing was left out */
    uint64_t pairs[MODES];
    uint64_t repeated;
    int failures;
};

/* A place of `hashes` that is free, or that holds `hash`. */
static size_t place_of(const uint64_t *hashes, size_t capacity, uint64_t hash)
{
    size_t at = (size_t)hash & (capacity - 1);
    while (hashes[at] != 0 && hashes[at] != hash) {
        at = (at + 1) & (capacity - 1);
    }
    return at;
}

static bool seen_grow(struct seen *seen)
{
    size_t capacity = seen->capacity == 0 ? (size_t)1 << 16 : seen->capacity * 2;
    uint64_t *hashes = calloc(capacity, sizeof(*hashes));
    if (hashes == NULL) {
        return false;
    }
    for (size_t i = 0; i < seen->capacity; i++) {
        if (seen->hashes[i] != 0) {
            hashes[place_of(hashes, capacity, seen->hashes[i])] = seen->hashes[i];
        }
    }
    free(seen->hashes);
    seen->hashes = hashes;
    seen->capacity = capacity;
    return true;
}

static bool seen_add(struct seen *seen, uint64_t hash)
{
    if (seen->count * 2 >= seen->capacity && !seen_grow(seen)) {
        return false;
    }
    hash = hash != 0 ? hash : 1;
    const size_t at = place_of(seen->hashes, seen->capacity, hash);
    if (seen->hashes[at] == hash) {
        return false;
    }
    seen->hashes[at] = hash;
    seen->count++;
    return true;
}

/* ---- a failure --------------------------------------------------------------------------- */

struct failing {
    struct stage *stage;
    const struct scenario *scenario;
    unsigned provider_class;
    const struct mode *mode;
    char promise[8]; /* the same one has to break */
};

static bool fails(void *context, deed_choices *choices)
{
    const struct failing *failing = context;
    return !stage_run(failing->stage, failing->scenario, failing->provider_class, failing->mode,
               choices) &&
        strncmp(failing->stage->broken, failing->promise, strlen(failing->promise)) == 0;
}

static void note_promise(struct failing *failing)
{
    size_t length = strcspn(failing->stage->broken, ":");
    length = length < sizeof(failing->promise) - 1 ? length : sizeof(failing->promise) - 1;
    memcpy(failing->promise, failing->stage->broken, length);
    failing->promise[length] = '\0';
}

static void print_events(struct stage *stage);

static void tell_failure(struct tour *tour, const struct scenario *scenario,
    unsigned provider_class, const struct mode *mode, deed_choices *choices)
{
    struct failing failing = {tour->stage, scenario, provider_class, mode, ""};
    char *trail = deed_choices_trail(choices);
    char *shortest = NULL;
    deed_choices *replay = NULL;
    struct deed_error err = {.text = ""};
    tour->failures++;
    note_promise(&failing);
    (void)printf("BROKEN  %s, %s, %s, seed %" PRIu64 ": %s\n", scenario->name,
        deed_provider_class_name((deed_provider_class)provider_class), mode->name,
        deed_choices_seed(choices), tour->stage->broken);
    if (trail == NULL ||
        deed_choices_shrink(trail, fails, &failing, 2000, &shortest, &err) != DEED_OK ||
        deed_choices_replay(shortest, &replay, &err) != DEED_OK) {
        (void)printf(
            "the trail cannot be made shorter: %s\n%s\n", err.text, trail != NULL ? trail : "");
    } else {
        (void)fails(&failing, replay);
        uint64_t hash = deed_choices_hash(replay);
        (void)printf("shortest trail (hash %016" PRIx64 ", world %016" PRIx64 "): %s\n%s", hash,
            deed_world_hash(tour->stage->world), tour->stage->broken, shortest);
        print_events(tour->stage);
        (void)printf("again: simulate.schedules --scenario %s --class %s --mode %s --replay FILE\n",
            scenario->name, deed_provider_class_name((deed_provider_class)provider_class),
            mode->name);
    }
    deed_choices_free(replay);
    free(shortest);
    free(trail);
}

static deed_rc print_event(void *context, const struct deed_event_row *row)
{
    (void)context;
    (void)printf("  event %-10s %-10s %-12s attempt %u %s\n", deed_event_name(row->event),
        deed_state_name(row->to), deed_outcome_name(row->outcome), (unsigned)row->attempt,
        deed_grade_name(row->grade));
    return DEED_OK;
}

static void print_events(struct stage *stage)
{
    struct deed_error err;
    if (deed_intent_events(stage->witness, STAGE_KEY, print_event, NULL, &err) != DEED_OK ||
        deed_world_print(stage->world, stdout, &err) != DEED_OK) {
        (void)printf("%s\n", err.text);
    }
}

/* ---- runs -------------------------------------------------------------------------------- */

static void note_end(struct stage *stage, deed_choices *choices)
{
    uint64_t hash = deed_world_hash(stage->world);
    deed_choices_note(choices, &hash, sizeof(hash));
    deed_choices_note(choices, &stage->chain_length, sizeof(stage->chain_length));
}

/* One in a hundred is run again: the same trail has to give the same run. */
static bool repeats(struct tour *tour, const struct scenario *scenario, unsigned provider_class,
    const struct mode *mode, const deed_choices *choices)
{
    deed_choices *replay = NULL;
    char *trail = deed_choices_trail(choices);
    bool same = trail != NULL && deed_choices_replay(trail, &replay, NULL) == DEED_OK;
    if (same) {
        (void)stage_run(tour->stage, scenario, provider_class, mode, replay);
        note_end(tour->stage, replay);
        same = deed_choices_hash(replay) == deed_choices_hash(choices);
        tour->repeated++;
    }
    deed_choices_free(replay);
    free(trail);
    return same;
}

static bool one_run(struct tour *tour, const struct scenario *scenario, unsigned provider_class,
    size_t mode, deed_choices *choices)
{
    struct stage *stage = tour->stage;
    stage->thorough = tour->runs[mode] % 64 == 0;
    if (!stage_run(stage, scenario, provider_class, &modes[mode], choices)) {
        tell_failure(tour, scenario, provider_class, &modes[mode], choices);
        return false;
    }
    note_end(stage, choices);
    uint64_t hash = deed_choices_hash(choices);
    tour->runs[mode]++;
    uint64_t which =
        ((uint64_t)(size_t)(scenario - scenario_at(0)) * 8 + provider_class) * 8 + mode;
    if (seen_add(&tour->seen, hash ^ (which + 1) * UINT64_C(0x9e3779b97f4a7c15))) {
        tour->distinct[mode]++;
    }
    if (tour->runs[mode] % 100 == 50 &&
        !repeats(tour, scenario, provider_class, &modes[mode], choices)) {
        stage_break(stage, "the same trail gave another run");
        tell_failure(tour, scenario, provider_class, &modes[mode], choices);
        return false;
    }
    return true;
}

/* Chance with the same weight everywhere, which differs from run to run: most answers are 0, and the
 * others are anything. A fuzzer's bytes, rolled here. */
struct dice {
    uint64_t state;
    uint8_t bytes[512];
};

#define MIXED 3U /* the first answers of a run say what can go wrong in it at all */

static uint64_t roll(struct dice *dice)
{
    dice->state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t mixed = (dice->state ^ (dice->state >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ (mixed >> 31);
}

static deed_rc roll_run(struct dice *dice, deed_choices **out)
{
    uint64_t rarity = 1 + roll(dice) % 4;
    for (size_t i = 0; i < sizeof(dice->bytes); i++) {
        uint64_t rolled = roll(dice);
        bool counts = i < MIXED || (rolled >> (64 - rarity)) == 0;
        dice->bytes[i] = counts ? (uint8_t)rolled : 0;
    }
    return deed_choices_bytes(dice->bytes, sizeof(dice->bytes), out, NULL);
}

static void explore_by_dice(
    struct tour *tour, const struct scenario *scenario, unsigned provider_class, uint64_t salt)
{
    struct dice dice = {.state = tour->seed * UINT64_C(0x2545f4914f6cdd1d) + salt};
    bool more = true;
    tour->pairs[DICE]++;
    uint64_t most = tour->size->by_dice * (scenario->weight > 0 ? scenario->weight : 1);
    for (uint64_t i = 0; more && i < most; i++) {
        deed_choices *choices = NULL;
        if (roll_run(&dice, &choices) != DEED_OK) {
            (void)printf("no memory for choices\n");
            tour->failures++;
            return;
        }
        more = one_run(tour, scenario, provider_class, DICE, choices);
        deed_choices_free(choices);
    }
}

static deed_rc choices_of(const struct tour *tour, size_t mode, uint64_t salt, deed_choices **out)
{
    if (mode < EXHAUSTIVE) {
        return deed_choices_exhaustive(out, NULL);
    }
    uint32_t places = mode == DISK ? 400 : 30;
    return mode == DISK || strcmp(modes[mode].name, "pct") == 0
        ? deed_choices_pct(tour->seed + salt, 3, places, out, NULL)
        : deed_choices_swarm(tour->seed + salt, out, NULL);
}

static void explore(struct tour *tour, const struct scenario *scenario, unsigned provider_class,
    size_t mode, uint64_t salt)
{
    deed_choices *choices = NULL;
    uint64_t most = mode < EXHAUSTIVE ? tour->size->exhaustive_most : tour->size->by_chance;
    if (mode == DISK) {
        most = tour->size->on_disk;
    }
    if (choices_of(tour, mode, salt, &choices) != DEED_OK) {
        (void)printf("no memory for choices\n");
        tour->failures++;
        return;
    }
    bool more = true;
    tour->pairs[mode]++;
    for (uint64_t i = 0; more && i < most; i++) {
        if (!one_run(tour, scenario, provider_class, mode, choices)) {
            break;
        }
        more = deed_choices_next(choices);
    }
    tour->complete[mode] += more ? 0 : 1;
    deed_choices_free(choices);
}

static bool is_wanted(
    const struct tour *tour, const struct scenario *scenario, unsigned provider_class)
{
    const char *name = deed_provider_class_name((deed_provider_class)provider_class);
    return scenario_has_class(scenario, provider_class) &&
        (tour->scenario == NULL || strcmp(tour->scenario, scenario->name) == 0) &&
        (tour->class_name == NULL || strcmp(tour->class_name, name) == 0);
}

static void explore_pair(
    struct tour *tour, const struct scenario *scenario, size_t number, unsigned provider_class)
{
    uint64_t salt = (number * 8 + provider_class) * 1000003;
    for (size_t mode = 0; mode < MODES && tour->failures < 3; mode++) {
        /* The disk costs a hundred times as much: one class of providers for each scenario. */
        bool left_out =
            mode == DISK && provider_class != number % STAGE_CLASSES && tour->class_name == NULL;
        tour->stage = mode == DISK ? &tour->disk : &tour->memory;
        if (mode == DICE) {
            explore_by_dice(tour, scenario, provider_class, salt);
        } else if (!left_out) {
            explore(tour, scenario, provider_class, mode, salt);
        }
    }
}

static void explore_all(struct tour *tour)
{
    for (size_t i = 0; scenario_at(i) != NULL; i++) {
        for (unsigned provider_class = 0; provider_class < STAGE_CLASSES; provider_class++) {
            if (is_wanted(tour, scenario_at(i), provider_class)) {
                explore_pair(tour, scenario_at(i), i, provider_class);
            }
        }
    }
}

/* ---- what is told ------------------------------------------------------------------------ */

static void tell(struct tour *tour, double seconds)
{
    uint64_t runs = 0;
    uint64_t distinct = 0;
    for (size_t mode = 0; mode < MODES; mode++) {
        (void)printf("%-8s %8" PRIu64 " runs, %8" PRIu64 " different", modes[mode].name,
            tour->runs[mode], tour->distinct[mode]);
        if (mode < EXHAUSTIVE) {
            (void)printf("; %" PRIu64 " of %" PRIu64 " explored to their end", tour->complete[mode],
                tour->pairs[mode]);
        }
        (void)printf("\n");
        runs += tour->runs[mode];
        distinct += tour->distinct[mode];
    }
    (void)printf("%" PRIu64 " schedules, %" PRIu64 " different, %" PRIu64
                 " run twice, %.1f s, %.0f a second; seed %" PRIu64 "\n",
        runs, distinct, tour->repeated, seconds, (double)runs / seconds, tour->seed);
    for (unsigned mark = 0; mark < MARK_COUNT; mark++) {
        uint64_t met = tour->memory.met[mark] + tour->disk.met[mark];
        bool must = tour->scenario == NULL && tour->class_name == NULL && tour->failures == 0;
        if (met == 0 || getenv("DEED_SCHEDULES_MARKS") != NULL) {
            (void)printf("%s %8" PRIu64 "  %s\n", met == 0 && must ? "NEVER" : "met  ", met,
                mark_text(mark));
        }
        tour->failures += met == 0 && must ? 1 : 0;
    }
}

static char *read_file(const char *path)
{
    FILE *in = fopen(path, "r");
    char *text = calloc(1, 65536);
    if (in == NULL || text == NULL || fread(text, 1, 65535, in) == 0) {
        (void)fprintf(stderr, "%s cannot be read\n", path);
        free(text);
        text = NULL;
    }
    if (in != NULL) {
        (void)fclose(in);
    }
    return text;
}

static int replay(struct tour *tour, const char *path, const char *mode_name)
{
    const struct scenario *scenario = NULL;
    unsigned provider_class = 0;
    size_t mode = 0;
    deed_choices *choices = NULL;
    struct deed_error err = {.text = "name --scenario, --class and --mode"};
    for (size_t i = 0; scenario_at(i) != NULL; i++) {
        for (unsigned at = 0; at < STAGE_CLASSES && scenario == NULL; at++) {
            scenario = is_wanted(tour, scenario_at(i), at) ? scenario_at(i) : NULL;
            provider_class = at;
        }
    }
    while (mode < MODES && (mode_name == NULL || strcmp(modes[mode].name, mode_name) != 0)) {
        mode++;
    }
    char *trail = read_file(path);
    if (scenario == NULL || mode == MODES || trail == NULL ||
        deed_choices_replay(trail, &choices, &err) != DEED_OK) {
        (void)fprintf(stderr, "%s\n", err.text);
        free(trail);
        return 2;
    }
    tour->stage = mode == DISK ? &tour->disk : &tour->memory;
    tour->stage->thorough = true;
    bool holds = stage_run(tour->stage, scenario, provider_class, &modes[mode], choices);
    (void)printf("%s (hash %016" PRIx64 ", world %016" PRIx64 ")\n",
        holds ? "all promises hold" : tour->stage->broken, deed_choices_hash(choices),
        deed_world_hash(tour->stage->world));
    print_events(tour->stage);
    deed_choices_free(choices);
    free(trail);
    return holds ? 0 : 10;
}

struct words {
    const char *size;
    const char *trail;
    const char *mode;
};

static void read_words(struct tour *tour, struct words *read, int count, char **words)
{
    const char *seed = NULL;
    const struct {
        const char *name;
        const char **value;
    } known[] = {{"--size", &read->size}, {"--seed", &seed}, {"--scenario", &tour->scenario},
        {"--class", &tour->class_name}, {"--replay", &read->trail}, {"--mode", &read->mode}};
    for (int i = 1; i + 1 < count; i += 2) {
        for (size_t at = 0; at < sizeof(known) / sizeof(known[0]); at++) {
            if (strcmp(words[i], known[at].name) == 0) {
                *known[at].value = words[i + 1];
            }
        }
    }
    tour->seed = seed != NULL ? strtoull(seed, NULL, 10) : 1;
}

static const struct size *size_named(const char *name)
{
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        if (strcmp(sizes[i].name, name) == 0) {
            return &sizes[i];
        }
    }
    return NULL;
}

static int take_tour(struct tour *tour)
{
    clock_t start = clock();
    explore_all(tour);
    tell(tour, (double)(clock() - start + 1) / CLOCKS_PER_SEC);
    return tour->failures == 0 ? 0 : 10;
}

int main(int count, char **words)
{
    static struct tour tour;
    struct words read = {.size = getenv("DEED_SCHEDULES_SIZE")};
    read_words(&tour, &read, count, words);
    tour.size = size_named(read.size != NULL ? read.size : "quick");
    if (tour.size == NULL) {
        (void)fprintf(stderr, "a size is quick, pack, long or night\n");
        return 2;
    }
    if (!stage_new(&tour.memory, NULL) || !stage_new(&tour.disk, ".")) {
        (void)fprintf(stderr, "no stage can be set up\n");
        return 2;
    }
    const int status = read.trail != NULL ? replay(&tour, read.trail, read.mode) : take_tour(&tour);
    stage_free(&tour.disk);
    stage_free(&tour.memory);
    free(tour.seen.hashes);
    return status;
}
