// libbrisk: large file trees. docs/c.md explains the conventions.
//
// Where a function's last parameter is `error`, it receives an error, which the caller frees, or
// NULL if nothing failed. It may be NULL, and what it points at need not be initialised.


#ifndef BRISK_H
#define BRISK_H

/* Made by cbindgen from crates/brisk-capi: BRISK_REGENERATE=1 cargo test -p brisk-capi */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A callback's answer: go on.
#define BRISK_CONTINUE 0

// A callback's answer: end the work, or call this function no more. What other threads have begun to
// call goes on.
#define BRISK_STOP 1

// The answer of a brisk_visitor's `enter` alone: do not enter this directory.
#define BRISK_PRUNE 2

// In `fields`: the permissions, and the type's bits of st_mode.
#define BRISK_FIELD_MODE 2

// In `fields`: the number of hard links.
#define BRISK_FIELD_NLINK 4

// In `fields`: the owner.
#define BRISK_FIELD_UID 8

// In `fields`: the group.
#define BRISK_FIELD_GID 16

// In `fields`: the time of the last access.
#define BRISK_FIELD_ATIME 32

// In `fields`: the time of the last change of content.
#define BRISK_FIELD_MTIME 64

// In `fields`: the time of the last change of metadata.
#define BRISK_FIELD_CTIME 128

// In `fields`: the inode number as stat reports it.
#define BRISK_FIELD_INO 256

// In `fields`: the size in bytes.
#define BRISK_FIELD_SIZE 512

// In `fields`: the allocated blocks of 512 bytes.
#define BRISK_FIELD_BLOCKS 1024

// In `fields`: the time of creation.
#define BRISK_FIELD_BTIME 2048

// In `fields`: the id of the mount (Linux 5.8 and later).
#define BRISK_FIELD_MNT_ID 4096

// In `fields`: the device that holds the file, and the one that a device file stands for.
#define BRISK_FIELD_DEV 65536

// In `fields`: where a symbolic link points, as text. Costs one readlinkat a link.
#define BRISK_FIELD_LINK_TARGET 524288

// In `fields`: the mode of what a symbolic link leads to. Costs one statx a link.
#define BRISK_FIELD_TARGET 1048576

// In `fields`: Windows's file attributes. No other system has them.
#define BRISK_FIELD_ATTRIBUTES 268435456

// In `order`: as directories are read, which is fastest.
#define BRISK_ORDER_ANY 0

// In `order`: by level, nothing of depth n + 1 before everything of depth n.
#define BRISK_ORDER_BREADTH 1

// In `order`: each directory before what is below it, which stays together.
#define BRISK_ORDER_DEPTH 2

// In `order`: each directory after what is below it.
#define BRISK_ORDER_DEPTH_POST 3

// In `order`: as BRISK_ORDER_DEPTH, but all entries of a directory come before what is in its
// subdirectories.
#define BRISK_ORDER_DEPTH_SIBLINGS 4

// In `order`: as BRISK_ORDER_DEPTH, siblings by the bytes of their names.
#define BRISK_ORDER_SORTED 5

// In `order`: as BRISK_ORDER_DEPTH_POST, siblings by the bytes of their names.
#define BRISK_ORDER_SORTED_POST 6

// In `order`: as BRISK_ORDER_DEPTH_SIBLINGS, siblings by the bytes of their names.
#define BRISK_ORDER_SORTED_SIBLINGS 7

// In `follow`: no links.
#define BRISK_FOLLOW_NEVER 1

// In `follow`: all links. One that leads to a directory above it is an error.
#define BRISK_FOLLOW_ALWAYS 2

// In `follow`: the links that are given as roots.
#define BRISK_FOLLOW_ROOTS 3

// In `mounts`: all mount points are entered.
#define BRISK_MOUNTS_CROSS 0

// In `mounts`: those of the root's device are entered.
#define BRISK_MOUNTS_SAME_DEVICE 1

// In `mounts`: none is entered; each is an error with EXDEV.
#define BRISK_MOUNTS_SAME_MOUNT 2

// In `ignore`: hidden entries.
#define BRISK_IGNORE_HIDDEN 1

