'use strict';

// What the tests share: scratch directories, and trees in them.

const assert = require('node:assert');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { spawnSync } = require('node:child_process');

// In memory, where that is.
const place = fs.existsSync('/dev/shm') ? '/dev/shm' : os.tmpdir();

// A new directory, which ends with the test.
function scratch(t) {
    const root = fs.mkdtempSync(path.join(place, 'brisk-node-'));
    t.after(() => fs.rmSync(root, { recursive: true, force: true }));
    return root;
}

// Makes files, and directories where a path ends with a slash.
function make(root, ...paths) {
    for (const name of paths) {
        const whole = path.join(root, name);
        fs.mkdirSync(name.endsWith('/') ? whole : path.dirname(whole), { recursive: true });
        if (!name.endsWith('/')) fs.writeFileSync(whole, name);
    }
    return root;
}

// Each kind of entry, some depth, a directory of several chunks.
function varied(root) {
    make(
        root,
        'a/b/c/file',
        'a/b/other',
        'a/.hidden',
        'empty/',
        'ümlaut/naïve',
        '日本/語',
        'many/',
    );
    for (let at = 0; at < 5000; at++)
        fs.writeFileSync(path.join(root, 'many', `file-number-${at}`), '');
    fs.symlinkSync('b', path.join(root, 'a/link-to-directory'));
    fs.symlinkSync('a/b/other', path.join(root, 'link-to-file'));
    fs.symlinkSync('nowhere', path.join(root, 'dangling'));
    require('node:child_process').execFileSync('mkfifo', [path.join(root, 'pipe')]);
    return root;
}

// Not UTF-8, each in another way.
const odd = [[0xff], [0xe2, 0x82], [0x61, 0xc3], [0xf0, 0x9f, 0x98, 0x2e], [0xc0, 0x80]];

function makeOdd(root) {
    for (const bytes of odd) {
        const name = Buffer.concat([Buffer.from(`${root}/x`), Buffer.from(bytes)]);
        fs.writeFileSync(name, '');
    }
    return root;
}

// All that node:fs finds below a varied tree. Some versions enter links to directories.
function theirsBelow(root) {
    const found = fs.readdirSync(root, { recursive: true, withFileTypes: true });
    return found.filter((entry) => !`${entry.parentPath}/`.includes('/link-to-directory/'));
}

// What the code prints, as another user.
function unprivileged(code, given) {
    const drop =
        'if (process.geteuid() === 0) { process.setgroups([]); process.setgid(65534); process.setuid(65534); }';
    const module = path.join(__dirname, '..');
    const load = `const brisk = require(${JSON.stringify(module)}); ${drop}`;
    const done = spawnSync(process.execPath, ['-e', `${load} ${code}`, ...given], {
        encoding: 'utf8',
    });
    assert.equal(done.stderr, '');
    return done.stdout;
}

const describe = (entry) => [
    path.join(entry.parentPath, entry.name),
    entry.isFile(),
    entry.isDirectory(),
    entry.isSymbolicLink(),
    entry.isFIFO(),
    entry.isSocket(),
    entry.isCharacterDevice(),
    entry.isBlockDevice(),
];

// What a call throws, or what its promise is rejected with.
async function failure(call) {
    try {
        await call();
    } catch (error) {
        return error;
    }
    throw new Error('nothing was thrown');
}

const facts = ({ name, message, code, errno, syscall, path: where }) => ({
    name,
    message,
    code,
    errno,
    syscall,
    path: where,
});

module.exports = {
    scratch,
    make,
    varied,
    odd,
    makeOdd,
    describe,
    theirsBelow,
    failure,
    facts,
    unprivileged,
};
