'use strict';

// `cp` and `cpSync` against node:fs on equal trees.

const assert = require('node:assert');
const fs = require('node:fs');
const net = require('node:net');
const path = require('node:path');
const { execFileSync } = require('node:child_process');
const { promisify } = require('node:util');
const { test } = require('node:test');
const brisk = require('..');
const { failure, make, makeOdd, scratch, unprivileged, varied } = require('./trees.js');

// Each entry's type and mode, a file's time, and contents or target.
function held(root, times = false) {
    const found = {};
    for (const name of ['', ...fs.readdirSync(root, { recursive: true, encoding: 'latin1' })]) {
        const where = name ? Buffer.from(`${root}/${name}`, 'latin1') : root;
        const stats = fs.lstatSync(where);
        const time = times && stats.isFile() ? stats.mtimeMs : null;
        let what = null;
        if (stats.isFile()) what = fs.readFileSync(where, 'latin1');
        if (stats.isSymbolicLink()) what = fs.readlinkSync(where).replaceAll(root, '');
        found[name] = [stats.mode, time, what];
    }
    return found;
}

// What each kind of call throws and leaves, in an equal tree of its own.
async function outcomes(t, { promised, called, synchronous }, build, [src, dest, options = {}]) {
    const calls = [promised, promisify(called), async (...given) => synchronous(...given)];
    const found = [];
    for (const call of calls) {
        const root = path.join(scratch(t), 'root');
        fs.mkdirSync(root);
        build(root);
        let error = null;
        try {
            await call(path.join(root, src), path.join(root, dest), options);
        } catch ({ name, code, syscall, errno, message, path: at, dest: to }) {
            const facts = { name, code, syscall, errno, message, at, to };
            error = JSON.parse(JSON.stringify(facts).replaceAll(root, ''));
        }
        found.push({ error, left: held(root, options.preserveTimestamps) });
    }
    return found;
}

async function same(t, build, ...given) {
    const mine = { promised: brisk.cp, called: brisk.cp, synchronous: brisk.cpSync };
    const node = { promised: fs.promises.cp, called: fs.cp, synchronous: fs.cpSync };
    const [theirs] = await outcomes(t, node, build, given);
    for (const ours of await outcomes(t, mine, build, given))
        assert.deepStrictEqual(ours, theirs, JSON.stringify(given));
    return theirs;
}

const tree = (root) => {
    make(root, 'dir/a/b/c', 'dir/empty/', 'dir/shut/x', 'file', 'there/old');
    make(root, 'into/a/b/c', 'into/new');
    fs.symlinkSync('a/b', path.join(root, 'dir/link'));
    fs.symlinkSync('../file', path.join(root, 'dir/up'));
    fs.symlinkSync(path.join(root, 'file'), path.join(root, 'dir/absolute'));
    fs.symlinkSync('file', path.join(root, 'link'));
    for (const [name, mode] of [['dir/a/b/c', 0o4751], ['dir/shut', 0o500], ['into/a', 0o711]])
        fs.chmodSync(path.join(root, name), mode);
    for (const name of ['file', 'dir/a/b/c', 'dir/shut/x', 'there/old', 'into/a/b/c', 'into/new'])
        fs.utimesSync(path.join(root, name), 1e9, 2e9);
    return root;
};

test('what is copied, and what is thrown, are those of node:fs', async (t) => {
    const whole = { recursive: true };
    const cases = [
        ['file', 'new'],
        ['file', 'x/y/new'],
        ['file', 'there/old'],
        ['link', 'new'],
        ['dir', 'new', whole],
        ['dir', 'x/y/new', whole],
        ['dir', 'into', whole],
        ['dir', 'new', { ...whole, verbatimSymlinks: true }],
        ['dir', 'new', { ...whole, dereference: true }],
        ['link', 'new', { dereference: true }],
        ['dir', 'new', { ...whole, preserveTimestamps: true }],
        ['file', 'new', { preserveTimestamps: true }],
        ['file', 'into/a/b/c', { force: false }],
        ['dir', 'into', { ...whole, force: false }],
        ['file', 'new', { mode: fs.constants.COPYFILE_EXCL }],
        ['file', 'new', { mode: fs.constants.COPYFILE_FICLONE }],
        ['file', 'new', { mode: null }],
    ];
    for (const given of cases) assert.equal((await same(t, tree, ...given)).error, null, given[2]);
});

test('refusals are those of node:fs', async (t) => {
    const build = (root) => {
        tree(root);
        execFileSync('mkfifo', [path.join(root, 'pipe')]);
        return root;
    };
    const cases = [
        ['missing', 'new'],
        ['missing', 'new', { dereference: true }],
        ['dir', 'new'],
        ['dir', 'file', { recursive: true }],
        ['file', 'dir'],
        ['file', 'file'],
        ['pipe', 'new'],
        ['file', 'there/old', { force: false, errorOnExist: true }],
    ];
    for (const given of cases) {
        const [src, dest, options] = given;
        const [theirs, ours] = [build(scratch(t)), build(scratch(t))];
        const facts = async (cp, root) => {
            const call = () => cp(path.join(root, src), path.join(root, dest), options);
            const { name, code, syscall, errno, message, path: at } = await failure(call);
            const text = JSON.stringify({ name, code, syscall, errno, message, at });
            return text.replaceAll(root, '');
        };
        assert.equal(await facts(brisk.cp, ours), await facts(fs.promises.cp, theirs));
        assert.deepStrictEqual(held(ours), held(theirs));
    }
    const root = scratch(t);
    const server = net.createServer().listen(path.join(root, 'socket'));
    await new Promise((done) => server.on('listening', done));
    const refused = failure(() => brisk.cp(path.join(root, 'socket'), path.join(root, 'new')));
    assert.equal((await refused).code, 'ERR_FS_CP_SOCKET');
    server.close();
    make(root, 'dir/sub/file');
    const into = failure(() =>
        brisk.cp(path.join(root, 'dir'), path.join(root, 'dir/sub/new'), { recursive: true }),
    );
    assert.equal((await into).code, 'ERR_FS_CP_EINVAL');
});

