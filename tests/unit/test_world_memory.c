/* SPDX-License-Identifier: MIT
 *
 * Worlds in memory. Method: the same story is lived through in a world with a file and in one without;
 * whatever can be asked of the two has the same answer.
 */
#include "test_mock_rig.h"

#include <stdlib.h>

#define OPTIONS                                                                                    \
    "{\"class\":\"closable\",\"window_ms\":3600000,\"lookup\":{\"consistency\":\"eventual\","      \
    "\"stale_looks\":1},\"stored_errors\":true,\"scripts\":{"                                      \
    "\"late-*\":{\"do\":\"late\",\"land\":{\"after_ms\":5000},\"duplicates\":1},"                  \
    "\"pend-1\":{\"do\":\"pending\",\"land\":{\"after_looks\":1},\"outcome\":\"rejected\"},"       \
    "\"fail-1\":{\"do\":\"error_stored\",\"verdict\":\"rejected\"},"                               \
    "\"twice-1\":{\"do\":\"lose\",\"duplicates\":2}}}"

static void rig_open_in(struct rig *rig, const char *path)
{
    struct deed_error err = {.text = ""};
    *rig = (struct rig){.bytes = "{\"body\":\"hello\"}"};
    assert_int_equal(deed_sim_clock_new(RIG_START_MS, &rig->clock, &err), DEED_OK);
    if (path != NULL) {
        (void)unlink(path);
        assert_int_equal(deed_world_open(path, &rig->world, &err), DEED_OK);
    } else {
        assert_int_equal(deed_world_new(&rig->world, &err), DEED_OK);
    }
    deed_rc rc = deed_mock_executor_new_in(
        rig->world, OPTIONS, deed_sim_clock_true(rig->clock), &rig->executor, &err);
    if (rc != DEED_OK) {
        fail_msg("%s", err.text);
    }
}

static void live(struct rig *rig, unsigned chapter)
{
    static const char *const keys[] = {"late-1", "pend-1", "fail-1", "twice-1", "plain-1"};
    char handle[DEED_HANDLE_BYTES_MAX + 1];
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        (void)rig_send(rig, keys[i], chapter);
        (void)snprintf(handle, sizeof(handle), "%s", rig->answer.handle);
        (void)rig_ask(rig, rig->executor->lookup, keys[i], handle);
        if (handle[0] != '\0') {
            (void)rig_ask(rig, rig->executor->poll, keys[i], handle);
        }
    }
    (void)rig_ask(rig, rig->executor->cancel, "late-1", "");
    (void)rig_send(rig, "late-2", chapter);
    rig_advance(rig, 10000);
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        (void)rig_ask(rig, rig->executor->lookup, keys[i], "");
    }
    assert_int_equal(deed_world_land(rig->world, NULL, RIG_START_MS + 60000, NULL, NULL), DEED_OK);
}

static char *told(deed_world *world)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    assert_int_equal(deed_world_print(world, out, NULL), DEED_OK);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void expect_same(deed_world *one, deed_world *other)
{
    struct deed_world_counts counts[2];
    char *texts[2] = {told(one), told(other)};
    assert_string_equal(texts[0], texts[1]);
    free(texts[0]);
    free(texts[1]);
    assert_int_equal(deed_world_count(one, NULL, NULL, &counts[0], NULL), DEED_OK);
    assert_int_equal(deed_world_count(other, NULL, NULL, &counts[1], NULL), DEED_OK);
    assert_memory_equal(&counts[0], &counts[1], sizeof(counts[0]));
    assert_int_equal(deed_world_effects(one, "late-1"), deed_world_effects(other, "late-1"));
    assert_int_equal(deed_world_hash(one), deed_world_hash(other));
}

