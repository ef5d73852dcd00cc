/* Sums: links, depths, rules, errors; each callback refuses at each of its calls. */
#include "check.h"
#include <pthread.h>

struct calls {
    size_t totals, errors, refuse_total, refuse_error;
    uint64_t apparent;
};

static int total(void *data, const brisk_total *total) {
    struct calls *calls = (struct calls *)data;
    CHECK(total->size == sizeof *total && strstr(total->path, "tree") && total->depth <= 1);
    calls->apparent += total->depth == 1 ? total->apparent : 0;
    return ++calls->totals == calls->refuse_total ? BRISK_STOP : BRISK_CONTINUE;
}

static int failed(void *data, const brisk_error *error) {
    struct calls *calls = (struct calls *)data;
    CHECK(brisk_error_errno(error) == ENOENT);
    return ++calls->errors == calls->refuse_error ? BRISK_STOP : BRISK_CONTINUE;
}

static void *count(void *root) {
    const char *roots[] = {(const char *)root};
    brisk_usage usage = {sizeof usage, 0, 0, 0, 0};
    CHECK(brisk_usage_of(roots, 1, NULL, &usage, NULL) == 0);
    CHECK(usage.apparent == 105 && usage.entries == 37 && usage.errors == 0);
    return NULL;
}

int main(int argc, char **argv) {
    CHECK(argc == 2);
    scratch = argv[1];
    /* In each of five directories six files of 0 to 5 bytes, and a file with two links. */
    make_tree("tree", 5, 6);
    make_file("tree/d00/linked", "0123456789012345678901234567890");
    CHECK(remove(at("tree/d00/f01")) == 0);
    CHECK(link(at("tree/d00/linked"), at("tree/d01/linked")) == 0);
    const char *roots[] = {at("tree"), at("missing1"), at("missing2")};
    brisk_usage usage = {sizeof usage, 0, 0, 0, 0};
    brisk_usage_options options = {0};
    brisk_error *error;
    options.size = sizeof options;
    CHECK(brisk_usage_of(roots, 1, &options, &usage, &error) == 0 && !error);
    CHECK(usage.apparent == 5 * 15 - 1 + 31 && usage.entries == 36);
    CHECK(symlink("tree", at("to-tree")) == 0);
    const char *link_root[] = {at("to-tree")};
    CHECK(brisk_usage_of(link_root, 1, &options, &usage, &error) == 0 && usage.entries == 1);
    CHECK(brisk_usage_of(link_root, 1, NULL, &usage, &error) == 0 && usage.entries == 1);
    options.follow = BRISK_FOLLOW_ROOTS;
    CHECK(brisk_usage_of(link_root, 1, &options, &usage, &error) == 0 && usage.entries == 36);
    options.follow = 0;
    options.links = BRISK_LINKS_EACH;
    CHECK(brisk_usage_of(roots, 1, &options, &usage, &error) == 0 && !error);
    CHECK(usage.apparent == 5 * 15 - 1 + 62 && usage.entries == 37);
    options.links = 2;
    CHECK(brisk_usage_of(roots, 1, &options, &usage, &error) == -1);
    expect(error, "argument", EINVAL);
    options.links = BRISK_LINKS_ONCE;
    make_file("tree/.ignore", "d03\n");
    options.ignore = BRISK_IGNORE_FILES | BRISK_IGNORE_HIDDEN;
    CHECK(brisk_usage_of(roots, 1, &options, &usage, &error) == 0 && !error);
    CHECK(usage.apparent == 4 * 15 - 1 + 31);
    CHECK(remove(at("tree/.ignore")) == 0);
    options.ignore = 0;

    struct calls calls = {0};
    options.data = &calls;
    options.total = total;
    options.error = failed;
    options.max_depth = 1;
    CHECK(brisk_usage_of(roots, 3, &options, &usage, &error) == 1 && !error);
    CHECK(usage.errors == 2 && usage.apparent == 105);
    CHECK(calls.totals == 6 && calls.errors == 2 && calls.apparent == 105);
    for (size_t at_call = 1; at_call <= 6; at_call++) {
        struct calls again = {0};
        again.refuse_total = at_call;
        again.refuse_error = at_call;
        options.data = &again;
        CHECK(brisk_usage_of(roots, 3, &options, &usage, &error) == 1 && usage.apparent == 105);
        CHECK(again.totals == at_call && again.errors == (at_call < 2 ? 1 : 2));
    }
    options.max_depth = 0;
    struct calls root_alone = {0};
    options.data = &root_alone;
    CHECK(brisk_usage_of(roots, 1, &options, &usage, &error) == 0 && root_alone.totals == 1);
    brisk_cancel *cancel = brisk_cancel_new();
    brisk_cancel_now(cancel);
    options.cancel = cancel;
    CHECK(brisk_usage_of(roots, 1, &options, &usage, &error) == 1 && !error);
    brisk_cancel_free(cancel);

    pthread_t threads[4];
    make_file("tree/d00/f01", "");
    for (size_t thread = 0; thread < 4; thread++)
        CHECK(!pthread_create(&threads[thread], NULL, count, (void *)roots[0]));
    for (size_t thread = 0; thread < 4; thread++) CHECK(!pthread_join(threads[thread], NULL));
    return 0;
}
