/*
 * floor: the least work that lists a tree.
 *
 *     floor [-t THREADS] [--stat | --sum] [--shared-table] ROOT
 *
 * Prints the bytes of `brisk find -u --color=never '' ROOT` (and of fd): every entry
 * below ROOT, as ROOT/a/b, directories with a trailing slash, ROOT itself not. With
 * --stat it prints those of --format '{size} {mtime:%s} {}', which has no trailing
 * slash: one statx an entry, relative to its directory, mask TYPE|SIZE|MTIME.
 *
 * It is a floor, not a tool: no filters, no orders, no bound on handles or memory, the
 * first error ends it. It shows what the kernel charges for the listing itself;
 * a real command adds the rest of its own time.
 *
 * System calls: per directory one openat relative to its parent's handle, getdents64
 * until it returns 0, one close; one write for each OUT_SIZE bytes of whole lines.
 *
 * With --sum it prints what the entries take together: one statx an entry, mask SIZE|BLOCKS|NLINK|
 * INO, and each hard link counts.
 *
 * How the work is shared:
 *
 *     a worker's own stack (LIFO) --- gives half of it away when --> shared stack
 *            ^                        another worker waits               |
 *            +------------- takes from it when its own is empty ---------+
 *
 * A worker that waits for a unit is hungry.
 *
 * --shared-table leaves the one table to all workers. That is the floor of a command whose
 * workers hand open directories to one another, which needs one table. All else is as
 * without the flag.
 *
 * With --stat, the reader of a directory gives away what it has read while another worker
 * waits, in slices of SLICE entries, and reads on: so one huge directory keeps all threads
 * busy.
 *
 * The walk ends when all workers wait and the shared stack is empty.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OPEN_FLAGS (O_RDONLY | O_DIRECTORY | O_CLOEXEC)
#define LIKELY(x) __builtin_expect(!!(x), 1)

/* Twice what glibc's readdir asks for; more than that only costs cache. */
enum { DENTS_SIZE = 64 << 10, OUT_SIZE = 64 << 10, POOL_SIZE = 256 << 10, SLICE = 64, SLACK = 16 };

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
enum { MASK_TYPE = 0x1, MASK_MTIME = 0x40, MASK_SIZE = 0x200, NO_AUTOMOUNT = 0x800 };
enum { MASK_SUM = 0x4 | 0x100 | 0x200 | 0x400 }; /* NLINK, INO, SIZE, BLOCKS */

/* A directory: first a unit of work, then, once opened, its children's parent. */
struct dir {
    struct dir *parent;  /* whose handle it is opened below; NULL: by path, below the root */
    struct dir *next;    /* in a stack */
    const char *slice;   /* entries already read, to be printed; NULL: read them */
    uint32_t slice_len;
    uint32_t users;      /* itself while being read, and each child not yet opened */
    int fd;
    uint32_t len;        /* of path, its last slash included */
    uint32_t name_len;   /* of its last component, without the slash */
    char path[];         /* full path as printed, slash, NUL */
};

struct worker {
    struct dir *stack;
    size_t depth;        /* units in stack */
    char *out;
    size_t out_len;
    uint64_t blocks;
    char *dents;
    char *pool;          /* what is left of the current block of units */
    size_t pool_left;
};

static bool want_stat, want_sum;
static bool shared_table;
static int workers = 1;
static int root_fd;
static size_t root_len;  /* with its slash */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    struct dir *_Atomic stack; /* changed under the lock, read without it as a hint */
    bool done;
} shared = { .lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER };

/* Workers that wait for a unit; likewise. */
static atomic_int waiting;

static void die(const char *what, const char *path)
{
    fprintf(stderr, "floor: %s %s: %s\n", what, path, strerror(errno));
    exit(1);
}

/* ---- bytes -------------------------------------------------------------- */

/*
 * n bytes in steps of 16: reads and writes up to SLACK bytes more, which all buffers have.
 * A fifth less user time than memcpy, whose calls outweigh names this short.
 */
