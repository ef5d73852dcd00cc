/* What is no argument is an error, and structures may be smaller or larger than the library's. */
#include "check.h"

int main(int argc, char **argv) {
    CHECK(argc == 2);
    scratch = argv[1];
    CHECK(brisk_version()[0] >= '0' && strchr(brisk_version(), '.'));
    const char *root = scratch, *none = NULL;
    brisk_walk_options options = {0};
    brisk_error *error;
    brisk_entry entry;

    /* No paths, no size. */
    CHECK(!brisk_walk_start(NULL, 1, NULL, &error));
    expect(error, "argument", EINVAL);
    CHECK(!brisk_walk_start(&none, 1, NULL, &error));
    expect(error, "argument", EINVAL);
    CHECK(!brisk_walk_start(&root, 0, NULL, &error));
    expect(error, "argument", EINVAL);
    CHECK(!brisk_walk_start(&root, 1, &options, &error));
    expect(error, "argument", EINVAL);
    CHECK(!brisk_walk_start(&root, 1, &options, NULL));
    CHECK(brisk_walk_next(NULL, &entry, 1, &error) == 0);
    expect(error, "argument", EINVAL);

    /* Values that there are none of. */
    struct {
        uint32_t *member, value;
    } wrong[] = {{&options.order, 8},
                 {&options.follow, 4},
                 {&options.mounts, 3},
                 {&options.ignore, 8},
                 {&options.fields, 1u << 30}};
    options.size = sizeof options;
    for (size_t at = 0; at < sizeof wrong / sizeof *wrong; at++) {
        *wrong[at].member = wrong[at].value;
        CHECK(!brisk_walk_start(&root, 1, &options, &error));
        expect(error, "argument", EINVAL);
        *wrong[at].member = 0;
    }
    const char *globs[] = {"*.c", "[", "\xff", NULL};
    for (size_t at = 1; at < 4; at++) {
        options.globs = &globs[at];
        options.glob_count = 1;
        CHECK(!brisk_walk_start(&root, 1, &options, &error));
        expect(error, "argument", EINVAL);
    }
    options.globs = NULL;
    CHECK(!brisk_walk_start(&root, 1, &options, &error));
    expect(error, "argument", EINVAL);
    options.glob_count = 0;
    options.types = "fx";
    CHECK(!brisk_walk_start(&root, 1, &options, &error));
    expect(error, "argument", EINVAL);
    options.types = NULL;

    /* An older caller's structure, and that of a newer one, with and without what is new. */
    brisk_walk *walk;
    struct {
        brisk_walk_options options;
        size_t more;
    } newer = {{0}, 0};
    for (size_t size = sizeof(size_t); size <= sizeof newer; size += sizeof(size_t)) {
        newer.options.size = size;
        walk = brisk_walk_start(&root, 1, &newer.options, &error);
        CHECK(walk && !error);
        CHECK(brisk_walk_next(walk, &entry, 1, &error) == 1 && !error);
        CHECK(!strcmp(entry.name, scratch) && entry.depth == 0 && entry.dir_len == 0);
        brisk_walk_end(walk);
    }
    newer.more = 1;
    CHECK(!brisk_walk_start(&root, 1, &newer.options, &error));
    expect(error, "argument", EINVAL);
    struct {
        brisk_usage usage;
        size_t more;
    } usage = {{0}, 7};
    usage.usage.size = sizeof usage;
    CHECK(brisk_usage_of(&root, 1, NULL, &usage.usage, &error) == 0 && !error);
    CHECK(usage.usage.size == sizeof usage.usage && usage.more == 7 && usage.usage.entries == 1);
    usage.usage.size = 2 * sizeof(uint64_t);
    usage.usage.entries = 77;
    CHECK(brisk_usage_of(&root, 1, NULL, &usage.usage, &error) == 0 && !error);
    CHECK(usage.usage.size == 2 * sizeof(uint64_t) && usage.usage.entries == 77);
    usage.usage.size = 0;
    CHECK(brisk_usage_of(&root, 1, NULL, &usage.usage, &error) == -1);
    expect(error, "argument", EINVAL);
    CHECK(brisk_usage_of(&root, 1, NULL, NULL, &error) == -1);
    expect(error, "argument", EINVAL);

    /* Nothing is nothing to free, and has no properties. */
    brisk_error_free(NULL);
    brisk_cancel_free(NULL);
    brisk_cancel_now(NULL);
    brisk_changes_free(NULL);
    brisk_walk_end(NULL);
    CHECK(!brisk_error_text(NULL) && !brisk_error_path(NULL) && !brisk_error_operation(NULL));
    CHECK(brisk_error_errno(NULL) == 0 && brisk_changes_count(NULL) == 0);
    CHECK(!brisk_walk_next_error(NULL) && !brisk_is_cancelled(NULL));
    return 0;
}
