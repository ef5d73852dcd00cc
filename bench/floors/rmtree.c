/*
 * rmtree: the least work that empties a tree, with many requests in flight.
 *
 *     rmtree deep|wide THREADS ROOT
 *
 * Removes everything below ROOT, and leaves ROOT. A thread takes a directory, opens it
 * relative to its parent's handle, removes its files as they are listed, and queues its
 * subdirectories; the thread that finishes the last part of a directory removes it by its parent's
 * handle, and then perhaps the parent. A handle stays open until its directory is gone: no
 * bound on handles or memory, the first error ends it. A floor, not a tool.
 *
 * deep: each thread has a stack of its own and goes on with the directory that it found
 *       last; a thread with an empty stack takes the oldest of another thread's. For local
 *       storage: what is touched next is in the caches, and threads meet rarely.
 * wide: one line of parents that still have children to be taken. Each gives one child and
 *       goes to the end of the line. For slow storage: removals within one parent are
 *       serial in the kernel, so threads must spread over parents.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MOST 256
#define DT_DIR 4

struct kernel_dirent {
    uint64_t ino;
    int64_t off;
    uint16_t reclen;
    uint8_t type;
    char name[];
};

struct dir {
    struct dir *parent;
    struct dir *next, *before; /* in the list it waits in */
    struct dir *children;      /* wide: those that no thread has taken yet */
    struct dir *later;         /* wide: the next parent in the line */
    atomic_int unfinished;     /* its own reading, and each child */
    int fd;
    char name[];
};

/* Directories that wait: a stack for its owner, a queue for others. */
struct list {
    pthread_mutex_t lock;
    struct dir *newest, *oldest;
    char padding[128];
};

static struct list lists[MOST];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static struct dir *first, *last; /* wide: the line of parents */
static atomic_int idle, waiting, done;
static int is_wide, count;

static void die(const char *what, const char *name)
{
    fprintf(stderr, "rmtree: %s %s: %s\n", what, name, strerror(errno));
    exit(1);
}

static struct dir *add(struct dir *parent, const char *name)
{
    size_t length = strlen(name) + 1;
    struct dir *dir = malloc(sizeof *dir + length);
    if (!dir)
        die("allocating", name);
    memset(dir, 0, sizeof *dir);
    dir->parent = parent;
    memcpy(dir->name, name, length);
    atomic_init(&dir->unfinished, 1);
    return dir;
}

static void ring(int all)
{
    if (!all && !atomic_load(&idle))
        return;
    pthread_mutex_lock(&lock);
    if (all)
        pthread_cond_broadcast(&wake);
    else
        pthread_cond_signal(&wake);
    pthread_mutex_unlock(&lock);
}

/* ---- deep ---- */

static void push(struct list *list, struct dir *dir)
{
    pthread_mutex_lock(&list->lock);
    dir->before = list->newest;
    if (list->newest)
        list->newest->next = dir;
    else
        list->oldest = dir;
    list->newest = dir;
    pthread_mutex_unlock(&list->lock);
    atomic_fetch_add(&waiting, 1);
    ring(0);
}

static struct dir *pop(struct list *list, int is_own)
{
    pthread_mutex_lock(&list->lock);
    struct dir *dir = is_own ? list->newest : list->oldest;
    if (dir) {
        if (dir->before)
            dir->before->next = dir->next;
        else
            list->oldest = dir->next;
        if (dir->next)
            dir->next->before = dir->before;
        else
            list->newest = dir->before;
        dir->next = dir->before = NULL;
        atomic_fetch_sub(&waiting, 1);
    }
    pthread_mutex_unlock(&list->lock);
    return dir;
}

static struct dir *take_deep(int me)
{
    for (;;) {
        struct dir *dir = pop(&lists[me], 1);
        for (int i = 1; !dir && i < count; i++)
            dir = pop(&lists[(me + i) % count], 0);
        if (dir || atomic_load(&done))
            return dir;
        pthread_mutex_lock(&lock);
        atomic_fetch_add(&idle, 1);
        if (!atomic_load(&waiting) && !atomic_load(&done))
            pthread_cond_wait(&wake, &lock);
        atomic_fetch_sub(&idle, 1);
        pthread_mutex_unlock(&lock);
    }
}

/* ---- wide ---- */

