//! find(1)'s tests by name.

use brisk::change::ModeChange;
use brisk::filter::{Expr, PathOf, Test, Types};
use brisk::{Entry, Fields, FileType, Meta, Target};
use regex::bytes::{Regex, RegexBuilder};

use super::dialect::RegexType;
use super::numbers::{NUMBER, compare, size, unit_letter, whole};
use super::owners::Named;
use super::{Mistake, Parser};
use crate::fnmatch::{Patterns, has_collation};
use crate::{calls, system, types};

/// Always true.
const YES: Expr = Expr::All(Vec::new());
/// Always false.
const NO: Expr = Expr::Any(Vec::new());

/// How the bits of `-perm` are compared.
#[derive(Clone, Copy, PartialEq)]
enum Bits {
    Exactly,
    All,
    Any,
}

impl Parser<'_> {
    /// The test that this word begins.
    // long: one line for each of find's tests
    pub(super) fn test(&mut self, word: &str) -> Result<Expr, Mistake> {
        let at = self.at - 1;
        let name = word.strip_prefix('-').unwrap_or("");
        Ok(match name {
            "true" => YES,
            "false" => NO,
            "prune" => prune(self.context.min_depth),
            "name" | "iname" => {
                let (key, glob) = self.glob("name", name)?;
                Test::name(key, move |text| glob.match_text(text)).into()
            }
            "path" | "wholename" | "ipath" | "iwholename" => {
                let (key, glob) = self.glob("path", name)?;
                Test::path(key, PathOf::Printed, move |text| glob.match_text(text)).into()
            }
            "lname" | "ilname" => {
                let (key, glob) = self.glob("lname", name)?;
                let fits = move |_, meta: &Meta| {
                    meta.link_target().is_some_and(|target| glob.match_text(target))
                };
                Expr::All(vec![links(), of_links(key, Fields::LINK_TARGET, fits)])
            }
            "regex" | "iregex" => self.regex(name)?,
            "regextype" => {
                let names: Vec<_> = RegexType::names().collect();
                let what = format!("type of regular expressions: {}", names.join(", "));
                self.dialect = self.read(RegexType::named, &what)?;
                YES
            }
            "type" | "xtype" => {
                let what = "list of types: b,c,d,p,f,l,s with commas between";
                let wanted = self.read(listed, what)?;
                if name == "type" { types::of(wanted) } else { behind_links(wanted) }
            }
            "size" => {
                let what = "size: a number and one of b, c, w, k, M, G";
                let (blocks, unit) = self.read(size, what)?;
                let key = format!("-size {blocks}{}", unit_letter(unit));
                field(key, Fields::SIZE, move |meta| {
                    meta.size().is_some_and(|size| blocks.holds(&size.div_ceil(unit)))
                })
            }
            "empty" => types::is_empty(),
            "links" => self.number(name, Fields::NLINK, Meta::nlink)?,
            "inum" => self.number(name, Fields::INO, Meta::ino)?,
            "samefile" => self.same_file()?,
            "used" => self.used()?,
            "mtime" | "atime" | "ctime" | "mmin" | "amin" | "cmin" => self.age(name)?,
            _ if MODES.contains(&name) && cfg!(not(unix)) => {
                return Err(self.mistake(at, format_args!("'{word}': not on this system")));
            }
            _ if MODES.contains(&name) => self.mode_or_owner(name)?,
            _ => match self.newer(name) {
                Some(newer) => newer?,
                None => return Err(self.mistake(at, no_test(word))),
            },
        })
    }

    /// A test of who may do what, or whose the entry is.
    fn mode_or_owner(&mut self, name: &str) -> Result<Expr, Mistake> {
        Ok(match name {
            "perm" => self.perm()?,
            "readable" | "writable" | "executable" => {
                let wanted = name.as_bytes()[0];
                let may =
                    move |entry: &Entry<'_>, calls: &mut u64| calls::may(entry, wanted, calls);
                Test::call(format!("-{name}"), may).into()
            }
            "uid" => self.number(name, Fields::UID, |meta| meta.uid().map(u64::from))?,
            "gid" => self.number(name, Fields::GID, |meta| meta.gid().map(u64::from))?,
            "user" => {
                let id = self.owner("user", system::user_id)?;
                field(format!("-uid {id}"), Fields::UID, move |meta| meta.uid() == Some(id))
            }
            "group" => {
                let id = self.owner("group", system::group_id)?;
                field(format!("-gid {id}"), Fields::GID, move |meta| meta.gid() == Some(id))
            }
            "nouser" => nobody("-nouser", Fields::UID, Meta::uid, system::has_user),
            _ => nobody("-nogroup", Fields::GID, Meta::gid, system::has_group),
        })
    }

    /// A glob, and the text of its test; a name that begins with `i` says that case does not count.
    fn glob(&mut self, test: &str, name: &str) -> Result<(String, Patterns), Mistake> {
        let text = self.text()?;
        if has_collation(text.as_bytes()) {
            return Err(self.refused(format_args!("'{text}': [.x.] and [=x=] are not known here")));
        }
        if text.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1 {
            return Err(
                self.refused(format_args!("'{text}': the backslash at its end keeps nothing"))
            );
        }
        let folds = name.starts_with('i');
        let key = format!("-{}{test} {text:?}", if folds { "i" } else { "" });
        let patterns = Patterns::new(&[text.into()], self.context.length);
        Ok((key, patterns.folding(folds)))
    }

    fn regex(&mut self, name: &str) -> Result<Expr, Mistake> {
        let dialect = self.dialect;
        let text = self.text()?;
        let translated = dialect.translate(&text);
        let translated = translated.map_err(|why| self.refused(format_args!("'{text}': {why}")))?;
        let folds = name == "iregex";
        let compiled: Result<Regex, _> = RegexBuilder::new(&format!(r"\A(?:{translated})\z"))
            .multi_line(true)
            .case_insensitive(folds)
            .build();
        let regex = compiled.map_err(|_| {
            self.refused(format_args!("'{text}' is too long, or cannot be translated"))
        })?;
        let key = format!("-{name} {translated:?}");
        Ok(Test::path(key, PathOf::Printed, move |path| regex.is_match(path)).into())
    }

    fn number(
        &mut self,
        name: &str,
        asks: Fields,
        get: fn(&Meta) -> Option<u64>,
    ) -> Result<Expr, Mistake> {
        let number = self.read(|text| compare(text, whole), NUMBER)?;
        let holds = move |meta: &Meta| get(meta).is_some_and(|found| number.holds(&found));
        Ok(field(format!("-{name} {number}"), asks, holds))
    }

    fn perm(&mut self) -> Result<Expr, Mistake> {
        let text = self.text()?;
        let (bits, mode) = match text.as_bytes().first() {
            Some(b'-') => (Bits::All, &text[1..]),
            Some(b'/') => (Bits::Any, &text[1..]),
            _ => (Bits::Exactly, &*text),
        };
        // find(1) refuses `+222`, which meant `/222` once.
        let change = ModeChange::parse(mode.as_bytes(), 0).filter(|_| !mode.starts_with('+'));
        let change = change.ok_or_else(|| self.refused(format_args!("'{text}' is no mode")))?;
        let [file, dir] = [change.of(0, false), change.of(0, true)];
        let sign = ["", "-", "/"][bits as usize];
        let fits = move |file_type: FileType, meta: &Meta| {
            let wanted = if file_type.is_dir() { dir } else { file };
            meta.mode().is_some_and(|mode| match bits {
                Bits::Exactly => mode & 0o7777 == wanted,
                Bits::All => mode & wanted == wanted,
                Bits::Any => wanted == 0 || mode & wanted != 0,
            })
        };
        let of_dirs = if dir == file { String::new() } else { format!(", {dir:o} of directories") };
        Ok(Test::meta(format!("-perm {sign}{file:o}{of_dirs}"), |_| Fields::MODE, fits).into())
    }

    /// The number of an owner: by name, or the number itself if no owner has that name.
    fn owner(&mut self, noun: &str, id_of: fn(&str) -> Option<u32>) -> Result<u32, Mistake> {
        let text = self.text()?;
        let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
        let number = || text.parse().ok().filter(|_| is_number);
        let unknown = || self.refused(format_args!("the system knows no {noun} '{text}'"));
        id_of(&text).or_else(number).ok_or_else(unknown)
    }

    fn same_file(&mut self) -> Result<Expr, Mistake> {
        let text = self.text()?;
        let asks = Fields::INO | Fields::DEV;
        let wanted = self.file(&text, asks)?.identity();
        let fits = move |_, meta: &Meta| meta.identity().is_some() && meta.identity() == wanted;
        Ok(Test::meta(format!("-samefile {text:?}"), move |_| asks, fits).unsteady().into())
    }
}

