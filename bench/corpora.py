"""The corpora: trees that are made once and pinned, and slowfs, mounted afresh for each run.

Those that are removed: a copy for each run, on the file system that the case names.
"""

import atexit
import errno
import functools
import os
import re
import shutil
import subprocess
import tempfile
import time
from contextlib import contextmanager

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
WORK = os.path.abspath(os.environ.get("BRISK_BENCH_DIR") or os.path.join(HERE, "work"))
BIN = os.path.join(WORK, "bin")
MEMORY = "/dev/shm"

# The shapes, as arguments of mktree (DEPTH FANOUT FILES) and of slowfs.
TEN = ("0", "0", "10")
FLAT = ("0", "0", "1000000")
TEN_THOUSAND = ("0", "0", "10000")
SITE = ("2", "10", "27")
SMALL = ("1", "200", "10")
HUGE = ("4", "25", "24")
# How long the kernel may keep attributes that came with a listing (READDIRPLUS).
LIFETIMES = ("0", "1s", "60s")
SLOW = {
    "slow-dirs": ("--dirs", "1000", "--files", "10", "--latency", "1ms"),
    "slow-flat": ("--flat", "10000", "--latency", "1ms"),
    **{f"slow-plus-{life}": ("--flat", "4000", "--latency", "1ms", "--no-xattrs",
                             "--readdirplus=auto", "--entry-timeout", life, "--attr-timeout", life)
       for life in LIFETIMES},
    "mixed": ("--dirs", "1000", "--files", "10", "--latency", "1ms"),
    "slow-cp": ("--dirs", "200", "--files", "10", "--latency", "1ms"),
    "slow-own": ("--dirs", "1000", "--files", "10", "--removable", "--latency", "1ms"),
    "slow-tree": ("--nested", "2,32,10", "--removable", "--latency", "1ms"),
}


# Trees on a server, in the guest (tools/vm); a copy is made anew for each mount.
NETWORK = {protocol + copy: (protocol, "/mnt/vm/" + tree)
           for protocol in ("nfs-3", "nfs-4.2", "smb-3")
           for copy, tree in (("", "read/tree"), (" copy", "copy"))}


class Unavailable(Exception):
    """This corpus cannot be made here; the text says why."""


def plain(text):
    """A text as it is recorded: without the places of this machine. What lies in the working
    directory is named as if that were bench/work, what lies in the repository relative to it, and
    a directory that was made for one run without the random end of its name."""
    text = text.replace(WORK, "bench/work").replace(ROOT + os.sep, "")
    return re.sub(r"brisk-(rm|slow|mirror)-\w+", r"brisk-\1", text)


def npm():
    """A real node_modules: `npm ci` of the committed lock, scripts not run."""
    home = os.path.join(WORK, "npm")
    tree = os.path.join(home, "node_modules")
    if not os.path.exists(os.path.join(tree, ".package-lock.json")):
        npm_ci(home)
    return tree


