/*
 * floor: the least work that lists a tree.
 *
 *     floor [-t THREADS] [--stat] ROOT
 *
 * Prints the bytes of `brisk find -u --color=never '' ROOT` (and of fd): every
 * entry below ROOT, as ROOT/a/b, directories with a trailing slash, ROOT itself
 * not. With --stat it prints those of --format '{size} {mtime:%s} {}', which has no
 * trailing slash: one statx an entry, relative to its directory, mask TYPE|SIZE|MTIME.
 *
 * It is a floor, not a tool: no filters, no orders, no limits on handles, the
 * first error ends it. What it shows is what the kernel charges for the listing
 * itself; the distance from it to a real command is what that command adds.
 *
 * System calls: per directory one openat relative to the parent's handle, getdents64
 * until it returns 0, one close; one write for each OUT_SIZE bytes of whole lines.
 *
 * How the work is shared:
 *
 *     worker's own stack (LIFO) --- gives half of it away when ---> shared stack
 *            ^                      somebody is hungry                  |
 *            +---------------- takes from it when its own is empty -----+
 *
 * A unit is a directory not yet opened. Its parent's handle stays open until the
 * last child has been opened (a count in struct dir), so that every open is one
 * name below a handle. Ends when all workers are hungry and the shared stack is
 * empty.
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
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LIKELY(x) __builtin_expect(!!(x), 1)

/* 32 KiB is what glibc's readdir uses; larger buffers only cost cache. */
enum { DENTS_SIZE = 64 << 10, OUT_SIZE = 64 << 10, NAME_BYTES = 256 };

/* As the kernel lays it out. */
struct kernel_dirent {
    uint64_t ino;
    int64_t off;
    uint16_t reclen;
    uint8_t type;
    char name[];
};

/* A directory: first a unit of work, then, once opened, its children's parent. */
struct dir {
    struct dir *parent;   /* whose handle it is opened below; NULL for the root */
    struct dir *next;     /* in a stack */
    atomic_int users;     /* itself while being read, and each child not yet opened */
    int fd;
    uint32_t len;         /* of path, its trailing slash included */
    uint32_t name_len;    /* of its last component, without the slash */
    char path[];          /* full path as printed, slash, NUL */
};

struct worker {
    struct dir *stack;
    size_t depth;         /* units in stack */
    char *out;
    size_t out_len;
    char *dents;
    struct dir *pool;     /* bump allocator for units: current block */
    size_t pool_left;
};

static bool want_stat;
static int workers = 1;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    struct dir *stack;
    int idle;
    bool done;
} shared = { .lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER };

/* Workers waiting for a unit; read without the lock as a hint. */
static atomic_int hungry;

static void die(const char *what, const char *path)
{
    fprintf(stderr, "floor: %s %s: %s\n", what, path, strerror(errno));
    exit(1);
}

/* ---- output: whole lines, in writes of OUT_SIZE ------------------------- */

/* A write to a full pipe is done in pieces: others' must not come in between. */
static void flush(struct worker *w)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    for (size_t done = 0; done < w->out_len;) {
        ssize_t n = write(STDOUT_FILENO, w->out + done, w->out_len - done);
        if (n < 0)
            die("write", "stdout");
        done += (size_t)n;
    }
    pthread_mutex_unlock(&lock);
    w->out_len = 0;
}

/* Decimal digits of n, returns past the last. */
static char *put_number(char *p, uint64_t n)
{
    char digits[20];
    int i = 20;
    do
        digits[--i] = (char)('0' + n % 10);
    while (n /= 10);
    memcpy(p, digits + i, (size_t)(20 - i));
    return p + (20 - i);
}

static char *put_meta(char *p, const struct dir *d, const char *name)
{
    struct statx st;
    if (statx(d->fd, name, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT,
              STATX_TYPE | STATX_SIZE | STATX_MTIME, &st) < 0)
        die("statx", name);
    p = put_number(p, st.stx_size);
    *p++ = ' ';
    int64_t seconds = st.stx_mtime.tv_sec;
    if (seconds < 0)
        *p++ = '-';
    p = put_number(p, (uint64_t)(seconds < 0 ? -seconds : seconds));
    *p++ = ' ';
    return p;
}

