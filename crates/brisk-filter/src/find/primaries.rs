//! find(1)'s tests by name.

use std::path::Path;

use brisk::change::ModeChange;
use brisk::filter::{Expr, PathOf, Test, Types};
use brisk::{Entry, Fields, FileType, Meta};
use brisk_sys::quoting::line;
use fancy_regex::BytesMode;
use regex::bytes::RegexBuilder;

use super::dialect::Translation;
use super::fault::{Fault, Why};
use super::names::{OF_MODES, lists};
use super::numbers::{compare, size, unit_letter, whole};
use super::operators::{NO, YES};
use super::owners::Named;
use super::parser::Parser;
use super::syntaxes::RegexType;
use crate::fnmatch::{Patterns, has_collation};
use crate::{calls, system, types};

type Matches = Box<dyn Fn(&[u8]) -> bool + Send + Sync>;

/// How the bits of `-perm` are compared.
#[derive(Clone, Copy, PartialEq)]
enum Bits {
    Exactly,
    All,
    Any,
}

impl Bits {
    fn hold(self, mode: u32, wanted: u32) -> bool {
        match self {
            Bits::Exactly => mode & 0o7777 == wanted,
            Bits::All => mode & wanted == wanted,
            Bits::Any => wanted == 0 || mode & wanted != 0,
        }
    }
}

impl Parser<'_, '_> {
    /// The test that this word begins, if it is one.
    // long: one line for each of find's tests
    pub(super) fn test(&mut self, word: &str) -> Result<Option<Expr>, Fault> {
        let name = word.strip_prefix('-').unwrap_or("");
        Ok(Some(match name {
            "true" => YES,
            "false" => NO,
            "name" | "iname" => {
                self.warn_of_slash(name);
                let (key, glob) = self.glob("name", name)?;
                Test::known(key, move |entry| glob.match_text(base_name(entry))).into()
            }
            "path" | "wholename" | "ipath" | "iwholename" => {
                let (key, glob) = self.glob("path", name)?;
                self.warn_of_end(name, &glob);
                Test::path(key, PathOf::Printed, move |text| glob.match_text(text)).into()
            }
            "lname" | "ilname" => {
                let (key, glob) = self.glob("lname", name)?;
                let fits = move |_, meta: &Meta| {
                    meta.link_target().is_some_and(|target| glob.match_text(target))
                };
                let ask = |file_type| match file_type {
                    FileType::Symlink | FileType::Unknown => Fields::LINK_TARGET,
                    _ => Fields::empty(),
                };
                Expr::All(vec![links(), Test::meta(key, ask, fits).into()])
            }
            "hidden" => hidden(),
            "nohidden" => !hidden(),
            "regex" | "iregex" => self.regex(name)?,
            "regextype" => {
                self.dialect = self.words.read(RegexType::named, Why::REGEX_TYPE)?;
                YES
            }
            "type" => types::of(self.types(name)?),
            "xtype" => behind_links(self.types(name)?),
            "size" => self.size()?,
            "empty" => types::is_empty(),
            "links" => self.number(name, Fields::NLINK, Meta::nlink)?,
            "inum" => self.number(name, Fields::INO, Meta::ino)?,
            "samefile" => self.same_file()?,
            "fstype" => self.file_system()?,
            "context" => self.security_context()?,
            "used" => self.used()?,
            "mtime" | "atime" | "ctime" | "mmin" | "amin" | "cmin" | "Bmin" | "Btime" => {
                self.age(name)?
            }
            _ if lists(OF_MODES, name) && cfg!(not(unix)) => {
                return Err(Fault::new(Why::NOT_HERE, self.words.of));
            }
            _ if lists(OF_MODES, name) => self.mode_or_owner(name)?,
            _ => return self.newer(name),
        }))
    }

    /// A test of permissions or owners.
    fn mode_or_owner(&mut self, name: &str) -> Result<Expr, Fault> {
        Ok(match name {
            "perm" => self.perm()?,
            "readable" | "writable" | "executable" => {
                let wanted = name.as_bytes()[0];
                Test::call(format!("-{name}"), move |entry, calls| calls::may(entry, wanted, calls))
                    .into()
            }
            "uid" => self.number(name, Fields::UID, |meta| meta.uid().map(u64::from))?,
            "gid" => self.number(name, Fields::GID, |meta| meta.gid().map(u64::from))?,
            "user" => {
                let id = self.owner(system::user_id, [Why::USER, Why::USER, Why::USER_EMPTY])?;
                field(format!("-uid {id}"), Fields::UID, move |meta| meta.uid() == Some(id))
            }
            "group" => {
                let whys = [Why::GROUP, Why::GROUP_SUFFIX, Why::GROUP_EMPTY];
                let id = self.owner(system::group_id, whys)?;
                field(format!("-gid {id}"), Fields::GID, move |meta| meta.gid() == Some(id))
            }
            "nouser" => nobody("-nouser", Fields::UID, Meta::uid, system::has_user),
            _ => nobody("-nogroup", Fields::GID, Meta::gid, system::has_group),
        })
    }

