//! Whole colours: priorities, switches, and the bytes that are written.

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
    assert_eq!(warning, Refusal::Key(*b"zz"));
    let warning = warning.to_string();
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
    assert_eq!(style(&tar, "a.tar", FileType::Unknown), None);
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
    let all = colors("mh=36:ca=35");
    let cases = [
        (0o6755, 2, true, Key::SetUid),
        (0o2755, 2, true, Key::SetGid),
        (0o755, 2, true, Key::Capability),
        (0o755, 2, false, Key::Executable),
        (0o001, 1, false, Key::Executable),
        (0o644, 2, false, Key::MultiLink),
        (0o644, 1, false, Key::File),
    ];
    for (mode, nlink, capable, expected) in cases {
        let key = all.key(FileType::File, mode, nlink, capable);
        assert_eq!(key, expected, "{mode:o} {capable}");
    }
    let some = colors("su=0:ex=00");
    assert_eq!(some.key(FileType::File, 0o6755, 1, true), Key::SetGid);
    assert_eq!(some.key(FileType::File, 0o4755, 1, true), Key::File);
}

#[test]
fn a_directory_s_mode_counts_by_gnu_s_priority() {
    let all = colors("");
    let cases = [
        (0o1777, Key::StickyOtherWritable),
        (0o777, Key::OtherWritable),
        (0o1755, Key::Sticky),
        (0o755, Key::Directory),
    ];
    for (mode, expected) in cases {
        assert_eq!(all.key(FileType::Directory, mode, 9, false), expected, "{mode:o}");
    }
    let key = colors("tw=0").key(FileType::Directory, 0o1777, 9, false);
    assert_eq!(key, Key::OtherWritable);
}

#[test]
fn capabilities_and_links_count_where_metadata_does() {
    let mut capable = Meta::default();
    capable.set_capability(true);
    let mut dangling = Meta::default();
    dangling.set_target(brisk::Target::Dangling);
    let off = colors("ca=31:or=32:ln=33");
    let on = off.clone().with_metadata(MetadataColors::On);
    let style = |colors: &Colors, kind, meta: &Meta| {
        let style = colors.style_of(b"x", kind, Some(meta));
        String::from_utf8(style.unwrap_or_default().to_vec()).expect("ASCII")
    };
    assert_eq!(style(&on, FileType::File, &capable), "31");
    assert_eq!(style(&off, FileType::File, &capable), "");
    assert_eq!(style(&on, FileType::Symlink, &dangling), "32");
    assert_eq!(style(&off, FileType::Symlink, &dangling), "33");
}

#[test]
fn only_what_a_colour_needs_is_asked_for() {
    let file = FileType::File;
    let dir = FileType::Directory;
    let link = FileType::Symlink;
    let none = Fields::empty();
    let mode = Fields::MODE;
    let caps = Fields::CAPS;
    let nlink = Fields::NLINK;
    let target = Fields::TARGET;
    let off = "ex=0:su=0:sg=00:st=:ow=0:tw=0";
    let table = [
        ("", file, mode),
        ("", dir, mode),
        ("", link, none),
        ("", FileType::Fifo, none),
        ("", FileType::Unknown, none),
        (off, file, none),
        (off, dir, none),
        ("ex=0:su=0:sg=0:mh=31", file, none),
        ("mh=31", file, mode | nlink),
        ("mh=31", dir, mode),
        ("mh=31:or=31", link, target),
        ("ex=0:su=0:sg=0:ca=31", file, caps),
        ("ca=31:mh=31", file, mode | caps | nlink),
        ("st=0:ow=0:tw=0", dir, none),
        ("st=0:ow=0", dir, mode),
        ("or=31", link, target),
        ("or=00", link, none),
        ("mi=31", link, none),
        ("ln=target", link, target),
        ("ln=target:mh=1", link, target | nlink),
        ("ln=target:ex=0", link, none),
        ("ln=target:ex=0:or=1", link, target),
    ];
    for (value, kind, expected) in table {
        let on = colors(value).with_metadata(MetadataColors::On);
        assert_eq!(on.fields(kind), expected, "{value} {kind:?}");
        assert_eq!(colors(value).fields(kind), none, "{value} {kind:?}");
    }
    let shown = colors("mi=31").with_metadata(MetadataColors::On).with_targets(TargetColors::Shown);
    assert_eq!(shown.fields(link), target);
}

/// For any value: the reported costs are the fields that are asked for, and the value that is
/// reported free is free.
#[test]
fn costs_are_what_is_asked_for() {
    let values = [
        "",
        "ex=0",
        "ca=1:ex=0:su=0:sg=0",
        "or=1:mi=2",
        "ln=target",
        "ln=target:ex=0",
        "mh=1:tw=0",
        "ex=0:su=0:sg=0:st=0:ow=0:tw=0",
        "*.a=1:or=31:",
        "di=31\\:",
    ];
    for value in values {
        for targets in [TargetColors::Hidden, TargetColors::Shown] {
            let compile = |value: &[u8]| {
                let (colors, _) = Colors::from_env_value(Some(value));
                colors.with_metadata(MetadataColors::On).with_targets(targets)
            };
            let before = compile(value.as_bytes());
            for kind in [FileType::File, FileType::Directory, FileType::Symlink, FileType::Fifo] {
                let costs = before.costs();
                let costs = costs.iter().filter(|cost| cost.file_type == kind);
                let fields = costs.fold(Fields::empty(), |fields, cost| fields | cost.fields);
                assert_eq!(fields, before.fields(kind) - Fields::NLINK, "{value} {kind:?}");
            }
            // A second colon does no harm: the one at the end of a value may be escaped.
            let free = compile(format!("{value}:{}", before.free_suffix()).as_bytes());
            for kind in [FileType::File, FileType::Directory, FileType::Symlink] {
                assert_eq!(free.fields(kind), Fields::empty(), "{value} {kind:?}");
            }
            assert_eq!((free.costs().len(), free.free_suffix().as_str()), (0, ""), "{value}");
            let same = |kind| style(&before, "x.a", kind) == style(&free, "x.a", kind);
            assert!(same(FileType::File) && same(FileType::Fifo), "{value}");
        }
    }
    let (defaults, _) = Colors::from_env_value(None);
    let defaults = defaults.with_metadata(MetadataColors::On);
    assert_eq!(defaults.free_suffix(), "su=0:sg=0:ex=0:tw=0:ow=0:st=0");
    let target = colors("ln=target:or=1").with_metadata(MetadataColors::On);
    assert_eq!(target.free_suffix(), "su=0:sg=0:ex=0:tw=0:ow=0:st=0:or=0:ln=01;36");
}

#[test]
fn without_a_value_an_unknown_terminal_has_no_colour() {
    let on = |value: Option<&str>, colorterm: Option<&str>, term: Option<&str>| {
        let [value, colorterm, term] = [value, colorterm, term].map(|text| text.map(str::as_bytes));
        Colors::for_terminal(value, colorterm, term).0.is_on()
    };
    assert!(!on(None, None, None) && !on(Some(""), Some(""), Some("dumb")));
    assert!(on(Some("di=1"), None, None) && on(None, Some("1"), None));
    assert!(on(None, None, Some("xterm")) && on(Some(""), None, Some("linux")));
    assert!(!on(Some("zz=1"), None, Some("xterm")));
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
