import type { PathLike } from 'node:fs';

/** What `fields` can name: numbers of `fs.Stats`, of the entry itself. */
export type Field =
    | 'dev'
    | 'ino'
    | 'mode'
    | 'nlink'
    | 'uid'
    | 'gid'
    | 'size'
    | 'blocks'
    | 'atimeMs'
    | 'mtimeMs'
    | 'ctimeMs'
    | 'birthtimeMs';

/** An entry of a directory: a `fs.Dirent`. */
export interface Entry<Name extends string | Buffer = string> {
    name: Name;
    /** The directory's path. It begins as the path that was given. */
    parentPath: Name;
    /** As `parentPath`. */
    readonly path: Name;
    isFile(): boolean;
    isDirectory(): boolean;
    isSymbolicLink(): boolean;
    isFIFO(): boolean;
    isSocket(): boolean;
    isCharacterDevice(): boolean;
    isBlockDevice(): boolean;
}

/** An entry with the numbers that were asked for; `undefined` where the system does not tell. */
export type EntryWith<F extends Field, Name extends string | Buffer = string> = Entry<Name> & {
    [K in F]: number | undefined;
};

export interface Reporting {
    /**
     * Is called with each error, and the call goes on. Without it the first error is thrown. An
     * error because of which nothing can be found is thrown in any case.
     */
    onError?: (error: NodeJS.ErrnoException) => void;
}

export interface Abortable {
    /** Ends the call: it throws an `AbortError`. */
    signal?: AbortSignal;
}

export interface WalkOptions<F extends Field = never> extends Reporting {
    /** Numbers that each entry gets. Without them no entry is stat'ed. */
    fields?: readonly F[];
    /**
     * What is left out: patterns as in .gitignore, without `!`; or `true` for what .gitignore (in
     * repositories) and .ignore files say.
     */
    ignore?: true | readonly string[];
    /** Globs of directories that are returned, but not entered. */
    prune?: readonly string[];
    /** An expression of find(1)'s tests, such as `-name *.o -o -links +1`, that must hold. */
    where?: string;
}

/** Names and paths are buffers. */
export interface InBuffers {
    encoding: 'buffer';
}
export interface InText {
    encoding?: BufferEncoding | null;
}

/** Walks over what is below a directory; a chunk has up to some thousands of entries. */
export function walk<F extends Field = never>(
    dir: PathLike,
    options: WalkOptions<F> & Abortable & InBuffers,
): AsyncGenerator<EntryWith<F, Buffer>[], void, void>;
export function walk<F extends Field = never>(
    dir: PathLike,
    options?: WalkOptions<F> & Abortable & InText,
): AsyncGenerator<EntryWith<F>[], void, void>;
export function walkSync<F extends Field = never>(
    dir: PathLike,
    options: WalkOptions<F> & InBuffers,
): Generator<EntryWith<F, Buffer>[], void, void>;
export function walkSync<F extends Field = never>(
    dir: PathLike,
    options?: WalkOptions<F> & InText,
): Generator<EntryWith<F>[], void, void>;

type Callback<T> = (error: NodeJS.ErrnoException | null, result: T) => void;

export interface ReaddirOptions {
    recursive?: boolean;
}
export interface WithTypes {
    withFileTypes: true;
}
export interface WithoutTypes {
    withFileTypes?: false;
}
type ToTyped = ReaddirOptions & WithTypes & InText;
type ToTypedBuffers = ReaddirOptions & WithTypes & InBuffers;
type ToNames = (ReaddirOptions & WithoutTypes & InText) | BufferEncoding | null;
type ToBuffers = (ReaddirOptions & WithoutTypes & InBuffers) | 'buffer';