    /// The text of a test, and its glob; if the name begins with `i`, case does not count.
    fn glob(&mut self, test: &str, name: &str) -> Result<(String, Patterns), Fault> {
        let text = self.words.argument()?;
        let bytes = text.as_encoded_bytes();
        if has_collation(bytes) {
            return Err(self.words.refused(Why::COLLATION));
        }
        // In fnmatch, such a pattern matches nothing.
        let is_cut = bytes.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1;
        if is_cut && self.line.is_none() {
            return Err(self.words.refused(Why::BACKSLASH));
        }
        let folds = name.starts_with('i');
        let key = format!("-{}{test} {text:?}", if folds { "i" } else { "" });
        let patterns: &[_] = if is_cut { &[] } else { &[text.to_owned()] };
        Ok((key, Patterns::new(patterns, self.context.length).folding(folds)))
    }

    /// Warns of a slash in the pattern for a name, which is the next word.
    fn warn_of_slash(&mut self, name: &str) {
        let Some(line) = &mut self.line else { return };
        let pattern = self.words.next();
        if pattern.is_some_and(|pattern| pattern.as_encoded_bytes().contains(&b'/')) {
            let other = if name == "name" { "-wholename" } else { "-iwholename" };
            line.warn(false, |surroundings| {
                let [name, slash, other] = [&*format!("-{name}"), "/", other]
                    .map(|word| (surroundings.quote)(word.as_bytes()));
                format!(
                    "warning: {name} matches against basenames only, but the given pattern contains \
                     a directory separator ({slash}), thus the expression will evaluate to false \
                     all the time.  Did you mean {other}?"
                )
            });
        }
    }

    /// Warns of a slash at the end of a pattern for paths: only starting points can end with one.
    fn warn_of_end(&mut self, name: &str, glob: &Patterns) {
        let Some(line) = &mut self.line else { return };
        let pattern = self.words.last();
        let starts = line.said.paths.iter().any(|path| glob.match_text(path.as_encoded_bytes()));
        if pattern.ends_with('/') && !starts && !line.surroundings.is_posix {
            line.warn(true, |_| {
                format!(
                    "warning: -{name} {pattern} will not match anything because it ends with /."
                )
            });
        }
    }

    fn regex(&mut self, name: &str) -> Result<Expr, Fault> {
        let of_bytes = (self.context.length)("é".as_bytes()) == 1;
        let text = self.words.argument()?.to_str().ok_or("it is not UTF-8");
        let translated = text.and_then(|text| self.dialect.translate(text, of_bytes));
        let translated = translated.map_err(|why| self.words.refused(Why::REGEX).because(why))?;
        let key = format!("-{name} {:?}", translated.regex);
        let matches = compiled(&translated, name == "iregex", of_bytes);
        let matches = matches.ok_or_else(|| {
            self.words.refused(Why::REGEX).because("it is too long, or cannot be translated")
        })?;
        Ok(Test::path(key, PathOf::Printed, matches).into())
    }

    /// Letters with commas between them, none of them twice.
    fn types(&mut self, name: &str) -> Result<Types, Fault> {
        let text = self.words.text()?;
        let refused = |why| self.words.refused(why).because(name);
        let mut types = Types::default();
        let mut rest = text.bytes();
        loop {
            let byte = rest.next().ok_or_else(|| refused(Why::TYPES_EMPTY))?;
            let letter = char::from(byte);
            types = match FileType::from_letter(letter) {
                Some(one) if types.contains(one) => {
                    let reason = format!("'{letter}' in the argument list to -{name}");
                    return Err(refused(Why::TYPE_TWICE).because(reason));
                }
                Some(one) if "bcdpfls".contains(letter) => types.with(one),
                _ if letter == 'D' => return Err(refused(Why::TYPE_DOOR)),
                _ => {
                    let reason = format!("{name}: {}", line(&[byte]));
                    return Err(refused(Why::TYPE_UNKNOWN).because(reason));
                }
            };
            match rest.next() {
                None => return Ok(types),
                Some(b',') if rest.len() == 0 => return Err(refused(Why::TYPES_END)),
                Some(b',') => {}
                Some(_) => return Err(refused(Why::TYPES_TOGETHER)),
            }
        }
    }

