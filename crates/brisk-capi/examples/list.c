/* Lists a tree as `brisk find -u` does, by pulled chunks: list [-0] [-s] [-c] DIRECTORY
 *
 *   -0  a NUL after each path, not a newline
 *   -s  sorted
 *   -c  the paths come by callback, from all threads of the walk
 */
#include <brisk.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#endif

enum { OUTPUT = 1 << 16, ENTRIES = 512, WORKERS = 1024 };

struct output {
    char *bytes;
    size_t used, room;
};

static char end = '\n';

/* stdio locks the stream for each call, so that whole paths of several threads do not mix. */
static int write_out(struct output *out) {
    size_t used = out->used;
    out->used = 0;
    return fwrite(out->bytes, 1, used, stdout) == used ? BRISK_CONTINUE : BRISK_STOP;
}

static int print(struct output *out, const brisk_entry *entry) {
    size_t needed = (size_t)entry->dir_len + entry->name_len + 2;
    if (out->used + needed > out->room && write_out(out)) return BRISK_STOP;
    if (needed > out->room) {
        out->room = 2 * needed;
        out->bytes = (char *)realloc(out->bytes, out->room);
        if (!out->bytes) abort();
    }
    char *to = out->bytes + out->used;
    memcpy(to, entry->dir, entry->dir_len);
    to += entry->dir_len;
    memcpy(to, entry->name, entry->name_len);
    to += entry->name_len;
    if (entry->type == 'd') *to++ = '/';
    *to++ = end;
    out->used = (size_t)(to - out->bytes);
    return BRISK_CONTINUE;
}

static int print_chunk(void *data, const brisk_chunk *chunk) {
    struct output *out = (struct output *)data + chunk->worker;
    for (size_t at = 0; at < chunk->count; at++)
        if (print(out, &chunk->entries[at])) return BRISK_STOP;
    return BRISK_CONTINUE;
}

static int complain(void *data, const brisk_error *error) {
    (void)data;
    fprintf(stderr, "list: %s\n", brisk_error_text(error));
    return BRISK_CONTINUE;
}

static void pull(brisk_walk *walk, struct output *out, brisk_error **error) {
    static brisk_entry entries[ENTRIES];
    size_t count;
    do {
        count = brisk_walk_next(walk, entries, ENTRIES, error);
        for (size_t at = 0; at < count; at++)
            if (print(out, &entries[at])) return;
        for (brisk_error *failed; (failed = brisk_walk_next_error(walk)); brisk_error_free(failed))
            complain(NULL, failed);
    } while (count > 0);
}

int main(int argc, char **argv) {
    static struct output outputs[WORKERS + 1];
    static brisk_walk_options options;
    static brisk_visitor visitor;
    const char *root = ".";
    int by_callback = 0, status = 0;
    brisk_error *error = NULL;
    options.size = sizeof options;
    options.min_depth = 1;
    for (int at = 1; at < argc; at++) {
        if (!strcmp(argv[at], "-0")) end = '\0';
        else if (!strcmp(argv[at], "-s")) options.order = BRISK_ORDER_SORTED;
        else if (!strcmp(argv[at], "-c")) by_callback = 1;
        else root = argv[at];
    }
#ifdef _WIN32
    _setmode(_fileno(stdout), _O_BINARY);
#endif
    setvbuf(stdout, NULL, _IONBF, 0);
    outputs[0].room = OUTPUT;
    outputs[0].bytes = (char *)malloc(OUTPUT);
    if (by_callback) {
        visitor.size = sizeof visitor;
        visitor.data = outputs;
        visitor.entries = print_chunk;
        visitor.error = complain;
        status = brisk_visit(&root, 1, &options, &visitor, &error);
    } else {
        brisk_walk *walk = brisk_walk_start(&root, 1, &options, &error);
        if (walk) pull(walk, outputs, &error);
        brisk_walk_end(walk);
    }
    for (size_t at = 0; at <= WORKERS; at++) {
        if (outputs[at].used && write_out(&outputs[at])) status = 1;
        free(outputs[at].bytes);
    }
    if (error) {
        complain(NULL, error);
        status = 1;
    }
    brisk_error_free(error);
    return status;
}
