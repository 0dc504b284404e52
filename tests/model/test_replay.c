/* SPDX-License-Identifier: MIT
 *
 * Trails by which Spin found a broken variant of the model broken, played on the real core: it refuses
 * what breaks, and every promise holds. On the mutant of tests/mutants that switches the same rule off in
 * the core the same trail breaks the promise.
 *
 *   model.replay [NAME]     all trails, or the one of this name
 */
#include <dirent.h>

#include "player.h"

#define TRAILS DEED_SOURCE_DIR "/tests/model/trails"

static const char *wanted; /* NULL: all */

static int is_trail(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    bool trail = length > 6 && strcmp(entry->d_name + length - 6, ".trail") == 0;
    return trail &&
        (wanted == NULL ||
            (strlen(wanted) == length - 6 && strncmp(entry->d_name, wanted, length - 6) == 0));
}

static bool holds(const char *name)
{
    char path[512];
    (void)snprintf(path, sizeof(path), "%s/%s", TRAILS, name);
    struct trail trail;
    trail_read(path, &trail);
    assert_true(trail.count > 0 && trail.broken[0] != '\0');
    print_message("%s: in the model it breaks %s\n", name, trail.broken);
    struct play play;
    play_trail(&play, &trail);
    const struct deed_result *is = &play.scene.result;
    print_message("    %s: %s, %s%s; refused %u, effects in the world %u\n",
        play.broken_count == 0 ? "holds" : "BROKEN", deed_state_name(is->state),
        deed_outcome_name(is->outcome), is->disputed ? ", disputed" : "", play.refused,
        play.effects);
    play_end(&play);
    return play.broken_count == 0;
}

static void test_replay__no_trail_of_a_broken_model_breaks_the_core(void **state)
{
    (void)state;
    struct dirent **entries = NULL;
    int count = scandir(TRAILS, &entries, is_trail, alphasort);
    assert_true(count >= (wanted == NULL ? 8 : 1));
    int broken = 0;
    for (int i = 0; i < count; i++) {
        broken += holds(entries[i]->d_name) ? 0 : 1;
        free(entries[i]);
    }
    free((void *)entries);
    print_message("%d trails played, %d of them break a promise\n", count, broken);
    assert_int_equal(broken, 0);
}

int main(int argc, char **argv)
{
    wanted = argc > 1 ? argv[1] : NULL;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replay__no_trail_of_a_broken_model_breaks_the_core),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
