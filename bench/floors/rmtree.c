/*
 * rmtree: the least work that empties a tree, with many requests in flight.
 *
 *     rmtree THREADS ROOT
 *
 * Removes everything below ROOT, and leaves ROOT. Each worker takes a directory, opens it
 * relative to its parent's handle, removes its files as they are listed, and gives its
 * subdirectories to a shared stack; whoever finishes the last part of a directory removes
 * it by its parent's handle, and then perhaps the parent. A handle stays open until its
 * directory is gone: no bound on handles or memory, the first error ends it. A floor, not
 * a tool.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct kernel_dirent {
    uint64_t ino;
    int64_t off;
    uint16_t reclen;
    uint8_t type;
    char name[];
};

struct dir {
    struct dir *parent, *next;
    atomic_int unfinished; /* its own reading, and each child */
    int fd;
    char name[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static struct dir *stack;
static int done;

static void die(const char *what, const char *name)
{
    fprintf(stderr, "rmtree: %s %s: %s\n", what, name, strerror(errno));
    exit(1);
}

static void push(struct dir *dir)
{
    pthread_mutex_lock(&lock);
    dir->next = stack;
    stack = dir;
    pthread_cond_signal(&wake);
    pthread_mutex_unlock(&lock);
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

/* A part of the directory is done; the last one removes it. */
static void finish(struct dir *dir)
{
    while (dir && atomic_fetch_sub(&dir->unfinished, 1) == 1) {
        struct dir *parent = dir->parent;
        close(dir->fd);
        if (!parent) {
            pthread_mutex_lock(&lock);
            done = 1;
            pthread_cond_broadcast(&wake);
            pthread_mutex_unlock(&lock);
        } else if (unlinkat(parent->fd, dir->name, AT_REMOVEDIR)) {
            die("removing", dir->name);
        }
        free(dir);
        dir = parent;
    }
}

static void empty(struct dir *dir, char *dents, size_t size)
{
    int at = dir->parent ? dir->parent->fd : AT_FDCWD;
    dir->fd = openat(at, dir->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (dir->fd < 0)
        die("opening", dir->name);
    long got;
    while ((got = syscall(SYS_getdents64, dir->fd, dents, size)) > 0) {
        for (long at = 0; at < got;) {
            struct kernel_dirent *entry = (void *)(dents + at);
            at += entry->reclen;
            if (!strcmp(entry->name, ".") || !strcmp(entry->name, ".."))
                continue;
            if (entry->type == DT_DIR) {
                atomic_fetch_add(&dir->unfinished, 1);
                push(add(dir, entry->name));
            } else if (unlinkat(dir->fd, entry->name, 0)) {
                die("removing", entry->name);
            }
        }
    }
    if (got < 0)
        die("reading", dir->name);
    finish(dir);
}

static void *work(void *unused)
{
    (void)unused;
    size_t size = 64 << 10;
    char *dents = malloc(size);
    if (!dents)
        die("allocating", "a buffer");
    for (;;) {
        pthread_mutex_lock(&lock);
        while (!stack && !done)
            pthread_cond_wait(&wake, &lock);
        struct dir *dir = stack;
        if (dir)
            stack = dir->next;
        pthread_mutex_unlock(&lock);
        if (!dir)
            break;
        empty(dir, dents, size);
    }
    free(dents);
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return fprintf(stderr, "usage: rmtree THREADS ROOT\n"), 2;
    int count = atoi(argv[1]);
    pthread_t threads[256];
    if (count < 1 || count > 256)
        return 2;
    push(add(NULL, argv[2]));
    for (int i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, work, NULL))
            die("starting", "a thread");
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