/* The longest line: two numbers, the directory, a name, slash, newline. */
static void print(struct worker *w, const struct dir *d, const char *name, size_t len, bool is_dir)
{
    if (w->out_len + d->len + len + 64 > OUT_SIZE)
        flush(w);
    char *p = w->out + w->out_len;
    if (want_stat)
        p = put_meta(p, d, name);
    p = mempcpy(p, d->path, d->len);
    p = mempcpy(p, name, len);
    *p = '/';
    p += is_dir && !want_stat;
    *p++ = '\n';
    w->out_len = (size_t)(p - w->out);
}

/* ---- units: freed never, they are few and short ------------------------- */

static struct dir *new_dir(struct worker *w, struct dir *parent, const char *path, size_t path_len,
                           const char *name, size_t len)
{
    size_t size = (sizeof(struct dir) + path_len + len + 2 + 7) & ~(size_t)7;
    if (size > w->pool_left) {
        w->pool_left = size > (256 << 10) ? size : (256 << 10);
        w->pool = malloc(w->pool_left);
        if (!w->pool)
            die("malloc", name);
    }
    struct dir *d = w->pool;
    w->pool = (struct dir *)((char *)d + size);
    w->pool_left -= size;
    d->parent = parent;
    d->users = 1;
    d->len = (uint32_t)(path_len + len + 1);
    d->name_len = (uint32_t)len;
    char *p = mempcpy(d->path, path, path_len);
    p = mempcpy(p, name, len);
    p[0] = '/';
    p[1] = 0;
    return d;
}

/* The last user closes the handle. */
static void release(struct dir *d)
{
    if (atomic_load_explicit(&d->users, memory_order_acquire) == 1
        || atomic_fetch_sub_explicit(&d->users, 1, memory_order_acq_rel) == 1)
        close(d->fd);
}

/* ---- sharing ------------------------------------------------------------ */

/*
 * Half of the stack goes to the shared one: the older half, whose directories
 * are nearer to the root and so have more below them.
 */
static void give(struct worker *w)
{
    size_t keep = w->depth / 2;
    struct dir **end = &w->stack;
    for (size_t i = 0; i < keep; i++)
        end = &(*end)->next;
    struct dir *given = *end, *last = given;
    *end = NULL;
    while (last->next)
        last = last->next;
    w->depth = keep;
    pthread_mutex_lock(&shared.lock);
    last->next = shared.stack;
    shared.stack = given;
    pthread_cond_signal(&shared.wake);
    pthread_mutex_unlock(&shared.lock);
}

/* Waits for a unit; NULL when the whole walk is over. */
static struct dir *take_shared(void)
{
    pthread_mutex_lock(&shared.lock);
    atomic_fetch_add(&hungry, 1);
    if (++shared.idle == workers && !shared.stack) {
        shared.done = true;
        pthread_cond_broadcast(&shared.wake);
    }
    while (!shared.stack && !shared.done)
        pthread_cond_wait(&shared.wake, &shared.lock);
    struct dir *d = shared.stack;
    if (d) {
        shared.stack = d->next;
        shared.idle--;
        atomic_fetch_sub(&hungry, 1);
        if (shared.stack) /* a give wakes one, and each woken one the next */
            pthread_cond_signal(&shared.wake);
    }
    pthread_mutex_unlock(&shared.lock);
    return d;
}

static struct dir *take(struct worker *w)
{
    struct dir *d = w->stack;
    if (!d)
        return take_shared();
    w->stack = d->next;
    w->depth--;
    return d;
}

/* ---- the walk ----------------------------------------------------------- */