/** As `fs.promises.readdir`, or, with a callback, `fs.readdir`. */
export function readdir(path: PathLike, options: ToTypedBuffers): Promise<Entry<Buffer>[]>;
export function readdir(path: PathLike, options: ToTyped): Promise<Entry[]>;
export function readdir(path: PathLike, options: ToBuffers): Promise<Buffer[]>;
export function readdir(path: PathLike, options?: ToNames): Promise<string[]>;
export function readdir(path: PathLike, callback: Callback<string[]>): void;
export function readdir(
    path: PathLike,
    options: ToTypedBuffers,
    callback: Callback<Entry<Buffer>[]>,
): void;
export function readdir(path: PathLike, options: ToTyped, callback: Callback<Entry[]>): void;
export function readdir(path: PathLike, options: ToBuffers, callback: Callback<Buffer[]>): void;
export function readdir(path: PathLike, options: ToNames, callback: Callback<string[]>): void;
/** As `fs.readdirSync`. */
export function readdirSync(path: PathLike, options: ToTypedBuffers): Entry<Buffer>[];
export function readdirSync(path: PathLike, options: ToTyped): Entry[];
export function readdirSync(path: PathLike, options: ToBuffers): Buffer[];
export function readdirSync(path: PathLike, options?: ToNames): string[];

/** As `fs.Dir`, without its synchronous methods. */
export interface Dir {
    readonly path: string | Buffer;
    read(): Promise<Entry | null>;
    read(callback: Callback<Entry | null>): void;
    close(): Promise<void>;
    close(callback: (error: NodeJS.ErrnoException | null) => void): void;
    entries(): AsyncGenerator<Entry, void, void>;
    [Symbol.asyncIterator](): AsyncGenerator<Entry, void, void>;
}
export interface OpenDirOptions extends InText {
    recursive?: boolean;
    /** Has no effect. */
    bufferSize?: number;
}
/** As `fs.promises.opendir`, or, with a callback, `fs.opendir`. */
export function opendir(path: PathLike, options?: OpenDirOptions): Promise<Dir>;
export function opendir(path: PathLike, callback: Callback<Dir>): void;
export function opendir(path: PathLike, options: OpenDirOptions, callback: Callback<Dir>): void;
export function opendirSync(path: PathLike, options?: OpenDirOptions): Dir;

export interface CpOptions extends Reporting, Abortable {
    /** Links are followed. */
    dereference?: boolean;
    /** With `force: false`, an existing destination is an error. */
    errorOnExist?: boolean;
    /**
     * Is called with the paths of each entry and its copy, before anything is copied; where it
     * answers `false`, the entry is not copied, nor what is below it.
     */
    filter?: (src: string, dest: string) => boolean | Promise<boolean>;
    /** Existing files and links are replaced; `true` by default. */
    force?: boolean;
    /** As `fs.copyFile`'s; only `COPYFILE_FICLONE_FORCE` has an effect. */
    mode?: number;
    preserveTimestamps?: boolean;
    /** Copies directories with everything below them. */
    recursive?: boolean;
    /** Relative links stay relative. */
    verbatimSymlinks?: boolean;
    /** What is not copied, as in a walk. */
    ignore?: true | readonly string[];
    where?: string;
}
type Done = (error: NodeJS.ErrnoException | null) => void;
/** As `fs.promises.cp`, or, with a callback, `fs.cp`. */
export function cp(src: PathLike, dest: PathLike, options?: CpOptions): Promise<void>;
export function cp(src: PathLike, dest: PathLike, callback: Done): void;
export function cp(src: PathLike, dest: PathLike, options: CpOptions, callback: Done): void;
/** As `fs.cpSync`. */
export function cpSync(src: PathLike, dest: PathLike, options?: CpOptions): void;

export interface RmOptions {
    /** A path at which nothing exists is not an error. */
    force?: boolean;
    /** Removes directories with everything below them. */
    recursive?: boolean;
    /** How often a recursive removal is tried again: EBUSY, EMFILE, ENFILE, ENOTEMPTY, EPERM. */
    maxRetries?: number;
    /** Milliseconds before the first of these tries; each one waits so much longer. */
    retryDelay?: number;
}
/** As `fs.promises.rm`, or, with a callback, `fs.rm`. */
export function rm(path: PathLike, options?: RmOptions): Promise<void>;
export function rm(path: PathLike, callback: (error: NodeJS.ErrnoException | null) => void): void;
export function rm(
    path: PathLike,
    options: RmOptions,
    callback: (error: NodeJS.ErrnoException | null) => void,
): void;
/** As `fs.rmSync`. */
export function rmSync(path: PathLike, options?: RmOptions): void;