// In `ignore`: what git ignores, in its repositories.
#define BRISK_IGNORE_GIT 2

// In `ignore`: what files named .ignore say.
#define BRISK_IGNORE_FILES 4

// In `flags`: directories that are named are emptied, and stay.
#define BRISK_REMOVE_KEEP_ROOTS 1

// In `flags`: a path at which nothing exists is not a failure.
#define BRISK_REMOVE_IGNORE_MISSING 2

// In `flags`: file systems that are mounted below are emptied too. Otherwise each is a failure.
#define BRISK_REMOVE_CROSS_MOUNTS 4

// In `flags`: nothing is removed; the result says what would be.
#define BRISK_REMOVE_DRY_RUN 8

// In `flags`: everything is kept, as `cp -a` does: modes, owners, times, hard links, extended
// attributes.
#define BRISK_COPY_ARCHIVE 1

// In `flags`: a directory at the destination is a failure, and stays as it is.
#define BRISK_COPY_NEW 2

// In `flags`: existing files stay as they are.
#define BRISK_COPY_KEEP 4

// In `flags`: existing files are overwritten only if type, size, time of modification or, with
// BRISK_COPY_ARCHIVE, mode or owners differ.
#define BRISK_COPY_CHANGED 8

// In `flags`: what the source does not have is removed from existing directories.
#define BRISK_COPY_DELETE 16

// In `flags`: nothing is copied; the result says what would be.
#define BRISK_COPY_DRY_RUN 32

// In `flags`: the destination's file system is written to disk at the end.
#define BRISK_COPY_SYNC 64

// In `flags`: a file has changed only if its contents have.
#define BRISK_CHANGED_CONTENT 1

// In `flags`: a change of ctime alone is none.
#define BRISK_CHANGED_NO_CTIME 2

// In `flags`: an entry with a new path is deleted and added, not renamed.
#define BRISK_CHANGED_NO_RENAMES 4

// In `links`: a file with several hard links counts once.
#define BRISK_LINKS_ONCE 0

// In `links`: it counts as often as it is met.
#define BRISK_LINKS_EACH 1

// Ends walks, counts, removals and rescans from another thread.
typedef struct brisk_cancel brisk_cancel;

// Changes that brisk_changed or brisk_watch_next has found.
typedef struct brisk_changes brisk_changes;

// What failed, on which path, and why.
typedef struct brisk_error brisk_error;

// Batches of changes in trees, as they come.
typedef struct brisk_watch brisk_watch;

// A walk whose entries are pulled.
typedef struct brisk_walk brisk_walk;

// Receives an error, which belongs to the library and is valid until the function returns.
// Returns BRISK_CONTINUE or BRISK_STOP.
typedef int (*brisk_error_function)(void *data, const struct brisk_error *error);

// What counts as a change. What is 0 is the default. Later versions may add members at the end.
typedef struct brisk_changed_options {
    // The size of this structure: sizeof(brisk_changed_options).
    size_t size;
    // Ends the search; may be NULL.
    const struct brisk_cancel *cancel;
    // What `error` gets as `data`.
    void *data;
    // Is called for each error, such as a directory that cannot be read, on the calling thread when
    // the search is done; no more after it has answered BRISK_STOP.
    brisk_error_function error;
    // BRISK_CHANGED_….
    uint32_t flags;
    // BRISK_IGNORE_… of what does not belong to the state.
    uint32_t ignore;
} brisk_changed_options;

// A change of one entry. Later versions may add members at the end.
typedef struct brisk_change {
    // The size of this structure: sizeof(brisk_change).
    size_t size;
    // The path, beginning with the root as it was given.
    const char *path;
    // Where a renamed entry was; NULL if it was not renamed.
    const char *old_path;
    // 'A' added, 'M' modified, 'D' deleted, 'T' type changed, 'R' renamed, '?' cannot be read now.
    char kind;
    // The type, as brisk_entry's; of a deleted entry the one it had.
    char type;
} brisk_change;