static char *copy(char *to, const char *from, size_t n)
{
    for (size_t i = 0; i < n; i += 16)
        __builtin_memcpy(to + i, from + i, 16);
    return to + n;
}

/*
 * The kernel pads a record to 8 bytes, so the NUL lies in its last 8; of the shortest
 * record, these begin with 3 bytes before the name.
 */
static size_t name_length(const struct kernel_dirent *e)
{
    _Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "first byte lowest");
    const uint64_t ones = 0x0101010101010101;
    size_t at = e->reclen - sizeof(uint64_t);
    uint64_t word;
    memcpy(&word, (const char *)e + at, sizeof word);
    if (at < offsetof(struct kernel_dirent, name))
        word |= 0x010101;
    uint64_t zeros = (word - ones) & ~word & (ones << 7);
    return at + (size_t)__builtin_ctzll(zeros) / 8 - offsetof(struct kernel_dirent, name);
}

/* ---- output: whole lines, in writes of OUT_SIZE ------------------------- */

/* A write to a full pipe is done in pieces: other workers' writes must not come between. */
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
    struct kernel_statx st;
    if (syscall(SYS_statx, d->fd, name, AT_SYMLINK_NOFOLLOW | NO_AUTOMOUNT,
                MASK_TYPE | MASK_SIZE | MASK_MTIME, &st) < 0)
        die("statx", name);
    p = put_number(p, st.size);
    *p++ = ' ';
    int64_t seconds = st.mtime.seconds;
    if (seconds < 0)
        *p++ = '-';
    p = put_number(p, (uint64_t)(seconds < 0 ? -seconds : seconds));
    *p++ = ' ';
    return p;
}

static void add(struct worker *w, const struct dir *d, const char *name)
{
    struct kernel_statx st;
    if (syscall(SYS_statx, d->fd, name, AT_SYMLINK_NOFOLLOW | NO_AUTOMOUNT, MASK_SUM, &st) < 0)
        die("statx", name);
    w->blocks += st.blocks;
}

/* 64 bytes are for two numbers, their signs and spaces, slash and newline. */
static void print(struct worker *w, const struct dir *d, const char *name, size_t len, bool is_dir)
{
    if (want_sum) {
        add(w, d, name);
        return;
    }
    if (w->out_len + d->len + len + 64 + SLACK > OUT_SIZE)
        flush(w);
    char *p = w->out + w->out_len;
    if (want_stat)
        p = put_meta(p, d, name);
    p = copy(p, d->path, d->len);
    p = copy(p, name, len);
    *p = '/';
    p += is_dir && !want_stat;
    *p++ = '\n';
    w->out_len = (size_t)(p - w->out);
}

/* ---- units: never freed, they are few and short ------------------------- */

static void *allot(struct worker *w, size_t size)
{
    size = (size + 7) & ~(size_t)7;
    if (size > w->pool_left) {
        w->pool_left = size > POOL_SIZE ? size : POOL_SIZE;
        w->pool = malloc(w->pool_left);
        if (!w->pool)
            die("malloc", "units");
    }
    void *p = w->pool;
    w->pool += size;
    w->pool_left -= size;
    return p;
}

static struct dir *new_dir(struct worker *w, struct dir *parent, const char *path, size_t path_len,
                           const char *name, size_t len)
{
    struct dir *d = allot(w, sizeof *d + path_len + len + 2 + SLACK);
    d->parent = parent;
    d->slice = NULL;
    d->users = 1;
    d->len = (uint32_t)(path_len + len + 1);
    d->name_len = (uint32_t)len;
    char *p = copy(d->path, path, path_len);
    p = copy(p, name, len);
    p[0] = '/';
    p[1] = 0;
    return d;
}

static void push(struct worker *w, struct dir *d)
{
    d->next = w->stack;
    w->stack = d;
    w->depth++;
}

