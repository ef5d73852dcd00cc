/*
 * cptree: the least work that copies a tree with its attributes.
 *
 *     cptree THREADS FROM TO
 *
 * Copies the directory FROM to TO, which must not exist: contents, links, modes, owners and times; it
 * asks each file for extended attributes, but copies none. A thread takes a directory, opens it and
 * its copy relative to their parents' handles, copies its files as they are listed, and stacks its
 * subdirectories; the thread that finishes the last part of a directory sets its attributes, and
 * then perhaps the parent's. A handle stays open until its directory is done: no bound on handles or
 * memory, no hard links, the first error ends it. A floor, not a tool.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define MOST 256

struct dir {
    struct dir *parent;
    struct dir *next;      /* on the stack */
    atomic_int unfinished; /* its own entries, and each child */
    int from, to;
    struct stat stat;
    char name[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static struct dir *stack;
static int is_done;

static void die(const char *what, const char *name)
{
    fprintf(stderr, "cptree: %s %s: %s\n", what, name, strerror(errno));
    exit(1);
}

static struct dir *add(struct dir *parent, const char *name)
{
    struct dir *dir = calloc(1, sizeof *dir + strlen(name) + 1);
    if (!dir)
        die("allocating", name);
    dir->parent = parent;
    strcpy(dir->name, name);
    atomic_init(&dir->unfinished, 1);
    return dir;
}

static void push(struct dir *dir)
{
    pthread_mutex_lock(&lock);
    dir->next = stack;
    stack = dir;
    pthread_cond_signal(&wake);
    pthread_mutex_unlock(&lock);
}

static struct dir *pop(void)
{
    pthread_mutex_lock(&lock);
    while (!stack && !is_done)
        pthread_cond_wait(&wake, &lock);
    struct dir *dir = stack;
    if (dir)
        stack = dir->next;
    pthread_mutex_unlock(&lock);
    return dir;
}

static void set_attributes(int fd, const struct stat *stat, const char *name, int is_owned)
{
    struct timespec times[2] = {stat->st_atim, stat->st_mtim};
    if ((!is_owned && fchown(fd, stat->st_uid, stat->st_gid)) || fchmod(fd, stat->st_mode & 07777) ||
        futimens(fd, times))
        die("setting attributes of", name);
}

static void copy_file(struct dir *dir, const char *name)
{
    char list[256];
    struct stat stat;
    int from = openat(dir->from, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (from < 0 || fstat(from, &stat))
        die("opening", name);
    int to = openat(dir->to, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (to < 0)
        die("making", name);
    flistxattr(from, list, sizeof list);
    for (off_t left = stat.st_size; left > 0;) {
        ssize_t count = copy_file_range(from, NULL, to, NULL, left, 0);
        if (count <= 0)
            die("copying", name);
        left -= count;
    }
    set_attributes(to, &stat, name, stat.st_uid == geteuid() && stat.st_gid == getegid());
    close(from);
    close(to);
}

static void copy_link(struct dir *dir, const char *name)
{
    char text[4096];
    struct stat stat;
    ssize_t length = readlinkat(dir->from, name, text, sizeof text - 1);
    if (length < 0 || fstatat(dir->from, name, &stat, AT_SYMLINK_NOFOLLOW))
        die("reading", name);
    text[length] = 0;
    struct timespec times[2] = {stat.st_atim, stat.st_mtim};
    if (symlinkat(text, dir->to, name) ||
        utimensat(dir->to, name, times, AT_SYMLINK_NOFOLLOW))
        die("linking", name);
}

/* A part of a directory is done: its own entries, or a child. */
static void finish(struct dir *dir)
{
    while (dir && atomic_fetch_sub(&dir->unfinished, 1) == 1) {
        struct dir *parent = dir->parent;
        set_attributes(dir->to, &dir->stat, dir->name, 0);
        close(dir->to);
        close(dir->from);
        free(dir);
        if (!parent) {
            pthread_mutex_lock(&lock);
            is_done = 1;
            pthread_cond_broadcast(&wake);
            pthread_mutex_unlock(&lock);
        }
        dir = parent;
    }
}

static void copy_dir(struct dir *dir)
{
    if (dir->parent) {
        dir->from = openat(dir->parent->from, dir->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (dir->from < 0 || fstat(dir->from, &dir->stat) || mkdirat(dir->parent->to, dir->name, 0700))
            die("making", dir->name);
        dir->to = openat(dir->parent->to, dir->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    }
    DIR *list = fdopendir(dup(dir->from));
    if (dir->to < 0 || !list)
        die("opening", dir->name);
    for (struct dirent *entry; (entry = readdir(list));) {
        const char *name = entry->d_name;
        if (!strcmp(name, ".") || !strcmp(name, ".."))
            continue;
        if (entry->d_type == DT_DIR) {
            atomic_fetch_add(&dir->unfinished, 1);
            push(add(dir, name));
        } else if (entry->d_type == DT_LNK) {
            copy_link(dir, name);
        } else {
            copy_file(dir, name);
        }
    }
    closedir(list);
    finish(dir);
}

static void *work(void *unused)
{
    for (struct dir *dir; (dir = pop());)
        copy_dir(dir);
    return unused;
}

int main(int argc, char **argv)
{
    int count = argc == 4 ? atoi(argv[1]) : 0;
    if (count < 1 || count > MOST) {
        fprintf(stderr, "usage: cptree THREADS FROM TO\n");
        return 2;
    }
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    struct dir *root = add(NULL, argv[2]);
    root->from = open(argv[2], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (root->from < 0 || fstat(root->from, &root->stat) || mkdir(argv[3], 0700))
        die("making", argv[3]);
    root->to = open(argv[3], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    push(root);
    pthread_t threads[MOST];
    for (int at = 1; at < count; at++)
        if (pthread_create(&threads[at], NULL, work, NULL))
            die("starting", "a thread");
    work(NULL);
    for (int at = 1; at < count; at++)
        pthread_join(threads[at], NULL);
    return 0;
}
