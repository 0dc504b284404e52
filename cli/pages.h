/* SPDX-License-Identifier: MIT
 *
 * pages.h - what is installed beside the command, made from the same tables as help.
 */
#ifndef CLI_PAGES_H
#define CLI_PAGES_H

#include <stdio.h>

#define HELP_DASHED_KEY                                                                            \
    "A KEY that begins with - goes last, behind --, so that it is not read as an option:"

/* deed(1), for man. */
void manual_print(FILE *stream);
/* The completion of bash. */
void completion_print(FILE *stream);

#endif