/* The last user closes the handle. */
static void release(struct dir *d)
{
    if (--d->users == 0 && d->fd != root_fd)
        syscall(SYS_close, d->fd);
}

/* ---- sharing ------------------------------------------------------------ */

/* A worker that was given something but has not woken yet needs no more. */
static bool another_waits(void)
{
    return atomic_load_explicit(&waiting, memory_order_relaxed) > 0
        && !atomic_load_explicit(&shared.stack, memory_order_relaxed);
}

/* Wakes one worker, which wakes the next if it leaves units. */
static void give_list(struct dir *first, struct dir *last)
{
    pthread_mutex_lock(&shared.lock);
    last->next = shared.stack;
    shared.stack = first;
    pthread_cond_signal(&shared.wake);
    pthread_mutex_unlock(&shared.lock);
}

/*
 * Half of the stack goes to the shared one: the older half, whose directories are
 * nearer to the root and so have more below them. The oldest comes to lie on top:
 * a large subtree that is begun last leaves all others waiting at the end.
 */
static void give_half(struct worker *w)
{
    size_t keep = w->depth / 2;
    struct dir **end = &w->stack;
    for (size_t i = 0; i < keep; i++)
        end = &(*end)->next;
    struct dir *last = *end, *first = NULL, *next;
    for (struct dir *d = last; d; d = next) {
        next = d->next;
        d->next = first;
        first = d;
        if (d->parent)
            release(d->parent);
        d->parent = NULL;
    }
    *end = NULL;
    w->depth = keep;
    give_list(first, last);
}

/* Past the next SLICE entries. */
static char *slice_end(char *at, const char *end)
{
    for (int i = 0; i < SLICE && at < end; i++)
        at += ((const struct kernel_dirent *)(const void *)at)->reclen;
    return at;
}

/* What was read of d goes to the others, as copies of d that hold SLICE entries. */
static void give_slices(struct worker *w, const struct dir *d, const char *dents, size_t size)
{
    char *at = memcpy(allot(w, size + SLACK), dents, size), *end = at + size;
    struct dir *first = NULL, *last = NULL;
    while (at < end) {
        struct dir *unit = new_dir(w, NULL, d->path, d->len - 1, "", 0);
        unit->slice = at;
        at = slice_end(at, end);
        unit->slice_len = (uint32_t)(at - unit->slice);
        unit->next = first;
        first = unit;
        if (!last)
            last = unit;
    }
    give_list(first, last);
}