test('after a failure the rest is copied, and an error thrown or told', async (t) => {
    const root = scratch(t);
    fs.chmodSync(root, 0o777);
    make(root, 'dir/a', 'dir/closed', 'dir/z');
    fs.chmodSync(path.join(root, 'dir/closed'), 0);
    const code = `(async () => {
    const from = process.argv[1] + '/dir';
    const told = [];
    const whole = { recursive: true };
    try {
      await brisk.cp(from, process.argv[1] + '/new', whole);
    } catch ({ code, syscall, path, dest }) {
      told.push(code, syscall, path, dest);
    }
    const onError = (error) => told.push(error.code);
    await brisk.cp(from, process.argv[1] + '/other', { ...whole, onError });
    console.log(told.join(' '));
    })()`;
    const told = unprivileged(code, [root]).trim();
    const expected = ['EACCES', 'copyfile', `${root}/dir/closed`, `${root}/new/closed`, 'EACCES'];
    assert.equal(told, expected.join(' '));
    assert.deepStrictEqual(fs.readdirSync(path.join(root, 'new')).sort(), ['a', 'z']);
});

test('filter is asked as by node:fs', async (t) => {
    const root = makeOdd(varied(scratch(t)));
    fs.rmSync(path.join(root, 'pipe'));
    fs.rmSync(path.join(root, 'dangling'));
    const out = scratch(t);
    const asking = async (cp, dereference, promises, name) => {
        const asked = [];
        const dest = path.join(out, name);
        const filter = (src, to) => {
            asked.push([path.relative(root, src), path.relative(dest, to)].join(' -> '));
            const keeps = !/\/(many|b)$|file-number-1/.test(src);
            return promises ? Promise.resolve(keeps) : keeps;
        };
        await cp(root, dest, { recursive: true, filter, dereference });
        return [asked.sort(), held(dest)];
    };
    // What is not UTF-8 is an error of node:fs.
    const [odd] = await asking(brisk.cp, false, true, 'brisk-odd');
    assert.ok(odd.some((line) => line.includes('\ufffd')));
    for (const name of fs.readdirSync(root, 'buffer'))
        if (name[0] === 0x78) fs.unlinkSync(Buffer.concat([Buffer.from(`${root}/`), name]));
    for (const dereference of [false, true]) {
        const name = `brisk-${dereference}-${process.pid}`;
        const theirs = await asking(fs.promises.cp, dereference, true, `${name}-node`);
        const ours = await asking(brisk.cp, dereference, true, `${name}-ours`);
        const sync = await asking(brisk.cpSync, dereference, false, `${name}-sync`);
        assert.deepStrictEqual(ours[0], theirs[0]);
        assert.deepStrictEqual(sync[0], theirs[0]);
        assert.deepStrictEqual(Object.keys(ours[1]).sort(), Object.keys(theirs[1]).sort());
        assert.deepStrictEqual(sync[1], ours[1]);
    }
    await brisk.cp(root, path.join(root, 'new'), { recursive: true, filter: () => false });
    assert.ok(!fs.existsSync(path.join(root, 'new')));
    const promised = () => brisk.cpSync(root, `${root}/new`, { filter: async () => true });
    assert.throws(promised, { name: 'TypeError', code: 'ERR_INVALID_RETURN_VALUE' });
});

test('options leave entries out', async (t) => {
    const root = make(scratch(t), 'dir/a/x.log', 'dir/a/y.js', 'dir/build/z.js', 'dir/w.log');
    const names = async (name, options) => {
        const dest = path.join(root, name);
        await brisk.cp(path.join(root, 'dir'), dest, { recursive: true, ...options });
        return fs.readdirSync(dest, { recursive: true }).sort();
    };
    assert.deepStrictEqual(await names('1', { ignore: ['*.log', 'build'] }), ['a', 'a/y.js']);
    assert.deepStrictEqual(await names('2', { where: '-name *.log' }), ['a', 'a/x.log', 'w.log']);
    const wrong = await failure(() => names('3', { where: '-nmae x' }));
    assert.match(wrong.message, /^where, /);
});

test('an abort ends the copy', async (t) => {
    const root = varied(scratch(t));
    const options = { recursive: true, signal: AbortSignal.abort() };
    const error = await failure(() => brisk.cp(root, `${root}/../new-${process.pid}`, options));
    assert.equal(error.name, 'AbortError');
});

test('wrong arguments are those of node:fs', async (t) => {
    const root = tree(scratch(t));
    const [file, dest] = ['file', 'new'].map((name) => path.join(root, name));
    const calls = [
        [3, dest],
        [file, 3],
        [file, 'a\0'],
        [file, dest, 3],
        [file, dest, { recursive: 1 }],
        [file, dest, { force: null }],
        [file, dest, { filter: 3 }],
        [file, dest, { mode: 'a' }],
        [file, dest, { mode: 8 }],
        [file, dest, { mode: 1.5 }],
        [file, dest, { dereference: true, verbatimSymlinks: true }],
    ];
    for (const given of calls) {
        const theirs = await failure(() => fs.cpSync(...given));
        for (const cp of [brisk.cpSync, brisk.cp]) {
            const error = await failure(() => cp(...given));
            assert.deepStrictEqual([error.name, error.code], [theirs.name, theirs.code], given[2]);
        }
    }
    assert.ok(!fs.existsSync(dest));
});
