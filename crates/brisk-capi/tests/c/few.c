/* Walks with sizes and 16 descriptors, with 4 and 8 threads: every entry is met, and no directory is
   lost. few DIRECTORY [ROUNDS] */
#include "check.h"
#include <sys/resource.h>

enum { DIRS = 60, FILES = 20, ALL = 1 + DIRS + DIRS * FILES };

/* The entries that a walk brings with their sizes; -1 after an error. */
static int walk(uint32_t threads, uint32_t order) {
    const char *root = at("tree");
    brisk_walk_options options = {0};
    brisk_entry entries[32];
    brisk_error *error;
    size_t count;
    int seen = 0;
    options.size = sizeof options;
    options.threads = threads;
    options.order = order;
    options.fields = BRISK_FIELD_SIZE;
    brisk_walk *walk = brisk_walk_start(&root, 1, &options, &error);
    CHECK(walk && !error);
    do {
        count = brisk_walk_next(walk, entries, 32, &error);
        for (size_t at = 0; at < count; at++)
            seen += entries[at].meta && (entries[at].meta->fields & BRISK_FIELD_SIZE);
        if (error) {
            brisk_error_free(error);
            seen = -ALL;
        }
    } while (count > 0);
    brisk_walk_end(walk);
    return seen;
}

int main(int argc, char **argv) {
    CHECK(argc == 2 || argc == 3);
    scratch = argv[1];
    int rounds = argc == 3 ? atoi(argv[2]) : 4, lost = 0;
    make_tree("tree", DIRS, FILES);
    struct rlimit few;
    CHECK(getrlimit(RLIMIT_NOFILE, &few) == 0);
    few.rlim_cur = 16;
    CHECK(setrlimit(RLIMIT_NOFILE, &few) == 0);
    for (int round = 0; round < rounds; round++)
        for (uint32_t threads = 4; threads <= 8; threads += 4)
            lost += walk(threads, (uint32_t)round % 8) != ALL;
    if (lost) fprintf(stderr, "%d of %d walks lost something\n", lost, 2 * rounds);
    return lost != 0;
}