/// `-prune` of what is tested.
fn prune(min_depth: usize) -> Expr {
    if min_depth == 0 {
        return Expr::Prune;
    }
    let key = format!("--min-depth {min_depth}");
    let is_tested = Test::known(key, move |entry| entry.depth() >= min_depth);
    Expr::Any(vec![Expr::All(vec![is_tested.into(), Expr::Prune]), YES])
}

/// Metadata of entries of every type.
fn field(key: String, asks: Fields, fits: impl Fn(&Meta) -> bool + Send + Sync + 'static) -> Expr {
    Test::meta(key, move |_| asks, move |_, meta| fits(meta)).into()
}

fn links() -> Expr {
    types::of(Types::of([FileType::Symlink]))
}

/// What only links have.
fn of_links(
    key: String,
    asks: Fields,
    fits: impl Fn(FileType, &Meta) -> bool + Send + Sync + 'static,
) -> Expr {
    let ask = move |file_type| match file_type {
        FileType::Symlink | FileType::Unknown => asks,
        _ => Fields::empty(),
    };
    Test::meta(key, ask, fits).into()
}

/// Letters with commas between them, none twice.
fn listed(text: &str) -> Option<Types> {
    let mut types = Types::default();
    for letter in text.split(',') {
        let one = FileType::from_letter(letter.parse().ok()?)?;
        if !"bcdpfls".contains(letter) || types.contains(one) {
            return None;
        }
        types = types.with(one);
    }
    Some(types)
}

