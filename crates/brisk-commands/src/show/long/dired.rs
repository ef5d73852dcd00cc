//! `--dired`: where names stand in the output, for Emacs. Lines are indented by two spaces, and
//! offsets follow the listing.

/// Offsets of the names that were written, if they are asked for. As in GNU ls, colour codes are
/// not counted.
#[derive(Debug, Default)]
pub(crate) struct Dired {
    is_on: bool,
    /// The beginning and the end of each name.
    names: Vec<u64>,
    /// The same for the headers of directories.
    directories: Vec<u64>,
    /// Bytes of the lines before the current one.
    written: u64,
    /// Where the current line begins in the output's buffer.
    begin: usize,
    /// Bytes of colour codes in the current line.
    codes: usize,
}

impl Dired {
    pub(crate) fn new(is_on: bool) -> Dired {
        Dired { is_on, ..Dired::default() }
    }

    /// Says that a line begins, and indents it.
    pub(crate) fn begin_line(&mut self, out: &mut Vec<u8>) {
        if self.is_on {
            self.begin = out.len();
            self.codes = 0;
            out.extend_from_slice(b"  ");
        }
    }

    /// Says that the line is complete.
    pub(crate) fn end_line(&mut self, out: &[u8]) {
        if self.is_on {
            self.written = self.position(out);
        }
    }

    /// Says that an empty line was written.
    pub(crate) fn note_blank(&mut self) {
        self.written += 1;
    }

    /// Says that the last bytes are a colour code.
    pub(crate) fn note_code(&mut self, length: usize) {
        self.codes += length;
    }

    /// Says that a name begins or ends here.
    pub(crate) fn note_name(&mut self, out: &[u8]) {
        if self.is_on {
            self.names.push(self.position(out));
        }
    }

    /// Says that the name of a directory begins or ends here, in its header.
    pub(crate) fn note_directory(&mut self, out: &[u8]) {
        if self.is_on {
            self.directories.push(self.position(out));
        }
    }

    fn position(&self, out: &[u8]) -> u64 {
        self.written + (out.len() - self.begin - self.codes) as u64
    }

    /// Appends the offsets, and how names are quoted.
    pub(crate) fn finish(&self, style: &str, out: &mut Vec<u8>) {
        for (label, offsets) in [("//DIRED//", &self.names), ("//SUBDIRED//", &self.directories)] {
            if offsets.is_empty() {
                continue;
            }
            out.extend_from_slice(label.as_bytes());
            for offset in offsets {
                out.push(b' ');
                out.extend_from_slice(itoa::Buffer::new().format(*offset).as_bytes());
            }
            out.push(b'\n');
        }
        if self.is_on {
            let options = format!("//DIRED-OPTIONS// --quoting-style={style}\n");
            out.extend_from_slice(options.as_bytes());
        }
    }
}
