/* SPDX-License-Identifier: MIT
 *
 * Prints the SQL that makes an outbox, as a host would run it on its own connection.
 */
#include <deed/outbox.h>

#include <stdio.h>

int main(void)
{
    return puts(deed_outbox_table()) < 0 ? 1 : 0;
}
