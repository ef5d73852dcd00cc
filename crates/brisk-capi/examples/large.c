/* Prints the files below a directory that take a megabyte or more. */
#include <brisk.h>
#include <stdio.h>

int main(int argc, char **argv) {
    const char *root = argc > 1 ? argv[1] : ".", *prune[] = {".git", "node_modules"};
    static brisk_walk_options options;
    options.size = sizeof options;
    options.types = "f";
    options.fields = BRISK_FIELD_SIZE;
    options.prune = prune;
    options.prune_count = 2;
    brisk_error *error;
    brisk_walk *walk = brisk_walk_start(&root, 1, &options, &error);
    brisk_entry entries[256];
    size_t count = 0;
    if (walk) do {
        count = brisk_walk_next(walk, entries, 256, &error);
        for (const brisk_entry *entry = entries; entry < entries + count; entry++)
            if (entry->meta && entry->meta->file_size >= 1 << 20)
                printf("%6.1f MB %s%s\n", entry->meta->file_size / 1e6, entry->dir, entry->name);
        for (brisk_error *failed; (failed = brisk_walk_next_error(walk)); brisk_error_free(failed))
            fprintf(stderr, "large: %s\n", brisk_error_text(failed));
    } while (count > 0);
    if (error) fprintf(stderr, "large: %s\n", brisk_error_text(error));
    int status = error ? 1 : 0;
    brisk_error_free(error);
    brisk_walk_end(walk);
    return status;
}
