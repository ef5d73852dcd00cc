use super::*;

fn written(quoting: &Quoting, name: &str) -> String {
    let mut out = Vec::new();
    quoting.write(name.as_bytes(), &mut out);
    String::from_utf8(out).expect("a text")
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
        (Locale, "a'\\\n", "'a\\'\\\\\\n'"),
    ];
    for (style, name, expected) in table {
        let quoting = Quoting::new(style, false, Charset::Ascii);
        assert_eq!(written(&quoting, name), expected, "{style:?} {name:?}");
    }
}

#[test]
fn question_marks_stand_for_what_cannot_be_shown() {
    let mut out = Vec::new();
    let quoting = Quoting::new(Style::Literal, true, Charset::Ascii);
    assert!(!quoting.write(b"a\nb\xff", &mut out).quoted);
    assert_eq!(out, b"a?b?");
}

#[test]
fn messages_quote_as_a_shell() {
    assert_eq!(in_message(b"a b"), "'a b'");
    assert_eq!(quoted("a\nb"), "'a'$'\\n''b'");
    assert_eq!(leading(b"a"), "a");
    assert_eq!(leading(b"a b"), "'a b'");
    assert_eq!(leading(b"a:b"), "'a:b'");
    assert_eq!(typed(OsStr::new("a:b")), "a:b");
    assert_eq!(typed(OsStr::new("it's")), "\"it's\"");
}

#[test]
fn messages_show_no_deceptive_characters() {
    let shown = |style| written(&for_messages(style, Charset::Utf8), "é\u{202e}\u{9b}");
    assert_eq!(shown(Style::Locale), "‘é\\342\\200\\256\\302\\233’");
    assert_eq!(shown(Style::ShellEscape), "'é'$'\\342\\200\\256\\302\\233'");
}
