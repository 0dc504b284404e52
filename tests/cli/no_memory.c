/* SPDX-License-Identifier: MIT
 *
 * The command without memory says so, and claims nothing.
 *
 * Method: cli/input.c is compiled into this test with the malloc below, which has none.
 */
#include "input.h"

#include <stdio.h>
#include <string.h>

void *no_malloc(size_t bytes);

void *no_malloc(size_t bytes)
{
    (void)bytes;
    return NULL;
}

int main(void)
{
    struct deed_error err = {0};
    char *data = NULL;
    size_t bytes = 0;
    const deed_rc rc = input_read(stdin, "-", 100, &data, &bytes, &err);
    const bool ok = rc == DEED_E_NOMEM && !data &&
        strcmp(err.text, "out of memory; nothing was changed by this step") == 0;
    if (!ok) {
        (void)fprintf(stderr, "%d: %s\n", (int)rc, err.text);
    }
    return ok ? 0 : 1;
}
