//! [`Tokens`]: the syntax of git's configuration files.

/// The sections and settings in the text of a configuration file. They end at the first character
/// that git would refuse.
pub(super) struct Tokens<'a> {
    rest: &'a [u8],
    /// A line was met that git would refuse.
    pub(super) is_cut: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// What is between brackets, in lowercase.
    Section(Vec<u8>),
    /// A name in lowercase, and the value; `None` where there is no `=`.
    Setting(Vec<u8>, Option<Vec<u8>>),
}

impl Tokens<'_> {
    pub(super) fn new(content: &[u8]) -> Tokens<'_> {
        Tokens { rest: content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(content), is_cut: false }
    }

    /// The next character; `\r\n` is one.
    fn take(&mut self) -> Option<u8> {
        if self.rest.starts_with(b"\r\n") {
            self.rest = &self.rest[1..];
        }
        let (&byte, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(byte)
    }

    /// The characters before the first that is not one of these.
    fn take_while(&mut self, is_one: impl Fn(&u8) -> bool) -> &[u8] {
        let len = self.rest.iter().take_while(|&byte| is_one(byte)).count();
        let (taken, rest) = self.rest.split_at(len);
        self.rest = rest;
        taken
    }

    /// A section with a name in quotes is none of git's own, so only its end matters.
    fn section(&mut self) -> Option<Token> {
        let mut name = Vec::new();
        let mut quoted = false;
        loop {
            match self.take()? {
                b'\n' => return None,
                b']' if !quoted => return Some(Token::Section(name.to_ascii_lowercase())),
                b'\\' if quoted => name.push(self.take()?),
                byte => {
                    quoted ^= byte == b'"';
                    name.push(byte);
                }
            }
        }
    }

    fn setting(&mut self) -> Option<Token> {
        let name = self.take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'-');
        let name = name.to_ascii_lowercase();
        self.take_while(|byte| matches!(byte, b' ' | b'\t'));
        match self.take() {
            Some(b'=') => Some(Token::Setting(name, Some(self.value()?))),
            Some(b'\n') | None => Some(Token::Setting(name, None)),
            _ => None,
        }
    }

    /// A value up to the end of its line, without the spaces around it and a comment.
    fn value(&mut self) -> Option<Vec<u8>> {
        let mut value = Vec::new();
        // The length without spaces at the end.
        let mut len = 0;
        let mut quoted = false;
        loop {
            match self.take().unwrap_or(b'\n') {
                b'\n' if quoted => return None,
                b'\n' => break,
                b'#' | b';' if !quoted => {
                    self.take_while(|&byte| byte != b'\n');
                }
                b' ' | b'\t' | b'\r' if !quoted && value.is_empty() => {}
                byte @ (b' ' | b'\t' | b'\r') if !quoted => value.push(byte),
                b'"' => {
                    quoted = !quoted;
                    len = value.len();
                }
                b'\\' if self.rest.first() == Some(&b'\n') || self.rest.starts_with(b"\r\n") => {
                    self.take();
                }
                byte => {
                    value.push(if byte == b'\\' { escaped(self.take()?)? } else { byte });
                    len = value.len();
                }
            }
        }
        value.truncate(len);
        Some(value)
    }
}

/// What a backslash and this character stand for.
fn escaped(byte: u8) -> Option<u8> {
    match byte {
        b'n' => Some(b'\n'),
        b't' => Some(b'\t'),
        b'b' => Some(b'\x08'),
        b'"' | b'\\' => Some(byte),
        _ => None,
    }
}

impl Iterator for Tokens<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        loop {
            self.take_while(u8::is_ascii_whitespace);
            let line = match *self.rest.first()? {
                b'#' | b';' => {
                    self.take_while(|&byte| byte != b'\n');
                    continue;
                }
                b'[' => {
                    self.take();
                    self.section()
                }
                byte if byte.is_ascii_alphabetic() => self.setting(),
                _ => None,
            };
            self.is_cut = line.is_none();
            return line;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_git_reads_them() {
        // (a file, its settings as name=value)
        for (content, settings) in [
            ("[core]\n\texcludesFile = /a b/c \r\n", "excludesfile=/a b/c"),
            ("\u{feff}[core] x = 1 # y\n;z = 2\n\nw=3", "x=1 w=3"),
            ("x = \" a;#\\t\" b \n", "x= a;#\t b"),
            ("x = a\\\n b \\\r\n\ny=", "x=a b y="),
            ("flag\nother-1 \r\n", "flag other-1"),
            ("x = 1\nflag ; not a comment\ny = 2", "x=1"),
            ("x = \"a\ny = 2", ""),
            ("x = \\a\ny = 2", ""),
            ("[a \"]\\\"\"] x = 1\n[b\nx = 2", "x=1"),
            ("= 1\nx = 2", ""),
            ("", ""),
        ] {
            let shown = Tokens::new(content.as_bytes()).filter_map(|line| match line {
                Token::Section(_) => None,
                Token::Setting(name, None) => Some(name),
                Token::Setting(name, Some(value)) => Some([name, value].join(&b'=')),
            });
            let shown: Vec<_> = shown.collect();
            assert_eq!(shown.join(&b' '), settings.as_bytes(), "{content:?}");
        }
    }
}