static void test_world_memory__tells_what_a_file_tells(void **state)
{
    (void)state;
    struct rig file;
    struct rig memory;
    deed_world *reopened = NULL;
    rig_open_in(&file, RIG_WORLD);
    rig_open_in(&memory, NULL);
    expect_same(file.world, memory.world);
    live(&file, 1);
    live(&memory, 1);
    expect_same(file.world, memory.world);
    assert_int_equal(deed_world_open(RIG_WORLD, &reopened, NULL), DEED_OK);
    expect_same(reopened, memory.world);
    deed_world_close(reopened);
    rig_close(&file);
    rig_close(&memory);
}

static void test_world_memory__a_copy_goes_its_own_way(void **state)
{
    (void)state;
    struct rig rig;
    struct rig other;
    deed_world *before = NULL;
    rig_open_in(&rig, NULL);
    live(&rig, 1);
    assert_int_equal(deed_world_copy(rig.world, &before, NULL), DEED_OK);
    expect_same(rig.world, before);
    uint64_t hash = deed_world_hash(before);
    live(&rig, 2);
    assert_int_equal(deed_world_hash(before), hash);
    assert_int_not_equal(deed_world_hash(rig.world), hash);
    deed_world *after = NULL;
    assert_int_equal(deed_world_copy(rig.world, &after, NULL), DEED_OK);
    /* Back, and the same once more: nothing of what was undone is left. */
    assert_int_equal(deed_world_become(rig.world, before, NULL), DEED_OK);
    expect_same(rig.world, before);
    rig_open_in(&other, NULL);
    assert_int_equal(deed_world_become(other.world, before, NULL), DEED_OK);
    rig_advance(&other, 10000);
    live(&other, 2);
    expect_same(other.world, after);
    deed_world_close(before);
    deed_world_close(after);
    rig_close(&rig);
    rig_close(&other);
}

static void test_world_memory__becomes_what_a_file_tells_and_a_file_becomes_nothing(void **state)
{
    (void)state;
    struct rig file;
    struct rig memory;
    struct deed_error err = {.text = ""};
    rig_open_in(&file, RIG_WORLD);
    rig_open_in(&memory, NULL);
    live(&file, 1);
    assert_int_equal(deed_world_become(memory.world, file.world, NULL), DEED_OK);
    expect_same(memory.world, file.world);
    assert_int_equal(deed_world_become(memory.world, memory.world, NULL), DEED_OK);
    expect_same(memory.world, file.world);
    assert_int_equal(deed_world_become(file.world, memory.world, &err), DEED_E_MISUSE);
    assert_string_equal(err.text,
        "only a world in memory can become another one; what a file tells cannot be taken back");
    assert_int_equal(deed_world_new(NULL, &err), DEED_E_MISUSE);
    assert_string_equal(err.text, "world_out is NULL: there is nowhere to put the world");
    rig_close(&file);
    rig_close(&memory);
}

/* More keys than any table starts with. */
static void test_world_memory__finds_each_of_many_keys(void **state)
{
    (void)state;
    struct rig rig;
    char key[32];
    rig_open_in(&rig, NULL);
    for (unsigned i = 0; i < 500; i++) {
        (void)snprintf(key, sizeof(key), "plain-%u", i);
        (void)rig_send(&rig, key, 1);
    }
    for (unsigned i = 0; i < 500; i++) {
        (void)snprintf(key, sizeof(key), "plain-%u", i);
        assert_int_equal(deed_world_effects(rig.world, key), 1);
        (void)snprintf(key, sizeof(key), "pk-plain-%u", i);
        assert_int_equal(deed_world_provider_key_effects(rig.world, key), 1);
    }
    assert_int_equal(deed_world_effects(rig.world, "plain-500"), 0);
    rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_world_memory__tells_what_a_file_tells),
        cmocka_unit_test(test_world_memory__a_copy_goes_its_own_way),
        cmocka_unit_test(test_world_memory__becomes_what_a_file_tells_and_a_file_becomes_nothing),
        cmocka_unit_test(test_world_memory__finds_each_of_many_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
