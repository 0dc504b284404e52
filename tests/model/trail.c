/* SPDX-License-Identifier: MIT */
#include "player.h"

static enum scene_class class_of(const char *name)
{
    static const char *const names[SCENE_CLASSES] = {
        "BLIND", "LOOKUP", "KEYED", "KEYED_LOOKUP", "CLOSABLE"};
    for (int class = 0; class < SCENE_CLASSES; class ++) {
        if (strcmp(names[class], name) == 0) {
            return (enum scene_class) class;
        }
    }
    fail_msg("no class of providers is called %s", name);
    return SCENE_BLIND;
}

static void read_step(const char *line, struct step *step)
{
    memset(step, 0, sizeof(*step));
    step->worker = -1;
    step->slot = -1;
    (void)snprintf(step->text, sizeof(step->text), "%s", line);
    char words[sizeof(step->text)];
    (void)snprintf(words, sizeof(words), "%s", line);
    char *rest = NULL;
    for (char *word = strtok_r(words, " ", &rest); word != NULL;
         word = strtok_r(NULL, " ", &rest)) {
        bool numbered = word[1] >= '0' && word[1] <= '9' && word[2] == '\0';
        if (step->verb[0] == '\0') {
            (void)snprintf(step->verb, sizeof(step->verb), "%s", word);
        } else if (word[0] == 'w' && numbered) {
            step->worker = word[1] - '0';
        } else if (word[0] == 'a' && numbered) {
            step->slot = word[1] - '1';
        } else {
            (void)snprintf(step->what, sizeof(step->what), "%s", word);
        }
    }
    if (step->worker >= SCENE_WORKERS || step->slot >= SLOTS_MAX) {
        fail_msg("%s: more workers or attempts than a scene has", line);
    }
}

/* `is STATE OUTCOME DISPUTED`, in the numbers of state.def. */
static void read_known(const char *line, struct trail *trail)
{
    int known[3] = {0, 0, 0};
    const char *at = line;
    for (int i = 0; i < 3; i++) {
        at += strcspn(at, " ");
        known[i] = (int)strtol(at, (char **)&at, 10);
    }
    if (trail->count > 0) {
        struct step *step = &trail->steps[trail->count - 1];
        step->tells = true;
        step->state = (deed_state)known[0];
        step->outcome = (deed_outcome)known[1];
        step->disputed = known[2] != 0;
    }
}

void trail_read(const char *path, struct trail *trail)
{
    memset(trail, 0, sizeof(*trail));
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        fail_msg("%s cannot be read: `UPDATE=1 scripts/model --broken` writes it", path);
        return;
    }
    char line[80];
    while (fgets(line, sizeof(line), file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "class ", 6) == 0) {
            trail->class = class_of(line + 6);
        } else if (strncmp(line, "broken ", 7) == 0) {
            (void)snprintf(trail->broken, sizeof(trail->broken), "%.63s", line + 7);
        } else if (strcmp(line, "stores") == 0) {
            trail->stores = true;
        } else if (strncmp(line, "is ", 3) == 0) {
            read_known(line, trail);
        } else {
            assert_true(trail->count < STEPS_MAX);
            read_step(line, &trail->steps[trail->count++]);
            trail->lies = trail->lies || strncmp(line, "stray", 5) == 0;
        }
    }
    (void)fclose(file);
}