/* Waits for a unit; NULL when the whole walk is over. */
static struct dir *take_shared(void)
{
    pthread_mutex_lock(&shared.lock);
    if (atomic_fetch_add(&waiting, 1) + 1 == workers && !shared.stack) {
        shared.done = true;
        pthread_cond_broadcast(&shared.wake);
    }
    while (!shared.stack && !shared.done)
        pthread_cond_wait(&shared.wake, &shared.lock);
    struct dir *d = shared.stack;
    if (d) {
        shared.stack = d->next;
        atomic_fetch_sub(&waiting, 1);
        if (shared.stack)
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

/* Prints every entry and pushes every directory. */
static void take_in(struct worker *w, struct dir *d, const char *at, size_t size)
{
    const char *end = at + size;
    while (at < end) {
        const struct kernel_dirent *e = (const void *)at;
        at += e->reclen;
        if (is_dot(e->name))
            continue;
        size_t len = name_length(e);
        bool is_dir = is_directory(d, e);
        print(w, d, e->name, len, is_dir);
        if (is_dir) {
            push(w, new_dir(w, d, d->path, d->len, e->name, len));
            d->users++;
        }
    }
}

static void open_dir(struct dir *d)
{
    int below = d->parent ? d->parent->fd : root_fd;
    char *name = d->path + (d->parent ? d->len - 1 - d->name_len : root_len);
    if (!d->parent && d->len == root_len) {
        d->fd = root_fd;
        return;
    }
    d->path[d->len - 1] = 0; /* cut off the slash for the call */
    d->fd = (int)syscall(SYS_openat, below, name, OPEN_FLAGS | O_NOFOLLOW);
    d->path[d->len - 1] = '/';
    if (d->fd < 0)
        die("open", d->path);
    if (d->parent)
        release(d->parent);
}

/* With stats: slice by slice, until another worker waits. */
static void take_in_slices(struct worker *w, struct dir *d, char *at, const char *end)
{
    while (at < end) {
        if (atomic_load_explicit(&waiting, memory_order_relaxed) > 0) {
            give_slices(w, d, at, (size_t)(end - at));
            return;
        }
        char *next = slice_end(at, end);
        take_in(w, d, at, (size_t)(next - at));
        at = next;
    }
}

static void read_dir(struct worker *w, struct dir *d)
{
    long n;
    while ((n = syscall(SYS_getdents64, d->fd, w->dents, DENTS_SIZE)) > 0) {
        if (want_stat && workers > 1)
            take_in_slices(w, d, w->dents, w->dents + n);
        else
            take_in(w, d, w->dents, (size_t)n);
        if (w->depth > 0 && another_waits())
            give_half(w);
    }
    if (n < 0)
        die("getdents64", d->path);
}

static void visit(struct worker *w, struct dir *d)
{
    open_dir(d);
    if (d->slice)
        take_in(w, d, d->slice, d->slice_len);
    else
        read_dir(w, d);
    release(d);
}

static void *work(void *arg)
{
    struct worker *w = arg;
    if (workers > 1 && !shared_table && unshare(CLONE_FILES) < 0)
        die("unshare", "descriptors");
    w->out = malloc(OUT_SIZE);
    w->dents = malloc(DENTS_SIZE + SLACK);
    if (!w->out || !w->dents)
        die("malloc", "buffers");
    for (struct dir *d; (d = take(w));)
        visit(w, d);
    flush(w);
    return NULL;
}

/* ---- main --------------------------------------------------------------- */

static void raise_handle_limit(void)
{
    struct rlimit lim;
    if (getrlimit(RLIMIT_NOFILE, &lim) == 0) {
        lim.rlim_cur = lim.rlim_max;
        setrlimit(RLIMIT_NOFILE, &lim);
    }
}

static void walk(const char *root)
{
    pthread_t *threads = calloc((size_t)workers, sizeof *threads);
    struct worker *all = calloc((size_t)workers, sizeof *all);
    if (!threads || !all)
        die("malloc", "workers");
    push(&all[0], new_dir(&all[0], NULL, "", 0, root, root_len - 1));
    for (int i = 1; i < workers; i++)
        if ((errno = pthread_create(&threads[i], NULL, work, &all[i])))
            die("create", "thread");
    work(&all[0]);
    uint64_t blocks = all[0].blocks;
    for (int i = 1; i < workers; i++) {
        pthread_join(threads[i], NULL);
        blocks += all[i].blocks;
    }
    if (want_sum)
        printf("%llu\n", (unsigned long long)blocks * 512);
}

int main(int argc, char **argv)
{
    const char *root = NULL;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--stat"))
            want_stat = true;
        else if (!strcmp(argv[i], "--sum"))
            want_stat = want_sum = true;
        else if (!strcmp(argv[i], "--shared-table"))
            shared_table = true;
        else if (!strcmp(argv[i], "-t") && i + 1 < argc)
            workers = atoi(argv[++i]);
        else
            root = argv[i];
    }
    if (!root || workers < 1) {
        fputs("usage: floor [-t THREADS] [--stat | --sum] [--shared-table] ROOT\n", stderr);
        return 2;
    }
    root_len = strlen(root);
    while (root_len > 0 && root[root_len - 1] == '/')
        root_len--;
    root_len++;
    raise_handle_limit();
    root_fd = open(root, OPEN_FLAGS);
    if (root_fd < 0)
        die("open", root);
    walk(root);
    return 0;
}
