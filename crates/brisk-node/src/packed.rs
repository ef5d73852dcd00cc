//! [`Packed`]: what the engine has found, as few large values, which JavaScript takes over at once.

use std::path::Path;

use brisk::Operation;
use napi::bindgen_prelude::{Buffer, Either3, Float64Array, Latin1String};
use napi_derive::napi;

/// V8 makes no string of more than half a GiB. What is longer than this goes to JavaScript in bytes,
/// of which it makes many strings. It is short in the builds that are tested.
const MAX_STRING: usize = if cfg!(debug_assertions) { 1 << 14 } else { 1 << 28 };

/// What the engine has found. The calls say what they put where.
#[derive(Default)]
pub struct Packed {
    /// Names and paths, each with a NUL at its end.
    pub text: Vec<u8>,
    pub letters: String,
    pub numbers: Vec<f64>,
    pub errors: Vec<ErrorParts>,
    /// JavaScript gets the text as bytes.
    pub raw: bool,
    /// There is no more to find.
    pub done: bool,
}

impl Packed {
    pub fn push_text(&mut self, text: &[u8]) {
        self.text.extend_from_slice(text);
        self.text.push(0);
    }

    pub fn into_found(self) -> PackedObject {
        let decoded = |text| {
            String::from_utf8(text)
                .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
        };
        let text = match self.raw || self.text.len() > MAX_STRING {
            true => Either3::C(self.text.into()),
            // What is no UTF-8 becomes U+FFFD, as in node:fs. V8 copies Latin-1, and decodes UTF-8.
            false => match decoded(self.text) {
                text if text.is_ascii() => Either3::A(text.into()),
                text => Either3::B(text),
            },
        };
        let letters = self.letters.into();
        let Packed { numbers, errors, done, .. } = self;
        PackedObject { text, letters, numbers: numbers.into(), errors, done }
    }
}

/// A [`Packed`] for JavaScript.
#[napi(object, object_from_js = false)]
pub struct PackedObject {
    pub text: Either3<Latin1String, String, Buffer>,
    pub letters: Latin1String,
    pub numbers: Float64Array,
    pub errors: Vec<ErrorParts>,
    pub done: bool,
}

/// What index.js makes an `Error` of.
#[napi(object, object_from_js = false)]
pub struct ErrorParts {
    pub errno: i32,
    pub syscall: &'static str,
    pub path: String,
    /// The other path of a call that takes two.
    pub dest: Option<String>,
    pub refusal: Option<FsRefusal>,
    /// Nothing was found for that reason.
    pub fatal: bool,
}

/// What node:fs refuses by itself, in its words.
#[napi(object, object_from_js = false)]
pub struct FsRefusal {
    /// The code, behind `ERR_FS_`.
    pub kind: &'static str,
    pub title: &'static str,
    pub message: String,
}

impl ErrorParts {
    pub fn new(errno: i32, syscall: &'static str, path: &Path) -> ErrorParts {
        let path = path.to_string_lossy().into_owned();
        ErrorParts { errno, syscall, path, dest: None, refusal: None, fatal: true }
    }
}

impl From<brisk::Error> for ErrorParts {
    fn from(error: brisk::Error) -> ErrorParts {
        let syscall = match error.operation() {
            Operation::Open | Operation::Reopen | Operation::Read => "scandir",
            Operation::Stat | Operation::FollowLoop => "lstat",
            _ => "read",
        };
        let failure = ErrorParts::new(error.errno(), syscall, error.path());
        ErrorParts { fatal: error.depth() == 0, ..failure }
    }
}

impl From<ErrorParts> for Packed {
    fn from(failure: ErrorParts) -> Packed {
        Packed { errors: vec![failure], ..Packed::default() }
    }
}
