/* SPDX-License-Identifier: MIT
 *
 * Random walks of the model, played on the real core: after each step both know the same. A model that
 * says something else than the code would prove nothing about it.
 *
 *   model.walk_player FOLDER [FLOOR]     plays its walks; fails below FLOOR comparisons
 */
#include <dirent.h>

#include "player.h"

static const char *folder;
static unsigned floor_of_comparisons = 1;

static int is_walk(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 5 && strcmp(entry->d_name + length - 5, ".walk") == 0;
}

static unsigned compared;
static unsigned overlapping;

static bool agrees(const char *name)
{
    char path[512];
    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    struct trail trail;
    trail_read(path, &trail);
    struct play play;
    play_trail(&play, &trail);
    bool same = play.differs == 0 && play.broken_count == 0 && play.refused == 0;
    if (!same) {
        print_message("%s: %u steps differ, %u were refused, %d promises broke\n", name,
            play.differs, play.refused, play.broken_count);
    }
    compared += play.compared;
    overlapping += play.overlaps ? 1 : 0;
    play_end(&play);
    return same;
}

static void test_walks__model_and_core_know_the_same_after_each_step(void **state)
{
    (void)state;
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, is_walk, alphasort);
    int differ = 0;
    for (int i = 0; i < count; i++) {
        differ += agrees(entries[i]->d_name) ? 0 : 1;
        free(entries[i]);
    }
    free((void *)entries);
    print_message("%d walks, %u steps compared; %u end where two questions are out at once\n",
        count, compared, overlapping);
    assert_int_equal(differ, 0);
    assert_true(compared >= floor_of_comparisons);
}

int main(int argc, char **argv)
{
    folder = argc > 1 ? argv[1] : ".";
    floor_of_comparisons = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walks__model_and_core_know_the_same_after_each_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