// What a walk visits, and which entries it delivers. What is 0 is the default. Later versions may
// add members at the end.
typedef struct brisk_walk_options {
    // The size of this structure: sizeof(brisk_walk_options).
    size_t size;
    // Ends the walk; may be NULL.
    const struct brisk_cancel *cancel;
    // Only entries that match one of these globs are delivered; all if there are none. A glob is
    // matched with the name or, if it has a slash, with the path below the root, where ** is any
    // number of directories. {a,b} is an alternative.
    const char *const *globs;
    size_t glob_count;
    // Directories that match one of these globs are delivered, but not entered.
    const char *const *prune;
    size_t prune_count;
    // Only entries of these types are delivered, as letters of brisk_entry's `type`, such as "fl";
    // all if it is NULL.
    const char *types;
    // BRISK_FIELD_… of the metadata to be fetched.
    uint32_t fields;
    // BRISK_ORDER_….
    uint32_t order;
    // BRISK_FOLLOW_…; by default BRISK_FOLLOW_ROOTS.
    uint32_t follow;
    // BRISK_MOUNTS_….
    uint32_t mounts;
    // BRISK_IGNORE_… of what is neither delivered nor entered.
    uint32_t ignore;
    // The number of threads; by default the walk measures how many are worth while.
    uint32_t threads;
    // Entries that are less deep are not delivered; a root's depth is 0.
    size_t min_depth;
    // Directories of this depth are not entered; 0 is not a limit.
    size_t max_depth;
    // The stack of each thread that the walk starts, in bytes; 0 is 2 MiB. Callbacks run on these
    // stacks, and on the calling thread's.
    size_t stack_size;
    // Only entries for which this expression of find(1)'s tests holds are delivered, such as
    // "-name *.o -o -links +1"; all if it is NULL.
    const char *where_tests;
} brisk_walk_options;

// How a tree is copied. What is 0 is the default. Later versions may add members at the end.
typedef struct brisk_copy_options {
    // The size of this structure: sizeof(brisk_copy_options).
    size_t size;
    // Which entries are copied: what the walk over the source delivers. Its order and fields have
    // no effect; what cancels it ends the copy. May be NULL.
    const struct brisk_walk_options *walk;
    // What `failed` gets as `data`.
    void *data;
    // Is called for each failure, the first thousand, on the calling thread when the copy is done;
    // no more after it has answered BRISK_STOP.
    brisk_error_function failed;
    // BRISK_COPY_….
    uint32_t flags;
} brisk_copy_options;

// What was copied. Later versions may add members at the end.
typedef struct brisk_copied {
    // The size of this structure: sizeof(brisk_copied).
    size_t size;
    // Entries that are no directories.
    uint64_t files;
    // Directories that were made.
    uint64_t directories;
    // The bytes of the contents, without holes; 0 after BRISK_COPY_DRY_RUN.
    uint64_t bytes;
    // Entries that were there already, and stay as they are.
    uint64_t unchanged;
    // Entries that BRISK_COPY_DELETE has removed.
    uint64_t deleted;
    uint64_t failed;
} brisk_copied;

// A point in time.
typedef struct brisk_time {
    // Whole seconds since 1970-01-01 00:00 UTC; negative before.
    int64_t sec;
    // Nanoseconds after that second, below 1,000,000,000.
    uint32_t nsec;
} brisk_time;

// The metadata of an entry. What is not among its `fields` is 0. Later versions may add members at
// the end; `size` says how many bytes there are.
typedef struct brisk_meta {
    // The size of this structure in bytes.
    size_t size;
    // BRISK_FIELD_… of what is filled: what was asked for, as far as the system gives it, and
    // what came with that.
    uint32_t fields;
    // As st_mode.
    uint32_t mode;
    uint32_t uid;
    uint32_t gid;
    uint64_t nlink;
    uint64_t ino;
    // The size of the file in bytes.
    uint64_t file_size;
    // Blocks of 512 bytes, whatever the file system's own block size.
    uint64_t blocks;
    uint64_t dev;
    uint64_t rdev;
    uint64_t mnt_id;
    struct brisk_time atime;
    struct brisk_time mtime;
    struct brisk_time ctime;
    struct brisk_time btime;
    // Where a link points; NULL if the entry is not a link, or this was not asked for.
    const char *link_target;
    // The mode of what a link leads to; 0 if that is nothing.
    uint32_t target_mode;
    // As FILE_ATTRIBUTE_… on Windows.
    uint32_t attributes;
} brisk_meta;

