'use strict';

// `watch`: batches, how they are accepted, and how a watch ends.

const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { test } = require('node:test');
const brisk = require('..');
const { failure, make, scratch } = require('./trees.js');

setTimeout(() => {
    console.error('a watch has not ended within a minute');
    process.exit(1);
}, 60_000).unref();

function tree(t) {
    const root = make(scratch(t), 'tree/a', 'tree/sub/b');
    const [dir, state] = ['tree', 'state'].map((name) => path.join(root, name));
    const told = ({ changes }) =>
        changes.map((change) => `${change.kind} ${path.relative(dir, change.path)}`);
    return { dir, state, told };
}

test('a batch is accepted when the next one is asked for', async (t) => {
    const { dir, state, told } = tree(t);
    const first = brisk.watch([dir], { state, settle: 5 });
    const { value: batch } = await first.next();
    assert.deepStrictEqual(told(batch), ['A ', 'A a', 'A sub', 'A sub/b']);
    assert.deepStrictEqual([batch.full, batch.scanned], ['there is no state yet', []]);
    fs.writeFileSync(path.join(dir, 'new'), '');
    const second = (await first.next()).value;
    assert.deepStrictEqual([told(second), second.full], [['A new'], null]);
    await first.return();
    const again = brisk.watch(dir, { state });
    assert.deepStrictEqual(told((await again.next()).value), ['A new']);
    fs.renameSync(path.join(dir, 'new'), path.join(dir, 'old'));
    const [change] = (await again.next()).value.changes;
    assert.deepStrictEqual(change, {
        kind: 'R',
        type: 'f',
        path: path.join(dir, 'old'),
        oldPath: path.join(dir, 'new'),
    });
    await again.return();
});

test('an abort ends a watch, and its state is saved', async (t) => {
    const { dir, state, told } = tree(t);
    const abort = new AbortController();
    const loop = async () => {
        for await (const batch of brisk.watch(dir, { state, signal: abort.signal })) {
            assert.equal(batch.changes.length, 4);
            setTimeout(() => abort.abort(), 100);
        }
    };
    assert.equal((await failure(loop)).name, 'AbortError');
    const next = brisk.watch(dir, { state });
    assert.deepStrictEqual(told((await next.next()).value), []);
    await next.return();
    const aborted = brisk.watch(dir, { signal: AbortSignal.abort() });
    assert.equal((await failure(() => aborted.next())).name, 'AbortError');
});

test('many watches wait at once, and files are still read', async (t) => {
    const { dir, told } = tree(t);
    const file = path.join(dir, 'a');
    const watches = Array.from({ length: 8 }, () => brisk.watch(file));
    for (const watch of watches) await watch.next();
    const all = watches.map((watch) => watch.next());
    assert.equal((await fs.promises.readFile(file)).length, fs.statSync(file).size);
    fs.writeFileSync(file, 'changed');
    for (const { value } of await Promise.all(all)) assert.deepStrictEqual(told(value), ['M a']);
    for (const watch of watches) await watch.return();
});

test('what is refused', async (t) => {
    const { dir, state } = tree(t);
    const fails = (...given) => failure(() => brisk.watch(...given).next());
    assert.equal((await fails(`${dir}/none`)).code, 'ENOENT');
    assert.equal((await fails([])).code, 'ERR_INVALID_ARG_VALUE');
    assert.equal((await fails(dir, { settle: -1 })).code, 'ERR_OUT_OF_RANGE');
    assert.equal((await fails(dir, { content: 1 })).code, 'ERR_INVALID_ARG_TYPE');
    fs.writeFileSync(state, 'This is a file of something else.');
    assert.equal((await fails(dir, { state })).code, 'EEXIST');
});
