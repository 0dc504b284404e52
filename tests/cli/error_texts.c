/* SPDX-License-Identifier: MIT
 *
 * error_texts ROOT GOLDEN LIST   every error text of the sources stands in the golden transcript, or
 *                                in the list of those it cannot have, with the test that provokes it,
 *                                or with the reason why none does
 * error_texts ROOT               prints every text with its file and line
 *
 * Method: read each source, skip comments, find calls of the functions that fill an error, and take
 * the string literals of their format argument (the branches of a conditional are texts of their own).
 * A text meets a line that holds its fixed parts in their order. Where a function only hands a text
 * on, its callers are read instead.
 */
#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Functions that take a text, and which argument it is. `file`: only there. */
static const struct taker {
    const char *name;
    int argument;
    const char *file;
} takers[] = {
    {"deed_error_set", 3, NULL},
    {"deed__refuse", 4, NULL},
    {"cli_error", 3, NULL},
    {"refuse", 3, "core/plan.c"},
    {"refuse", 1, "core/signature.c"},
    {"refuse", 1, "core/webhook.c"},
    {"refuse_member", 2, "core/webhook.c"},
    {"wrong", 1, "cli/config_kind.c"},
};

static const char *const folders[] = {"cli", "core", "executors", "mocks", "stores", "system"};

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])
#define TEXTS_MAX       1000
#define TEXT_BYTES      700
#define LETTERS_LEAST   5 /* fixed letters below which a text would be found everywhere */

static struct text {
    char text[TEXT_BYTES];
    char file[80];
    int line;
} texts[TEXTS_MAX];
static size_t text_count;

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "re");
    if (!file) {
        (void)fprintf(stderr, "%s cannot be read\n", path);
        exit(2);
    }
    size_t bytes = 0;
    char *data = malloc(1 << 20);
    if (data) {
        bytes = fread(data, 1, (1 << 20) - 1, file);
        data[bytes] = '\0';
    }
    (void)fclose(file);
    return data;
}

/* Past the string literal that starts at `at`. */
static char *skip_literal(char *at)
{
    for (at++; *at != '"' && *at != '\0'; at++) {
        at += *at == '\\' && at[1] != '\0';
    }
    return *at == '"' ? at + 1 : at;
}

/* Blanks out comments and keeps everything else where it is. */
static void drop_comments(char *source)
{
    for (char *at = source; *at != '\0';) {
        if (at[0] == '/' && at[1] == '*') {
            const char *end = strstr(at, "*/");
            for (; at < end + 2; at++) {
                *at = *at == '\n' ? '\n' : ' ';
            }
        } else if (*at == '"' && (at == source || at[-1] != '\'')) {
            at = skip_literal(at);
        } else {
            at++;
        }
    }
}

/* Past the string literal that starts at `at`; its text is appended to `out`. */
static const char *take_literal(const char *at, char out[TEXT_BYTES])
{
    size_t used = strlen(out);
    for (at++; *at != '"' && *at != '\0'; at++) {
        if (*at == '\\') {
            at++;
        }
        if (used < TEXT_BYTES - 1) {
            out[used++] = *at;
        }
    }
    out[used] = '\0';
    return at + 1;
}

static void keep(const char *text, const char *file, int line)
{
    if (text[0] != '\0' && text_count < TEXTS_MAX) {
        struct text *kept = &texts[text_count++];
        (void)snprintf(kept->text, sizeof kept->text, "%s", text);
        (void)snprintf(kept->file, sizeof kept->file, "%s", file);
        kept->line = line;
    }
}

/* Reads the arguments behind an opening parenthesis and keeps the literals of one of them. Adjacent
 * literals are one text; a '?' or ':' between them starts another. */