// An entry. Its path is `dir` followed by `name`; brisk_entry_path joins them. This structure does
// not grow: later versions add to brisk_meta.
typedef struct brisk_entry {
    // The name; for a root the path as it was given. Bytes, ended by a NUL; on Windows UTF-8, in
    // which halves of surrogate pairs are encoded like other characters.
    const char *name;
    // The path of the entry's directory with a separator at its end; empty for a root.
    const char *dir;
    // The metadata that was asked for; NULL if there is none, or the request failed.
    const struct brisk_meta *meta;
    // The inode number that the directory gives; stat's may differ at mount points and on
    // overlayfs.
    uint64_t ino;
    // The length of the name in bytes, without the NUL.
    uint32_t name_len;
    // The length of `dir` in bytes, without the NUL.
    uint32_t dir_len;
    // How deep the entry is; a root's depth is 0.
    uint32_t depth;
    // The type, as `find -printf %y` prints it: 'f' file, 'd' directory, 'l' link, 'p' pipe,
    // 's' socket, 'b' and 'c' devices, 'D' other, 'U' unknown. That of the target if the walk
    // follows the link.
    char type;
    // Its name begins with a dot, or (on Windows) an attribute says that it is hidden.
    bool is_hidden;
    // Type and metadata are those of a followed link's target.
    bool is_followed_link;
} brisk_entry;

// How trees are removed. What is 0 is the default. Later versions may add members at the end.
typedef struct brisk_remove_options {
    // The size of this structure: sizeof(brisk_remove_options).
    size_t size;
    // Ends the removal; may be NULL.
    const struct brisk_cancel *cancel;
    // What `failed` gets as `data`.
    void *data;
    // Is called for each entry that stays, the first thousand, on the calling thread when the
    // removal is done; no more after it has answered BRISK_STOP.
    brisk_error_function failed;
    // BRISK_REMOVE_….
    uint32_t flags;
    // The number of threads; by default the removal measures how many are worth while.
    uint32_t threads;
} brisk_remove_options;

// What was removed. Later versions may add members at the end.
typedef struct brisk_removed {
    // The size of this structure: sizeof(brisk_removed).
    size_t size;
    // Entries that are no directories.
    uint64_t files;
    uint64_t directories;
    // Only after BRISK_REMOVE_DRY_RUN: the bytes of the files.
    uint64_t bytes;
    // How many entries stay.
    uint64_t failed;
} brisk_removed;

// What a directory takes up, with everything below it.
typedef struct brisk_total {
    // The size of this structure in bytes.
    size_t size;
    const char *path;
    // How deep the directory is; a root's depth is 0.
    size_t depth;
    uint64_t allocated;
    uint64_t apparent;
    uint64_t entries;
} brisk_total;

// What is added up. What is 0 is the default. Later versions may add members at the end.
typedef struct brisk_usage_options {
    // The size of this structure: sizeof(brisk_usage_options).
    size_t size;
    // Ends the count; may be NULL.
    const struct brisk_cancel *cancel;
    // What the functions get as `data`.
    void *data;
    // Is called for each directory that is at most `max_depth` deep, those below first, on the
    // calling thread when the count is done; no more after it has answered BRISK_STOP. What it gets
    // is the library's.
    int (*total)(void *data, const struct brisk_total *total);
    // Is called for each error, such as a directory that cannot be read, in the same way.
    brisk_error_function error;
    // How deep the directories are that `total` gets; a root's depth is 0.
    size_t max_depth;
    // BRISK_LINKS_….
    uint32_t links;
    // BRISK_FOLLOW_…; by default BRISK_FOLLOW_NEVER.
    uint32_t follow;
    // BRISK_MOUNTS_….
    uint32_t mounts;
    // BRISK_IGNORE_… of what does not count.
    uint32_t ignore;
    // The number of threads; by default the count measures how many are worth while.
    uint32_t threads;
} brisk_usage_options;

