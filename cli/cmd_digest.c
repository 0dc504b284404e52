/* SPDX-License-Identifier: MIT
 *
 * cmd_digest.c - deed digest: what an action key is bound to.
 */
#include "cli.h"

#include "payload_input.h"

#include <stdio.h>

int cmd_digest(struct cli *cli)
{
    struct deed_error err = {0};
    deed_payload_buffer *buffer = NULL;
    uint8_t digest[DEED_DIGEST_BYTES];
    deed_rc rc = payload_read("-", &buffer, &err);
    if (rc == DEED_OK) {
        rc = deed_payload_digest(deed_payload_view(buffer), digest, &err);
    }
    deed_payload_free(buffer);
    if (rc != DEED_OK) {
        return cli_fail(cli, rc, &err);
    }
    char text[DEED_DIGEST_TEXT_BYTES];
    deed_digest_text(digest, text);
    if (cli->out.json) {
        json_t *object = output_object("digest");
        output_set_text(object, "digest", text);
        output_json(&cli->out, object);
    } else {
        (void)printf("%s\n", text);
    }
    return 0;
}
