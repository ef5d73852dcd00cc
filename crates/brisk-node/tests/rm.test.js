'use strict';

// `rm` and `rmSync` against node:fs on equal trees.

const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { promisify } = require('node:util');
const { test } = require('node:test');
const brisk = require('..');
const { failure, make, makeOdd, scratch, unprivileged, varied } = require('./trees.js');

const list = (root) => fs.readdirSync(root, { recursive: true, encoding: 'latin1' }).sort();

// Each kind of call, in an equal tree of its own: the error if there is one, and what is left.
async function outcomes(t, { promised, called, synchronous }, build, name, options) {
    const calls = [
        (where) => promised(where, options),
        (where) => promisify(called)(where, options),
        (where) => synchronous(where, options),
    ];
    const found = [];
    for (const call of calls) {
        const root = build(scratch(t));
        let error = null;
        try {
            await call(path.join(root, name));
        } catch (thrown) {
            const { code, syscall, errno, message } = thrown;
            error = { code, syscall, errno, message: message.replaceAll(root, '') };
        }
        found.push({ error, left: list(root) });
    }
    assert.deepStrictEqual(found[1], found[0]);
    assert.deepStrictEqual(found[2], found[0]);
    return found[0];
}

async function same(t, build, name, options) {
    const node = { promised: fs.promises.rm, called: fs.rm, synchronous: fs.rmSync };
    const mine = { promised: brisk.rm, called: brisk.rm, synchronous: brisk.rmSync };
    const theirs = await outcomes(t, node, build, name, options);
    const ours = await outcomes(t, mine, build, name, options);
    assert.deepStrictEqual(ours, theirs, `${name} ${JSON.stringify(options)}`);
    return ours;
}

const tree = (root) => {
    make(root, 'dir/a/b/c', 'dir/empty/', 'file', 'other/kept');
    fs.symlinkSync('other', path.join(root, 'link'));
    fs.symlinkSync('../other', path.join(root, 'dir/link'));
    fs.symlinkSync('nowhere', path.join(root, 'dangling'));
    return root;
};

test('what is removed, what stays and what is thrown are those of node:fs', async (t) => {
    for (const name of ['dir', 'file', 'link', 'dangling', 'missing', 'dir/empty', 'file/below']) {
        for (const options of [{}, { recursive: true }, { recursive: true, force: true }]) {
            // node:fs's own functions name different calls here.
            if (name === 'file/below' && options.force) continue;
            await same(t, tree, name, options);
        }
    }
    await same(t, tree, 'missing', { force: true });
});

test('force ignores a path at which nothing exists', async (t) => {
    const root = tree(scratch(t));
    await brisk.rm(path.join(root, 'missing/below'), { force: true });
    for (const rm of [brisk.rm, brisk.rmSync, promisify(brisk.rm), fs.promises.rm, fs.rmSync]) {
        const error = await failure(() => rm(path.join(root, 'file/below'), { force: true }));
        assert.equal(error.code, 'ENOTDIR');
    }
});

test('links are removed, and what they lead to stays', async (t) => {
    const root = tree(scratch(t));
    await brisk.rm(path.join(root, 'dir'), { recursive: true });
    await brisk.rm(path.join(root, 'link'), { recursive: true });
    assert.deepStrictEqual(list(root), ['dangling', 'file', 'other', 'other/kept']);
});

test('large trees and odd names go', async (t) => {
    const root = scratch(t);
    fs.mkdirSync(path.join(root, 'x'));
    makeOdd(varied(path.join(root, 'x')));
    await brisk.rm(path.join(root, 'x'), { recursive: true });
    assert.deepStrictEqual(list(root), []);
    varied(make(root, 'x/'));
    brisk.rmSync(root + '/x', { recursive: true });
});

test('wrong arguments are those of node:fs', async (t) => {
    const root = tree(scratch(t));
    const where = path.join(root, 'file');
    const calls = [
        [3],
        ['a\0b'],
        [where, 3],
        [where, { recursive: 1 }],
        [where, { force: 'x' }],
        [where, { retryDelay: 'x' }],
        [where, { maxRetries: 'x' }],
        [where, { maxRetries: -1 }],
        [where, { maxRetries: 1.5 }],
        [where, { maxRetries: 2 ** 32 }],
        [where, { retryDelay: -1 }],
        [where, { retryDelay: NaN }],
        [where, { retryDelay: 2 ** 31 }],
        [where, { force: null }],
    ];
    for (const given of calls) {
        const theirs = await failure(() => fs.rmSync(...given));
        for (const rm of [brisk.rmSync, brisk.rm]) {
            const error = await failure(() => rm(...given));
            assert.deepStrictEqual([error.name, error.code], [theirs.name, theirs.code]);
        }
    }
});

test('dots are refused', async (t) => {
    const root = tree(scratch(t));
    for (const name of ['dir/.', 'dir/a/..']) {
        const error = await failure(() => brisk.rm(`${root}/${name}`, { recursive: true }));
        assert.equal(error.code, 'EINVAL');
    }
    assert.ok(fs.existsSync(path.join(root, 'dir/a/b/c')));
});

test('errors of what may not be removed are those of node:fs', async (t) => {
    const root = scratch(t);
    fs.chmodSync(root, 0o777);
    make(root, 'locked/file', 'unread/sub/', 'parent/empty/');
    const modes = { locked: 0o555, parent: 0o555, unread: 0o300 };
    for (const [name, mode] of Object.entries(modes)) {
        const where = path.join(root, name);
        if (process.geteuid() === 0) fs.chownSync(where, 65534, 65534);
        fs.chmodSync(where, mode);
    }
    // In newer versions fs.rmSync has errors of another kind than fs.promises.rm.
    const code = `(async () => {
    const rms = [require('fs').promises.rm, brisk.rmSync];
    for (const name of ['locked', 'locked/file', 'unread', 'parent', 'parent/empty', 'unread/sub/x']) {
      for (const rm of rms) {
        try {
          await rm(process.argv[1] + '/' + name, { recursive: true });
        } catch ({ code, errno, syscall, message, path }) {
          console.log(JSON.stringify({ name, code, errno, syscall, message, path }));
        }
      }
    } })()`;
    const lines = unprivileged(code, [root]).trim().split('\n');
    for (const name of Object.keys(modes)) fs.chmodSync(path.join(root, name), 0o777);
    assert.equal(lines.length, 12);
    for (let at = 0; at < lines.length; at += 2) assert.equal(lines[at + 1], lines[at]);
});

test('passing errors are tried again', async (t) => {
    // A directory in which a file appears as long as it is removed cannot be made to order; a mount
    // point below a root can.
    if (process.geteuid() !== 0) return t.skip('mounts need root');
    const root = make(scratch(t), 'dir/mounted/', 'dir/file');
    const mounted = path.join(root, 'dir/mounted');
    if (spawnSync('mount', ['--bind', mounted, mounted]).status !== 0)
        return t.skip('no mounts here');
    const whole = { recursive: true };
    try {
        const error = await failure(() => brisk.rm(path.join(root, 'dir'), whole));
        assert.equal(error.code, 'EBUSY');
        assert.equal(error.path, mounted);
        const removal = brisk.rm(path.join(root, 'dir'), {
            ...whole,
            maxRetries: 50,
            retryDelay: 10,
        });
        spawnSync('umount', [mounted]);
        await removal;
    } finally {
        spawnSync('umount', [mounted]);
    }
    assert.deepStrictEqual(list(root), []);
});