// What trees take up. Later versions may add members at the end.
typedef struct brisk_usage {
    // The size of this structure: sizeof(brisk_usage).
    size_t size;
    // The bytes that are allocated.
    uint64_t allocated;
    // The bytes of the contents.
    uint64_t apparent;
    // The number of files and directories.
    uint64_t entries;
    // How many errors there were, so that the sums may be too small.
    uint64_t errors;
} brisk_usage;

// Some entries of one directory, at least one. It is the library's, and so is all that it points
// at; the callback may use it until it returns.
typedef struct brisk_chunk {
    // The size of this structure in bytes.
    size_t size;
    const struct brisk_entry *entries;
    size_t count;
    // The number of the thread that calls: 0 is the one that called brisk_visit. No two that run at
    // once have the same, and none is above 1024.
    size_t worker;
} brisk_chunk;

// The functions that brisk_visit calls. A function that is NULL is not called. What none of them
// may do: throw, leave by longjmp, or return in a child that it has forked.
typedef struct brisk_visitor {
    // The size of this structure: sizeof(brisk_visitor).
    size_t size;
    // What the functions get as `data`.
    void *data;
    // Gets entries as they are read. In order only in a walk that is depth-first or sorted; then
    // the thread that called brisk_visit calls it.
    int (*entries)(void *data, const struct brisk_chunk *chunk);
    // Decides whether a directory is entered: BRISK_CONTINUE, BRISK_PRUNE or BRISK_STOP. The
    // directory has no metadata. In a walk that is depth-first or sorted this comes before the
    // directory's turn.
    int (*enter)(void *data, const struct brisk_entry *dir);
    // Gets what failed, such as a directory that cannot be read.
    brisk_error_function error;
} brisk_visitor;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The version of the library, such as "0.1.0".
//
// Threads: any.
const char *brisk_version(void);

// Creates an object that can end a walk, a removal, a search or a count in whose options it is
// named. It can be freed before that has ended.
//
// Threads: any.
struct brisk_cancel *brisk_cancel_new(void);

// Ends all that it was given to, and all that it will be given to. Callbacks may still be called
// for what had begun.
//
// Threads: any, several at once, and signal handlers.
void brisk_cancel_now(const struct brisk_cancel *cancel);

// Whether it was told to end them; false if it is NULL.
//
// Threads: any, several at once, and signal handlers.
bool brisk_is_cancelled(const struct brisk_cancel *cancel);

// Frees it, or NULL.
//
// Threads: any; no other thread may use it.
void brisk_cancel_free(struct brisk_cancel *cancel);

// Finds what has changed in the trees at `roots` since the state in the file `state` was saved.
// Everything is added if there is no usable state. The state is not changed: brisk_changes_save
// does that. `options` may be NULL. Returns NULL with an error if a root cannot be examined, if
// `state` is a file of something else, if `cancel` has ended the search, or if an option cannot be
// understood.
//
// Threads: any.
struct brisk_changes *brisk_changed(const char *state,
                                    const char *const *roots,
                                    size_t root_count,
                                    const struct brisk_changed_options *options,
                                    struct brisk_error **error);

// How many changes there are; 0 if `changes` is NULL.
//
// Threads: any, several at once.
size_t brisk_changes_count(const struct brisk_changes *changes);

// Why all is told, and not only what has changed lately, such as "there is no state yet"; NULL if
// that is not so. The string lives as long as `changes`.
//
// Threads: any, several at once.
const char *brisk_changes_reason(const struct brisk_changes *changes);

// The path of a directory that a watch has scanned, because events did not say what had changed
// there; NULL if there are not so many. `reason` gets the reason; it may be NULL. The strings live as
// long as `changes`.
//
// Threads: any, several at once.
const char *brisk_changes_scanned(const struct brisk_changes *changes,
                                  size_t index,
                                  const char **reason);

// Writes the change with this index to `change`, whose `size` is set. They are sorted by path,
// component by component. The strings live as long as `changes`. Returns 0; -1 if there is no such
// change, or the size is not set.
//
// Threads: any, several at once.
int brisk_changes_get(const struct brisk_changes *changes,
                      size_t index,
                      struct brisk_change *change);

