/* SPDX-License-Identifier: MIT
 *
 * json_words.c - what a JSON parser stumbled over, without quoting the text it read.
 */
#include "json_words.h"

static const struct {
    enum json_error_code code;
    const char *words;
} table[] = {
    {json_error_duplicate_key, "a member that stands there already"},
    {json_error_end_of_input_expected, "something behind its end"},
    {json_error_premature_end_of_input, "an end that comes too early"},
    {json_error_invalid_utf8, "a byte that is no UTF-8"},
    {json_error_numeric_overflow, "a number that is too large"},
};

const char *json_error_words(const json_error_t *json_error)
{
    const enum json_error_code code = json_error_code(json_error);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (table[i].code == code) {
            return table[i].words;
        }
    }
    return "something that is no JSON";
}
