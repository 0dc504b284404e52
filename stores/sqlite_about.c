/* SPDX-License-Identifier: MIT
 *
 * What a ledger stands on, told without opening one.
 */
#include <deed/sqlite.h>

#include "sqlite_impl.h"

const char *deed_sqlite_version(void)
{
    return sqlite3_libversion();
}

bool deed_sqlite_compiled_with(const char *option)
{
    return sqlite3_compileoption_used(option) != 0;
}

deed_rc deed_sqlite_check_place(
    const char *path, const struct deed_sqlite_options *options, struct deed_error *err)
{
    if (path == NULL) {
        return deed_error_set(
            err, DEED_E_MISUSE, SQLITE_STORE_ORIGIN, "deed_sqlite_check_place needs a path");
    }
    struct deed_sqlite_options mine;
    deed_rc rc = deed__sqlite_options_take(&mine, options, err);
    return rc == DEED_OK ? deed__sqlite_refuse_network(path, path, &mine, err) : rc;
}
