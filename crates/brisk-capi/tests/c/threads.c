/* Walks of several threads at once: cancelled by others, ended early, freed by another thread. */
#include "check.h"
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>

enum { DIRS = 40, FILES = 8, ALL = 1 + DIRS + DIRS * FILES, ROUNDS = 8 };

static brisk_walk *start(brisk_cancel *cancel, uint32_t order) {
    const char *root = at("tree");
    brisk_walk_options options = {0};
    brisk_error *error;
    options.size = sizeof options;
    options.cancel = cancel;
    options.order = order;
    brisk_walk *walk = brisk_walk_start(&root, 1, &options, &error);
    CHECK(walk && !error);
    return walk;
}

static void *pull_all(void *walk) {
    brisk_entry entries[7];
    size_t seen = 0, count;
    brisk_error *error;
    while ((count = brisk_walk_next((brisk_walk *)walk, entries, 7, &error)) > 0) {
        for (size_t entry = 0; entry < count; entry++)
            CHECK(strlen(entries[entry].name) == entries[entry].name_len);
        seen += count;
    }
    CHECK(!error);
    brisk_walk_end((brisk_walk *)walk);
    return (void *)seen;
}

static void *cancel_soon(void *cancel) {
    struct timespec soon = {0, 300000};
    nanosleep(&soon, NULL);
    brisk_cancel_now((brisk_cancel *)cancel);
    return NULL;
}

/* A child that was forked in mid-walk gets an error, can end the walk, and can walk by itself. */
static void fork_within(brisk_walk *walk) {
    brisk_entry entry;
    CHECK(brisk_walk_next(walk, &entry, 1, NULL) == 1);
    pid_t child = fork();
    if (child == 0) {
        brisk_error *error;
        alarm(20);
        CHECK(brisk_walk_next(walk, &entry, 1, &error) == 0);
        expect(error, "argument", EINVAL);
        CHECK(!brisk_walk_next_error(walk));
        brisk_walk_end(walk);
        CHECK((size_t)pull_all(start(NULL, 0)) == ALL);
        /* An exit in which valgrind does not count what the parent's threads own. */
        execlp("true", "true", (char *)NULL);
        _exit(1);
    }
    int status;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    CHECK((size_t)pull_all(walk) == ALL - 1);
}

int main(int argc, char **argv) {
    CHECK(argc == 2);
    scratch = argv[1];
    make_tree("tree", DIRS, FILES);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        pthread_t threads[4], other;
        void *seen;
        /* Each thread its own walk. */
        for (size_t thread = 0; thread < 4; thread++)
            CHECK(!pthread_create(&threads[thread], NULL, pull_all, start(NULL, round % 8)));
        for (size_t thread = 0; thread < 4; thread++) {
            CHECK(!pthread_join(threads[thread], &seen));
            CHECK((size_t)seen == ALL);
        }
        /* One that another thread cancels, and one that began cancelled. */
        brisk_cancel *cancel = brisk_cancel_new();
        brisk_walk *walk = start(cancel, round % 8);
        CHECK(!pthread_create(&other, NULL, cancel_soon, cancel));
        CHECK((size_t)pull_all(walk) <= ALL);
        CHECK(!pthread_join(other, NULL) && brisk_is_cancelled(cancel));
        walk = start(cancel, round % 8);
        brisk_cancel_free(cancel);
        CHECK((size_t)pull_all(walk) < ALL);
        /* Ended at once, after one entry, and with a filter that lets nothing through. */
        brisk_walk_end(start(NULL, round % 8));
        fork_within(start(NULL, round % 8));
        brisk_entry entry;
        walk = start(NULL, round % 8);
        CHECK(brisk_walk_next(walk, &entry, 1, NULL) == 1);
        brisk_walk_end(walk);
        const char *root = "/usr", *glob = "no such name";
        brisk_walk_options options = {0};
        options.size = sizeof options;
        options.globs = &glob;
        options.glob_count = 1;
        brisk_walk_end(brisk_walk_start(&root, 1, &options, NULL));
    }
    return 0;
}
