//! Whole templates: how they are read, and what they print.

use super::*;
use brisk::FileType;
use brisk_sys::{Backend, Links, stat_path};
use proptest::prelude::*;
use std::os::unix::fs::MetadataExt;

fn filled(text: &str, placeholders: Placeholders, path: &str, facts: &Facts<'_>) -> String {
    let template = Template::parse(text, placeholders).expect(text);
    let mut out = Vec::new();
    template.fill(path.as_bytes(), facts, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

fn unknown() -> Facts<'static> {
    Facts { kind: FileType::Unknown, depth: 3, meta: None, change: None }
}

/// The output of fd 10.5 for a file called `noext`.
#[test]
fn braces_are_read_as_fd_reads_them() {
    let cases = [
        ("{{}", "{}"),
        ("{}}", "{}"),
        ("{}}}", "{}}"),
        ("{/{}", "{/noext"),
        ("{//}}", "{//}"),
        ("{{{}}}", "{{}}"),
        ("}", "}"),
        ("{", "{"),
        ("{x}", "{x}"),
        ("{size}", "{size}"),
        ("{{x}}", "{x}"),
        ("{}{}", "noextnoext"),
        ("{.}}.", "{.}."),
        ("}}{", "}{"),
        ("{ }", "{ }"),
        ("é{}ü", "énoextü"),
    ];
    for (text, expected) in cases {
        assert_eq!(filled(text, Placeholders::Fd, "noext", &unknown()), expected, "{text}");
        if !text.contains(['x', 'z']) {
            assert_eq!(filled(text, Placeholders::Brisk, "noext", &unknown()), expected, "{text}");
        }
    }
}

#[test]
fn a_backslash_escapes_in_brisks_dialect() {
    let cases = [(r"{}\t{depth}\n", "a\t3\n"), (r"\0", "\0"), (r"\\t\x\", r"\t\x\")];
    for (text, expected) in cases {
        assert_eq!(filled(text, Placeholders::Brisk, "a", &unknown()), expected, "{text}");
    }
    assert_eq!(filled(r"{}\t\\", Placeholders::Fd, "a", &unknown()), r"a\t\\");
}

#[test]
fn words_are_read_beside_braces() {
    let cases = [
        ("{depth}", "3"),
        ("{{depth}}", "{depth}"),
        ("{{\"depth\":{depth}}}", "{\"depth\":3}"),
        ("{name}|{/}|{}", "b.c|b.c|a/b.c"),
        ("{ depth}", "{ depth}"),
        ("{1}", "{1}"),
    ];
    for (text, expected) in cases {
        assert_eq!(filled(text, Placeholders::Brisk, "a/b.c", &unknown()), expected, "{text}");
    }
}

#[test]
fn unknown_words_are_refused_in_brisk_s_dialect() {
    for text in ["{sise}", "{Size}", "{x}", "{mtime:", "{mtime:%!}", "{size:x}", "{name:x}"] {
        let refused = Template::parse(text, Placeholders::Brisk);
        assert!(refused.is_err(), "{text}: {refused:?}");
        assert!(Template::parse(text, Placeholders::Fd).is_ok(), "{text}");
    }
}

#[test]
fn fields_are_the_union_of_what_is_printed() {
    let fields = |text| Template::parse(text, Placeholders::Brisk).expect(text).fields();
    assert_eq!(fields("{} {/} {depth} {type} {name}"), Fields::empty());
    assert_eq!(fields("{size} {mtime:%s} {}"), Fields::SIZE | Fields::MTIME);
    assert_eq!(fields("{mtime}{ctime:%F}{user}"), Fields::MTIME | Fields::CTIME | Fields::UID);
}

#[test]
fn what_cannot_be_found_out_is_a_dash() {
    let text = "{size} {mtime} {mtime:%s} {btime:%F} {mode} {user} {inode} {type} {target}.";
    assert_eq!(filled(text, Placeholders::Brisk, "x", &unknown()), "- - - - - - - - -.");
}

#[test]
fn metadata_is_printed_as_stat_tells_it() {
    let place = tempfile::tempdir().expect("a directory");
    let path = place.path().join("f");
    std::fs::write(&path, b"12345").expect("a file");
    let text = "{size} {nlink} {mode} {type} {uid} {inode} {mtime:%s}";
    let wanted = Template::parse(text, Placeholders::Brisk).expect(text).fields();
    let meta = stat_path(Backend::default(), &path, wanted, Links::NoFollow).expect("stat");
    let facts = Facts { kind: FileType::File, meta: Some(&meta), depth: 1, change: None };
    let std = std::fs::metadata(&path).expect("metadata");
    let expected =
        format!("5 1 {:o} file {} {} {}", std.mode() & 0o7777, std.uid(), std.ino(), std.mtime());
    assert_eq!(filled(text, Placeholders::Brisk, "f", &facts), expected);
}

proptest! {
    #[test]
    fn any_text_is_a_template_of_fd(text in "[{}/. a:é]{0,12}") {
        let template = Template::parse(&text, Placeholders::Fd).expect("fd has no errors");
        // Text without a brace is printed as it stands.
        if !text.contains(['{', '}']) {
            prop_assert!(template.is_text());
            prop_assert_eq!(filled(&text, Placeholders::Fd, "p", &unknown()), text);
        }
    }

    #[test]
    fn doubled_braces_print_any_text(text in "[{}/. a:é]{0,12}") {
        // A placeholder's text is literal once its opening brace is doubled.
        let doubled = text.replace('{', "{{").replace('}', "}}");
        prop_assert_eq!(filled(&doubled, Placeholders::Fd, "p", &unknown()), text);
    }
}
