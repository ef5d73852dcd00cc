/*
 * mktree: makes a tree of empty files.
 *
 *     mktree DIR DEPTH FANOUT FILES
 *
 * FANOUT directories in every directory down to DEPTH, FILES files in each, DIR included
 * (the shape of slowfs --nested). DIR must not exist. Names are dir-000 and file-000000.
 * mkdirat, mknodat and one open per directory: ten million entries take minutes, not an
 * hour. Prints the number of entries below DIR.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static long fanout, files, made;

static void die(const char *what, const char *name)
{
    fprintf(stderr, "mktree: %s %s: %s\n", what, name, strerror(errno));
    exit(1);
}

/* Makes directory `name` below `parent` and fills it. */
static void fill(int parent, const char *name, long depth)
{
    char entry[32];
    if (mkdirat(parent, name, 0755) < 0)
        die("mkdir", name);
    int dir = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (dir < 0)
        die("open", name);
    for (long i = 0; i < files; i++) {
        snprintf(entry, sizeof entry, "file-%06ld", i);
        if (mknodat(dir, entry, S_IFREG | 0644, 0) < 0)
            die("mknod", entry);
    }
    made += files;
    for (long i = 0; depth > 0 && i < fanout; i++) {
        snprintf(entry, sizeof entry, "dir-%03ld", i);
        fill(dir, entry, depth - 1);
        made++;
    }
    close(dir);
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fputs("usage: mktree DIR DEPTH FANOUT FILES\n", stderr);
        return 2;
    }
    fanout = atol(argv[3]);
    files = atol(argv[4]);
    umask(022);
    fill(AT_FDCWD, argv[1], atol(argv[2]));
    printf("%ld\n", made);
    return 0;
}
