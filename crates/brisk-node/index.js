'use strict';

// briskfs: brisk for Node. The extension walks, stats, copies and removes; this file makes
// JavaScript's objects of what it has found.

const fs = require('node:fs');
const { dirname, join } = require('node:path');
const { setImmediate: pause, setTimeout: delay } = require('node:timers/promises');
const { fileURLToPath } = require('node:url');
const { callbackify, getSystemErrorMap, inspect } = require('node:util');
const native = load();

// In a checkout the extension is beside this file. npm installs the package that has it for this system,
// and if npm does not know C libraries apart, those for both, of which one loads.
function load() {
    const system = `briskfs-${process.platform}-${process.arch}`;
    const causes = [];
    for (const name of ['./briskfs.node', system, `${system}-gnu`, `${system}-musl`]) {
        try {
            return require(name);
        } catch (error) {
            if (!['MODULE_NOT_FOUND', 'ERR_DLOPEN_FAILED'].includes(error.code)) throw error;
            causes.push(error);
        }
    }
    const words = causes.map((cause) => cause.message.split('\n')[0]).join('; ');
    throw new Error(`briskfs has no extension for ${process.platform} on ${process.arch}: ${words}`);
}

// ---- Arguments and errors ----

const UINT32 = 2 ** 32 - 1;

function mistyped(what, type, value) {
    const error = new TypeError(`The ${what} must be of type ${type}. Received ${inspect(value)}`);
    return Object.assign(error, { code: 'ERR_INVALID_ARG_TYPE' });
}

function checked(options, type, names) {
    const is = (value, type) => typeof value === type && value !== null;
    if (!is(options, 'object')) throw mistyped('"options" argument', 'object', options);
    const wrong = names.find((name) => options[name] !== undefined && !is(options[name], type));
    if (wrong) throw mistyped(`"options.${wrong}" property`, type, options[wrong]);
    return options;
}

function checkRange(options, name, least, most) {
    const value = checked(options, 'number', [name])[name];
    if (value === undefined || (Number.isInteger(value) && value >= least && value <= most)) return;
    const range = Number.isInteger(value) ? `>= ${least} && <= ${most}` : 'an integer';
    const words = `The value of "options.${name}" is out of range. It must be ${range}.`;
    const error = new RangeError(`${words} Received ${inspect(value)}`);
    throw Object.assign(error, { code: 'ERR_OUT_OF_RANGE' });
}

function invalid(name, what, value) {
    const error = new TypeError(`The argument '${name}' ${what}. Received ${inspect(value)}`);
    return Object.assign(error, { code: 'ERR_INVALID_ARG_VALUE' });
}

// Options, which may be an encoding alone.
function encoded(given) {
    const options = typeof given === 'string' ? { encoding: given } : (given ?? {});
    const { encoding } = checked(options, 'object', ['signal']);
    if (!encoding || encoding === 'buffer' || Buffer.isEncoding(encoding)) return options;
    throw invalid('encoding', 'is invalid encoding', encoding);
}

const slash = Buffer.from('/');

const textOf = (path) => (path instanceof URL ? fileURLToPath(path) : path);

function bytesOf(path, name = 'path') {
    const text = textOf(path);
    const isPath = typeof text === 'string' || text instanceof Uint8Array;
    const type = 'string or an instance of Buffer or URL';
    if (!isPath) throw mistyped(`"${name}" argument`, type, path);
    const bytes = Buffer.from(text);
    if (!bytes.includes(0)) return bytes;
    throw invalid(name, 'must be without null bytes', path);
}

function errorOf({ errno, syscall, path, dest, refusal }) {
    const [code, words] = getSystemErrorMap().get(-errno) ?? ['UNKNOWN', 'unknown error'];
    const made = (words, facts) => Object.assign(new Error(words), { syscall, path, ...facts });
    if (!refusal) {
        const paths = dest ? `'${path}' -> '${dest}'` : `'${path}'`;
        const facts = { errno: -errno, code, ...(dest && { dest }) };
        return made(`${code}: ${words}, ${syscall} ${paths}`, facts);
    }
    const { kind, title, message } = refusal;
    const info = { code, message, path, syscall, errno };
    const facts = { name: 'SystemError', code: `ERR_FS_${kind}`, errno, info };
    return made(`${title}: ${syscall} returned ${code} (${message}) ${path}`, facts);
}

