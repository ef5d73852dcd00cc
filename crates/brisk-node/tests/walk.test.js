'use strict';

// `walk` and `walkSync`: what node:fs finds, fields, rules, ends.

const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { execFileSync } = require('node:child_process');
const { once } = require('node:events');
const { test } = require('node:test');
const { Worker } = require('node:worker_threads');
const brisk = require('..');
const { describe, theirsBelow, failure, make, makeOdd, scratch, varied } = require('./trees.js');

async function collect(chunks) {
    const all = [];
    for await (const chunk of chunks) {
        assert.ok(Array.isArray(chunk) && chunk.length > 0);
        all.push(...chunk);
    }
    return all;
}

const paths = async (root, options) => {
    const found = async (chunks) => {
        const entries = await collect(chunks);
        return entries
            .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
            .sort();
    };
    const asynchronous = await found(brisk.walk(root, options));
    assert.deepStrictEqual(await found(brisk.walkSync(root, options)), asynchronous);
    return asynchronous;
};

test('entries are those of node:fs', async (t) => {
    const root = varied(scratch(t));
    const theirs = theirsBelow(root).map(describe).sort();
    for (const walk of [brisk.walk, brisk.walkSync]) {
        assert.deepStrictEqual((await collect(walk(root))).map(describe).sort(), theirs);
    }
});

test('fields are those of fs.Stats', async (t) => {
    const root = varied(scratch(t));
    const fields = [
        'dev',
        'ino',
        'mode',
        'nlink',
        'uid',
        'gid',
        'size',
        'blocks',
        'atimeMs',
        'mtimeMs',
        'ctimeMs',
        'birthtimeMs',
    ];
    for (const some of [fields, ['size'], ['mtimeMs', 'mode'], []]) {
        for (const entry of await collect(brisk.walk(root, { fields: some }))) {
            const stats = fs.lstatSync(path.join(entry.parentPath, entry.name));
            for (const field of some) {
                // Reading a directory or a link may set its access time.
                if (field === 'atimeMs' && !entry.isFile()) continue;
                if (field === 'birthtimeMs' && entry[field] === undefined) continue;
                assert.equal(entry[field], stats[field], `${field} of ${entry.name}`);
            }
            assert.deepStrictEqual(Object.keys(entry), ['name', 'parentPath', ...some]);
        }
    }
    assert.match(
        (await failure(() => collect(brisk.walk(root, { fields: ['length'] })))).message,
        /length/,
    );
});

test("nothing is stat'ed without fields", (t) => {
    const root = make(scratch(t), 'a/b', 'c');
    const code =
        'for (const chunk of require(process.argv[1]).walkSync(process.argv[2])) console.log(chunk.length)';
    const module = path.join(__dirname, '..');
    const log = path.join(root, 'calls');
    try {
        execFileSync('strace', ['-f', '-o', log, process.execPath, '-e', code, module, root]);
    } catch (error) {
        if (error.code !== 'ENOENT') throw error;
        return t.skip('no strace');
    }
    const calls = fs.readFileSync(log, 'utf8');
    const walked = calls.slice(calls.lastIndexOf(`"${root}`));
    assert.match(walked, /getdents64/);
    assert.doesNotMatch(walked, /"b"|"c"/);
});

test('what is ignored is left out', async (t) => {
    const root = make(
        scratch(t),
        'a.log',
        'b.txt',
        'build/x',
        'src/build/y',
        'src/c.log',
        'src/d.txt',
    );
    const all = await paths(root, { ignore: ['*.log', 'build/'] });
    assert.deepStrictEqual(all, ['b.txt', 'src', 'src/d.txt']);
    const anchored = await paths(root, { ignore: ['/build'] });
    assert.ok(!anchored.includes('build') && anchored.includes('src/build/y'));
    make(root, '.git/HEAD', '.ignore', '.gitignore', 'src/.gitignore');
    fs.writeFileSync(path.join(root, '.gitignore'), 'build/\n');
    fs.writeFileSync(path.join(root, 'src/.gitignore'), '*.log\n');
    fs.writeFileSync(path.join(root, '.ignore'), 'b.txt\n');
    const ruled = await paths(root, { ignore: true, prune: ['.git'] });
    assert.deepStrictEqual(ruled, [
        '.git',
        '.gitignore',
        '.ignore',
        'a.log',
        'src',
        'src/.gitignore',
        'src/d.txt',
    ]);
});

test('pruned directories are returned, and not entered', async (t) => {
    const root = make(scratch(t), 'a/node_modules/x/y', 'node_modules/z', 'b/c');
    assert.deepStrictEqual(await paths(root, { prune: ['node_modules'] }), [
        'a',
        'a/node_modules',
        'b',
        'b/c',
        'node_modules',
    ]);
    assert.ok(!(await paths(root, { prune: ['a/n*'] })).includes('a/node_modules/x'));
    assert.ok((await paths(root, { prune: ['a/n*'] })).includes('node_modules/z'));
});

test("find(1)'s tests choose entries", async (t) => {
    const root = make(scratch(t), 'a/x.o', 'a/y.c', 'target/z.o', 'e.o');
    fs.linkSync(path.join(root, 'a/y.c'), path.join(root, 'linked'));
    assert.deepStrictEqual(await paths(root, { where: '-name *.o -o -links +1 -type f' }), [
        'a/x.o',
        'a/y.c',
        'e.o',
        'linked',
        'target/z.o',
    ]);
    const where = '-name target -prune -o -name *.o';
    assert.deepStrictEqual(await paths(root, { where }), ['a/x.o', 'e.o', 'target']);
    await assert.rejects(paths(root, { where: '-size x' }), /where, character 7: 'x' is not a size/);
});

