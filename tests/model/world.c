/* SPDX-License-Identifier: MIT */
#include "world.h"

bool world_keyed(const struct play *play)
{
    return play->trail->class == SCENE_KEYED || play->trail->class == SCENE_KEYED_LOOKUP;
}

struct kept_key *world_key(struct play *play, const char *key)
{
    for (int i = 0; i < KEYS_MAX; i++) {
        struct kept_key *kept = &play->keys[i];
        if (!kept->used) {
            kept->used = true;
            kept->began = play->tick;
            (void)snprintf(kept->key, sizeof(kept->key), "%s", key);
        }
        if (strcmp(kept->key, key) == 0) {
            return kept;
        }
    }
    fail_msg("more provider keys than a trail should need");
    return NULL;
}

deed_verdict verdict_named(const char *name)
{
    static const deed_verdict verdicts[] = {
        DEED_VERDICT_APPLIED, DEED_VERDICT_REJECTED, DEED_VERDICT_NOT_APPLIED};
    for (size_t i = 0; i < sizeof(verdicts) / sizeof(verdicts[0]); i++) {
        if (strcmp(deed_verdict_name(verdicts[i]), name) == 0) {
            return verdicts[i];
        }
    }
    return strcmp(name, "effect") == 0 ? DEED_VERDICT_APPLIED : DEED_VERDICT_UNKNOWN;
}

static void effect(struct play *play, struct kept_key *key)
{
    play->effects++;
    play->fresh++;
    key->effects++;
    key->kept = world_keyed(play) ? DEED_VERDICT_APPLIED : key->kept;
}

bool world_land(struct play *play, struct slot *slot, const char *how)
{
    if (slot->copies == 0) {
        return false;
    }
    slot->copies--;
    play->strayed = play->strayed || (slot->stray && play->tick - slot->began >= HORIZON);
    struct kept_key *key = world_key(play, slot->attempt.provider_key);
    bool known = world_keyed(play) && key->kept != DEED_VERDICT_UNKNOWN;
    if (key->barred) {
        return true;
    }
    if (slot->did == DEED_VERDICT_UNKNOWN && !known) { /* executed */
        deed_verdict verdict = verdict_named(how);
        slot->did = verdict == DEED_VERDICT_UNKNOWN ? DEED_VERDICT_APPLIED : verdict;
        slot->reply = slot->did;
        if (slot->did == DEED_VERDICT_APPLIED) {
            effect(play, key);
        } else if (world_keyed(play) && play->trail->stores) {
            key->kept = slot->did;
        }
    } else if (slot->did == DEED_VERDICT_UNKNOWN) {
        slot->did = key->kept;
        slot->reply = key->kept;
        slot->first = true;
    } else if (slot->did == DEED_VERDICT_APPLIED && !known) { /* a copy; the key is forgotten */
        effect(play, key);
    }
    return true;
}

void world_tick(struct play *play)
{
    play->tick++;
    play->fresh = 0;
    for (int i = 0; i < SLOTS_MAX; i++) {
        struct slot *slot = &play->slots[i];
        bool passed = play->tick - slot->began >= HORIZON && !slot->stray;
        slot->copies = passed ? 0 : slot->copies;
    }
    for (int i = 0; i < KEYS_MAX; i++) {
        struct kept_key *key = &play->keys[i];
        bool over = key->used && play->tick - key->began >= WINDOW;
        key->kept = over ? DEED_VERDICT_UNKNOWN : key->kept;
    }
}

void world_bar(struct play *play)
{
    for (int i = 0; i < KEYS_MAX; i++) {
        play->keys[i].barred = play->keys[i].used && play->effects == 0;
    }
}

unsigned world_shows(const struct play *play, const char *what)
{
    unsigned said = strcmp(what, "present") == 0 ? 1U : strcmp(what, "twice") == 0 ? 2U : 0U;
    unsigned least = play->effects - play->fresh;
    said = said < least ? least : said;
    return said > play->effects ? play->effects : said;
}
