'use strict';

// `readdir`, `readdirSync` and `opendir` against node:fs on the same trees.

const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { promisify } = require('node:util');
const { test } = require('node:test');
const brisk = require('..');
const {
    describe,
    facts,
    failure,
    make,
    makeOdd,
    scratch,
    theirsBelow,
    varied,
} = require('./trees.js');

const sorted = (list) => [...list].sort();

// The promise's, the callback's and the synchronous function's answer, which are the same.
async function ours(...given) {
    const promised = await brisk.readdir(...given);
    const called = await promisify(brisk.readdir)(...given);
    const synchronous = brisk.readdirSync(...given);
    const key = (entry) => JSON.stringify(entry);
    for (const other of [called, synchronous]) {
        assert.deepStrictEqual(sorted(other.map(key)), sorted(promised.map(key)));
    }
    return promised;
}

test('names and types are those of node:fs', async (t) => {
    const root = varied(scratch(t));
    for (const dir of [
        root,
        `${root}/`,
        `${root}/many`,
        `${root}/empty`,
        `${root}/a/link-to-directory`,
    ]) {
        assert.deepStrictEqual(sorted(await ours(dir)), sorted(fs.readdirSync(dir)));
        const typed = await ours(dir, { withFileTypes: true });
        const theirs = fs.readdirSync(dir, { withFileTypes: true });
        assert.deepStrictEqual(typed.map(describe).sort(), theirs.map(describe).sort());
    }
});

test('recursive is what node:fs finds, without what is behind links', async (t) => {
    const root = varied(scratch(t));
    const options = { recursive: true, withFileTypes: true };
    const theirs = theirsBelow(root);
    const typed = await ours(root, options);
    assert.ok(typed.length > 5000);
    assert.deepStrictEqual(typed.map(describe).sort(), theirs.map(describe).sort());
    const below = theirs.map((entry) =>
        path.relative(root, path.join(entry.parentPath, entry.name)),
    );
    assert.deepStrictEqual(sorted(await ours(root, { recursive: true })), sorted(below));
    fs.unlinkSync(path.join(root, 'a/link-to-directory'));
    const names = fs.readdirSync(root, { recursive: true });
    assert.deepStrictEqual(sorted(await ours(root, { recursive: true })), sorted(names));
});

test('an entry is a Dirent', async (t) => {
    const root = make(scratch(t), 'file');
    const [entry] = await brisk.readdir(root, { withFileTypes: true });
    assert.ok(entry instanceof fs.Dirent);
    assert.deepStrictEqual({ ...entry }.name, 'file');
    assert.deepStrictEqual([entry.parentPath, entry.path], [root, root]);
});

test('paths are strings, buffers and URLs', async (t) => {
    const root = make(scratch(t), 'file');
    for (const dir of [
        root,
        Buffer.from(root),
        new Uint8Array(Buffer.from(root)),
        pathToFileURL(root),
    ]) {
        assert.deepStrictEqual(await ours(dir), ['file']);
    }
    const before = process.cwd();
    process.chdir(root);
    assert.deepStrictEqual(await ours('.', { recursive: true }), ['file']);
    process.chdir(before);
});

test('names that are no UTF-8 are those of node:fs, in each encoding', async (t) => {
    const root = makeOdd(make(scratch(t), 'sub/file'));
    for (const encoding of [undefined, 'utf8', 'UTF-8', 'latin1', 'hex', 'base64']) {
        assert.deepStrictEqual(
            sorted(await ours(root, { encoding })),
            sorted(fs.readdirSync(root, { encoding })),
        );
        assert.deepStrictEqual(
            sorted(await ours(root, encoding)),
            sorted(fs.readdirSync(root, encoding)),
        );
    }
    const buffers = await ours(root, 'buffer');
    assert.deepStrictEqual(
        buffers.sort(Buffer.compare),
        fs.readdirSync(root, 'buffer').sort(Buffer.compare),
    );
    const all = await ours(root, { encoding: 'buffer', recursive: true, withFileTypes: true });
    assert.equal(all.length, 7);
    for (const { name, parentPath } of all) {
        fs.lstatSync(Buffer.concat([parentPath, Buffer.from('/'), name]));
    }
});

test('errors are those of node:fs', async (t) => {
    const root = make(scratch(t), 'file', 'dir/sub/file');
    for (const options of [{}, { recursive: true }, { withFileTypes: true }]) {
        for (const dir of ['missing', 'file', 'file/below', 'dir/../missing']) {
            const where = path.join(root, dir);
            const theirs = facts(await failure(() => fs.readdirSync(where, options)));
            assert.deepStrictEqual(
                facts(await failure(() => brisk.readdirSync(where, options))),
                theirs,
            );
            assert.deepStrictEqual(
                facts(await failure(() => brisk.readdir(where, options))),
                theirs,
            );
        }
    }
    const called = await failure(() => promisify(brisk.readdir)(path.join(root, 'missing')));
    assert.equal(called.code, 'ENOENT');
    assert.throws(() => brisk.readdirSync(''), { code: 'ENOENT' });
});

