/* SPDX-License-Identifier: MIT
 *
 * json_words.h - what a JSON parser stumbled over, without quoting the text it read.
 */
#ifndef CLI_JSON_WORDS_H
#define CLI_JSON_WORDS_H

#include <jansson.h>

/* "something that is no JSON", "a member that stands there already", ... Static. The parser's own
 * message may quote the input, and with it what is nobody's business. */
const char *json_error_words(const json_error_t *json_error);

#endif