static void read_call(const char *at, int argument, const char *file, int line)
{
    char text[TEXT_BYTES] = "";
    int depth = 1;
    int index = 0;
    while (depth > 0 && *at != '\0') {
        if (*at == '"') {
            char other[TEXT_BYTES] = "";
            at = take_literal(at, index == argument && depth == 1 ? text : other);
            continue;
        }
        depth += (*at == '(') - (*at == ')');
        const bool next_argument = *at == ',' && depth == 1;
        const bool next_branch = (*at == '?' || *at == ':') && depth == 1 && index == argument;
        if (next_argument || next_branch || depth == 0) {
            keep(text, file, line);
            text[0] = '\0';
        }
        index += next_argument;
        at++;
    }
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static void read_source(const char *root, const char *file)
{
    char path[500];
    (void)snprintf(path, sizeof path, "%s/%s", root, file);
    char *source = read_file(path);
    if (!source) {
        exit(2);
    }
    drop_comments(source);
    for (size_t i = 0; i < COUNT_OF(takers); i++) {
        if (takers[i].file && strcmp(takers[i].file, file) != 0) {
            continue;
        }
        const size_t length = strlen(takers[i].name);
        for (char *at = source; (at = strstr(at, takers[i].name)) != NULL; at += length) {
            if (at > source && !is_word(at[-1]) && at[length] == '(') {
                int line = 1;
                for (const char *c = source; c < at; c++) {
                    line += *c == '\n';
                }
                read_call(at + length + 1, takers[i].argument, file, line);
            }
        }
    }
    free(source);
}

static int by_name(const struct dirent **one, const struct dirent **other)
{
    return strcmp((*one)->d_name, (*other)->d_name);
}

static void read_folder(const char *root, const char *folder)
{
    char path[500];
    struct dirent **names = NULL;
    (void)snprintf(path, sizeof path, "%s/%s", root, folder);
    const int count = scandir(path, &names, NULL, by_name);
    for (int i = 0; i < count; i++) {
        const size_t length = strlen(names[i]->d_name);
        if (length > 2 && strcmp(names[i]->d_name + length - 2, ".c") == 0) {
            char file[80];
            (void)snprintf(file, sizeof file, "%s/%.60s", folder, names[i]->d_name);
            read_source(root, file);
        }
        free(names[i]);
    }
    free(names);
}

/* The conversion at `at` ("%.80s", "%" PRId64 is read as "%"): how long it is. */
static size_t conversion_length(const char *at)
{
    const size_t flags = strspn(at + 1, "-+ #0123456789.*hljzt");
    return 1 + flags + (strchr("sdiuxXcp%", at[1 + flags]) && at[1 + flags] != '\0' ? 1 : 0);
}

/* How much of a text is fixed: too little and it would be found everywhere. */
static size_t fixed_letters(const char *text)
{
    size_t letters = 0;
    while (*text != '\0') {
        if (*text == '%') {
            text += conversion_length(text);
        } else {
            letters += isalpha((unsigned char)*text) != 0;
            text++;
        }
    }
    return letters;
}

/* Does the line hold the fixed parts of the text in their order? */
static bool meets(const char *text, const char *line)
{
    while (*text != '\0') {
        if (*text == '%') {
            text += conversion_length(text);
            continue;
        }
        char part[TEXT_BYTES];
        size_t length = strcspn(text, "%");
        memcpy(part, text, length);
        part[length] = '\0';
        const char *found = strstr(line, part);
        if (!found) {
            return false;
        }
        line = found + length;
        text += length;
    }
    return true;
}

static bool stands_in(const char *text, char *golden)
{
    bool found = false;
    for (char *line = golden; line && !found;) {
        char *end = strchr(line, '\n');
        if (end) {
            *end = '\0';
        }
        found = meets(text, line);
        if (end) {
            *end = '\n';
        }
        line = end ? end + 1 : NULL;
    }
    return found;
}

/* Does the list ("text<TAB>test", or "text<TAB>- why") name the text? */
static bool is_listed(const char *list, const char *text)
{
    const size_t length = strlen(text);
    for (const char *line = list; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        if (strncmp(line, text, length) == 0 && line[length] == '\t') {
            return true;
        }
    }
    return false;
}

static bool test_exists(const char *root, const char *test)
{
    char path[500];
    (void)snprintf(path, sizeof path, "%s/tests/%s", root, test);
    FILE *file = fopen(path, "re");
    if (file) {
        (void)fclose(file);
    }
    return file != NULL;
}

static bool is_in_sources(const char *text)
{
    for (size_t i = 0; i < text_count; i++) {
        if (strcmp(texts[i].text, text) == 0) {
            return true;
        }
    }
    return false;
}

static int check_listed_line(const char *root, char *line, char *golden)
{
    char *tab = strchr(line, '\t');
    if (line[0] == '#' || line[0] == '\0') {
        return 0;
    }
    if (!tab) {
        (void)fprintf(stderr, "the list has a line without a test: %s\n", line);
        return 1;
    }
    *tab = '\0';
    const char *fault = NULL;
    if (!is_in_sources(line)) {
        fault = "a text that is not in the sources";
    } else if (fixed_letters(line) >= LETTERS_LEAST && stands_in(line, golden)) {
        fault = "a text that stands in the golden file";
    } else if (strncmp(tab + 1, "- ", 2) != 0 && !test_exists(root, tab + 1)) {
        fault = "a test that is not there";
    }
    if (fault) {
        (void)fprintf(stderr, "the list names %s: %s\n", fault, line);
    }
    *tab = '\t';
    return fault ? 1 : 0;
}

static int check(const char *root, char *golden, char *list)
{
    int faults = 0;
    for (size_t i = 0; i < text_count; i++) {
        const bool found =
            fixed_letters(texts[i].text) >= LETTERS_LEAST && stands_in(texts[i].text, golden);
        if (!found && !is_listed(list, texts[i].text)) {
            (void)fprintf(stderr, "%s:%d: no golden line for: %s\n", texts[i].file, texts[i].line,
                texts[i].text);
            faults++;
        }
    }
    for (char *line = list; line;) {
        char *end = strchr(line, '\n');
        if (end) {
            *end = '\0';
        }
        faults += check_listed_line(root, line, golden);
        if (end) {
            *end = '\n';
        }
        line = end ? end + 1 : NULL;
    }
    return faults;
}

int main(int argc, char **argv)
{
    if (argc != 2 && argc != 4) {
        return 2;
    }
    for (size_t i = 0; i < COUNT_OF(folders); i++) {
        read_folder(argv[1], folders[i]);
    }
    if (argc == 2) {
        for (size_t i = 0; i < text_count; i++) {
            (void)printf("%s:%d\t%s\n", texts[i].file, texts[i].line, texts[i].text);
        }
        return 0;
    }
    char *golden = read_file(argv[2]);
    char *list = read_file(argv[3]);
    const int faults = check(argv[1], golden, list);
    free(golden);
    free(list);
    return faults == 0 ? 0 : 1;
}