/// `-xtype`: the type of what a link leads to; of a link that was followed, that it is one.
fn behind_links(wanted: Types) -> Expr {
    let followed = || Expr::from(Test::known("-xtype followed", |entry| entry.is_followed_link()));
    let letters: String = wanted.iter().map(FileType::letter).collect();
    let of_link = if wanted.contains(FileType::Symlink) { YES } else { NO };
    let leads = move |_, meta: &Meta| {
        meta.target().and_then(Target::file_type).map_or_else(
            || wanted.contains(FileType::Symlink),
            |file_type| wanted.contains(file_type),
        )
    };
    Expr::Any(vec![
        Expr::All(vec![followed(), of_link]),
        Expr::All(vec![!followed(), !links(), types::of(wanted)]),
        Expr::All(vec![links(), of_links(format!("-xtype {letters}"), Fields::TARGET, leads)]),
    ])
}

fn nobody(key: &str, asks: Fields, get: fn(&Meta) -> Option<u32>, ask: fn(u32) -> bool) -> Expr {
    let named = Named::new(ask);
    let fits = move |_, meta: &Meta| get(meta).is_some_and(|id| !named.has(id));
    Test::meta(key, move |_| asks, fits).unsteady().into()
}

/// What needs modes, and owners with numbers.
const MODES: [&str; 10] = [
    "executable",
    "gid",
    "group",
    "nogroup",
    "nouser",
    "perm",
    "readable",
    "uid",
    "user",
    "writable",
];

/// Whether `--where` has a test of this name.
pub fn is_test(name: &str) -> bool {
    NAMES.split(' ').any(|known| known == name)
}

const NAMES: &str = "amin anewer atime cmin cnewer ctime daystart empty executable false gid group \
    ilname iname inum ipath iregex iwholename links lname mmin mtime name newer nogroup nouser path \
    perm prune readable regex regextype samefile size true type uid used user wholename writable xtype";

const ACTIONS: [&str; 14] = [
    "delete", "exec", "execdir", "fls", "fprint", "fprint0", "fprintf", "ls", "ok", "okdir",
    "print", "print0", "printf", "quit",
];

const OPTIONS: [&str; 11] = [
    "d",
    "depth",
    "files0-from",
    "follow",
    "ignore_readdir_race",
    "maxdepth",
    "mindepth",
    "mount",
    "noleaf",
    "warn",
    "xdev",
];

/// Why a word is no test.
fn no_test(word: &str) -> String {
    let name = word.strip_prefix('-').unwrap_or(word);
    if ACTIONS.contains(&name) {
        format!("'{word}' is an action, and only tests can stand here")
    } else if OPTIONS.contains(&name) {
        format!("'{word}' is no test, but an option of find")
    } else if word == "," {
        "',' is of no use between tests: -a, -o".to_owned()
    } else {
        format!("'{word}' is no test")
    }
}