// ---- Calls ----
//
// A call is a generator. What it yields may be a promise; it is given what that promises.

function now(steps) {
    let step = steps.next();
    while (!step.done) step = steps.next(step.value);
    return step.value;
}

async function later(steps, step = steps.next()) {
    while (!step.done) step = steps.next(await step.value);
    return step.value;
}

// What `start` finds. Its errors go to the caller, or the first of them is thrown.
function* finding(sync, { signal, onError }, start, stop = new native.Stop()) {
    const found = yield sync || !signal ? start(stop) : abortable(signal, stop, start);
    for (const failure of found.errors) {
        if (failure.fatal || !onError) throw errorOf(failure);
        onError(errorOf(failure));
    }
    return found;
}

function aborted({ reason }) {
    const error = new Error('The operation was aborted', { cause: reason });
    return Object.assign(error, { name: 'AbortError', code: 'ABORT_ERR' });
}

// If the signal aborts, the work is told to end, but is not waited for.
async function abortable(signal, stop, start) {
    let abort;
    const ended = new Promise((_, reject) => {
        abort = () => {
            stop.now();
            reject(aborted(signal));
        };
    });
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    try {
        return await Promise.race([ended, start(stop)]);
    } finally {
        signal.removeEventListener('abort', abort);
    }
}

// ---- Entries ----

const kType = Symbol('type');

class Entry {
    constructor(name, parentPath, type) {
        this.name = name;
        this.parentPath = parentPath;
        this[kType] = type;
    }

    get path() {
        return this.parentPath;
    }
}

Object.setPrototypeOf(Entry.prototype, fs.Dirent.prototype);

// In the order of libuv's numbers.
const TYPES = 'File Directory SymbolicLink FIFO Socket CharacterDevice BlockDevice'.split(' ');
for (const [index, type] of TYPES.entries()) {
    const value = function isOfType() {
        return this[kType] === index + 1;
    };
    Object.defineProperty(Entry.prototype, `is${type}`, { value });
}

// What is left out, by options and of what a function was asked.
function selecting({ ignore = [], prune: pruned = [], where: tests }, refused = []) {
    const gitignore = ignore === true;
    return { gitignore, ignored: gitignore ? [] : ignore, pruned, tests, refused };
}

// A walk, whose entries come some thousands at a time.
class Walker {
    constructor(dir, options, recursive = true, relative = false) {
        const { encoding, fields = [] } = encoded(options);
        const raw = !!encoding && !/^utf-?8$/i.test(encoding);
        const settings = { recursive, relative, raw, fields };
        Object.assign(this, { options, encoding, fields, relative, stop: new native.Stop() });
        this.walking = new native.Walking(bytesOf(dir), settings, selecting(options), this.stop);
    }

    // The next entries, or paths below the root; undefined at the end. The thread that finds them
    // walks too, so it is told to go on before this one makes objects.
    *next(sync) {
        const start = () => this.ahead ?? this.walking.next(sync);
        while (!this.isDone) {
            const found = yield* finding(sync, this.options, start, this.stop);
            const { letters, text, done } = found;
            this.isDone = done;
            if (!sync && !done) this.goOn();
            if (letters) return this.relative ? this.split(text) : this.entriesOf(found);
        }
        return undefined;
    }

    goOn() {
        this.ahead = this.walking.next(false);
        // Whoever asks for more learns of it.
        this.ahead.catch(() => {});
    }

    split(text) {
        if (typeof text === 'string') return text.split('\0').slice(0, -1);
        const parts = [];
        for (let from = 0, to; (to = text.indexOf(0, from)) >= 0; from = to + 1) {
            const part = text.subarray(from, to);
            parts.push(this.encoding === 'buffer' ? part : part.toString(this.encoding || 'utf8'));
        }
        return parts;
    }

    // Where a directory's entries begin, the text has an empty name and the directory's path.
    entriesOf({ text, letters, numbers }) {
        const { fields } = this;
        const parts = this.split(text);
        const entries = [];
        let parentPath;
        for (let at = 0, number = 0; at < parts.length; at++) {
            if (parts[at].length === 0) {
                parentPath = parts[++at];
                continue;
            }
            const entry = new Entry(parts[at], parentPath, letters.charCodeAt(entries.length) - 48);
            for (const field of fields) {
                const value = numbers[number++];
                entry[field] = Number.isNaN(value) ? undefined : value;
            }
            entries.push(entry);
        }
        return entries;
    }

