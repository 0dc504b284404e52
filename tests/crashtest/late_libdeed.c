/* SPDX-License-Identifier: MIT
 *
 * late_libdeed LIBRARY - makes a ledger with a libdeed it opens by itself, as bindings of other
 * languages do: crossings of its seams are counted there too, and each once.
 */
#include <dlfcn.h>
#include <stdio.h>

#include <deed/sqlite.h>

int main(int argc, char **argv)
{
    deed_rc (*create)(const char *, const struct deed_sqlite_options *, struct deed_error *) = NULL;
    void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (library) {
        *(void **)&create = dlsym(library, "deed_sqlite_create");
    }
    if (!create) {
        (void)fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    struct deed_error err = {0};
    const deed_rc rc = create("late.db", NULL, &err);
    (void)fprintf(stderr, "%s\n", err.text);
    return rc == DEED_OK ? 0 : 1;
}