test('wrong arguments are those of node:fs', async (t) => {
    const root = scratch(t);
    const calls = [
        (fs) => fs.readdirSync(3),
        (fs) => fs.readdirSync('a\0b'),
        (fs) => fs.readdirSync(root, 3),
        (fs) => fs.readdirSync(root, { recursive: 'yes' }),
        (fs) => fs.readdirSync(root, 'wrong'),
        (fs) => fs.readdirSync(root, { encoding: 'wrong' }),
        (fs) => fs.readdirSync(root, { encoding: 5 }),
        (fs) => fs.readdirSync(root, { signal: 5 }),
        (fs) => fs.readdir(3, () => {}),
        (fs) => fs.readdir(root, 'wrong', () => {}),
        (fs) => fs.readdir(root, { recursive: 1 }, () => {}),
        (fs) => fs.opendir(3, () => {}),
        (fs) => fs.opendir(root, 5, () => {}),
        (fs) => fs.opendirSync(root, 'wrong'),
        (fs) => fs.opendirSync(root, { encoding: 'wrong' }),
        ...[0, -1, 1.5, NaN, 2 ** 32, 'x'].map(
            (bufferSize) => (fs) => fs.opendirSync(root, { bufferSize }),
        ),
        (fs) => fs.opendirSync(root).read(5),
        (fs) => fs.opendirSync(root).close(5),
    ];
    for (const call of calls) {
        const theirs = await failure(() => call(fs));
        const error = await failure(() => call(brisk));
        assert.deepStrictEqual([error.name, error.code], [theirs.name, theirs.code], `${call}`);
    }
    for (const options of [null, undefined, { recursive: null }, { encoding: null }, '']) {
        assert.deepStrictEqual(brisk.readdirSync(root, options), fs.readdirSync(root, options));
    }
});

test('an open directory calls back, and closes once, as that of node:fs', async (t) => {
    const root = make(scratch(t), 'file');
    const answer = (call) =>
        new Promise((resolve) => call((error, entry) => resolve(error?.code ?? entry?.name ?? '')));
    const told = async ({ opendirSync, opendir }) => {
        const dir = opendirSync(root, 'utf8');
        const found = [
            await answer((callback) => dir.read(callback)),
            await answer((callback) => dir.read(callback)),
            await answer((callback) => dir.close(callback)),
            await answer((callback) => dir.close(callback)),
            (await failure(() => dir.close())).code,
        ];
        for (const given of [[], [() => {}]]) {
            // Thrown, not promised.
            assert.throws(() => dir.read(...given), { code: 'ERR_DIR_CLOSED' });
        }
        const whole = await promisify(opendir)(pathToFileURL(root));
        found.push(whole.path);
        for await (const { name } of whole.entries()) found.push(name);
        found.push((await failure(() => whole.close())).code);
        return found;
    };
    assert.deepStrictEqual(await told(brisk), await told(fs));
});

test('opendir iterates', async (t) => {
    const root = varied(scratch(t));
    for (const recursive of [false, true]) {
        const found = [];
        for await (const entry of await brisk.opendir(root, { recursive }))
            found.push(describe(entry));
        const flat = { withFileTypes: true };
        const theirs = recursive ? theirsBelow(root) : fs.readdirSync(root, flat);
        assert.deepStrictEqual(found.sort(), theirs.map(describe).sort());
    }
});

test('opendir reads one by one, and closes', async (t) => {
    const root = make(scratch(t), 'a', 'b', 'c');
    const dir = brisk.opendirSync(root);
    assert.equal(dir.path, root);
    const entries = await Promise.all([dir.read(), dir.read(), dir.read(), dir.read()]);
    assert.deepStrictEqual(sorted(entries.slice(0, 3).map((entry) => entry.name)), ['a', 'b', 'c']);
    assert.equal(entries[3], null);
    await dir.close();
    assert.equal((await failure(() => dir.read())).code, 'ERR_DIR_CLOSED');
    for (const where of [`${root}/missing`, `${root}/a`]) {
        const { code, syscall } = await failure(() => brisk.opendir(where));
        const theirs = await failure(() => fs.opendirSync(where));
        assert.deepStrictEqual([code, syscall], [theirs.code, 'opendir']);
    }
});