// Saves what brisk_changed has found as the state that the next brisk_changed compares with. The file is replaced
// at once; it is not written if nothing is new. Returns 0, and -1 with an error if it cannot be
// written.
//
// Threads: any, but one at a time for each file.
int brisk_changes_save(const struct brisk_changes *changes,
                       struct brisk_error **error);

// Frees changes and their strings. `changes` may be NULL.
//
// Threads: any; no other thread may use the changes.
void brisk_changes_free(struct brisk_changes *changes);

// Copies the file or tree at `source` to `destination`, which is the copy's own path, to the end
// whatever fails on the way. A new file or tree gets its name when it is whole. An existing file is
// overwritten in place, or replaced if it cannot be opened for writing; an existing link is
// replaced. Below both paths no link is followed that another process puts in the place of a file
// or directory. `options` and `copied` may be NULL. Returns 0 if all is copied, 1 if something
// failed or the copy was cancelled, and -1 with an error if an option cannot be understood. On
// other systems than Linux everything fails.
//
// Threads: any.
int brisk_copy(const char *source,
               const char *destination,
               const struct brisk_copy_options *options,
               struct brisk_copied *copied,
               struct brisk_error **error);

// Writes the entry's path to `buffer`, which has `size` bytes, as snprintf does: a path that is too
// long is cut, a NUL is always written unless `size` is 0. Returns the length of the whole path,
// without the NUL.
//
// Threads: any, as long as the entry is valid.
size_t brisk_entry_path(const struct brisk_entry *entry, char *buffer, size_t size);

// What failed: "open", "reopen", "read", "stat", "read link", "read file", "read ignore file",
// "follow" (a link or mount that leads back to a directory above it), "remove", "copy",
// "load state", "save state", "changed", "argument", or "panic" for an error in the library. There
// may be others in later versions. NULL if `error` is NULL.
//
// Threads: any, until the error is freed.
const char *brisk_error_operation(const struct brisk_error *error);

// The path on which it failed, beginning with the path that the caller gave; empty if there is
// none. NULL if `error` is NULL. The string lives as long as the error.
//
// Threads: any, until the error is freed.
const char *brisk_error_path(const struct brisk_error *error);

// The error's number, as in errno.h; 0 if `error` is NULL.
//
// Threads: any, until the error is freed.
int brisk_error_errno(const struct brisk_error *error);

// The whole error as a line of English, with the path quoted as for a shell. NULL if `error` is
// NULL. The string lives as long as the error.
//
// Threads: any, until the error is freed.
const char *brisk_error_text(const struct brisk_error *error);

// Frees an error that a function has returned, or NULL. Errors that a callback gets are the
// library's.
//
// Threads: any; no other thread may use the error.
void brisk_error_free(struct brisk_error *error);

// Removes the trees, files or links at `paths`, to the end whatever fails on the way. Each entry is
// removed by its directory's handle, so no link is followed, whatever another process does.
// `options` and `removed` may be NULL. Returns 0 if all is gone, 1 if entries stay or `cancel` has
// ended it, and -1 with an error if an option cannot be understood.
//
// Threads: any.
int brisk_remove(const char *const *paths,
                 size_t path_count,
                 const struct brisk_remove_options *options,
                 struct brisk_removed *removed,
                 struct brisk_error **error);

// Adds up what the trees at `roots` take, into `usage`. `options` may be NULL. Returns 0; 1 if there
// were errors or `cancel` has ended the count, so that the sums may be too small; and -1 with an
// error if an option cannot be understood.
//
// Threads: any.
int brisk_usage_of(const char *const *roots,
                   size_t root_count,
                   const struct brisk_usage_options *options,
                   struct brisk_usage *usage,
                   struct brisk_error **error);

