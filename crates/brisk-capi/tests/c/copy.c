/* Copies: results, flags, filters, failures, cancelled. */
#include "check.h"

static int is_there(const char *path) {
    struct stat stat_of;
    return lstat(path, &stat_of) == 0;
}

static mode_t mode_of(const char *path) {
    struct stat stat_of;
    CHECK(lstat(path, &stat_of) == 0);
    return stat_of.st_mode & 07777;
}

static int failed(void *data, const brisk_error *error) {
    CHECK(!strcmp(brisk_error_operation(error), "copy") && brisk_error_errno(error) == EEXIST);
    CHECK(strstr(brisk_error_path(error), "there"));
    ++*(size_t *)data;
    return BRISK_CONTINUE;
}

int main(int argc, char **argv) {
    CHECK(argc == 2);
    scratch = argv[1];
    char source[4096], new[4096], there[4096];
    snprintf(source, sizeof source, "%s/tree", scratch);
    snprintf(new, sizeof new, "%s/new", scratch);
    snprintf(there, sizeof there, "%s/there", scratch);
    brisk_copy_options options = {0};
    brisk_copied copied = {sizeof copied, 0, 0, 0, 0, 0, 0};
    brisk_error *error;
    options.size = sizeof options;
    umask(077);
    make_tree("tree", 10, 5);
    CHECK(chmod(at("tree/d00/f01"), 0640) == 0);
    make_file("beside", "stays");
    CHECK(symlink("../beside", at("tree/link")) == 0);

    options.flags = BRISK_COPY_DRY_RUN;
    CHECK(brisk_copy(source, new, &options, &copied, &error) == 0 && !error);
    CHECK(copied.files == 51 && copied.directories == 11 && !is_there(new));
    CHECK(brisk_copy(source, new, NULL, NULL, NULL) == 0);
    CHECK(mode_of(at("new/d00/f01")) == 0600 && is_there(at("new/link")));

    options.flags = BRISK_COPY_KEEP;
    CHECK(brisk_copy(source, new, &options, &copied, &error) == 0 && !error);
    CHECK(copied.files == 0 && copied.directories == 0 && copied.unchanged == 51);
    make_file("new/extra", "goes");
    options.flags = BRISK_COPY_ARCHIVE | BRISK_COPY_CHANGED | BRISK_COPY_DELETE;
    CHECK(brisk_copy(source, new, &options, &copied, &error) == 0 && !error);
    CHECK(copied.deleted == 1 && !is_there(at("new/extra")));
    CHECK(mode_of(at("new/d00/f01")) == 0640);
    options.flags |= BRISK_COPY_SYNC;
    CHECK(brisk_copy(source, new, &options, &copied, &error) == 0 && !error);
    CHECK(copied.files == 0 && copied.unchanged == 51);

    make_dir("there");
    make_file("there/theirs", "stays");
    size_t calls = 0;
    options.flags = BRISK_COPY_NEW;
    options.data = &calls;
    options.failed = failed;
    CHECK(brisk_copy(source, there, &options, &copied, &error) == 1 && !error);
    CHECK(copied.failed == 1 && calls == 1 && !is_there(at("there/d00")));

    brisk_walk_options walk = {sizeof walk};
    walk.where_tests = "-name f01";
    options.walk = &walk;
    options.failed = NULL;
    CHECK(brisk_copy(source, at("some"), &options, &copied, &error) == 0 && !error);
    CHECK(copied.files == 10 && is_there(at("some/d09/f01")) && !is_there(at("some/link")));
    brisk_cancel *cancel = brisk_cancel_new();
    brisk_cancel_now(cancel);
    walk.cancel = cancel;
    CHECK(brisk_copy(source, at("none"), &options, &copied, &error) == 1 && !error);
    CHECK(copied.files == 0 && !is_there(at("none")));
    brisk_cancel_free(cancel);

    options.walk = NULL;
    options.flags = 128;
    CHECK(brisk_copy(source, new, &options, &copied, &error) == -1);
    expect(error, "argument", EINVAL);
    options.flags = 0;
    CHECK(brisk_copy(source, NULL, &options, &copied, &error) == -1);
    expect(error, "argument", EINVAL);
    return 0;
}
