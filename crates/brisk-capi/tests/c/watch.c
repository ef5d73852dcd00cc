/* A watch: batches, accepted when the next one is asked for; ends from another thread. */
#include "check.h"
#include <pthread.h>
#include <unistd.h>

static brisk_watch *start(const char *state, const char *root) {
    brisk_error *error;
    brisk_watch *watch = brisk_watch_new(state, &root, 1, 5, NULL, &error);
    CHECK(watch && !error);
    return watch;
}

/* The next batch is expected to have one change, or none. */
static void expect_change(brisk_watch *watch, char kind, const char *path) {
    brisk_error *error;
    brisk_changes *changes = brisk_watch_next(watch, -1, &error);
    CHECK(changes && !error);
    CHECK(brisk_changes_count(changes) == (path ? 1 : 0));
    brisk_change change = {0};
    change.size = sizeof change;
    if (path) {
        CHECK(brisk_changes_get(changes, 0, &change) == 0);
        CHECK(change.kind == kind && !strcmp(change.path, path));
    }
    CHECK(!brisk_changes_reason(changes));
    CHECK(brisk_changes_save(changes, &error) == -1);
    expect(error, "argument", EINVAL);
    brisk_changes_free(changes);
}

static void *end(void *watch) {
    brisk_watch_end((brisk_watch *)watch);
    return NULL;
}

int main(int argc, char **argv) {
    CHECK(argc == 2);
    /* A wait that does not end ends the program. */
    alarm(60);
    scratch = argv[1];
    make_dir("tree");
    make_file("tree/a", "1");
    char state[4096], root[4096];
    strcpy(state, at("state"));
    strcpy(root, at("tree"));
    brisk_error *error;
    brisk_watch *watch = start(state, root);
    brisk_changes *first = brisk_watch_next(watch, -1, &error);
    CHECK(first && !error && brisk_changes_count(first) == 2);
    CHECK(!strcmp(brisk_changes_reason(first), "there is no state yet"));
    const char *reason = root;
    CHECK(!brisk_changes_scanned(first, 0, &reason) && !reason);
    brisk_changes_free(first);
    CHECK(!brisk_watch_next(watch, 0, &error) && !error);
    make_file("tree/b", "");
    expect_change(watch, 'A', at("tree/b"));
    CHECK(brisk_watch_free(watch, &error) == 0 && !error);

    watch = start(state, root);
    expect_change(watch, 'A', at("tree/b"));
    CHECK(brisk_watch_save(watch, &error) == 0 && !error);
    CHECK(brisk_watch_free(watch, NULL) == 0);
    watch = start(state, root);
    expect_change(watch, 0, NULL);
    pthread_t thread;
    CHECK(!pthread_create(&thread, NULL, end, watch));
    CHECK(!brisk_watch_next(watch, -1, &error) && !error);
    CHECK(!pthread_join(thread, NULL));
    CHECK(!brisk_watch_next(watch, -1, &error) && !error);
    CHECK(brisk_watch_free(watch, &error) == 0 && !error);

    /* Where no events come, that is told. */
    watch = start(NULL, "/proc/self/comm");
    brisk_changes *polled = brisk_watch_next(watch, -1, &error);
    CHECK(polled && !error);
    brisk_changes_free(polled);
    CHECK(brisk_watch_free(watch, NULL) == 0 && brisk_watch_free(NULL, NULL) == 0);

    watch = start(NULL, at("missing"));
    CHECK(!brisk_watch_next(watch, -1, &error));
    expect(error, "changed", ENOENT);
    CHECK(brisk_watch_free(watch, NULL) == 0);
    make_file("foreign", "This is a file of something else.");
    const char *tree = root;
    CHECK(!brisk_watch_new(at("foreign"), &tree, 1, 5, NULL, &error));
    expect(error, "load state", EEXIST);
    CHECK(!brisk_watch_next(NULL, -1, &error));
    expect(error, "argument", EINVAL);
    CHECK(brisk_watch_save(NULL, &error) == -1);
    expect(error, "argument", EINVAL);
    return 0;
}
