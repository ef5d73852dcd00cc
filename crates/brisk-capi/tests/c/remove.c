/* Removals: results, flags, failures, from several threads, cancelled. */
#include "check.h"
#include <pthread.h>

static int is_there(const char *path) {
    struct stat stat_of;
    return lstat(path, &stat_of) == 0;
}

struct failures {
    size_t calls, refuse_at;
};

static int failed(void *data, const brisk_error *error) {
    struct failures *failures = (struct failures *)data;
    CHECK(!strcmp(brisk_error_operation(error), "remove") && brisk_error_errno(error) == ENOENT);
    CHECK(strstr(brisk_error_path(error), "missing"));
    return ++failures->calls == failures->refuse_at ? BRISK_STOP : BRISK_CONTINUE;
}

static void *remove_one(void *path) {
    const char *paths[] = {(const char *)path};
    brisk_removed removed = {sizeof removed, 0, 0, 0, 0};
    CHECK(brisk_remove(paths, 1, NULL, &removed, NULL) == 0);
    CHECK(removed.files == 50 && removed.directories == 11 && removed.failed == 0);
    return NULL;
}

int main(int argc, char **argv) {
    CHECK(argc == 2);
    scratch = argv[1];
    brisk_remove_options options = {0};
    brisk_removed removed = {sizeof removed, 0, 0, 0, 0};
    brisk_error *error;
    options.size = sizeof options;
    make_tree("tree", 10, 5);
    make_file("beside", "stays");
    CHECK(symlink("../beside", at("tree/link")) == 0);
    const char *tree = at("tree");

    options.flags = BRISK_REMOVE_DRY_RUN;
    CHECK(brisk_remove(&tree, 1, &options, &removed, &error) == 0 && !error);
    CHECK(removed.files == 51 && removed.directories == 11 && is_there(at("tree/d00/f00")));
    CHECK(removed.bytes == 10 * (0 + 1 + 2 + 3 + 4) + strlen("../beside"));
    brisk_cancel *cancel = brisk_cancel_new();
    brisk_cancel_now(cancel);
    options.flags = 0;
    options.cancel = cancel;
    CHECK(brisk_remove(&tree, 1, &options, &removed, &error) == 1 && !error);
    CHECK(is_there(tree));
    options.cancel = NULL;
    brisk_cancel_free(cancel);
    options.flags = BRISK_REMOVE_KEEP_ROOTS;
    CHECK(brisk_remove(&tree, 1, &options, &removed, &error) == 0 && !error);
    CHECK(removed.files == 51 && removed.directories == 10);
    CHECK(is_there(tree) && !is_there(at("tree/d00")) && is_there(at("beside")));
    CHECK(brisk_remove(&tree, 1, NULL, NULL, NULL) == 0 && !is_there(tree));
    options.flags = BRISK_REMOVE_IGNORE_MISSING;
    CHECK(brisk_remove(&tree, 1, &options, &removed, &error) == 0 && !error);
    options.flags = 16;
    CHECK(brisk_remove(&tree, 1, &options, &removed, &error) == -1);
    expect(error, "argument", EINVAL);
    options.flags = 0;
    CHECK(brisk_remove(NULL, 0, &options, &removed, &error) == -1);
    expect(error, "argument", EINVAL);

    const char *missing[] = {at("missing1"), at("missing2"), at("missing3")};
    struct failures failures = {0, 0};
    options.data = &failures;
    options.failed = failed;
    for (; failures.refuse_at <= 3; failures.refuse_at++, failures.calls = 0) {
        CHECK(brisk_remove(missing, 3, &options, &removed, &error) == 1 && !error);
        CHECK(removed.failed == 3);
        CHECK(failures.calls == (failures.refuse_at ? failures.refuse_at : 3));
    }

    pthread_t threads[4];
    char names[4][10], paths[4][4096];
    for (size_t thread = 0; thread < 4; thread++) {
        snprintf(names[thread], sizeof names[thread], "tree%zu", thread);
        make_tree(names[thread], 10, 5);
        snprintf(paths[thread], sizeof paths[thread], "%s/%s", scratch, names[thread]);
        CHECK(!pthread_create(&threads[thread], NULL, remove_one, paths[thread]));
    }
    for (size_t thread = 0; thread < 4; thread++) {
        CHECK(!pthread_join(threads[thread], NULL));
        CHECK(!is_there(paths[thread]));
    }
    CHECK(is_there(at("beside")));
    return 0;
}
