/* Pulled walks: every entry once, orders, depths, filters, rules, metadata, errors. */
#include "check.h"

/* The paths below the scratch directory, joined by spaces, sorted unless they come in order. */
static char joined[1 << 16];

static int by_text(const void *one, const void *other) {
    return strcmp(*(char *const *)one, *(char *const *)other);
}

static const char *pulled(const char *root, brisk_walk_options *options, size_t room) {
    static char *paths[1000];
    brisk_entry entries[64];
    brisk_error *error;
    size_t count, number = 0;
    options->size = sizeof *options;
    options->min_depth = options->min_depth ? options->min_depth : 1;
    brisk_walk *walk = brisk_walk_start(&root, 1, options, &error);
    CHECK(walk && !error);
    while ((count = brisk_walk_next(walk, entries, room, &error)) > 0) {
        CHECK(count <= room);
        for (size_t at = 0; at < count; at++) {
            char path[4096];
            CHECK(strlen(entries[at].name) == entries[at].name_len);
            CHECK(strlen(entries[at].dir) == entries[at].dir_len);
            size_t length = brisk_entry_path(&entries[at], path, sizeof path);
            CHECK(length == strlen(path) && !strncmp(path, root, strlen(root)));
            CHECK(brisk_entry_path(&entries[at], path, 0) == length);
            CHECK(brisk_entry_path(&entries[at], path, strlen(root) + 1) == length);
            CHECK(!strcmp(path, root));
            brisk_entry_path(&entries[at], path, sizeof path);
            CHECK(number < 1000);
            paths[number++] = strcpy((char *)malloc(length + 1), path + strlen(root) + 1);
        }
    }
    CHECK(!error && !brisk_walk_next_error(walk));
    CHECK(brisk_walk_next(walk, entries, room, &error) == 0 && !error);
    brisk_walk_end(walk);
    if (options->order == BRISK_ORDER_ANY) qsort(paths, number, sizeof *paths, by_text);
    joined[0] = '\0';
    for (size_t at = 0; at < number; at++) {
        strcat(strcat(joined, at ? " " : ""), paths[at]);
        free(paths[at]);
    }
    return joined;
}

#define EXPECT(paths)                                                                              \
    do {                                                                                           \
        for (size_t room = 1; room <= 64; room *= 4) {                                             \
            if (strcmp(pulled(root, &options, room), paths)) {                                     \
                fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, joined);                        \
                return 1;                                                                          \
            }                                                                                      \
        }                                                                                          \
        memset(&options, 0, sizeof options);                                                       \
    } while (0)

static void metadata(const char *root) {
    brisk_walk_options options = {0};
    brisk_entry entries[64];
    brisk_error *error;
    options.size = sizeof options;
    options.fields = BRISK_FIELD_SIZE | BRISK_FIELD_MTIME | BRISK_FIELD_MODE |
                     BRISK_FIELD_LINK_TARGET | BRISK_FIELD_TARGET;
    options.types = "fl";
    brisk_walk *walk = brisk_walk_start(&root, 1, &options, &error);
    size_t count, seen = 0;
    while ((count = brisk_walk_next(walk, entries, 64, &error)) > 0) {
        for (size_t at = 0; at < count; at++, seen++) {
            const brisk_meta *meta = entries[at].meta;
            CHECK(meta && meta->size == sizeof *meta);
            CHECK(meta->fields & BRISK_FIELD_SIZE);
            if (entries[at].type == 'f') {
                CHECK(meta->file_size == 3 && meta->mtime.sec > 1000000000);
                CHECK((meta->mode & 0170000) == 0100000 && !meta->link_target);
            } else {
                CHECK(!strcmp(entries[at].name, "link") && !strcmp(meta->link_target, "sub/c.c"));
                CHECK((meta->target_mode & 0170000) == 0100000);
            }
        }
    }
    CHECK(!error && seen >= 4);
    brisk_walk_end(walk);
}

