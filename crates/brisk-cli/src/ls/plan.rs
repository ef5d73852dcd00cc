//! What all workers of a listing share: the compiled settings, and the exit code so far.

use std::ffi::OsStr;
use std::io;
use std::sync::atomic::{AtomicU8, Ordering};

use brisk::ignore::Rules;
use brisk::{Error, Operation, Order, Shape, Walk};
use brisk_cli_sys::{Category, locale};
use brisk_colors::{Colors, MetadataColors, TargetColors};

use super::flags::{Dereference, Format, Hidden, Sort};
use super::order::Arrangement;
use super::settings::{self, Settings, Surroundings};
use super::wants;
use crate::filter::Ignoring;
use crate::front::messages::{Caller, cause, failure};
use crate::show::fields::FieldsByType;
use crate::show::long::{Clock, Indicator, Naming, Pen, Sheet};
use crate::show::quoting;
use crate::show::safe::path_bytes;
use crate::show::text::{self, Charset};
use brisk_filter::fnmatch::Patterns;

/// GNU's exit codes: something went wrong that is minor, or serious.
pub(crate) const MINOR: u8 = 1;
pub(crate) const SERIOUS: u8 = 2;

/// A listing, compiled.
pub(crate) struct Plan {
    pub(crate) caller: Caller,
    pub(crate) settings: Settings,
    pub(crate) colors: Option<Colors>,
    pub(crate) charset: Charset,
    pub(crate) wants: FieldsByType,
    pub(crate) arrangement: Arrangement,
    pub(crate) ignore: Patterns,
    pub(crate) hide: Patterns,
    /// The rules of --git-ignore.
    pub(crate) rules: Option<Rules>,
    /// The exit code so far.
    pub(crate) code: AtomicU8,
}

impl Plan {
    /// Compiles the settings, adopts what they need of the locale.
    pub(crate) fn new(mut settings: Settings, around: &Surroundings<'_>) -> Plan {
        let caller = around.caller;
        let (charset, collated) = adopt(&settings, around);
        charset.set();
        let painted = settings.color && !settings.given.json;
        let colors = if painted { colors(&settings, around) } else { None };
        if colors.is_some() {
            // Some terminals misplace tabs among colours.
            settings.tab = 0;
        }
        let quoting = settings.quoting(charset);
        let ignoring = Ignoring { hidden: true, ..Ignoring::default() };
        let rules = settings.given.git_ignore.then(|| ignoring.rules(caller, &[], false));
        Plan {
            caller,
            wants: wants::fields(&settings, colors.as_ref()),
            arrangement: Arrangement {
                by: settings.sort,
                reverse: settings.given.reverse,
                directories_first: settings.given.directories_first,
                time: settings.given.time,
                collated,
                quoting,
                shifts: settings.aligns_quotes(),
            },
            ignore: Patterns::new(&settings.given.ignore, text::first_length),
            hide: Patterns::new(&settings.given.hide, text::first_length),
            rules: rules.and_then(|rules| rules.expect("BUG: no glob is given")),
            colors,
            charset,
            settings,
            code: AtomicU8::new(0),
        }
    }

