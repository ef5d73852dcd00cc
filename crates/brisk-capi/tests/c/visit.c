/* Walks by callback: every entry once, from one thread and from several, and each callback refuses
 * at each of its calls. */
#include "check.h"
#include <pthread.h>

enum { DIRS = 12, FILES = 3, ALL = 1 + DIRS + DIRS * FILES };

/* What the callbacks count, and at which call each refuses; 0: never. */
struct counts {
    pthread_mutex_t lock;
    size_t chunks, entries, dirs, errors;
    size_t stop_chunk, stop_enter, prune, stop_error;
    pthread_t caller;
    int is_serial, other_thread;
};

static void enter_lock(struct counts *counts) {
    CHECK(pthread_mutex_lock(&counts->lock) == 0);
    if (!pthread_equal(pthread_self(), counts->caller)) counts->other_thread = 1;
}

static int leave_lock(struct counts *counts, int answer) {
    CHECK(pthread_mutex_unlock(&counts->lock) == 0);
    return answer;
}

static int take(void *data, const brisk_chunk *chunk) {
    struct counts *counts = (struct counts *)data;
    CHECK(chunk->size == sizeof *chunk && chunk->count > 0 && chunk->worker <= 1024);
    for (size_t at = 0; at < chunk->count; at++) {
        const brisk_entry *entry = &chunk->entries[at];
        CHECK(strlen(entry->name) == entry->name_len && strlen(entry->dir) == entry->dir_len);
        CHECK(entry->type == 'd' || entry->name[0] == 'f');
        CHECK(entry->type == 'd' || (entry->meta && entry->meta->fields & BRISK_FIELD_SIZE));
        CHECK(entry->type == 'd' || (int)entry->meta->file_size == atoi(entry->name + 1));
    }
    enter_lock(counts);
    counts->entries += chunk->count;
    return leave_lock(counts, ++counts->chunks == counts->stop_chunk ? BRISK_STOP : BRISK_CONTINUE);
}

static int enter(void *data, const brisk_entry *dir) {
    struct counts *counts = (struct counts *)data;
    CHECK(dir->type == 'd' && strlen(dir->name) == dir->name_len && !dir->meta);
    CHECK(dir->depth == 0 || strlen(dir->dir) == dir->dir_len);
    enter_lock(counts);
    size_t call = ++counts->dirs;
    int answer = call == counts->stop_enter ? BRISK_STOP : BRISK_CONTINUE;
    return leave_lock(counts, call == counts->prune ? BRISK_PRUNE : answer);
}

static int failed(void *data, const brisk_error *error) {
    struct counts *counts = (struct counts *)data;
    CHECK(brisk_error_errno(error) == ENOENT && !strcmp(brisk_error_operation(error), "stat"));
    enter_lock(counts);
    return leave_lock(counts, ++counts->errors == counts->stop_error ? BRISK_STOP : BRISK_CONTINUE);
}

static int visit(struct counts *counts, uint32_t threads, uint32_t order) {
    static const char *names[] = {"tree", "gone", "lost", "missing"};
    const char *roots[4];
    char paths[4][4096];
    for (size_t root = 0; root < 4; root++) {
        snprintf(paths[root], sizeof paths[root], "%s/%s", scratch, names[root]);
        roots[root] = paths[root];
    }
    brisk_walk_options options = {0};
    brisk_visitor visitor = {0};
    options.size = sizeof options;
    options.threads = threads;
    options.order = order;
    options.fields = BRISK_FIELD_SIZE;
    visitor.size = sizeof visitor;
    visitor.data = counts;
    visitor.entries = take;
    visitor.enter = enter;
    visitor.error = failed;
    counts->caller = pthread_self();
    CHECK(pthread_mutex_init(&counts->lock, NULL) == 0);
    brisk_error *error;
    int result = brisk_visit(roots, 4, &options, &visitor, &error);
    CHECK(!error && result >= 0);
    CHECK(pthread_mutex_destroy(&counts->lock) == 0);
    CHECK(threads != 1 || !counts->other_thread);
    return result;
}

static void *visit_all(void *order) {
    struct counts counts = {0};
    CHECK(visit(&counts, 3, *(uint32_t *)order) == 0);
    CHECK(counts.entries == ALL && counts.dirs == DIRS + 1 && counts.errors == 3);
    return NULL;
}

int main(int argc, char **argv) {
    CHECK(argc == 2);
    scratch = argv[1];
    make_tree("tree", DIRS, FILES);
    static uint32_t orders[] = {BRISK_ORDER_ANY, BRISK_ORDER_BREADTH, BRISK_ORDER_DEPTH,
                                BRISK_ORDER_SORTED};
    for (size_t at = 0; at < 4; at++) {
        for (uint32_t threads = 0; threads < 4; threads += 1 + threads) {
            struct counts all = {0};
            CHECK(visit(&all, threads, orders[at]) == 0);
            CHECK(all.entries == ALL && all.dirs == DIRS + 1 && all.errors == 3);
        }
    }
    for (uint32_t threads = 1; threads <= 3; threads += 2) {
        for (size_t call = 1; call <= DIRS + 1; call++) {
            uint32_t order = orders[call % 4];
            struct counts at_chunk = {0}, at_enter = {0}, at_prune = {0};
            at_chunk.stop_chunk = call;
            CHECK(visit(&at_chunk, threads, order) == 1);
            CHECK(at_chunk.chunks >= call && (threads > 1 || at_chunk.chunks == call));
            at_enter.stop_enter = call;
            CHECK(visit(&at_enter, threads, order) == 1);
            CHECK(at_enter.dirs >= call && (threads > 1 || at_enter.dirs == call));
            at_prune.prune = call;
            CHECK(visit(&at_prune, threads, order) == 0);
            CHECK(at_prune.entries == (call == 1 ? 1 : ALL - FILES));
        }
        for (size_t call = 1; call <= 3; call++) {
            struct counts at_error = {0};
            at_error.stop_error = call;
            CHECK(visit(&at_error, threads, BRISK_ORDER_ANY) == 1 && at_error.errors == call);
        }
    }
    pthread_t threads[4];
    for (size_t at = 0; at < 4; at++)
        CHECK(pthread_create(&threads[at], NULL, visit_all, &orders[at]) == 0);
    for (size_t at = 0; at < 4; at++) CHECK(pthread_join(threads[at], NULL) == 0);
    return 0;
}