    // Ends a walk that was not followed to its end. The last call closes what workers may wait for.
    close() {
        if (this.isDone) return;
        this.isDone = true;
        this.stop.now();
        this.walking.next(false).catch(() => {});
    }
}

async function* walk(dir, options = {}) {
    const walker = new Walker(dir, options);
    try {
        for (let entries; (entries = await later(walker.next(false)));) yield entries;
    } finally {
        walker.close();
    }
}

function* walkSync(dir, options = {}) {
    const walker = new Walker(dir, options);
    try {
        for (let entries; (entries = now(walker.next(true)));) yield entries;
    } finally {
        walker.close();
    }
}

function* reading(sync, path, given) {
    const { encoding, recursive, withFileTypes } = encoded(given);
    checked({ recursive: recursive ?? undefined }, 'boolean', ['recursive']);
    const walker = new Walker(path, { encoding }, !!recursive, !withFileTypes);
    const chunks = [];
    try {
        for (let chunk; (chunk = yield* walker.next(sync));) chunks.push(chunk);
    } finally {
        walker.close();
    }
    return [].concat(...chunks);
}

// As fs.Dir, without its synchronous methods.
class Dir {
    #walker;
    #entries;
    #isClosed = false;

    constructor(path, walker, first) {
        this.path = path;
        this.#walker = walker;
        this.#entries = this.#from(first);
    }

