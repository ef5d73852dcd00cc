/*
 * The floor of slow storage: threads on one shared queue.
 *
 *   wide -t THREADS [--stat | --sum] ROOT
 *
 * A unit is a directory, opened from its parent's handle and read to its end, or SHARE names of
 * one directory, each asked by statx. One lock guards the queue; a request takes a thousand times
 * as long as the lock is held. Prints the same lines as floors/walk.c, in any order.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { DENTS_SIZE = 64 << 10, OUT_SIZE = 64 << 10, SHARE = 16 };
enum { MASK_TYPE = 0x1, MASK_MTIME = 0x40, MASK_SIZE = 0x200, NO_AUTOMOUNT = 0x800 };
enum { MASK_SUM = 0x4 | 0x100 | 0x200 | 0x400 }; /* NLINK, INO, SIZE, BLOCKS */

/* As the kernel lays it out. */
struct kernel_dirent {
    uint64_t ino;
    int64_t off;
    uint16_t reclen;
    uint8_t type;
    char name[];
};

/* Likewise; spelled out because musl's headers have it only since 1.2.4. */
struct kernel_statx {
    uint32_t mask, blksize;
    uint64_t attributes;
    uint32_t nlink, uid, gid;
    uint16_t mode, pad;
    uint64_t ino, size, blocks, attributes_mask;
    struct { int64_t seconds; uint32_t nanos; int32_t pad; } atime, btime, ctime, mtime;
    uint64_t rest[16];
};
_Static_assert(sizeof(struct kernel_statx) == 256, "as the kernel fills it");

/* An open directory; its handle closes with its last user. */
struct dir {
    int fd;
    atomic_int users;
    size_t len;
    char path[]; /* with its slash */
};

struct unit {
    struct unit *next;
    struct dir *dir;      /* the parent, or whose names these are; NULL for the root */
    const char *names;    /* NULL: open `name` in the parent */
    uint32_t size;
    char name[];
};

struct out { char *bytes; size_t len; };

static bool want_stat, want_sum;
static _Atomic uint64_t blocks;
static int workers = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static struct unit *head, **tail = &head;
static int waiting;
static bool done;

static void die(const char *what, const char *path)
{
    fprintf(stderr, "wide: %s %s: %s\n", what, path, strerror(errno));
    exit(1);
}

static void *allot(size_t size)
{
    void *p = malloc(size);
    if (!p)
        die("malloc", "units");
    return p;
}

static void put_all(struct unit *first, struct unit **last, int count)
{
    if (!first)
        return;
    pthread_mutex_lock(&lock);
    *tail = first;
    tail = last;
    while (count-- > 0 && waiting > 0)
        pthread_cond_signal(&wake);
    pthread_mutex_unlock(&lock);
}

static struct unit *take(void)
{
    pthread_mutex_lock(&lock);
    if (++waiting == workers && !head) {
        done = true;
        pthread_cond_broadcast(&wake);
    }
    while (!head && !done)
        pthread_cond_wait(&wake, &lock);
    waiting--;
    struct unit *u = head;
    if (u && !(head = u->next))
        tail = &head;
    pthread_mutex_unlock(&lock);
    return u;
}

static void release(struct dir *d)
{
    if (atomic_fetch_sub(&d->users, 1) == 1) {
        close(d->fd);
        free(d);
    }
}

static void flush(struct out *out)
{
    static pthread_mutex_t writes = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&writes);
    for (size_t at = 0; at < out->len;) {
        ssize_t n = write(STDOUT_FILENO, out->bytes + at, out->len - at);
        if (n < 0)
            die("write", "stdout");
        at += (size_t)n;
    }
    pthread_mutex_unlock(&writes);
    out->len = 0;
}

static void print(struct out *out, const struct dir *d, const struct kernel_dirent *e)
{
    size_t len = strlen(e->name);
    if (out->len + d->len + len + 64 > OUT_SIZE)
        flush(out);
    char *p = out->bytes + out->len;
    if (want_stat) {
        struct kernel_statx st;
        if (syscall(SYS_statx, d->fd, e->name, AT_SYMLINK_NOFOLLOW | NO_AUTOMOUNT,
                    want_sum ? MASK_SUM : MASK_TYPE | MASK_SIZE | MASK_MTIME, &st) < 0)
            die("statx", e->name);
        if (want_sum) {
            blocks += st.blocks;
            return;
        }
        p += sprintf(p, "%llu %lld ", (unsigned long long)st.size,
                     (long long)st.mtime.seconds);
    }
    p = mempcpy(p, d->path, d->len);
    p = mempcpy(p, e->name, len);
    if (e->type == DT_DIR && !want_stat)
        *p++ = '/';
    *p++ = '\n';
    out->len = (size_t)(p - out->bytes);
}

