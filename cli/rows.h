/* SPDX-License-Identifier: MIT
 *
 * rows.h - attempts, evidence and events, as JSON and as lines for people.
 */
#ifndef CLI_ROWS_H
#define CLI_ROWS_H

#include "output.h"

json_t *rows_attempt_json(const struct deed_attempt_row *row);
json_t *rows_evidence_json(const struct deed_evidence_row *row);
json_t *rows_event_json(const char *key, const struct deed_event_row *row);

void rows_attempt_print(const struct deed_attempt_row *row);
void rows_evidence_print(const struct deed_evidence_row *row);
void rows_event_print(const struct deed_event_row *row);

#endif
