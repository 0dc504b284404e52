# SPDX-License-Identifier: MIT
# What must hold between a ledger and the world. In libdeed-mocks, which keeps it to itself; tests that
# check it from the outside compile it in.
set(deed_invariants_sources
    ${CMAKE_CURRENT_LIST_DIR}/facts.c
    ${CMAKE_CURRENT_LIST_DIR}/invariants.c
    ${CMAKE_CURRENT_LIST_DIR}/invariants_belief.c
    ${CMAKE_CURRENT_LIST_DIR}/invariants_effects.c
    ${CMAKE_CURRENT_LIST_DIR}/invariants_machinery.c
    ${CMAKE_CURRENT_LIST_DIR}/invariants_recording.c
    ${CMAKE_CURRENT_LIST_DIR}/invariants_sending.c
    ${CMAKE_CURRENT_LIST_DIR}/marks.c)