    async *#from(chunk) {
        for (; chunk; chunk = await later(this.#walker.next(false))) yield* chunk;
    }

    #checkOpen() {
        const closed = { code: 'ERR_DIR_CLOSED' };
        if (this.#isClosed) throw Object.assign(new Error('Directory handle was closed'), closed);
    }

    read(callback) {
        this.#checkOpen();
        const next = this.#entries.next();
        return handed(async () => (await next).value ?? null, callback);
    }

    close(callback) {
        return handed(async () => {
            this.#checkOpen();
            this.#isClosed = true;
            this.#walker.close();
        }, callback);
    }

    [Symbol.asyncIterator]() {
        return this.entries();
    }

    async *entries() {
        try {
            for (let entry; (entry = await this.read());) yield entry;
        } finally {
            await this.close();
        }
    }
}

function* opening(sync, path, given) {
    const { encoding, recursive, bufferSize } = encoded(given);
    checkRange({ bufferSize }, 'bufferSize', 1, UINT32);
    const walker = new Walker(path, { encoding }, !!recursive);
    try {
        return new Dir(textOf(path), walker, yield* walker.next(sync));
    } catch (error) {
        walker.close();
        const message = error.message.replace('scandir', 'opendir');
        throw error.syscall ? Object.assign(error, { syscall: 'opendir', message }) : error;
    }
}

// ---- Other calls ----

// What fs.rm tries again.
const PASSING = ['EBUSY', 'EMFILE', 'ENFILE', 'ENOTEMPTY', 'EPERM'];

// What no thread changes.
const never = new Int32Array(new SharedArrayBuffer(4));

function* removing(sync, path, options = {}) {
    checked(options, 'boolean', ['recursive', 'force']);
    checkRange(options, 'maxRetries', 0, UINT32);
    checkRange(options, 'retryDelay', 0, 2 ** 31 - 1);
    const { recursive = false, force = false, maxRetries = 0, retryDelay = 100 } = options;
    const bytes = bytesOf(path);
    for (let tries = 1; ; tries++) {
        const { errors } = yield native.remove(bytes, recursive, force, sync);
        if (!errors.length) return;
        const error = errorOf(errors[0]);
        if (!recursive || !PASSING.includes(error.code) || tries > maxRetries) throw error;
        const wait = tries * retryDelay;
        yield sync ? Atomics.wait(never, 0, 0, wait) : delay(wait);
    }
}

// What `filter` does not want of a tree, as paths below it; undefined if that is all. It is asked
// for a directory's entries when they are read, not for what is below those that it does not want.
function* unwanted(sync, src, dest, { filter, dereference }) {
    const joined = (above, name) => (above.length ? Buffer.concat([above, slash, name]) : name);
    const asked = function* (below) {
        const paths = [src, dest].map((top) => (below.length ? join(`${top}`, `${below}`) : `${top}`));
        const answer = filter(...paths);
        const wrong = { code: 'ERR_INVALID_RETURN_VALUE' };
        if (!sync || !(answer instanceof Promise)) return yield answer;
        throw Object.assign(new TypeError('"filter" must return no promise here'), wrong);
    };
    const entered = (path) => {
        const stat = dereference ? fs.statSync : fs.lstatSync;
        return stat(path, { throwIfNoEntry: false })?.isDirectory();
    };
    const top = Buffer.alloc(0);
    if (!(yield* asked(top))) return undefined;
    const refused = [];
    const dirs = entered(src) ? [top] : [];
    for (const dir of dirs) {
        const given = { withFileTypes: true, encoding: 'buffer' };
        for (const entry of yield* reading(sync, joined(src, dir), given)) {
            const below = joined(dir, entry.name);
            if (!(yield* asked(below))) refused.push(below);
            else if (!entry.isFile() && entered(joined(src, below))) dirs.push(below);
        }
    }
    return refused;
}

const CP_OPTIONS = {
    dereference: false,
    errorOnExist: false,
    force: true,
    preserveTimestamps: false,
    recursive: false,
    verbatimSymlinks: false,
};

// Blocks are shared where they can be; FICLONE_FORCE makes it an error where they cannot. EXCL has no
// effect, as in node:fs, which removes an existing file first.
function* copying(sync, src, dest, options = {}) {
    checked(options, 'boolean', Object.keys(CP_OPTIONS));
    checked(options, 'function', ['filter']);
    checkRange({ mode: options.mode ?? undefined }, 'mode', 0, 7);
    const settings = { ...CP_OPTIONS };
    for (const name in settings) settings[name] = options[name] ?? settings[name];
    if (settings.dereference && settings.verbatimSymlinks) {
        const words = 'Option "dereference" cannot be used with option "verbatimSymlinks"';
        throw Object.assign(new TypeError(words), { code: 'ERR_INCOMPATIBLE_OPTION_PAIR' });
    }
    const [from, to] = [bytesOf(src, 'src'), bytesOf(dest, 'dest')];
    const refused = options.filter ? yield* unwanted(sync, from, to, options) : [];
    if (!refused) return;
    settings.mustClone = !!(options.mode & fs.constants.COPYFILE_FICLONE_FORCE);
    const above = dirname(`${to}`);
    const makeDirs = sync ? fs.mkdirSync : fs.promises.mkdir;
    if (!fs.existsSync(above)) yield makeDirs(above, { recursive: true });
    const selected = selecting(options, refused);
    const start = (stop) => native.copy(from, to, settings, selected, stop, sync);
    yield* finding(sync, options, start);
}

// Makes objects until the text ends; `make` takes its parts. The event loop runs now and then.
function* objects(sync, text, make) {
    const all = [];
    const isString = typeof text === 'string';
    let from = 0;
    const take = () => {
        const to = text.indexOf(isString ? '\0' : 0, from);
        const part = isString ? text.slice(from, to) : text.toString('utf8', from, to);
        from = to + 1;
        return part;
    };
    while (from < text.length) {
        all.push(make(take, all.length));
        if (all.length % 4096 === 0 && !sync) yield pause();
    }
    return all;
}

function* summing(sync, path, options = {}) {
    checked(options, 'boolean', ['countLinks', 'oneFileSystem']);
    checkRange(options, 'maxDepth', 0, UINT32);
    const { maxDepth = 0, countLinks = false, oneFileSystem = false } = options;
    const bytes = bytesOf(path);
    const start = (stop) => native.usage(bytes, maxDepth, countLinks, oneFileSystem, stop, sync);
    const { text, numbers } = yield* finding(sync, options, start);
    const [usage, ...directories] = yield* objects(sync, text, (take, index) => {
        const [depth, allocated, apparent, entries] = numbers.subarray(4 * index, 4 * index + 4);
        return { path: take(), depth, allocated, apparent, entries };
    });
    return { ...usage, directories };
}

function change(letters, take, index) {
    const [kind, type] = letters.slice(2 * index, 2 * index + 2);
    return { kind, type, path: take(), ...(kind === 'R' && { oldPath: take() }) };
}

let comparing;

// What has changed in trees since a state of them was saved, and the next state.
class State {
    #file;
    #roots;
    // What was found and is not accepted.
    #look;

