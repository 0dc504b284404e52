/* SPDX-License-Identifier: MIT
 *
 * A file that was open when the process was forked. SQLite's own table of locks is inherited and the
 * locks are not, so a connection that the child opens has none; a third process then takes the WAL's
 * index away from under it. Goal: the child is refused such a file, and no other.
 */
#include "conformance/store_files.h"
#include "conformance/store_rows.h"

#include <sys/wait.h>
#include <unistd.h>

struct place {
    char folder[FILES_PATH_ROOM];
    char path[FILES_PATH_ROOM];
    char other[FILES_PATH_ROOM];
};

static int set_up(void **state)
{
    static struct place place;
    files_folder(place.folder);
    files_path(place.path, place.folder, "ledger");
    files_path(place.other, place.folder, "other");
    files_create(place.path);
    files_create(place.other);
    *state = &place;
    return 0;
}

static int tear_down(void **state)
{
    const struct place *place = *state;
    files_remove(place->folder);
    return 0;
}

/* What opening `path` answers here; a store that opens must also write. */
static int try_open(const char *path, char *key)
{
    struct deed_store *store = NULL;
    struct deed_error err = {.text = ""};
    deed_rc rc = deed_sqlite_open(path, NULL, &store, &err);
    if (rc == DEED_OK) {
        struct deed_op write = op_of(record_like, key);
        rc = store->write(store->self, &write, 1, NULL);
        rc = rc == DEED_OK ? write.rc : rc;
        store->close(store->self);
    } else if (rc == DEED_E_MISUSE && strstr(err.text, "close the ledger before fork") == NULL) {
        rc = DEED_E_INVALID;
    }
    return (int)rc;
}

static int in_child(const char *path, char *key)
{
    const pid_t child = fork();
    if (child == 0) {
        (void)alarm(30);
        _exit(try_open(path, key));
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void test_fork__a_file_that_is_open_in_the_parent_is_refused_in_the_child(void **state)
{
    const struct place *place = *state;
    char first[] = "first";
    char second[] = "second";
    char third[] = "third";
    struct deed_store *store = files_open(place->path, NULL);
    assert_int_equal(in_child(place->path, first), DEED_E_MISUSE);
    assert_int_equal(in_child(place->other, first), DEED_OK);
    write_one(store, record_like, first);
    assert_int_equal(in_child(place->path, second), DEED_E_MISUSE);
    struct deed_store *again = files_open(place->path, NULL); /* the parent itself is free */
    again->close(again->self);
    assert_int_equal(in_child(place->path, second), DEED_E_MISUSE); /* the first is still open */
    store->close(store->self);
    assert_int_equal(in_child(place->path, third), DEED_OK);
}

/* Closing the inherited handle mends nothing: SQLite's table still has the file. */
static void test_fork__closing_the_inherited_handle_does_not_make_the_file_safe(void **state)
{
    const struct place *place = *state;
    char key[] = "key";
    struct deed_store *store = files_open(place->path, NULL);
    write_one(store, record_like, key);
    const pid_t child = fork();
    if (child == 0) {
        (void)alarm(30);
        store->close(store->self);
        const int here = try_open(place->path, key);
        const int below = in_child(place->path, key); /* and what is inherited is inherited again */
        _exit(here == DEED_E_MISUSE && below == DEED_E_MISUSE ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    store->close(store->self);
}

/* More open files than are remembered: then none is trusted. */
static void test_fork__with_more_files_than_are_remembered_every_one_is_refused(void **state)
{
    const struct place *place = *state;
    enum {
        MANY = 260
    };
    static struct deed_store *stores[MANY];
    char key[] = "key";
    for (int i = 0; i < MANY; i++) {
        stores[i] = files_open(place->path, NULL);
    }
    assert_int_equal(in_child(place->other, key), DEED_E_MISUSE);
    for (int i = 0; i < MANY; i++) {
        stores[i]->close(stores[i]->self);
    }
    assert_int_equal(in_child(place->other, key), DEED_OK);
}

int main(void)
{
#define FORK_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        FORK_TEST(test_fork__a_file_that_is_open_in_the_parent_is_refused_in_the_child),
        FORK_TEST(test_fork__closing_the_inherited_handle_does_not_make_the_file_safe),
        FORK_TEST(test_fork__with_more_files_than_are_remembered_every_one_is_refused),
    };
#undef FORK_TEST
    return cmocka_run_group_tests_name("sqlite_fork", tests, NULL, NULL);
}
