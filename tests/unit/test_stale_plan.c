/* SPDX-License-Identifier: MIT
 *
 * Between reading a case and beginning its attempt, another provider key can become due. Method: the
 * clock is set, or another worker acts, at the seam in between.
 */
#include "support/scene.h"

static int times;

/* The key cannot hold another attempt any more: the next one is due. */
static void set_clock(struct scene *scene)
{
    times++;
    scene_jump(scene, INT64_C(10) * SCENE_WINDOW_MS);
}

static void refuse_once(struct scene *scene)
{
    struct deed_attempt attempt = {.size = sizeof(attempt)};
    assert_int_equal(scene_begin(scene, 1, 0, &attempt), DEED_OK);
    assert_int_equal(scene_finish(scene, 1, &attempt, DEED_VERDICT_NOT_APPLIED), DEED_OK);
}

static void test_stale_plan__is_planned_again(void **state)
{
    (void)state;
    struct scene scene;
    scene_new(&scene, SCENE_KEYED);
    refuse_once(&scene);
    scene.provider.next_verdict = DEED_VERDICT_APPLIED;
    scene_at(&scene, DEED_SEAM_ATTEMPT_PREPARED, set_clock);
    times = 0;
    assert_int_equal(scene_run(&scene, 0, DEED_BEGIN_BY_NAME), DEED_OK);
    assert_int_equal(times, 1);
    scene_expect(&scene, DEED_CONFIRMED, DEED_APPLIED);
    assert_int_equal(scene.provider.sends, 1);
    assert_int_equal(scene.result.attempt, 2);
    scene_end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stale_plan__is_planned_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