    constructor(file, roots) {
        this.#file = bytesOf(file);
        this.#roots = [roots].flat().map(bytesOf);
        if (!this.#roots.length) throw invalid('roots', 'must have a directory', roots);
    }

    *#find(sync, options = {}) {
        checked(options, 'boolean', ['content', 'ctime', 'renames']);
        const { content = false, ctime = true, renames = true, signal } = options;
        const look = new native.Look();
        const settings = { content, ctime, renames };
        this.#look = undefined;
        const start = (stop) => look.find(this.#file, this.#roots, settings, stop, sync);
        const { text, letters } = yield* finding(sync, options, start);
        const changes = yield* objects(sync, text, (take, index) => change(letters, take, index));
        if (!sync && signal?.aborted) throw aborted(signal);
        this.#look = look;
        return changes;
    }

    *#save(sync) {
        const look = this.#look;
        const none = { code: 'ERR_INVALID_STATE' };
        if (!look) throw Object.assign(new Error('No changes to accept: call changes()'), none);
        const { errors } = yield look.save(sync);
        if (errors.length) throw errorOf(errors[0]);
        if (this.#look === look) this.#look = undefined;
    }

    changes = asynchronous((...given) => this.#find(...given));
    changesSync = synchronous((...given) => this.#find(...given));
    accept = asynchronous((sync) => this.#save(sync));
    acceptSync = synchronous((sync) => this.#save(sync));

    static {
        // An abort that comes while the state is saved is too late.
        comparing = function* (sync, file, roots, options = {}) {
            const { save = true } = checked(options, 'boolean', ['save']);
            const state = new State(file, roots);
            const changes = yield* state.#find(sync, options);
            if (save) yield* state.#save(sync);
            return changes;
        };
    }
}

// Batches of changes. Whoever asks for the next one has dealt with the last one.
async function* watch(paths, options = {}) {
    checked(options, 'boolean', ['content', 'ctime', 'renames']);
    checkRange(options, 'settle', 0, UINT32);
    const { state, settle = 20, content = false, ctime = true, renames = true, signal } = options;
    const roots = [paths].flat().map(bytesOf);
    if (!roots.length) throw invalid('paths', 'must have a path', paths);
    const file = state === undefined ? undefined : bytesOf(state);
    const watching = new native.ChangeStream(roots, file, settle, { content, ctime, renames });
    const stop = { now: () => watching.close() };
    try {
        for (;;) {
            const found = await later(finding(false, { signal }, () => watching.next(), stop));
            if (found.done) return;
            const { text, letters } = found;
            const count = letters.length / 2;
            const make = (take, index) => {
                if (index > count) return { path: take(), reason: take() };
                return index ? change(letters, take, index - 1) : take();
            };
            const [full, ...rest] = await later(objects(false, text, make));
            yield { changes: rest.slice(0, count), full: full || null, scanned: rest.slice(count) };
        }
    } finally {
        watching.close();
        const { errors } = await watching.save();
        if (errors.length) throw errorOf(errors[0]);
    }
}

// ---- Exports ----

function synchronous(steps) {
    return (...given) => now(steps(true, ...given));
}

// What `start` promises; or that goes to a callback.
function handed(start, callback) {
    if (callback === undefined) return start();
    if (typeof callback !== 'function') throw mistyped('"callback" argument', 'function', callback);
    return callbackify(start)(callback);
}

// Returns a promise, or calls back if the last argument is a function. Then wrong arguments are
// thrown, as node:fs does, because the first step is made at once.
function asynchronous(steps) {
    return (...given) => {
        if (typeof given.at(-1) !== 'function') return later(steps(false, ...given));
        const callback = given.pop();
        const work = steps(false, ...given);
        const first = work.next();
        return handed(() => later(work, first), callback);
    };
}

// As statements, which Node finds the names in for `import`.
exports.walk = walk;
exports.watch = watch;
exports.walkSync = walkSync;
exports.readdir = asynchronous(reading);
exports.readdirSync = synchronous(reading);
exports.opendir = asynchronous(opening);
exports.opendirSync = synchronous(opening);
exports.cp = asynchronous(copying);
exports.cpSync = synchronous(copying);
exports.rm = asynchronous(removing);
exports.rmSync = synchronous(removing);
exports.du = asynchronous(summing);
exports.duSync = synchronous(summing);
exports.State = State;
exports.changed = asynchronous(comparing);
exports.changedSync = synchronous(comparing);
