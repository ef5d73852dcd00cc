use super::*;

fn quoted(style: Style, name: &str) -> String {
    let mut out = Vec::new();
    Quoting::new(style, false, Charset::Ascii).write(name.as_bytes(), &mut out);
    String::from_utf8(out).expect("ASCII")
}

#[test]
fn each_style_in_its_manner() {
    use Style::{C, CMaybe, Escape, Literal, Locale, Shell, ShellAlways, ShellEscape};
    let table = [
        (Literal, "a b\n", "a b\n"),
        (Shell, "a", "a"),
        (Shell, "a b", "'a b'"),
        (Shell, "", "''"),
        (Shell, "~a", "'~a'"),
        (Shell, "a~", "a~"),
        (Shell, "it's", "\"it's\""),
        (Shell, "it's $1", "'it'\\''s $1'"),
        (Shell, "{", "'{'"),
        (Shell, "{}", "{}"),
        (ShellAlways, "a", "'a'"),
        (ShellEscape, "a\nb", "'a'$'\\n''b'"),
        (ShellEscape, "a\n", "'a'$'\\n'"),
        (ShellEscape, "\u{1}\u{2}c", "''$'\\001\\002''c'"),
        (ShellEscape, "a'\n'b", "'a'\\'''$'\\n'\\''b'"),
        (C, "a\"b\\\n", "\"a\\\"b\\\\\\n\""),
        (CMaybe, "a\\b", "a\\b"),
        (CMaybe, "a\\b\n", "\"a\\\\b\\n\""),
        (Escape, "a \u{7f}", "a \\177"),
        (Locale, "a'", "'a\\''"),
    ];
    for (style, name, expected) in table {
        assert_eq!(quoted(style, name), expected, "{style:?} {name:?}");
    }
}

#[test]
fn question_marks_stand_for_what_cannot_be_shown() {
    let mut out = Vec::new();
    let quoting = Quoting::new(Style::Literal, true, Charset::Ascii);
    assert!(!quoting.write(b"a\nb\xff", &mut out).quoted);
    assert_eq!(out, b"a?b?");
}

/// The output of GNU rm 9.1.
#[test]
fn messages_quote_as_a_shell() {
    for (name, expected) in [
        (&b"d"[..], "'d'"),
        (b"a b", "'a b'"),
        (b"", "''"),
        (b"it's", "\"it's\""),
        (b"q\"q", "'q\"q'"),
        (b"both'\"", "'both'\\''\"'"),
        (b"a\nb", "'a'$'\\n''b'"),
        (b"x\x01y", "'x'$'\\001''y'"),
        (b"\x01\x02", "''$'\\001\\002'"),
        (b"bad\xff", "'bad'$'\\377'"),
        (b"bad\xffz", "'bad'$'\\377''z'"),
        (b"\\n", "'\\n'"),
    ] {
        assert_eq!(in_message(name), expected, "{name:?}");
    }
    assert_eq!(leading(b"a"), "a");
    assert_eq!(leading(b"a b"), "'a b'");
    assert_eq!(leading(b"a:b"), "'a:b'");
}
