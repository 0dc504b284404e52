/* SPDX-License-Identifier: MIT */
#include "viewer.h"

#include <string.h>

deed_rc deed__viewer_begin(struct deed__viewer *viewer, deed_tx *tx, struct deed_error *err)
{
    viewer->tx = tx;
    viewer->err = err;
    deed_rc rc = tx->ledger_get(tx->self, &viewer->row, err);
    if (rc == DEED_E_NOT_FOUND) {
        memset(&viewer->row, 0, sizeof(viewer->row));
        rc = DEED_OK;
    }
    return rc == DEED_OK ? tx->newest(tx->self, &viewer->newest_ms, err) : rc;
}

deed_rc deed__viewer_show(
    struct deed__viewer *viewer, const struct deed_intent_row *row, struct deed_result *result)
{
    struct deed__case c;
    deed__case_init(&c, viewer->ledger, &viewer->now);
    c.row = viewer->row;
    c.newest_ms = viewer->newest_ms;
    c.intent = *row;
    deed_rc rc = deed__case_load_attempts(&c, viewer->tx, 0, viewer->err);
    if (rc == DEED_OK) {
        memset(result, 0, sizeof(*result));
        result->size = sizeof(*result);
        result->replayed = true;
        deed__result_fill(result, &c);
    }
    deed__case_finish(&c);
    return rc;
}