    fn size(&mut self) -> Result<Expr, Fault> {
        let text = self.words.argument()?;
        let last = text.as_encoded_bytes().last();
        let last = last.ok_or_else(|| self.words.refused(Why::SIZE_EMPTY))?;
        if !b"bcwkMG0123456789".contains(last) {
            return Err(self.words.refused(Why::SIZE_UNIT).because(line(&[*last])));
        }
        let (blocks, unit) =
            size(&text.to_string_lossy()).ok_or_else(|| self.words.refused(Why::SIZE))?;
        let key = format!("-size {blocks}{}", unit_letter(unit));
        Ok(field(key, Fields::SIZE, move |meta| {
            meta.size().is_some_and(|size| blocks.holds(&size.div_ceil(unit)))
        }))
    }

    fn number(
        &mut self,
        name: &str,
        asks: Fields,
        get: fn(&Meta) -> Option<u64>,
    ) -> Result<Expr, Fault> {
        let read = self.words.read(|text| compare(text, whole), Why::NUMBER);
        // find(1) goes one word too far back.
        let number = read.map_err(|fault| match fault.why {
            Why::MISSING => Fault::new(Why::NUMBER_MISSING, self.words.of),
            _ => fault,
        })?;
        let holds = move |meta: &Meta| get(meta).is_some_and(|found| number.holds(&found));
        Ok(field(format!("-{name} {number}"), asks, holds))
    }

    fn perm(&mut self) -> Result<Expr, Fault> {
        let text = self.words.text()?;
        let (bits, mode) = match text.as_bytes().first() {
            Some(b'-') => (Bits::All, &text[1..]),
            Some(b'/') => (Bits::Any, &text[1..]),
            _ => (Bits::Exactly, &*text),
        };
        // find(1) refuses `+222`, which once meant `/222`.
        let is_old = matches!(text.as_bytes(), [b'+', b'0'..=b'7', ..]);
        let change = ModeChange::parse(mode.as_bytes(), 0).filter(|_| !is_old);
        let change = change.ok_or_else(|| self.words.refused(Why::MODE))?;
        let [file, dir] = [change.of(0, false), change.of(0, true)];
        if bits == Bits::Any && file | dir == 0 {
            self.warn_of_none(&text);
        }
        let sign = ["", "-", "/"][bits as usize];
        let fits = move |file_type: FileType, meta: &Meta| {
            let wanted = if file_type.is_dir() { dir } else { file };
            meta.mode().is_some_and(|mode| bits.hold(mode, wanted))
        };
        let of_dirs = if dir == file { String::new() } else { format!(", {dir:o} of directories") };
        Ok(Test::meta(format!("-perm {sign}{file:o}{of_dirs}"), |_| Fields::MODE, fits).into())
    }

    fn warn_of_none(&mut self, mode: &str) {
        let Some(line) = &mut self.line else { return };
        line.warn(true, |_| {
            format!(
                "warning: you have specified a mode pattern {mode} (which is equivalent to /000). \
                 The meaning of -perm /000 has now been changed to be consistent with -perm -000; \
                 that is, while it used to match no files, it now matches all files."
            )
        });
    }

    /// The number of an owner: by name, or the number itself if no owner has that name. `whys`: the
    /// faults if no owner has the name, if the number is followed by more, and if the word is
    /// empty.
    fn owner(&mut self, id_of: fn(&str) -> Option<u32>, whys: [Why; 3]) -> Result<u32, Fault> {
        let text = self.words.text()?;
        let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
        let why = match rest.len() {
            _ if text.is_empty() => whys[2],
            0 => Why::RANGE,
            length if length < text.len() => whys[1],
            _ => whys[0],
        };
        // find(1) reads a C int.
        let number = || text.parse::<i32>().ok().filter(|_| rest.is_empty()).map(|id| id as u32);
        id_of(&text).or_else(number).ok_or_else(|| self.words.refused(why).because(rest))
    }

    fn same_file(&mut self) -> Result<Expr, Fault> {
        let text = self.words.argument()?;
        let asks = Fields::INO | Fields::DEV;
        let wanted = self.file(text, asks)?.identity();
        let fits = move |_, meta: &Meta| meta.identity().is_some() && meta.identity() == wanted;
        Ok(Test::meta(format!("-samefile {text:?}"), move |_| asks, fits).unsteady().into())
    }

