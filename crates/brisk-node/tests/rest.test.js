'use strict';

// `du`, `changed`, and the examples of docs/node.md.

const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { execFileSync, spawnSync } = require('node:child_process');
const { promisify } = require('node:util');
const { test } = require('node:test');
const brisk = require('..');
const { failure, make, scratch, unprivileged, varied } = require('./trees.js');

test('du counts as GNU du does', async (t) => {
    const root = varied(scratch(t));
    fs.writeFileSync(path.join(root, 'a/large'), Buffer.alloc(100_000));
    fs.linkSync(path.join(root, 'a/large'), path.join(root, 'again'));
    const usage = await brisk.du(root, { maxDepth: 2 });
    const lines = execFileSync('du', ['-B1', '-d2', root], { encoding: 'utf8' }).trim().split('\n');
    const theirs = lines
        .map((line) => line.split('\t'))
        .map(([bytes, dir]) => [dir, Number(bytes)]);
    const ours = [usage, ...usage.directories].map((found) => [found.path, found.allocated]);
    assert.deepStrictEqual(ours.sort(), theirs.sort());
    const sizes = usage.directories.map((found) => found.allocated);
    assert.deepStrictEqual(
        sizes,
        [...sizes].sort((a, b) => b - a),
    );
    assert.deepStrictEqual(brisk.duSync(root, { maxDepth: 2 }), usage);
    const each = brisk.duSync(root, { countLinks: true });
    assert.equal(each.apparent - usage.apparent, 100_000);
    assert.equal(each.entries - usage.entries, 1);
    assert.deepStrictEqual([usage.depth, each.directories], [0, []]);
});

test('du reports errors, and aborts', async (t) => {
    const root = make(scratch(t), 'a/b');
    for (const onError of [undefined, () => {}]) {
        assert.equal(
            (await failure(() => brisk.du(`${root}/missing`, { onError }))).code,
            'ENOENT',
        );
    }
    assert.throws(() => brisk.duSync(`${root}/missing`), { code: 'ENOENT', syscall: 'lstat' });
    const error = await failure(() => brisk.du(root, { signal: AbortSignal.abort() }));
    assert.equal(error.name, 'AbortError');
});

test('changed finds each kind of change', async (t) => {
    const root = make(scratch(t), 'tree/a', 'tree/b', 'tree/c', 'tree/d', 'state/');
    const state = path.join(root, 'state/state');
    const tree = path.join(root, 'tree');
    const changes = async (options) => {
        const kept = brisk.changedSync(state, tree, { ...options, save: false });
        const found = await brisk.changed(state, [tree], options);
        assert.deepStrictEqual(kept, found);
        return found
            .map(({ path: where, oldPath, ...rest }) => ({
                ...rest,
                path: path.relative(tree, where),
                ...(oldPath && { oldPath: path.relative(tree, oldPath) }),
            }))
            .filter((change) => change.path !== '');
    };
    const first = await changes();
    assert.deepStrictEqual(
        first.map(({ kind, path: where }) => kind + where),
        ['Aa', 'Ab', 'Ac', 'Ad'],
    );
    assert.deepStrictEqual(await changes(), []);
    fs.appendFileSync(path.join(tree, 'a'), 'more');
    fs.unlinkSync(path.join(tree, 'b'));
    fs.renameSync(path.join(tree, 'c'), path.join(tree, 'e'));
    fs.unlinkSync(path.join(tree, 'd'));
    fs.mkdirSync(path.join(tree, 'd'));
    const found = await changes();
    assert.deepStrictEqual(found, [
        { kind: 'M', type: 'f', path: 'a' },
        { kind: 'D', type: 'f', path: 'b' },
        { kind: 'T', type: 'd', path: 'd' },
        { kind: 'R', type: 'f', path: 'e', oldPath: 'c' },
    ]);
    fs.writeFileSync(state, 'no state');
    assert.equal((await failure(() => brisk.changed(state, tree))).code, 'EEXIST');
    assert.equal(
        (await failure(() => brisk.changed(`${root}/new`, `${root}/missing`))).code,
        'ENOENT',
    );
});

// Changes of kinds and the names of what changed, without directories.
const named = (changes) =>
    changes
        .filter(({ type }) => type === 'f')
        .map(({ kind, path: where }) => kind + path.basename(where))
        .sort();

