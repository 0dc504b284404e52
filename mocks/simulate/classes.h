/* SPDX-License-Identifier: MIT
 *
 * classes.h - short names of the classes of providers, as bits, for tables that say who is meant.
 */
#ifndef DEED_MOCKS_SIMULATE_CLASSES_H
#define DEED_MOCKS_SIMULATE_CLASSES_H

#include <deed/base.h>

#define BLIND        (1U << DEED_CLASS_BLIND)
#define LOOKUP       (1U << DEED_CLASS_LOOKUP)
#define KEYED        (1U << DEED_CLASS_KEYED)
#define KEYED_LOOKUP (1U << DEED_CLASS_KEYED_LOOKUP)
#define CLOSABLE     (1U << DEED_CLASS_CLOSABLE)
#define ALL          (BLIND | LOOKUP | KEYED | KEYED_LOOKUP | CLOSABLE)

#endif /* DEED_MOCKS_SIMULATE_CLASSES_H */
