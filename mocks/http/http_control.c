/* SPDX-License-Identifier: MIT
 *
 * The control port: what happened, what is to land, what is to go wrong next.
 */
#include "http/http_impl.h"

#include <stdlib.h>
#include <string.h>

#include <deed/ext/error.h>

static json_t *counts_json(const struct deed_world_counts *counts)
{
    const struct {
        const char *name;
        uint64_t count;
    } all[] = {{"sends", counts->sends}, {"effects", counts->effects}, {"refused", counts->refused},
        {"rejected", counts->rejected}, {"absorbed", counts->absorbed}, {"barred", counts->barred},
        {"copies", counts->copies}, {"waiting", counts->waiting}, {"lookups", counts->lookups},
        {"polls", counts->polls}, {"closed", counts->closed}};
    json_t *object = json_object();
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        (void)json_object_set_new(object, all[i].name, json_integer((json_int_t)all[i].count));
    }
    return object;
}

static void say_failed(struct deed__http_answer *answer, const struct deed_error *err)
{
    deed__http_say_wrong(answer, err->rc == DEED_E_INVALID ? 400 : 500, err->text);
}

/* ---- counts ------------------------------------------------------------------------------- */

static json_t *names_json(struct deed_world *world)
{
    json_t *names = json_object();
    for (size_t i = 0; i < world->actions.count; i++) {
        const struct deed_mock__action *action = deed_mock__action_at(world, i);
        (void)json_object_set_new(
            names, deed_mock__text(world, action->key), counts_json(&action->counts));
    }
    return names;
}

deed_rc deed__http_provider_counts_json(
    struct deed__http_provider *provider, json_t **counts_out, struct deed_error *err)
{
    deed_rc rc = deed_world__enter(provider->world, err);
    if (rc != DEED_OK) {
        return rc;
    }
    *counts_out = json_pack("{s:o, s:o}", "total", counts_json(&provider->world->counts), "names",
        names_json(provider->world));
    deed_world__leave(provider->world);
    return *counts_out != NULL
        ? DEED_OK
        : deed_error_set(err, DEED_E_NOMEM, DEED__HTTP_ORIGIN, "no memory for counts");
}

static void say_all_counts(struct deed__http_provider *provider, struct deed__http_answer *answer)
{
    struct deed_error err = {.text = ""};
    json_t *counts = NULL;
    if (deed__http_provider_counts_json(provider, &counts, &err) != DEED_OK) {
        say_failed(answer, &err);
        return;
    }
    deed__http_say(answer, 200, "", counts);
}

/* The value of the only member a query may have; NULL: there is no query. */
static const char *query_value(const char *query, const char *name, bool *wrong_out)
{
    size_t bytes = strlen(name);
    *wrong_out = query[0] != '\0' && (strncmp(query, name, bytes) != 0 || query[bytes] != '=');
    return query[0] == '\0' || *wrong_out ? NULL : query + bytes + 1;
}

static void say_counts(
    struct deed__http_provider *provider, struct deed__http_connection *connection)
{
    bool wrong = false;
    struct deed_error err = {.text = ""};
    struct deed_world_counts counts;
    const char *name = query_value(connection->request.query, "name", &wrong);
    if (wrong) {
        deed__http_say_wrong(&connection->answer, 400, "the query of /counts is name=NAME");
    } else if (name == NULL) {
        say_all_counts(provider, &connection->answer);
    } else if (deed__http_provider_counts(provider, name, &counts, &err) != DEED_OK) {
        say_failed(&connection->answer, &err);
    } else {
        deed__http_say(&connection->answer, 200, "", counts_json(&counts));
    }
}

