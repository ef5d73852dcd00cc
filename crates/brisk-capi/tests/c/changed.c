/* States: everything new at first, then each kind of change, saved only when the caller says so. */
#include "check.h"

/* The changes as "kind type path" joined by commas. */
static const char *changes_of(const char *root, brisk_changed_options *options, int save) {
    static char text[4096];
    brisk_error *error;
    options->size = sizeof *options;
    brisk_changes *changes = brisk_changed(at("state"), &root, 1, options, &error);
    CHECK(changes && !error);
    text[0] = '\0';
    brisk_change change = {0};
    change.size = sizeof change;
    for (size_t index = 0; index < brisk_changes_count(changes); index++) {
        CHECK(brisk_changes_get(changes, index, &change) == 0 && change.size == sizeof change);
        CHECK(!strncmp(change.path, root, strlen(root)));
        sprintf(text + strlen(text), "%s%c%c%s", index ? "," : "", change.kind, change.type,
                change.path + strlen(root));
        if (change.old_path) sprintf(text + strlen(text), "<%s", change.old_path + strlen(root));
    }
    CHECK(brisk_changes_get(changes, brisk_changes_count(changes), &change) == -1);
    CHECK(brisk_changes_get(NULL, 0, &change) == -1);
    if (save) CHECK(brisk_changes_save(changes, &error) == 0 && !error);
    brisk_changes_free(changes);
    return text;
}

#define EXPECT(save, expected)                                                                     \
    do {                                                                                           \
        const char *found = changes_of(root, &options, save);                                      \
        if (strcmp(found, expected)) {                                                             \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, found);                             \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

int main(int argc, char **argv) {
    CHECK(argc == 2);
    scratch = argv[1];
    make_dir("tree");
    make_file("tree/a", "1");
    make_file("tree/b", "22");
    make_file("tree/c", "333");
    make_file("tree/.hidden", "333");
    const char *root = at("tree");
    brisk_changed_options options = {0};
    options.ignore = BRISK_IGNORE_HIDDEN;
    EXPECT(0, "Ad,Af/a,Af/b,Af/c");
    EXPECT(1, "Ad,Af/a,Af/b,Af/c");
    EXPECT(1, "");
    make_file("tree/a", "1234");
    CHECK(remove(at("tree/b")) == 0);
    CHECK(rename(at("tree/c"), at("tree/d")) == 0);
    make_file("tree/e", "");
    EXPECT(0, "Mf/a,Df/b,Rf/d</c,Af/e");
    options.flags = BRISK_CHANGED_NO_RENAMES;
    EXPECT(0, "Mf/a,Df/b,Df/c,Af/d,Af/e");
    options.flags = 0;
    EXPECT(1, "Mf/a,Df/b,Rf/d</c,Af/e");
    EXPECT(1, "");

    brisk_error *error;
    make_file("foreign", "This is a file of something else.");
    CHECK(!brisk_changed(at("foreign"), &root, 1, &options, &error));
    expect(error, "load state", EEXIST);
    CHECK(!brisk_changed(NULL, &root, 1, &options, &error));
    expect(error, "argument", EINVAL);
    options.flags = 8;
    CHECK(!brisk_changed(at("state"), &root, 1, &options, &error));
    expect(error, "argument", EINVAL);
    options.flags = 0;
    const char *missing = at("missing");
    CHECK(!brisk_changed(at("state2"), &missing, 1, &options, &error));
    CHECK(!strcmp(brisk_error_path(error), missing));
    expect(error, "changed", ENOENT);
    brisk_cancel *cancel = brisk_cancel_new();
    brisk_cancel_now(cancel);
    options.cancel = cancel;
    CHECK(!brisk_changed(at("state"), &root, 1, &options, &error));
    expect(error, "changed", ECANCELED);
    brisk_cancel_free(cancel);
    options.cancel = NULL;
    brisk_changes *changes = brisk_changed(at("none/state"), &root, 1, &options, &error);
    CHECK(changes && !error && brisk_changes_save(changes, &error) == -1);
    expect(error, "save state", ENOENT);
    brisk_changes_free(changes);
    CHECK(brisk_changes_save(NULL, &error) == -1);
    expect(error, "argument", EINVAL);
    return 0;
}
