//! Symbols before names, by name and type alone: they never need a system call. The glyphs are
//! those of Nerd Fonts.

use brisk::FileType;

use crate::show::template::parts::extension;

/// Columns that an icon and the space after it take.
pub(crate) const WIDTH: usize = 2;

/// Extensions, in groups that share a glyph.
const EXTENSIONS: &[(&str, &[&str])] = &[
    ("\u{e7a8}", &["rs"]),
    ("\u{e606}", &["py", "pyc", "pyi"]),
    ("\u{e61e}", &["c", "h"]),
    ("\u{e61d}", &["cc", "cpp", "cxx", "hh", "hpp"]),
    ("\u{e627}", &["go"]),
    ("\u{e60c}", &["js", "mjs", "cjs", "ts", "tsx", "jsx"]),
    ("\u{e60e}", &["html", "htm", "xml"]),
    ("\u{e60b}", &["json", "jsonl"]),
    ("\u{e615}", &["toml", "yaml", "yml", "ini", "conf", "cfg"]),
    ("\u{e73e}", &["md", "rst"]),
    ("\u{f15c}", &["txt", "log", "tex"]),
    ("\u{f489}", &["sh", "bash", "zsh", "fish"]),
    ("\u{f410}", &["zip", "tar", "gz", "xz", "bz2", "zst", "7z", "tgz", "deb", "rpm"]),
    ("\u{f1c5}", &["png", "jpg", "jpeg", "gif", "svg", "webp", "bmp", "tif", "tiff"]),
    ("\u{f001}", &["mp3", "flac", "ogg", "wav", "opus", "m4a"]),
    ("\u{f03d}", &["mp4", "mkv", "webm", "avi", "mov"]),
    ("\u{f1c1}", &["pdf"]),
    ("\u{f1c0}", &["db", "sqlite", "sql", "parquet"]),
    ("\u{f023}", &["lock", "key", "pem"]),
];

const FILE: &str = "\u{f15b}";

/// The icon of an entry.
pub(crate) fn icon(name: &[u8], file_type: FileType) -> &'static str {
    match file_type {
        FileType::Directory if name == b".git" => "\u{e5fb}",
        FileType::Directory => "\u{f07b}",
        FileType::Symlink => "\u{f0c1}",
        FileType::Fifo => "\u{f0ec}",
        FileType::Socket => "\u{f1e6}",
        FileType::BlockDevice | FileType::CharDevice => "\u{f0a0}",
        _ => by_extension(name).unwrap_or(FILE),
    }
}

fn by_extension(name: &[u8]) -> Option<&'static str> {
    let extension = extension(name)?;
    let is_it = |known: &&str| known.as_bytes().eq_ignore_ascii_case(extension);
    EXTENSIONS.iter().find(|(_, known)| known.iter().any(is_it)).map(|(icon, _)| *icon)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn icons_by_name_and_type() {
        assert_eq!(icon(b"a.RS", FileType::File), "\u{e7a8}");
        assert_eq!(icon(b".rs", FileType::File), FILE);
        assert_eq!(icon(b"a.rs", FileType::Directory), "\u{f07b}");
    }
}
