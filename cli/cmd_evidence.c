/* SPDX-License-Identifier: MIT
 *
 * cmd_evidence.c - deed evidence: hands in a proof from outside.
 */
#include "cli.h"

#include "input.h"
#include "verifiers.h"
#include "words.h"

#include <deed/evidence.h>

#include <stdlib.h>
#include <string.h>

/* A word from outside may say that it happened. That it did not is nothing it can know. */
static deed_rc read_outcome(
    const char *word, struct deed_evidence *evidence, struct deed_error *err)
{
    if (!word) {
        return DEED_OK;
    }
    if (!outcome_read(word, &evidence->outcome) || evidence->outcome != DEED_APPLIED) {
        return cli_error(err, DEED_E_INVALID, NULL,
            "--outcome `%.40s`: a word from outside can prove that an action was applied, and "
            "nothing else; what a person has found out otherwise goes into deed resolve",
            word);
    }
    return DEED_OK;
}

static deed_rc read_message(
    const char *path, char **message_out, struct deed_evidence *evidence, struct deed_error *err)
{
    FILE *stream = NULL;
    size_t bytes = 0;
    deed_rc rc = input_open(path, &stream, err);
    if (rc == DEED_OK) {
        rc = input_read(stream, path, DEED_MESSAGE_BYTES_MAX, message_out, &bytes, err);
    }
    if (rc == DEED_OK) {
        evidence->message = (struct deed_text){*message_out, bytes};
    }
    input_close(stream);
    return rc;
}

static deed_rc open_for(struct cli *cli, const char *source, struct deed_error *err)
{
    deed_rc rc = cli_open(cli, CLI_WRITE, err);
    if (rc == DEED_OK && !given(&cli->arguments, OPT_BY) && !cli->config.actor) {
        return cli_error(err, DEED_E_INVALID, NULL,
            "who brings it? name them with --by, or as `actor` in the configuration");
    }
    const struct config_verifier *verifier =
        rc == DEED_OK ? verifier_find(&cli->config, source) : NULL;
    if (verifier) {
        rc = verifier_register(cli->ledger, &cli->config, verifier, err);
        if (rc != DEED_OK) {
            config_name_file(&cli->config, err);
        }
    }
    return rc;
}

static int hex_value(char digit)
{
    static const char digits[] = "0123456789abcdef";
    const char *at =
        digit ? strchr(digits, digit >= 'A' && digit <= 'F' ? digit + 32 : digit) : NULL;
    return at ? (int)(at - digits) : -1;
}

static deed_rc read_token(const char *text, uint8_t token[DEED_TOKEN_BYTES], struct deed_error *err)
{
    bool good = strlen(text) == (size_t)2 * DEED_TOKEN_BYTES;
    for (size_t i = 0; good && i < DEED_TOKEN_BYTES; i++) {
        const int high = hex_value(text[2 * i]);
        const int low = hex_value(text[2 * i + 1]);
        good = high >= 0 && low >= 0;
        token[i] = good ? (uint8_t)(high * 16 + low) : 0;
    }
    return good ? DEED_OK
                : cli_error(err, DEED_E_INVALID, NULL,
                      "--token `%.40s` is no token: it has %d hex digits, as `deed show --json` "
                      "prints them",
                      text, 2 * DEED_TOKEN_BYTES);
}

int cmd_evidence(struct cli *cli)
{
    const struct arguments *arguments = &cli->arguments;
    const char *const *values = arguments->values;
    struct deed_error err = {0};
    struct deed_result result = {.size = sizeof result};
    struct deed_evidence evidence = {.size = sizeof evidence,
        .key = arguments->operands[0],
        .source = values[OPT_SOURCE],
        .event_id = values[OPT_EVENT],
        .reference = values[OPT_REFERENCE],
        .signature = values[OPT_SIGNATURE],
        .by = values[OPT_BY],
        .statement = values[OPT_STATEMENT]};
    char *message = NULL;
    uint8_t token[DEED_TOKEN_BYTES];
    deed_rc rc = read_outcome(values[OPT_OUTCOME], &evidence, &err);
    if (rc == DEED_OK && values[OPT_TOKEN]) {
        rc = read_token(values[OPT_TOKEN], token, &err);
        evidence.token = token;
    }
    if (rc == DEED_OK && values[OPT_MESSAGE]) {
        rc = read_message(values[OPT_MESSAGE], &message, &evidence, &err);
    }
    if (rc == DEED_OK) {
        rc = open_for(cli, evidence.source, &err);
    }
    if (rc != DEED_OK) {
        free(message);
        return cli_fail(cli, rc, &err);
    }
    rc = deed_evidence_add(cli->ledger, &evidence, &result, &err);
    free(message);
    return cli_answer(cli, INTENT_TOLD, rc, &result, &err);
}
