/* SPDX-License-Identifier: MIT
 *
 * test.h - what every test includes first. cmocka.h uses names of the headers above it, in a test's
 * stead, so their order is kept.
 */
#ifndef DEED_TESTS_SUPPORT_TEST_H
#define DEED_TESTS_SUPPORT_TEST_H

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#endif /* DEED_TESTS_SUPPORT_TEST_H */
