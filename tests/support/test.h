/* SPDX-License-Identifier: MIT
 *
 * test.h - what every test includes first. cmocka wants these headers in this order, and before it.
 */
#ifndef DEED_TESTS_SUPPORT_TEST_H
#define DEED_TESTS_SUPPORT_TEST_H

/* clang-format off: cmocka.h uses names of the headers above it. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */

#endif /* DEED_TESTS_SUPPORT_TEST_H */
