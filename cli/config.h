/* SPDX-License-Identifier: MIT
 *
 * config.h - the configuration file: which executor serves which kind, under which profile, and
 * whose messages are verified how.
 *
 * docs/reference/config.md says what each member means. Unknown members are refused with their
 * place: a misspelt landing allowance that is silently ignored would be a guard that is off.
 */
#ifndef CLI_CONFIG_H
#define CLI_CONFIG_H

#include "options.h"

#include <deed/evidence.h>
#include <deed/ext/executor.h>

#include <jansson.h>

struct config_kind {
    const char *kind;
    const char *executor;
    char *options; /* JSON text, as given to the executor */
    struct deed_profile profile;
};

struct config_verifier {
    const char *source;
    const char *secret;          /* where it is: env:NAME or file:PATH */
    struct deed_webhook webhook; /* its secret is not set */
};

struct config {
    char *path;        /* NULL: there is no file */
    char *folder;      /* relative names in it start here */
    json_t *root;      /* owns the texts */
    const char *actor; /* NULL: none */
    struct config_kind *kinds;
    size_t kind_count;
    struct config_verifier *verifiers;
    size_t verifier_count;
};

/* Reads the file of --config, $DEED_CONFIG, or $XDG_CONFIG_HOME/deed/config.json; only the last
 * may be missing, and then nothing is configured. Freed by config_finish, after a failure too. */
DEED_MUST_CHECK deed_rc config_load(
    struct config *config, const struct arguments *arguments, struct deed_error *err);
void config_finish(struct config *config);

/* Puts the file's name in front of an error about what stands in it. */
void config_name_file(const struct config *config, struct deed_error *err);

#endif
