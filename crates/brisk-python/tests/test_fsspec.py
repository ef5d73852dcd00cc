"""BriskFileSystem, against LocalFileSystem and by fsspec's own abstract tests."""

import json
import os
import pickle

import fsspec
import fsspec.tests.abstract as abstract
import pytest
from fsspec.implementations.local import LocalFileSystem

from briskfs.fsspec import BriskFileSystem, register
from trees import grow, large


@pytest.fixture(params=range(6))
def tree(request, tmp_path):
    grow(tmp_path, request.param, loops=request.param % 2)
    if request.param == 0:
        large(tmp_path)
    return str(tmp_path)


def both(call):
    answers = []
    for fs in (LocalFileSystem(skip_instance_cache=True), BriskFileSystem()):
        try:
            answers.append(call(fs))
        except (OSError, ValueError) as error:
            answers.append((type(error), str(error)))
    return answers


def by_name(infos):
    return sorted(infos, key=lambda info: info["name"] if isinstance(info, dict) else info)


def test_listings(tree):
    for directory, dirs, files in os.walk(tree):
        for path in (directory, directory + "/", *(os.path.join(directory, name) for name in files)):
            for detail in (False, True):
                theirs, ours = both(lambda fs: by_name(fs.ls(path, detail=detail)))
                assert ours == theirs
            theirs, ours = both(lambda fs: fs.info(path))
            assert ours == theirs
    theirs, ours = both(lambda fs: fs.ls(tree + "/gone"))
    assert ours == theirs


def test_finding_walking_and_sums(tree):
    for options in ({}, {"withdirs": True}, {"maxdepth": 1}, {"maxdepth": 2, "withdirs": True},
                    {"maxdepth": 0}):
        for detail in (False, True):
            theirs, ours = both(lambda fs: fs.find(tree, detail=detail, **options))
            assert ours == theirs
            assert list(ours) == list(theirs)
        for total in (False, True):
            theirs, ours = both(lambda fs: fs.du(tree, total=total, **options))
            # LocalFileSystem has no answer where a link leads nowhere; such a link counts as 0.
            assert ours == theirs or (isinstance(theirs, tuple) and options != {"maxdepth": 0})
    theirs, ours = both(lambda fs: sorted((a, sorted(b), sorted(c)) for a, b, c in fs.walk(tree)))
    assert ours == theirs
    some = next((entry.path for entry in os.scandir(tree) if entry.is_file()), tree + "/gone")
    for path in (some, tree + "/gone"):
        theirs, ours = both(lambda fs: (fs.find(path), fs.find(path, detail=True)))
        assert ours == theirs


def test_globs(tree):
    for pattern in ("*", "**", "**/*.py", "*/*", "[ab]/*", "a*/", "**/a", "nowhere/*", "a/**"):
        for detail in (False, True):
            theirs, ours = both(lambda fs: fs.glob(f"{tree}/{pattern}", detail=detail))
            assert ours == theirs


def test_without_details_nothing_is_asked(tmp_path, monkeypatch):
    large(tmp_path, 10, 10)
    fs = BriskFileSystem()
    monkeypatch.setattr(fs, "info", None)
    monkeypatch.setattr(os, "stat", os.stat)
    assert len(fs.find(tmp_path)) == 100


def test_details_are_plain(tmp_path):
    (tmp_path / "file").write_text("text")
    fs = BriskFileSystem()
    details = fs.find(str(tmp_path), detail=True)
    assert json.loads(json.dumps(details)) == details
    assert pickle.loads(pickle.dumps(fs)) == fs


def test_protocols(tmp_path):
    (tmp_path / "file").write_text("text")
    with fsspec.open(f"brisk://{tmp_path}/file", "r") as file:
        assert file.read() == "text"
    fs, path = fsspec.url_to_fs(f"brisk://{tmp_path}")
    assert isinstance(fs, BriskFileSystem) and isinstance(fs, LocalFileSystem)
    assert fs.ls(path) == [f"{tmp_path}/file"]
    assert fs.unstrip_protocol(path) == f"brisk://{tmp_path}"
    register("file")
    try:
        assert type(fsspec.filesystem("file")) is BriskFileSystem
    finally:
        fsspec.register_implementation("file", LocalFileSystem, clobber=True)


def test_removal(tmp_path):
    (tmp_path / "kept").mkdir()
    (tmp_path / "tree/a").mkdir(parents=True)
    (tmp_path / "tree/a/file").write_text("")
    (tmp_path / "link").symlink_to("kept")
    fs = BriskFileSystem()
    with pytest.raises(ValueError):
        fs.rm(str(tmp_path / "tree"))
    fs.rm([str(tmp_path / "tree"), str(tmp_path / "link")], recursive=True)
    assert os.listdir(tmp_path) == ["kept"]


class Fixtures(abstract.AbstractFixtures):
    @pytest.fixture
    def fs(self):
        return BriskFileSystem(auto_mkdir=True)

    @pytest.fixture
    def fs_path(self, tmpdir):
        return str(tmpdir)


class TestCopy(abstract.AbstractCopyTests, Fixtures):
    pass


class TestGet(abstract.AbstractGetTests, Fixtures):
    pass


class TestPut(abstract.AbstractPutTests, Fixtures):
    pass


class TestOpen(abstract.AbstractOpenTests, Fixtures):
    pass


class TestPipe(abstract.AbstractPipeTests, Fixtures):
    pass
