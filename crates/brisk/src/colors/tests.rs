//! Colours put together: priorities, switches, and the bytes that are written.

use super::*;

fn colors(value: &str) -> Colors {
    let (colors, warning) = Colors::from_env_value(Some(value.as_bytes()));
    assert_eq!(warning, None);
    colors
}

fn style(colors: &Colors, name: &str, kind: FileType) -> Option<String> {
    let style = colors.style_of(name.as_bytes(), kind, None)?;
    Some(String::from_utf8_lossy(style).into_owned())
}

#[test]
fn the_defaults_are_gnu_s() {
    let (defaults, warning) = Colors::from_env_value(None);
    assert_eq!(warning, None);
    let cases = [
        (FileType::Directory, Some("01;34")),
        (FileType::Symlink, Some("01;36")),
        (FileType::Fifo, Some("33")),
        (FileType::Socket, Some("01;35")),
        (FileType::Other, Some("01;35")),
        (FileType::BlockDevice, Some("01;33")),
        (FileType::CharDevice, Some("01;33")),
        (FileType::File, None),
        (FileType::Unknown, None),
    ];
    for (kind, expected) in cases {
        assert_eq!(style(&defaults, "x", kind).as_deref(), expected, "{kind:?}");
        assert_eq!(style(&colors(""), "x", kind).as_deref(), expected, "{kind:?}");
    }
}

#[test]
fn a_malformed_value_switches_colour_off_wholly() {
    let (off, warning) = Colors::from_env_value(Some(b"di=01;31:zz=1"));
    let warning = warning.expect("a warning");
    assert!(warning.contains("LS_COLORS") && warning.contains("'zz'"), "{warning}");
    assert_eq!(style(&off, "x", FileType::Directory), None);
    let mut out = Vec::new();
    off.paint_path(b"a/", b"b", off.directory_style(), &mut out);
    assert_eq!(out, b"a/b");
}

#[test]
fn suffixes_paint_regular_files_alone() {
    let tar = colors("*.tar=31:fi=32");
    assert_eq!(style(&tar, "a.tar", FileType::File).as_deref(), Some("31"));
    assert_eq!(style(&tar, "a.tar", FileType::Unknown).as_deref(), Some("31"));
    assert_eq!(style(&tar, "a.txt", FileType::File).as_deref(), Some("32"));
    assert_eq!(style(&tar, "a.tar", FileType::Directory).as_deref(), Some("01;34"));
}

#[test]
fn empty_0_and_00_mean_plain() {
    for plain in ["", "0", "00"] {
        let value = format!("di={plain}:fi=31:*.txt={plain}");
        let some = colors(&value);
        assert_eq!(style(&some, "d", FileType::Directory), None, "{value}");
        assert_eq!(style(&some, "a.txt", FileType::File), None, "{value}");
        assert_eq!(style(&some, "a", FileType::File).as_deref(), Some("31"), "{value}");
    }
}

#[test]
fn files_inherit_the_colour_of_ordinary_text_unless_fi_is_given() {
    assert_eq!(style(&colors("no=31"), "a", FileType::File).as_deref(), Some("31"));
    assert_eq!(style(&colors("no=31:fi=0"), "a", FileType::File), None);
    assert_eq!(style(&colors("ln=target"), "a", FileType::Symlink), None);
}

#[test]
fn a_file_s_mode_counts_by_gnu_s_priority() {
    let all = colors("mh=36").with_metadata(MetadataColors::On);
    let cases = [
        (0o6755, 2, Key::SetUid),
        (0o2755, 2, Key::SetGid),
        (0o755, 2, Key::Executable),
        (0o001, 1, Key::Executable),
        (0o644, 2, Key::MultiLink),
        (0o644, 1, Key::File),
    ];
    for (mode, nlink, expected) in cases {
        assert_eq!(all.file_key(mode, nlink), expected, "{mode:o}");
    }
    let some = colors("su=0:ex=00").with_metadata(MetadataColors::On);
    assert_eq!(some.file_key(0o6755, 1), Key::SetGid);
    assert_eq!(some.file_key(0o4755, 1), Key::File);
}

#[test]
fn a_directory_s_mode_counts_by_gnu_s_priority() {
    let all = colors("").with_metadata(MetadataColors::On);
    let cases = [
        (0o1777, Key::StickyOtherWritable),
        (0o777, Key::OtherWritable),
        (0o1755, Key::Sticky),
        (0o755, Key::Directory),
    ];
    for (mode, expected) in cases {
        assert_eq!(all.directory_key(mode), expected, "{mode:o}");
    }
    assert_eq!(colors("tw=0").directory_key(0o1777), Key::OtherWritable);
}

#[test]
fn only_what_a_colour_needs_is_asked_for() {
    let asked = |value: &str, kind| colors(value).with_metadata(MetadataColors::On).fields(kind);
    assert_eq!(asked("", FileType::File), Fields::MODE);
    assert_eq!(asked("", FileType::Directory), Fields::MODE);
    assert_eq!(asked("", FileType::Symlink), Fields::empty());
    assert_eq!(asked("ex=0:su=0:sg=0:mh=31", FileType::File), Fields::empty());
    assert_eq!(asked("ex=0:su=0:sg=0:ca=31", FileType::File), Fields::CAPS);
    assert_eq!(asked("st=0:ow=0:tw=0", FileType::Directory), Fields::empty());
    assert_eq!(colors("").fields(FileType::File), Fields::empty());
}

#[test]
fn a_path_is_painted_as_fd_paints_it() {
    let fd = colors("").normalized();
    let paint = |dir: &str, name: &str, kind| {
        let mut out = Vec::new();
        let style = fd.style_of(name.as_bytes(), kind, None);
        fd.paint_path(dir.as_bytes(), name.as_bytes(), style, &mut out);
        if kind == FileType::Directory {
            fd.paint(b"/", fd.directory_style(), &mut out);
        }
        String::from_utf8_lossy(&out).into_owned()
    };
    assert_eq!(
        paint("a/", "b", FileType::Directory),
        "\x1b[1;34ma/\x1b[0m\x1b[1;34mb\x1b[0m\x1b[1;34m/\x1b[0m"
    );
    assert_eq!(paint("a/b/", "x.tar", FileType::File), "\x1b[1;34ma/b/\x1b[0mx.tar");
    assert_eq!(paint("", "lnk", FileType::Symlink), "\x1b[1;36mlnk\x1b[0m");
}

#[test]
fn codes_around_a_sequence_can_be_given() {
    let html = colors("lc=<:rc=>:ec=</>:di=b");
    let mut out = Vec::new();
    html.paint(b"d", html.directory_style(), &mut out);
    assert_eq!(out, b"<b>d</>");
    let reset = colors("rs=22;39:di=1;34");
    out.clear();
    reset.paint(b"d", reset.directory_style(), &mut out);
    assert_eq!(out, b"\x1b[1;34md\x1b[22;39m");
}