/** What a directory takes up, with everything below it; of a file, what the file takes up. */
export interface DirectoryUsage {
    path: string;
    /** How deep it is; the path that was given is 0 deep. */
    depth: number;
    /** The bytes that are allocated, and those of the contents. */
    allocated: number;
    apparent: number;
    /** The number of files and directories. */
    entries: number;
}
export interface Usage extends DirectoryUsage {
    /** The directories down to `maxDepth`, largest first. */
    directories: DirectoryUsage[];
}
export interface DuOptions extends Reporting {
    maxDepth?: number;
    /** Each hard link counts; by default a file counts once. */
    countLinks?: boolean;
    oneFileSystem?: boolean;
}
/** Sums up a tree. */
export function du(path: PathLike, options?: DuOptions & Abortable): Promise<Usage>;
export function du(path: PathLike, callback: Callback<Usage>): void;
export function du(path: PathLike, options: DuOptions & Abortable, callback: Callback<Usage>): void;
export function duSync(path: PathLike, options?: DuOptions): Usage;

export interface Change {
    /**
     * A added, M modified, D deleted, T of another type, R renamed, m of other metadata,
     * ? unreadable.
     */
    kind: 'A' | 'M' | 'D' | 'T' | 'R' | 'm' | '?';
    /** A letter, as `find -printf %y` prints it. */
    type: string;
    path: string;
    /** Where a renamed entry was. */
    oldPath?: string;
}
export interface ChangesOptions extends Reporting {
    /** A file counts as modified only if its contents are. */
    content?: boolean;
    /** Whether a change of ctime alone counts; `true` by default. */
    ctime?: boolean;
    /** Whether renamed entries are found, rather than deleted and added ones; `true` by default. */
    renames?: boolean;
}
export interface ChangedOptions extends ChangesOptions {
    /** Whether what was found is saved as the new state; `true` by default. */
    save?: boolean;
}
/** A state of trees in a file, which is saved when the caller has dealt with the changes. */
export class State {
    constructor(file: PathLike, roots: PathLike | readonly PathLike[]);
    /** What has changed since the state was saved, sorted by path. The file stays as it is. */
    changes(options?: ChangesOptions & Abortable): Promise<Change[]>;
    changes(callback: Callback<Change[]>): void;
    changes(options: ChangesOptions & Abortable, callback: Callback<Change[]>): void;
    changesSync(options?: ChangesOptions): Change[];
    /** Saves what the last `changes` has returned as the state of the next one. */
    accept(): Promise<void>;
    accept(callback: (error: NodeJS.ErrnoException | null) => void): void;
    acceptSync(): void;
}
/**
 * What has changed in trees since the state in `file` was saved, sorted by path. The new state is
 * saved last: not after an error or an abort.
 */
export function changed(
    file: PathLike,
    roots: PathLike | readonly PathLike[],
    options?: ChangedOptions & Abortable,
): Promise<Change[]>;
export function changed(
    file: PathLike,
    roots: PathLike | readonly PathLike[],
    callback: Callback<Change[]>,
): void;
export function changed(
    file: PathLike,
    roots: PathLike | readonly PathLike[],
    options: ChangedOptions & Abortable,
    callback: Callback<Change[]>,
): void;
export function changedSync(
    file: PathLike,
    roots: PathLike | readonly PathLike[],
    options?: ChangedOptions,
): Change[];

/** Changes that belong together. */
export interface Batch {
    changes: Change[];
    /** Why all of the trees were told, or scanned; `null` if they were not. */
    full: string | null;
    /** The directories that were scanned, because events did not say what had changed there. */
    scanned: { path: string; reason: string }[];
}
export interface WatchOptions extends Abortable {
    /** The file of the state, which the first batch compares with; it is saved at the end. */
    state?: PathLike;
    /** A batch ends when nothing has happened for this many milliseconds; 20 by default. */
    settle?: number;
    content?: boolean;
    ctime?: boolean;
    renames?: boolean;
}
/**
 * Watches trees and files. The first batch comes at once. A batch is accepted when the next one is
 * asked for.
 */
export function watch(
    paths: PathLike | readonly PathLike[],
    options?: WatchOptions,
): AsyncGenerator<Batch, void, void>;