static bool is_directory(const struct dir *d, const struct kernel_dirent *e)
{
    struct stat st;
    if (LIKELY(e->type != DT_UNKNOWN))
        return e->type == DT_DIR;
    if (fstatat(d->fd, e->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        die("stat", e->name);
    return S_ISDIR(st.st_mode);
}

static bool is_dot(const char *name)
{
    return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

/* Prints every entry and pushes every directory; returns how many those are. */
static int read_dents(struct worker *w, struct dir *d, const char *at, const char *end)
{
    int pushed = 0;
    while (at < end) {
        const struct kernel_dirent *e = (const void *)at;
        at += e->reclen;
        if (is_dot(e->name))
            continue;
        size_t len = strlen(e->name);
        bool is_dir = is_directory(d, e);
        print(w, d, e->name, len, is_dir);
        if (!is_dir)
            continue;
        struct dir *child = new_dir(w, d, d->path, d->len, e->name, len);
        child->next = w->stack;
        w->stack = child;
        w->depth++;
        pushed++;
    }
    return pushed;
}

static void open_dir(struct dir *d)
{
    int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
    if (!d->parent) {
        d->fd = open(d->path, flags);
    } else {
        /* The last component, cut off from its slash for the call. */
        d->path[d->len - 1] = 0;
        d->fd = openat(d->parent->fd, d->path + d->len - 1 - d->name_len, flags | O_NOFOLLOW);
        d->path[d->len - 1] = '/';
    }
    if (d->fd < 0)
        die("open", d->path);
}

static void visit(struct worker *w, struct dir *d)
{
    open_dir(d);
    if (d->parent)
        release(d->parent);
    for (;;) {
        long n = syscall(SYS_getdents64, d->fd, w->dents, DENTS_SIZE);
        if (n < 0)
            die("getdents64", d->path);
        if (n == 0)
            break;
        int children = 0;
        children = read_dents(w, d, w->dents, w->dents + n);
        /* Counted before any of them can be given away. */
        if (children)
            atomic_fetch_add_explicit(&d->users, children, memory_order_relaxed);
        if (w->depth > 1 && atomic_load_explicit(&hungry, memory_order_relaxed))
            give(w);
    }
    release(d);
}

static void *work(void *arg)
{
    struct worker *w = arg;
    w->out = malloc(OUT_SIZE);
    w->dents = malloc(DENTS_SIZE);
    if (!w->out || !w->dents)
        die("malloc", "buffers");
    for (struct dir *d; (d = take(w));)
        visit(w, d);
    flush(w);
    return NULL;
}

/* ---- main --------------------------------------------------------------- */

/*
 * Growing the table of descriptors once there are threads waits for every core
 * (7 to 20 ms at 256, 512, 1024 handles), so it is grown before.
 */
static void grow_fd_table(void)
{
    struct rlimit lim;
    if (getrlimit(RLIMIT_NOFILE, &lim) < 0)
        return;
    lim.rlim_cur = lim.rlim_max;
    setrlimit(RLIMIT_NOFILE, &lim);
    int high = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, lim.rlim_cur > 4096 ? 4095 : 0);
    if (high >= 0)
        close(high);
}

static void run(struct dir *root)
{
    pthread_t *threads = calloc((size_t)workers, sizeof *threads);
    struct worker *all = calloc((size_t)workers, sizeof *all);
    if (!threads || !all)
        die("malloc", "workers");
    all[0].stack = root;
    all[0].depth = 1;
    for (int i = 1; i < workers; i++)
        if ((errno = pthread_create(&threads[i], NULL, work, &all[i])))
            die("create", "thread");
    work(&all[0]);
    for (int i = 1; i < workers; i++)
        pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
    const char *root = NULL;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--stat"))
            want_stat = true;
        else if (!strcmp(argv[i], "-t") && i + 1 < argc)
            workers = atoi(argv[++i]);
        else
            root = argv[i];
    }
    if (!root || workers < 1) {
        fputs("usage: floor [-t THREADS] [--stat] ROOT\n", stderr);
        return 2;
    }
    size_t len = strlen(root);
    while (len > 1 && root[len - 1] == '/')
        len--;
    struct worker first = {0};
    if (workers > 1)
        grow_fd_table();
    run(new_dir(&first, NULL, "", 0, root, len));
    return 0;
}