test('a state is saved when the caller accepts it', async (t) => {
    const root = make(scratch(t), 'tree/a', 'state/');
    const file = path.join(root, 'state/state');
    const state = new brisk.State(file, path.join(root, 'tree'));
    assert.throws(() => state.acceptSync(), { code: 'ERR_INVALID_STATE' });
    assert.deepStrictEqual(named(await state.changes()), ['Aa']);
    assert.deepStrictEqual(named(state.changesSync()), ['Aa']);
    make(root, 'tree/b');
    await state.accept();
    assert.equal((await failure(() => state.accept())).code, 'ERR_INVALID_STATE');
    assert.deepStrictEqual(named(await promisify(state.changes)({ renames: false })), ['Ab']);
    // What could not be saved is still to be accepted.
    fs.renameSync(path.join(root, 'state'), path.join(root, 'away'));
    assert.equal((await failure(() => state.accept())).code, 'ENOENT');
    fs.renameSync(path.join(root, 'away'), path.join(root, 'state'));
    await state.accept();
    assert.deepStrictEqual(await state.changes(), []);
});

test('changed saves nothing unless it returns', async (t) => {
    const root = make(scratch(t), 'tree/a', 'tree/locked/');
    fs.chmodSync(root, 0o777);
    fs.chmodSync(path.join(root, 'tree/locked'), 0);
    const file = path.join(root, 'state');
    const tree = path.join(root, 'tree');
    const code = `(async () => {
    const [file, tree] = process.argv.slice(1);
    const loud = () => { throw new Error('loud'); };
    for (const options of [{}, { onError: loud }, { onError() {} }, { onError() {} }]) {
      const { message, length } = await brisk.changed(file, tree, options).catch((error) => error);
      console.log(length ?? message.slice(0, 6));
    } })()`;
    const said = unprivileged(code, [file, tree]).trim().split('\n');
    assert.deepStrictEqual(said, ['EACCES', 'loud', '4', '1']);
    fs.unlinkSync(file);
    for (const changed of [brisk.changed, brisk.changedSync]) {
        const error = await failure(() => changed(file, []));
        assert.equal(error.code, 'ERR_INVALID_ARG_VALUE');
    }
    assert.equal((await failure(() => brisk.changed(file, tree, { save: 1 }))).name, 'TypeError');
    assert.ok(!fs.existsSync(file));
});

test('200 aborts of changed lose no change', async (t) => {
    const root = make(scratch(t), 'tree/', 'state/');
    const file = path.join(root, 'state/state');
    const tree = path.join(root, 'tree');
    for (let dir = 0; dir < 20; dir++) {
        for (let at = 0; at < 30; at++) make(tree, `${dir}/${dir}-${at}`);
    }
    await brisk.changed(file, tree);
    const told = new Set();
    let aborts = 0;
    for (let round = 0; round < 200; round++) {
        make(tree, `${round % 20}/new-${round}`);
        const controller = new AbortController();
        const call = brisk.changed(file, tree, { signal: controller.signal });
        const end = process.hrtime.bigint() + BigInt(round * 20_000);
        const abort = () => {
            if (process.hrtime.bigint() < end) setImmediate(abort);
            else controller.abort();
        };
        abort();
        try {
            for (const name of named(await call)) told.add(name);
        } catch (error) {
            assert.equal(error.name, 'AbortError');
            aborts++;
        }
    }
    for (const name of named(await brisk.changed(file, tree))) told.add(name);
    assert.ok(aborts > 20, `${aborts} aborts`);
    const added = [...told].filter((name) => name.startsWith('Anew-'));
    assert.equal(added.length, 200);
});

test('numbers out of range are refused', async () => {
    for (const maxDepth of [-1, 1.5, NaN, 2 ** 32]) {
        const error = await failure(() => brisk.du('.', { maxDepth }));
        assert.deepStrictEqual([error.name, error.code], ['RangeError', 'ERR_OUT_OF_RANGE']);
    }
});

test('index.d.ts declares what index.js exports', () => {
    const text = fs.readFileSync(path.join(__dirname, '../index.d.ts'), 'utf8');
    const declared = new Set(
        [...text.matchAll(/^export (?:function|class) (\w+)/gm)].map((match) => match[1]),
    );
    assert.deepStrictEqual([...declared].sort(), Object.keys(brisk).sort());
});

test('the examples of docs/node.md run', (t) => {
    const root = make(scratch(t), 'docs/guide.md', 'src/main.js', 'node_modules/');
    fs.symlinkSync(path.join(__dirname, '..'), path.join(root, 'node_modules/briskfs'));
    const text = fs.readFileSync(path.join(__dirname, '../../../docs/node.md'), 'utf8');
    const examples = [...text.matchAll(/^```js\n(.*?)^```/gms)];
    assert.ok(examples.length >= 4);
    for (const [, example] of examples) {
        fs.writeFileSync(path.join(root, 'example.mjs'), example);
        const done = spawnSync(process.execPath, ['example.mjs'], { cwd: root, encoding: 'utf8' });
        assert.deepStrictEqual([done.status, done.stderr], [0, ''], example);
    }
});