    /// What writes names.
    pub(crate) fn pen(&self) -> Pen<'_> {
        let settings = &self.settings;
        let naming = Naming {
            quoting: settings.quoting(self.charset),
            header_quoting: settings.header_quoting(self.charset),
            line: if self.colors.is_some() { settings.width } else { 0 },
            indicator: settings.given.indicator,
            icons: settings.given.icons,
            links: settings.hyperlink,
            follows: matches!(settings.dereference, Dereference::Paths | Dereference::Always),
            dired: settings.dired,
            aligns: settings.aligns_quotes(),
        };
        Pen::new(naming, self.colors.as_ref())
    }

    /// What writes columns.
    pub(crate) fn sheet(&self) -> Sheet {
        let settings = &self.settings;
        let clock = || Clock::new(&settings.time_style, self.charset);
        Sheet {
            columns: settings.columns,
            block_scale: settings.block_scale,
            size_scale: settings.size_scale,
            time: settings.given.time,
            charset: self.charset,
            clock: settings.shows_time().then(clock),
        }
    }

    /// Raises the exit code: something went wrong.
    pub(crate) fn fail(&self, code: u8) {
        self.code.fetch_max(code, Ordering::Relaxed);
    }

    /// Reports what went wrong with a path, and raises the exit code.
    #[cold]
    pub(crate) fn complain(&self, what: &str, path: &[u8], error: &io::Error, code: u8) {
        self.caller.complain(&failure(what, path, error));
        self.fail(code);
    }

    /// Reports what went wrong at or below one of the user's paths.
    #[cold]
    pub(crate) fn report(&self, error: &Error) {
        let path = path_bytes(error.path());
        let given = error.depth() == 0;
        let code = if given { SERIOUS } else { MINOR };
        match error.operation() {
            Operation::Open | Operation::Reopen => {
                self.complain("cannot open directory", path, error.io(), code);
            }
            Operation::Read => self.complain("reading directory", path, error.io(), code),
            Operation::ReadLink => {
                self.complain("cannot read symbolic link", self.shown(path), error.io(), code);
            }
            Operation::FollowLoop => {
                let message = "not listing already-listed directory";
                self.caller.complain(&format!("{}: {message}", quoting::leading(path)));
                self.fail(SERIOUS);
            }
            Operation::ReadXattr => {
                let shown = quoting::leading(self.shown(path));
                self.caller.complain(&format!("{shown}: {}", cause(error.io())));
            }
            _ => self.complain("cannot access", self.shown(path), error.io(), code),
        }
    }

    /// An entry's path as GNU spells it: in the current directory, the name alone.
    pub(crate) fn shown<'a>(&self, path: &'a [u8]) -> &'a [u8] {
        let in_current = self.settings.given.paths.iter().all(|path| path == ".");
        match path.strip_prefix(b"./") {
            Some(name) if in_current && !name.contains(&b'/') => name,
            _ => path,
        }
    }

    /// Whether the entry is left out.
    #[inline]
    pub(crate) fn leaves_out(&self, name: &[u8]) -> bool {
        let hidden = match self.settings.given.hidden {
            Hidden::All => false,
            Hidden::AlmostAll => matches!(name, b"." | b".."),
            Hidden::LeftOut => name.first() == Some(&b'.') || self.hide.match_name(name),
        };
        hidden || self.ignore.match_name(name)
    }

    /// Whether links are followed wherever the walk meets them.
    pub(crate) fn follows(&self) -> bool {
        let settings = &self.settings;
        settings.dereference == Dereference::Always
            && (!self.wants.any().is_empty()
                || settings.given.recursive
                || settings.given.tree
                || settings.given.json
                || settings.columns.inode
                || settings.hyperlink
                || settings.given.directories_first
                || self.colors.is_some()
                || settings.given.indicator != Indicator::None)
    }

    /// Whether directories are listed in another order than their own.
    pub(crate) fn is_sorted(&self) -> bool {
        self.settings.sort != Sort::Unsorted
    }

    /// The walk of the listing, without its roots.
    pub(crate) fn walk(&self, walk: Walk) -> Walk {
        let settings = &self.settings;
        let deep = settings.given.recursive || settings.given.tree;
        let depth = match settings.given.max_depth {
            Some(depth) if deep => depth.max(1),
            None if deep => usize::MAX,
            Some(_) | None => 1,
        };
        let shape = if settings.given.tree { Shape::Pre } else { Shape::SiblingsFirst };
        walk.order(if self.is_sorted() { Order::Sorted(shape) } else { Order::Depth(shape) })
            .min_depth(1)
            .max_depth(depth)
            .dots(settings.given.hidden == Hidden::All && !settings.given.tree)
            .follow(if self.follows() { brisk::Follow::Always } else { brisk::Follow::Roots })
            .threads(settings.given.run.threads)
            .rules(self.rules.clone())
            .cached(settings.given.run.cached)
            .backend(crate::front::config::backend())
    }

    /// Whether an entry's line depends on the entry alone, not even on its directory. Any worker
    /// can then draft it.
    pub(crate) fn drafts(&self) -> bool {
        let settings = &self.settings;
        let given = &settings.given;
        self.streams()
            && settings.format == Format::Lines
            && !settings.hyperlink
            && !(given.json || given.run.explain)
            // A link that leads nowhere is asked about by its path.
            && settings.dereference != Dereference::Always
    }

    /// Whether lines can be written as entries come: no line depends on other entries.
    pub(crate) fn streams(&self) -> bool {
        let settings = &self.settings;
        let columns = &settings.columns;
        if settings.given.tree || settings.given.json {
            return settings.given.json;
        }
        let aligned = columns.inode || columns.blocks || columns.context;
        // As in GNU ls, whose lines are as wide as each is where nothing is sorted.
        let is_ragged =
            self.arrangement.by == Sort::Unsorted && !(columns.blocks || settings.given.recursive);
        match settings.format {
            Format::Lines => !aligned || is_ragged,
            // A total has to be written first.
            Format::Commas => !columns.blocks,
            Format::Columns | Format::Across => settings.width == 0 && !aligned,
            Format::Long => false,
        }
    }
}

/// Adopts the parts of the locale that the listing needs.
fn adopt(settings: &Settings, around: &Surroundings<'_>) -> (Charset, bool) {
    let is_hard = settings::is_hard(around, "LC_CTYPE");
    let charset = if is_hard && is_c_utf8(around, "LC_CTYPE") {
        // The first name that needs it adopts the locale.
        Charset::Utf8
    } else {
        let adopted = is_hard && text::adopt();
        match adopted {
            // Where locales cannot be adopted, names are UTF-8.
            _ if locale::is_utf8() => Charset::Utf8,
            true => Charset::Other,
            false => Charset::Ascii,
        }
    };
    if settings.shows_time() && settings::is_hard(around, "LC_TIME") {
        locale::adopt(Category::Time);
    }
    let collates = settings::is_hard(around, "LC_COLLATE")
        // In these locales characters have the order of their bytes.
        && !is_c_utf8(around, "LC_COLLATE")
        && !matches!(settings.sort, Sort::Unsorted | Sort::Version)
        && locale::adopt(Category::Collation);
    (charset, collates)
}

/// Whether a category's locale is that of programmers, with UTF-8.
fn is_c_utf8(around: &Surroundings<'_>, category: &str) -> bool {
    let name = settings::locale_name(around, category);
    name.to_string_lossy().to_ascii_lowercase().starts_with("c.utf")
}

/// The colours of the environment, if names are painted.
fn colors(settings: &Settings, around: &Surroundings<'_>) -> Option<Colors> {
    let values = ["LS_COLORS", "COLORTERM", "TERM"].map(|name| (around.var)(name));
    let [value, colorterm, term] =
        values.each_ref().map(|value| value.as_deref().map(OsStr::as_encoded_bytes));
    let (colors, refusal) = Colors::for_terminal(value, colorterm, term);
    for message in refusal.iter().flat_map(|refusal| refusal.messages(quoting::as_argument)) {
        around.caller.complain(&message);
    }
    let targets = if settings.format == Format::Long && !settings.given.json {
        TargetColors::Shown
    } else {
        TargetColors::Hidden
    };
    let colors = colors.with_metadata(MetadataColors::On).with_targets(targets);
    colors.is_on().then_some(colors)
}