static void errors(void) {
    const char *roots[] = {at("missing"), at("tree"), at("nothing")};
    brisk_walk_options options = {0};
    brisk_entry entry;
    brisk_error *error;
    options.size = sizeof options;
    options.max_depth = 1;
    options.order = BRISK_ORDER_SORTED;
    brisk_walk *walk = brisk_walk_start(roots, 3, &options, &error);
    size_t seen = 0, failed = 0;
    while (brisk_walk_next(walk, &entry, 1, &error)) seen++;
    CHECK(!error && seen == 6);
    for (; (error = brisk_walk_next_error(walk)); failed++) {
        CHECK(!strcmp(brisk_error_path(error), roots[2 * failed]));
        CHECK(strstr(brisk_error_text(error), "cannot stat"));
        expect(error, "stat", ENOENT);
    }
    CHECK(failed == 2);
    brisk_walk_end(walk);
}

int main(int argc, char **argv) {
    CHECK(argc == 2);
    scratch = argv[1];
    make_dir("tree");
    make_file("tree/a.c", "abc");
    make_file("tree/b.h", "abc");
    make_file("tree/.hidden", "abc");
    make_dir("tree/sub");
    make_file("tree/sub/c.c", "abc");
    make_dir("tree/sub/deep");
    make_file("tree/sub/deep/d.c", "abc");
    make_dir("tree/z");
    make_file("tree/z/e.h", "abc");
    const char *root = at("tree");
    brisk_walk_options options = {0};

    EXPECT(".hidden a.c b.h sub sub/c.c sub/deep sub/deep/d.c z z/e.h");
    options.order = BRISK_ORDER_SORTED;
    EXPECT(".hidden a.c b.h sub sub/c.c sub/deep sub/deep/d.c z z/e.h");
    options.order = BRISK_ORDER_SORTED_POST;
    EXPECT(".hidden a.c b.h sub/c.c sub/deep/d.c sub/deep sub z/e.h z");
    options.order = BRISK_ORDER_SORTED_SIBLINGS;
    EXPECT(".hidden a.c b.h sub z sub/c.c sub/deep sub/deep/d.c z/e.h");
    options.order = BRISK_ORDER_SORTED;
    options.threads = 1;
    options.max_depth = 1;
    EXPECT(".hidden a.c b.h sub z");
    options.min_depth = 2;
    options.max_depth = 2;
    EXPECT("sub/c.c sub/deep z/e.h");
    options.types = "d";
    EXPECT("sub sub/deep z");

    options.where_tests = "-name *.c -o -name z";
    EXPECT("a.c sub/c.c sub/deep/d.c z");

    const char *by_name[] = {"*.c", "z"}, *by_path[] = {"sub/*.c", "**/e.*"};
    options.globs = by_name;
    options.glob_count = 2;
    EXPECT("a.c sub/c.c sub/deep/d.c z");
    options.globs = by_path;
    options.glob_count = 2;
    EXPECT("sub/c.c z/e.h");
    options.prune = by_name;
    options.prune_count = 2;
    EXPECT(".hidden a.c b.h sub sub/c.c sub/deep sub/deep/d.c z");
    options.ignore = BRISK_IGNORE_HIDDEN;
    EXPECT("a.c b.h sub sub/c.c sub/deep sub/deep/d.c z z/e.h");
    make_file("tree/sub/.ignore", "deep\n");
    options.ignore = BRISK_IGNORE_FILES | BRISK_IGNORE_HIDDEN;
    EXPECT("a.c b.h sub sub/c.c z z/e.h");
    make_dir("tree/.git");
    make_file("tree/.gitignore", "*.h\n");
    options.ignore = BRISK_IGNORE_GIT | BRISK_IGNORE_HIDDEN;
    EXPECT("a.c sub sub/c.c sub/deep sub/deep/d.c z");
    CHECK(remove(at("tree/sub/.ignore")) == 0 && remove(at("tree/.gitignore")) == 0);
#ifndef _WIN32
    CHECK(remove(at("tree/.git")) == 0);
    errors();
    CHECK(symlink("sub/c.c", at("tree/link")) == 0);
    metadata(root);
    CHECK(symlink("..", at("tree/sub/up")) == 0);
    options.size = sizeof options;
    options.follow = BRISK_FOLLOW_ALWAYS;
    brisk_error *error;
    brisk_entry entry;
    brisk_walk *walk = brisk_walk_start(&root, 1, &options, &error);
    while (brisk_walk_next(walk, &entry, 1, &error)) continue;
    expect(brisk_walk_next_error(walk), "follow", ELOOP);
    brisk_walk_end(walk);
#endif
    return 0;
}