test('bytes are exact', async (t) => {
    const root = makeOdd(make(scratch(t), 'sub/file'));
    fs.renameSync(
        Buffer.from(`${root}/sub`),
        Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xfe])]),
    );
    const entries = await collect(brisk.walk(root, { encoding: 'buffer', fields: ['ino'] }));
    assert.equal(entries.length, 7);
    for (const { parentPath, name, ino } of entries) {
        assert.equal(fs.lstatSync(Buffer.concat([parentPath, Buffer.from('/'), name])).ino, ino);
    }
    const text = await collect(brisk.walk(root));
    assert.ok(text.some((entry) => entry.name === '\ufffd'));
});

test('errors are thrown, or passed to onError', async (t) => {
    const root = make(scratch(t), 'a/b/c', 'd');
    for (const onError of [undefined, () => {}]) {
        const error = await failure(() =>
            collect(brisk.walk(path.join(root, 'missing'), { onError })),
        );
        assert.deepStrictEqual([error.code, error.syscall], ['ENOENT', 'scandir']);
        assert.throws(() => [...brisk.walkSync(path.join(root, 'd'), { onError })], {
            code: 'ENOTDIR',
        });
    }
    fs.symlinkSync('x', path.join(root, 'a/.ignore'));
    fs.symlinkSync('.ignore', path.join(root, 'a/x'));
    const options = { ignore: true };
    assert.equal((await failure(() => collect(brisk.walk(root, options)))).code, 'ELOOP');
    const errors = [];
    const all = await paths(root, { ...options, onError: (error) => errors.push(error.code) });
    assert.deepStrictEqual(errors, ['ELOOP', 'ELOOP']);
    assert.deepStrictEqual(all, ['a', 'a/.ignore', 'a/b', 'a/b/c', 'a/x', 'd']);
});

test('a walk can be left', async (t) => {
    const root = varied(scratch(t));
    for (let at = 0; at < 20; at++) {
        for await (const chunk of brisk.walk(root)) {
            assert.ok(chunk.length);
            break;
        }
        for (const chunk of brisk.walkSync(root)) {
            assert.ok(chunk.length);
            break;
        }
    }
    const isOurs = (task) => {
        try {
            return fs.readFileSync(`/proc/self/task/${task}/comm`, 'utf8').startsWith('brisk');
        } catch {
            return false; // it has ended
        }
    };
    const threads = () => fs.readdirSync('/proc/self/task').filter(isOurs).length;
    for (let tries = 0; threads() > 0; tries++) {
        assert.ok(tries < 1000, 'threads are left');
        await new Promise((resolve) => setTimeout(resolve, 10));
    }
});

test('a signal aborts', async (t) => {
    const root = varied(scratch(t));
    const before = await failure(() =>
        collect(brisk.walk(root, { signal: AbortSignal.abort('why') })),
    );
    assert.deepStrictEqual(
        [before.name, before.code, before.cause],
        ['AbortError', 'ABORT_ERR', 'why'],
    );
    const controller = new AbortController();
    const during = await failure(async () => {
        for await (const chunk of brisk.walk(root, { signal: controller.signal })) {
            assert.ok(chunk.length);
            controller.abort();
        }
    });
    assert.equal(during.name, 'AbortError');
    // One that does not abort has no effect.
    const entries = await collect(brisk.walk(root, { signal: new AbortController().signal }));
    assert.ok(entries.length > 5000);
});

test('Node and its workers may end during a walk', async (t) => {
    const root = JSON.stringify(varied(scratch(t)));
    const walk = `require(${JSON.stringify(path.join(__dirname, '..'))}).walk(${root})`;
    const then = (call) => `(async () => { for await (const chunk of ${walk}) ${call}; })()`;
    for (let at = 0; at < 5; at++) {
        const code = then("require('node:worker_threads').parentPort.postMessage(chunk.length)");
        const worker = new Worker(code, { eval: true });
        assert.ok((await once(worker, 'message'))[0] > 0);
        await worker.terminate();
    }
    execFileSync(process.execPath, ['-e', then('process.exit(0)')]);
    execFileSync(process.execPath, ['-e', `${walk}.next()`]);
});

test('the event loop runs between chunks, which are bounded', async (t) => {
    const root = make(scratch(t), 'many/');
    for (let dir = 0; dir < 20; dir++) {
        fs.mkdirSync(path.join(root, `${dir}`));
        for (let at = 0; at < 1000; at++) fs.writeFileSync(path.join(root, `${dir}/${at}`), '');
    }
    let turns = 0;
    let goes = true;
    const turn = () => {
        turns++;
        if (goes) setImmediate(turn);
    };
    turn();
    const sizes = [];
    for await (const chunk of brisk.walk(root)) sizes.push(chunk.length);
    const walked = turns;
    await brisk.readdir(root, { recursive: true, withFileTypes: true });
    goes = false;
    assert.equal(
        sizes.reduce((sum, size) => sum + size),
        20021,
    );
    assert.ok(Math.max(...sizes) <= 3 * 4096, `${sizes}`);
    assert.ok(walked >= sizes.length && turns - walked >= 4, `${walked} ${turns}`);
});