static void line_up(struct dir *parent)
{
    parent->later = NULL;
    if (last)
        last->later = parent;
    else
        first = parent;
    last = parent;
}

/* Adds children to those of their parent, and the parent to the line. */
static void push_children(struct dir *parent, struct dir *children)
{
    struct dir *end = children;
    while (end->next)
        end = end->next;
    pthread_mutex_lock(&lock);
    if (!parent->children)
        line_up(parent);
    end->next = parent->children;
    parent->children = children;
    pthread_cond_broadcast(&wake);
    pthread_mutex_unlock(&lock);
}

static struct dir *take_wide(void)
{
    pthread_mutex_lock(&lock);
    while (!first && !atomic_load(&done))
        pthread_cond_wait(&wake, &lock);
    struct dir *parent = first, *dir = NULL;
    if (parent) {
        first = parent->later;
        if (!first)
            last = NULL;
        dir = parent->children;
        parent->children = dir->next;
        if (parent->children)
            line_up(parent);
    }
    pthread_mutex_unlock(&lock);
    return dir;
}

/* ---- both ---- */

/* A part of the directory is done; the last one removes it. */
static void finish(struct dir *dir)
{
    while (dir && atomic_fetch_sub(&dir->unfinished, 1) == 1) {
        struct dir *parent = dir->parent;
        close(dir->fd);
        if (!parent) {
            atomic_store(&done, 1);
            ring(1);
        } else if (unlinkat(parent->fd, dir->name, AT_REMOVEDIR)) {
            die("removing", dir->name);
        }
        free(dir);
        dir = parent;
    }
}

static int is_dot(const char *name)
{
    return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

/* Queues the directories among the records, so that other threads can begin before the
 * files are gone. */
static void queue(struct dir *dir, struct list *own, char *dents, long got)
{
    struct dir *children = NULL;
    for (long at = 0; at < got;) {
        struct kernel_dirent *entry = (void *)(dents + at);
        at += entry->reclen;
        if (entry->type != DT_DIR || is_dot(entry->name))
            continue;
        struct dir *child = add(dir, entry->name);
        atomic_fetch_add(&dir->unfinished, 1);
        if (is_wide) {
            child->next = children;
            children = child;
        } else {
            push(own, child);
        }
    }
    if (children)
        push_children(dir, children);
}

static void empty(struct dir *dir, struct list *own, char *dents, size_t size)
{
    int at = dir->parent ? dir->parent->fd : AT_FDCWD;
    dir->fd = openat(at, dir->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (dir->fd < 0)
        die("opening", dir->name);
    long got;
    while ((got = syscall(SYS_getdents64, dir->fd, dents, size)) > 0) {
        queue(dir, own, dents, got);
        for (long at = 0; at < got;) {
            struct kernel_dirent *entry = (void *)(dents + at);
            at += entry->reclen;
            if (entry->type != DT_DIR && unlinkat(dir->fd, entry->name, 0))
                die("removing", entry->name);
        }
    }
    if (got < 0)
        die("reading", dir->name);
    finish(dir);
}

static void *work(void *index)
{
    int me = (int)(intptr_t)index;
    size_t size = 64 << 10;
    char *dents = malloc(size);
    if (!dents)
        die("allocating", "a buffer");
    struct dir *dir;
    while ((dir = is_wide ? take_wide() : take_deep(me)))
        empty(dir, &lists[me], dents, size);
    free(dents);
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return fprintf(stderr, "usage: rmtree deep|wide THREADS ROOT\n"), 2;
    is_wide = !strcmp(argv[1], "wide");
    count = atoi(argv[2]);
    if (count < 1 || count > MOST)
        return 2;
    struct rlimit files;
    if (!getrlimit(RLIMIT_NOFILE, &files)) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    for (int i = 0; i < count; i++)
        pthread_mutex_init(&lists[i].lock, NULL);
    /* Growing the table once there are threads waits for all processors each time. */
    if (dup2(0, 8191) == 8191)
        close(8191);
    pthread_t threads[MOST];
    struct dir *root = add(NULL, argv[3]);
    char *dents = malloc(64 << 10);
    empty(root, &lists[0], dents, 64 << 10);
    for (intptr_t i = 1; i < count; i++)
        if (pthread_create(&threads[i], NULL, work, (void *)i))
            die("starting", "a thread");
    work(NULL);
    for (int i = 1; i < count; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
