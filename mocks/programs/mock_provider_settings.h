/* SPDX-License-Identifier: MIT
 *
 * mock_provider_settings.h - what `deed mock-provider` was asked for.
 */
#ifndef DEED_MOCKS_MOCK_PROVIDER_SETTINGS_H
#define DEED_MOCKS_MOCK_PROVIDER_SETTINGS_H

#include <deed/base.h>

struct settings {
    char *options_json; /* as http_provider.h wants them; freed by settings_finish */
    char *folder;       /* made for a world nobody named; NULL: none; removed by settings_finish */
    uint16_t port;
    uint16_t control_port;
    bool json;
    bool help;
    bool version;
};

/* On failure `settings` still says whether the error is wanted as JSON. */
DEED_MUST_CHECK deed_rc settings_read(
    struct settings *settings, int argc, char **argv, struct deed_error *err);
void settings_finish(struct settings *settings);
void settings_help(void);

#endif /* DEED_MOCKS_MOCK_PROVIDER_SETTINGS_H */
