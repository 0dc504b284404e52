/* SPDX-License-Identifier: MIT
 *
 * text.h - texts that people and hosts give beside an action: names, reasons, references. Each is
 * bounded and UTF-8, so that whatever reads the ledger later can show it.
 */
#ifndef DEED_CORE_TEXT_H
#define DEED_CORE_TEXT_H

#include <deed/base.h>

/* NULL is valid: there is no text. */
bool deed__is_utf8(const char *text);

/* DEED_E_INVALID for more than `bytes_max` bytes, or for what is no UTF-8. `what` starts the
 * sentence ("the reason"); `key` is whom it is about, NULL: no intent. */
deed_rc deed__text_check(
    const char *key, const char *what, const char *text, size_t bytes_max, struct deed_error *err);

#endif /* DEED_CORE_TEXT_H */