def npm_ci(home):
    """Installs the locked packages into `home`."""
    if not shutil.which("npm"):
        raise Unavailable("npm is not installed")
    print("making the npm corpus: npm ci --ignore-scripts (some minutes) …", flush=True)
    os.makedirs(home, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(os.path.join(HERE, "npm", name), home)
    # Optional packages are left out: which of them fit depends on the platform.
    subprocess.run(["npm", "ci", "--omit=optional", "--ignore-scripts", "--legacy-peer-deps",
                    "--no-audit", "--no-fund", "--loglevel=error"], cwd=home, check=True)


def npm_in_git():
    """The directory around node_modules, as a git repository that ignores nothing of it."""
    home = os.path.dirname(npm())
    if not os.path.exists(os.path.join(home, ".git")):
        subprocess.run(["git", "init", "-q", home], check=True)
    return home


def mixed():
    """The same directory; slowfs is mounted on its empty `slow`."""
    home = npm_in_git()
    mount_point(os.path.join(home, "slow"))
    return home


def usr():
    """What the distribution installed: not pinned, but on every machine."""
    return "/usr"


def ten():
    """Ten empty files."""
    return made(os.path.join(WORK, "ten"), TEN)


def flat():
    """One directory of a million empty files, in memory where that is possible."""
    return made(os.path.join(roomy_tmpfs(1_100_000) or WORK, "flat"), FLAT)


def ten_thousand():
    """One directory of ten thousand empty files, on the disk."""
    return made(os.path.join(WORK, "ten-thousand"), TEN_THOUSAND)


def site():
    """A small site: three thousand files in 111 directories."""
    return made(os.path.join(WORK, "site"), SITE)


def small():
    """200 directories of 10 files each."""
    return made(os.path.join(WORK, "small"), SMALL)


@functools.cache
def mirror():
    """The flags of a slowfs that can be written to."""
    path = empty_in_memory("brisk-mirror-")
    return ("--mirror", path, "--writable", "--latency", "1ms")


def repository():
    """A small git repository: 840 files in 120 directories, 40 of which have rules of their own."""
    path = os.path.join(WORK, "repository")
    if not os.path.exists(os.path.join(path, ".git")):
        for number in range(1, 41):
            top = os.path.join(path, f"a{number}")
            os.makedirs(os.path.join(top, "b", "c"))
            for below, count, name in (("", 10, "f"), ("b", 10, "g")):
                for file in range(1, count + 1):
                    open(os.path.join(top, below, f"{name}{file}.rs"), "w").close()
            with open(os.path.join(top, ".gitignore"), "w") as rules:
                rules.write("x\n")
        with open(os.path.join(path, ".gitignore"), "w") as rules:
            rules.write("*.o\ntarget/\n")
        subprocess.run(["git", "init", "-q", path], check=True)
    return path


def sources():
    """The sources of the crates that brisk is built from, as cargo unpacks them."""
    path = os.path.join(WORK, "sources")
    if not os.path.exists(path):
        subprocess.run(["cargo", "vendor", "--quiet", "--locked", path], cwd=ROOT, check=True,
                       stdout=subprocess.DEVNULL)
    return path


def huge():
    """Ten million entries; made only on demand (--huge)."""
    path = os.path.join(WORK, "huge")
    if not os.path.isdir(path):
        space = os.statvfs(WORK)
        if space.f_favail < 11_000_000 or space.f_bavail * space.f_frsize < 16 << 30:
            raise Unavailable("it needs 11 million inodes and 16 GiB")
    return made(path, HUGE)


def made(path, shape):
    """`path`, generated by mktree if missing; a marker beside it says it is complete."""
    marker = path + ".made"
    if not os.path.exists(marker):
        print(f"making {path} (mktree {' '.join(shape)}) …", flush=True)
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        subprocess.run([os.path.join(BIN, "mktree"), path, *shape], check=True,
                       stdout=subprocess.DEVNULL)
        open(marker, "w").close()
    return path


def roomy_tmpfs(inodes):
    """A directory in memory with that many free inodes, or None."""
    place = MEMORY + "/brisk-bench"
    try:
        space = os.statvfs(MEMORY)
    except OSError:
        return None
    if os.path.exists(place + "/flat.made") or space.f_favail > inodes:
        return place
    return None


@functools.cache
def slow_root():
    """Where slowfs is mounted when it stands alone: outside this repository, whose ignore files
    would be asked for too."""
    return empty_in_memory("brisk-slow-")


def empty_in_memory(prefix):
    """An empty directory, in memory where that is possible, until this process ends."""
    path = tempfile.mkdtemp(prefix=prefix, dir=MEMORY if os.path.isdir(MEMORY) else None)
    atexit.register(os.rmdir, path)
    return path


def mount_point(path):
    """An empty directory for slowfs. An interrupted run leaves a mount whose server has ended,
    which no process can use: that is released first."""
    try:
        os.stat(path)
    except OSError as error:
        if error.errno == errno.ENOTCONN:
            subprocess.run(["fusermount3", "-u", path], check=False)
    os.makedirs(path, exist_ok=True)
    return path


CORPORA = {
    "npm": npm, "git": npm_in_git, "mixed": mixed, "usr": usr, "ten": ten, "flat": flat,
    "ten-thousand": ten_thousand, "site": site, "repository": repository, "sources": sources,
    "huge": huge, "slow-dirs": slow_root, "slow-flat": slow_root, "slow-tree": slow_root,
    "slow-own": slow_root, "slow-cp": slow_root, "small": small,
    **{f"slow-plus-{life}": slow_root for life in LIFETIMES},
    **{name: functools.partial(str, root) for name, (_, root) in NETWORK.items()},
}
# Shapes that are made anew more quickly than they are copied.
SHAPES = {"flat": FLAT, "ten": TEN}
# Seconds that a removal may go on in the background.
PATIENCE = 120


@contextmanager
def place(kind):
    """An empty directory on a file system of that kind, as long as the block runs."""
    if kind in ("xfs", "btrfs"):
        with loop_device(kind) as path:
            yield path
        return
    parent = MEMORY if kind == "tmpfs" else WORK
    found = kind_of(parent)
    if not found.startswith({"ext4": "ext"}.get(kind, kind)):
        raise Unavailable(f"{parent} is on {found}, not {kind}")
    path = tempfile.mkdtemp(prefix="brisk-rm-", dir=parent)
    try:
        yield path
    finally:
        shutil.rmtree(path)


def kind_of(path):
    """The type of the file system that holds `path`."""
    return subprocess.run(["stat", "-f", "-c", "%T", path], stdout=subprocess.PIPE, text=True,
                          check=True).stdout.strip()


@contextmanager
def loop_device(kind):
    """A file system of its own in a file, mounted; needs root and that kind's mkfs."""
    if os.geteuid() != 0 or not shutil.which("mkfs." + kind):
        raise Unavailable(f"mounting {kind} needs root and mkfs.{kind}")
    image, where = (os.path.join(WORK, kind + end) for end in (".img", ""))
    if os.path.ismount(where):
        raise Unavailable(f"{where} is mounted already, by an interrupted run or another one")
    os.makedirs(where, exist_ok=True)
    with open(image, "wb") as file:
        file.truncate(8 << 30)
    try:
        subprocess.run(["mkfs." + kind, "-q", "-f", image], check=True,
                       stdout=subprocess.DEVNULL)
        if subprocess.run(["mount", "-o", "loop", image, where], check=False).returncode:
            raise Unavailable(f"{kind} cannot be mounted here")
        try:
            yield where
        finally:
            subprocess.run(["umount", where], check=True)
    finally:
        os.unlink(image)


@contextmanager
def copied(corpus, path, empty):
    """A fresh, synced copy at `path`; afterwards its rest is removed."""
    if corpus in SHAPES:
        subprocess.run([os.path.join(BIN, "mktree"), path, *SHAPES[corpus]], check=True,
                       stdout=subprocess.DEVNULL)
    else:
        copy(CORPORA[corpus](), path, empty)
    subprocess.run(["sync", "-f", os.path.dirname(path)], check=True)
    yield {}
    shutil.rmtree(path, ignore_errors=True)
    wait_for_empty(os.path.dirname(path))


def copy(source, path, empty):
    """Copies a directory's entries with one process a core; if `empty`, without files' data."""
    os.mkdir(path)
    names = "".join(f"{source}/{name}\0" for name in os.listdir(source))
    words = ["cp", "-a", *(["--attributes-only"] if empty else []), "-t", path]
    subprocess.run(["xargs", "-0", "-n", "32", "-P", str(os.cpu_count()), *words], input=names,
                   text=True, check=True)


def left(path):
    """How many entries a removal has left in a directory; 0 if the directory is gone."""
    return len(os.listdir(path)) if os.path.isdir(path) else 0


def wait_for_empty(path):
    """Waits until the trees that were set aside in a directory are gone."""
    end = time.monotonic() + PATIENCE
    while os.listdir(path) and time.monotonic() < end:
        time.sleep(0.02)


@contextmanager
def slowfs(binary, where, flags):
    """A fresh mount as long as the block runs; yields a dict that holds its request
    counts afterwards."""
    counts = {}
    with tempfile.NamedTemporaryFile() as report:
        server = subprocess.Popen([binary, *flags, "--counters", report.name, where],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            if server.stdout.readline().strip() != b"ready":
                raise Unavailable(f"slowfs did not mount on {where}")
            yield counts
        finally:
            unmount(server, where)
        counts["requests"] = report.read().decode().strip()


@contextmanager
def network(corpus):
    """A fresh mount of what a server has, in the guest."""
    protocol, root = NETWORK[corpus]
    copy = [os.path.basename(root)] if corpus.endswith("copy") else []
    if subprocess.run(["bench/guest", "mount", protocol, *copy], check=False).returncode:
        raise Unavailable(f"{protocol} cannot be mounted here")
    yield {}


def unmount(server, where):
    """Unmounts and waits for the server to end."""
    if server.poll() is None:
        subprocess.run(["fusermount3", "-u", where], check=False, stderr=subprocess.DEVNULL)
        try:
            server.wait(timeout=5)
        except subprocess.TimeoutExpired:
            server.terminate()
            server.wait()
    server.stdout.close()
