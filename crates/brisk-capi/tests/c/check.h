/* What the tests share. A test is silent, and ends with 0, unless something is wrong. */
#ifndef CHECK_H
#define CHECK_H

#include <brisk.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#ifndef _WIN32
#include <unistd.h>
#endif
#ifdef _WIN32
#include <direct.h>
#define mkdir(path, mode) _mkdir(path)
#endif

#define CHECK(what)                                                                                \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what);                             \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* A path below the scratch directory. The last 64 are valid. */
static const char *scratch;
static inline const char *at(const char *below) {
    static char paths[64][4096];
    static size_t next;
    char *path = paths[next++ % 64];
    CHECK(snprintf(path, sizeof paths[0], "%s/%s", scratch, below) < (int)sizeof paths[0]);
    return path;
}

static inline void make_dir(const char *below) { CHECK(mkdir(at(below), 0755) == 0); }

static inline void make_file(const char *below, const char *text) {
    FILE *file = fopen(at(below), "wb");
    CHECK(file != NULL);
    CHECK(fputs(text, file) >= 0);
    CHECK(fclose(file) == 0);
}

/* Ends with this error, and frees it. */
static inline void expect(brisk_error *error, const char *operation, int number) {
    CHECK(error != NULL);
    if (strcmp(brisk_error_operation(error), operation) || brisk_error_errno(error) != number) {
        fprintf(stderr, "%s, %d: %s\n", brisk_error_operation(error), brisk_error_errno(error),
                brisk_error_text(error));
        exit(1);
    }
    CHECK(strlen(brisk_error_text(error)) > 0);
    brisk_error_free(error);
}

/* A tree of directories d00 … with files f00 …, each with as many bytes as its number. */
static inline void make_tree(const char *below, int dirs, int files) {
    char path[300], text[100];
    memset(text, 'x', sizeof text);
    make_dir(below);
    for (int dir = 0; dir < dirs; dir++) {
        snprintf(path, sizeof path, "%s/d%02d", below, dir);
        make_dir(path);
        for (int file = 0; file < files; file++) {
            snprintf(path, sizeof path, "%s/d%02d/f%02d", below, dir, file);
            text[file] = '\0';
            make_file(path, text);
            text[file] = 'x';
        }
    }
}

#endif
