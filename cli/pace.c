/* SPDX-License-Identifier: MIT
 *
 * pace.c - --watch, --wait and --every: how often, and for how long.
 */
#include "pace.h"

#include "error.h"
#include "times.h"

#define WATCH_EVERY_MS 30000
#define WAIT_EVERY_MS  1000

static deed_rc read_age(
    const char *option, const char *text, int64_t *age_ms_out, struct deed_error *err)
{
    if (text && !age_read(text, age_ms_out)) {
        return cli_error(err, DEED_E_INVALID, NULL,
            "--%s `%.40s` is no span of time; write it as 500ms, 30s, 15m or 2h", option, text);
    }
    return DEED_OK;
}

static deed_rc check(const struct arguments *arguments, struct deed_error *err)
{
    const bool watch = given(arguments, OPT_WATCH);
    const bool wait = given(arguments, OPT_WAIT);
    const bool keys = arguments->operand_count > 0;
    if (watch && keys) {
        return cli_error(err, DEED_E_INVALID, NULL,
            "--watch repeats a pass over all that is due; for the keys that are named, --wait goes "
            "on "
            "until they are settled");
    }
    if (wait && !keys) {
        return cli_error(err, DEED_E_INVALID, NULL,
            "--wait goes on until the keys that are named are settled; name them, or repeat the "
            "pass "
            "with --watch");
    }
    if (given(arguments, OPT_EVERY) && !watch && !wait) {
        return cli_error(
            err, DEED_E_INVALID, NULL, "--every says how often to look, with --watch or --wait");
    }
    if (given(arguments, OPT_DRY_RUN) && (watch || wait)) {
        return cli_error(err, DEED_E_INVALID, NULL,
            "--dry-run tells what would be done now; it goes with neither --watch nor --wait");
    }
    return DEED_OK;
}

deed_rc pace_read(const struct arguments *arguments, struct pace *pace_out, struct deed_error *err)
{
    const char *const *values = arguments->values;
    struct pace pace = {.watch = given(arguments, OPT_WATCH), .wait = given(arguments, OPT_WAIT)};
    pace.every_ms = pace.watch ? WATCH_EVERY_MS : WAIT_EVERY_MS;
    deed_rc rc = check(arguments, err);
    if (rc == DEED_OK) {
        rc = read_age("every", values[OPT_EVERY], &pace.every_ms, err);
    }
    if (rc == DEED_OK) {
        rc = read_age("wait", values[OPT_WAIT], &pace.wait_ms, err);
    }
    if (rc == DEED_OK) {
        *pace_out = pace;
    }
    return rc;
}
