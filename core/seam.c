/* SPDX-License-Identifier: MIT
 *
 * The seam hook: the one process-wide setting, so that a kit can reach it without a handle.
 */
#include <deed/seam.h>

static deed_seam_hook seam_hook;
static void *seam_context;

void deed_seam_hook_set(deed_seam_hook hook, void *context)
{
    seam_context = context;
    seam_hook = hook;
}

const char *deed_seam_name(deed_seam seam)
{
    static const char *const names[] = {
#define DEED_SEAM_NAME(ident, name) name,
        DEED_SEAM_LIST(DEED_SEAM_NAME)
#undef DEED_SEAM_NAME
    };
    return (unsigned)seam < (unsigned)DEED_SEAM_COUNT ? names[seam] : NULL;
}

void deed_seam_cross(deed_seam seam)
{
    if (seam_hook != NULL) {
        seam_hook(seam_context, seam);
    }
}