static void say_events(
    struct deed__http_provider *provider, struct deed__http_connection *connection)
{
    bool wrong = false;
    char *end = NULL;
    const char *text = query_value(connection->request.query, "after", &wrong);
    unsigned long long after = text != NULL ? strtoull(text, &end, 10) : 0;
    if (wrong || (text != NULL && (*end != '\0' || text[0] < '0' || text[0] > '9'))) {
        deed__http_say_wrong(&connection->answer, 400, "the query of /events is after=NUMBER");
        return;
    }
    deed__http_say(&connection->answer, 200, "", deed__http_events_json(provider, after));
}

/* ---- orders ------------------------------------------------------------------------------- */

static void land(struct deed__http_provider *provider, struct deed__http_connection *connection,
    const char *name)
{
    struct deed_error err = {.text = ""};
    uint64_t landed = 0;
    if (deed__http_provider_land(provider, name, &landed, &err) != DEED_OK) {
        say_failed(&connection->answer, &err);
        return;
    }
    deed__http_say(&connection->answer, 200, "", json_pack("{s:I}", "landed", (json_int_t)landed));
}

static void script(struct deed__http_provider *provider, struct deed__http_connection *connection)
{
    const struct deed__http_request *request = &connection->request;
    struct deed_error err = {.text = ""};
    char *text = strndup(connection->in + request->head_bytes, request->body_bytes);
    if (text == NULL) {
        return;
    }
    if (deed__http_provider_script(provider, text, &err) != DEED_OK) {
        say_failed(&connection->answer, &err);
    } else {
        deed__http_say(&connection->answer, 200, "", json_object());
    }
    free(text);
}

static void listen_or_not(
    struct deed__http_provider *provider, struct deed__http_connection *connection)
{
    const struct deed__http_request *request = &connection->request;
    struct deed_error err = {.text = ""};
    int open = 0;
    json_t *body = json_loadb(
        connection->in + request->head_bytes, request->body_bytes, JSON_REJECT_DUPLICATES, NULL);
    if (body == NULL || json_unpack(body, "{s:b!}", "open", &open) != 0) {
        deed__http_say_wrong(
            &connection->answer, 400, "the body must be {\"open\": true} or {\"open\": false}");
    } else if (deed__http_provider_listen(provider, open != 0, &err) != DEED_OK) {
        say_failed(&connection->answer, &err);
    } else {
        deed__http_say(&connection->answer, 200, "", json_object());
    }
    json_decref(body);
}

static void reset(struct deed__http_provider *provider, struct deed__http_connection *connection)
{
    struct deed_error err = {.text = ""};
    if (deed__http_provider_reset(provider, &err) != DEED_OK) {
        say_failed(&connection->answer, &err);
        return;
    }
    deed__http_say(&connection->answer, 200, "", json_object());
}

static void order(struct deed__http_provider *provider, struct deed__http_connection *connection)
{
    const char *path = connection->request.path;
    if (strcmp(path, "/script") == 0) {
        script(provider, connection);
    } else if (strcmp(path, "/reset") == 0) {
        reset(provider, connection);
    } else if (strcmp(path, "/listen") == 0) {
        listen_or_not(provider, connection);
    } else if (strcmp(path, "/land") == 0) {
        land(provider, connection, NULL);
    } else if (strncmp(path, "/land/", 6) == 0 && deed__http_is_name(path + 6)) {
        land(provider, connection, path + 6);
    } else {
        deed__http_say_wrong(
            &connection->answer, 404, "POST /land[/NAME], /script, /listen or /reset");
    }
}

void deed__http_control_answer(
    struct deed__http_provider *provider, struct deed__http_connection *connection)
{
    const struct deed__http_request *request = &connection->request;
    if (request->method == DEED__HTTP_POST) {
        order(provider, connection);
    } else if (request->method == DEED__HTTP_GET && strcmp(request->path, "/counts") == 0) {
        say_counts(provider, connection);
    } else if (request->method == DEED__HTTP_GET && strcmp(request->path, "/events") == 0) {
        say_events(provider, connection);
    } else {
        deed__http_say_wrong(&connection->answer, 404, "GET /counts[?name=NAME] or /events");
    }
}