    fn file_system(&mut self) -> Result<Expr, Fault> {
        let wanted = self.words.text()?;
        let key = format!("-fstype {wanted:?}");
        let type_of = self.context.file_system.clone();
        let named = Named::new(move |dev| type_of(dev) == wanted);
        let fits = move |meta: &Meta| meta.dev().is_some_and(|dev| named.has(dev));
        Ok(field(key, Fields::DEV, fits))
    }

    fn security_context(&mut self) -> Result<Expr, Fault> {
        let (key, glob) = self.glob("context", "context")?;
        // SELinux is not enabled.
        if !Path::new("/sys/fs/selinux/enforce").exists() {
            return Err(self.words.refused(Why::CONTEXTS));
        }
        let fits = move |meta: &Meta| meta.context().is_some_and(|text| glob.match_text(text));
        Ok(field(key, Fields::CONTEXT, fits))
    }
}

/// The test that a whole path matches; `None` if the expression is refused.
fn compiled(translated: &Translation, folds: bool, of_bytes: bool) -> Option<Matches> {
    let regex = format!(r"\A(?:{})\z", translated.regex);
    if !translated.has_references {
        let mut builder = RegexBuilder::new(&regex);
        builder.multi_line(true).case_insensitive(folds).unicode(!of_bytes);
        let regex = builder.build().ok()?;
        return Some(Box::new(move |path| regex.is_match(path)));
    }
    let mut builder = fancy_regex::RegexBuilder::new(&regex);
    builder.multi_line(true).case_insensitive(folds);
    if of_bytes {
        builder.bytes_mode(BytesMode::Ascii);
        let regex = builder.build().ok()?;
        return Some(Box::new(move |path| regex.is_match(path).unwrap_or(false)));
    }
    // fancy-regex takes bytes as well, but panics if they are not UTF-8; nothing would match them.
    let regex = builder.build().ok()?;
    let matches = move |text: &str| regex.is_match(text).unwrap_or(false);
    Some(Box::new(move |path| str::from_utf8(path).is_ok_and(&matches)))
}

/// The name. A starting point's name is its last component, without the slashes after it, or the
/// slash of the root.
fn base_name<'e>(entry: &Entry<'e>) -> &'e [u8] {
    let path = entry.name();
    if entry.depth() > 0 {
        return path;
    }
    let separates = |byte: &u8| std::path::is_separator(char::from(*byte));
    let end = path.iter().rposition(|byte| !separates(byte)).map_or(0, |at| at + 1);
    let from = path[..end].iter().rposition(separates).map_or(0, |at| at + 1);
    if end == 0 { &path[..path.len().min(1)] } else { &path[from..end] }
}

/// Names that begin with a dot.
fn hidden() -> Expr {
    let begins = |name: &[u8]| name.starts_with(b".") && !matches!(name, b"." | b"..");
    Test::name("-hidden", begins).into()
}

/// A test of metadata, for entries of every type.
fn field(key: String, asks: Fields, fits: impl Fn(&Meta) -> bool + Send + Sync + 'static) -> Expr {
    Test::meta(key, move |_| asks, move |_, meta| fits(meta)).into()
}

fn links() -> Expr {
    types::of(Types::of([FileType::Symlink]))
}

/// `-xtype`: the type of what a link leads to; a link that was followed counts as a link.
fn behind_links(wanted: Types) -> Expr {
    // The type is unknown if the target cannot be reached.
    let is_followed =
        |entry: &Entry<'_>| entry.is_followed_link() && entry.file_type() != FileType::Unknown;
    let followed = || Expr::from(Test::known("-xtype followed", is_followed));
    let letters: String = wanted.iter().map(FileType::letter).collect();
    let of_link = if wanted.contains(FileType::Symlink) { YES } else { NO };
    let leads = move |entry: &Entry<'_>, calls: &mut u64| {
        calls::type_behind(entry, calls).map(|file_type| wanted.contains(file_type))
    };
    Expr::Any(vec![
        Expr::All(vec![followed(), of_link]),
        Expr::All(vec![!followed(), !links(), types::of(wanted)]),
        Expr::All(vec![links(), Test::call(format!("-xtype {letters}"), leads).in_place().into()]),
    ])
}

fn nobody(key: &str, asks: Fields, get: fn(&Meta) -> Option<u32>, ask: fn(u32) -> bool) -> Expr {
    let named = Named::new(move |id| ask(id as u32));
    let fits = move |_, meta: &Meta| get(meta).is_some_and(|id| !named.has(id.into()));
    Test::meta(key, move |_| asks, fits).unsteady().into()
}