static bool is_dot(const char *n)
{
    return n[0] == '.' && (!n[1] || (n[1] == '.' && !n[2]));
}

/* Queues what one read brought: directories to be opened, names to be asked about. */
static void share(struct out *out, struct dir *d, const char *at, size_t size)
{
    const char *end = at + size, *names = want_stat ? memcpy(allot(size), at, size) : NULL;
    struct unit *first = NULL, **last = &first;
    int count = 0;
    for (size_t n = 0; at < end; n++) {
        const struct kernel_dirent *e = (const void *)at;
        at += e->reclen;
        bool is_new = names && n % SHARE == 0;
        if (e->type == DT_DIR && !is_dot(e->name)) {
            size_t len = strlen(e->name) + 1;
            struct unit *u = allot(sizeof *u + len);
            *u = (struct unit){ .dir = d };
            memcpy(u->name, e->name, len);
            d->users++;
            *last = u;
            last = &u->next;
            count++;
        }
        if (is_new) {
            struct unit *u = allot(sizeof *u);
            const char *from = names + ((const char *)e - (end - size)), *to = from;
            for (int i = 0; i < SHARE && to < names + size; i++)
                to += ((const struct kernel_dirent *)(const void *)to)->reclen;
            *u = (struct unit){ .dir = d, .names = from, .size = (uint32_t)(to - from) };
            d->users++;
            *last = u;
            last = &u->next;
            count++;
        }
        if (!names && !is_dot(e->name))
            print(out, d, e);
    }
    put_all(first, last, count);
}

static void visit(struct out *out, char *dents, struct unit *u)
{
    struct dir *p = u->dir;
    if (u->names) {
        for (const char *at = u->names, *end = at + u->size; at < end;) {
            const struct kernel_dirent *e = (const void *)at;
            at += e->reclen;
            if (!is_dot(e->name))
                print(out, p, e);
        }
        release(p);
        return;
    }
    size_t len = strlen(u->name), above = p ? p->len : 0;
    struct dir *d = allot(sizeof *d + above + len + 2);
    d->users = 1;
    d->len = above + len + 1;
    memcpy(mempcpy(d->path, p ? p->path : "", above), u->name, len);
    d->path[d->len - 1] = '/';
    d->path[d->len] = 0;
    d->fd = openat(p ? p->fd : AT_FDCWD, u->name,
                   O_RDONLY | O_DIRECTORY | O_CLOEXEC | (p ? O_NOFOLLOW : 0));
    if (d->fd < 0)
        die("open", d->path);
    if (p)
        release(p);
    long n;
    while ((n = syscall(SYS_getdents64, d->fd, dents, DENTS_SIZE)) > 0)
        share(out, d, dents, (size_t)n);
    if (n < 0)
        die("getdents64", d->path);
    release(d);
}

static void *work(void *arg)
{
    struct out out = { allot(OUT_SIZE), 0 };
    char *dents = allot(DENTS_SIZE);
    for (struct unit *u; (u = take()); free(u))
        visit(&out, dents, u);
    flush(&out);
    return arg;
}

int main(int argc, char **argv)
{
    const char *root = NULL;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--stat"))
            want_stat = true;
        else if (!strcmp(argv[i], "--sum"))
            want_stat = want_sum = true;
        else if (!strcmp(argv[i], "-t") && i + 1 < argc)
            workers = atoi(argv[++i]);
        else
            root = argv[i];
    }
    if (!root || workers < 1 || workers > 1024) {
        fputs("usage: wide [-t THREADS] [--stat | --sum] ROOT\n", stderr);
        return 2;
    }
    size_t len = strlen(root);
    while (len > 1 && root[len - 1] == '/')
        len--;
    struct unit *u = allot(sizeof *u + len + 1);
    *u = (struct unit){ 0 };
    memcpy(u->name, root, len);
    u->name[len] = 0;
    put_all(u, &u->next, 1);
    pthread_t threads[1024];
    for (int i = 1; i < workers; i++)
        if ((errno = pthread_create(&threads[i], NULL, work, NULL)))
            die("create", "thread");
    work(NULL);
    for (int i = 1; i < workers; i++)
        pthread_join(threads[i], NULL);
    if (want_sum)
        printf("%llu\n", (unsigned long long)blocks * 512);
    return 0;
}