// Walks the trees at `roots` and calls the functions of `visitor`, several at once from threads of
// the walk, which have ended when this returns; with `threads` = 1 in the options from the calling
// thread alone. `options` may be NULL. Returns 0 if the walk came to its end, 1 if a callback or
// `cancel` has ended it, and -1 with an error if an option cannot be understood.
//
// Threads: any.
int brisk_visit(const char *const *roots,
                size_t root_count,
                const struct brisk_walk_options *options,
                const struct brisk_visitor *visitor,
                struct brisk_error **error);

// Starts a walk over the trees at `roots`, which the caller pulls with brisk_walk_next. The thread
// that pulls takes part in the walk. Other threads, which the walk starts if they pay off, go on in
// the meantime. They wait when the caller is slow, and have ended when brisk_walk_end returns.
// `options` may be NULL. Returns NULL if an option cannot be understood. A root that cannot be read
// is an error of the walk: brisk_walk_next_error.
//
// Threads: any. The strings and options are not needed after the call.
struct brisk_walk *brisk_walk_start(const char *const *roots,
                                    size_t root_count,
                                    const struct brisk_walk_options *options,
                                    struct brisk_error **error);

// Writes the next entries to `entries`, which has room for `count`, and returns how many there are.
// Waits until there is at least one; 0 is the end, also of a walk that was cancelled. The strings
// and metadata that the entries point at are valid until the next call for this walk. In a child
// that was forked after brisk_walk_start the call returns an error: the walk is the parent's.
//
// Threads: any, but one at a time for each walk.
size_t brisk_walk_next(struct brisk_walk *walk,
                       struct brisk_entry *entries,
                       size_t count,
                       struct brisk_error **error);

// Returns the next error that the walk has met, such as a directory that cannot be read, or NULL if
// there is none now. The walk goes on after each. To be called after brisk_walk_next until it
// returns NULL: errors that are not taken stay in memory. The caller frees the error.
//
// Threads: any, but one at a time for each walk.
struct brisk_error *brisk_walk_next_error(struct brisk_walk *walk);

// Ends a walk, also one that is not done, waits until its threads have ended, and frees it. `walk`
// may be NULL. In a forked child the call does nothing.
//
// Threads: any; no other thread may use the walk.
void brisk_walk_end(struct brisk_walk *walk);

// Begins to watch the trees and files at `roots`. The first batch has what has changed since the
// state in the file `state`, where what is accepted is saved; if it is NULL, everything is added,
// and nothing saved. A batch ends when nothing has happened for `settle` milliseconds, or for ten
// times as long since its first event; 20 is a good choice. `options` may be NULL; its function
// `error` is not called: what cannot be read is a change '?'. Returns NULL with an error if `state`
// is a file of something else, or if the system has no more of what a watch needs.
//
// Threads: any.
struct brisk_watch *brisk_watch_new(const char *state,
                                    const char *const *roots,
                                    size_t root_count,
                                    uint32_t settle,
                                    const struct brisk_changed_options *options,
                                    struct brisk_error **error);

// Accepts the last batch, and waits for the next one: for `timeout` milliseconds, or without an end
// if that is negative. The first batch comes at once, also without changes. Returns NULL without an
// error if the time is over, or the watch was ended. The changes are freed with brisk_changes_free;
// brisk_changes_save does not take them. A root that is missing is an error at the first batch; one
// that vanishes later is waited for.
//
// Threads: any, one at a time.
struct brisk_changes *brisk_watch_next(const struct brisk_watch *watch,
                                       int64_t timeout,
                                       struct brisk_error **error);

// Accepts the last batch, as asking for the next one does, and saves the state. Returns 0; -1 with
// an error if it cannot be saved.
//
// Threads: any, one at a time.
int brisk_watch_save(const struct brisk_watch *watch, struct brisk_error **error);

// Ends a brisk_watch_next that waits, and all later ones.
//
// Threads: any, several at once.
void brisk_watch_end(const struct brisk_watch *watch);

// Frees a watch, or NULL. What was accepted is saved first; the last batch is accepted by
// brisk_watch_save alone, and is told again otherwise. Returns 0; -1 with an error if the state cannot
// be saved.
//
// Threads: any; no other thread may use the watch.
int brisk_watch_free(struct brisk_watch *watch,
                     struct brisk_error **error);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* BRISK_H */
