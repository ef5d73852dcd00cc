//! What all workers of a listing share: what it looks like, compiled from the command line and its
//! surroundings, and the exit code so far.

use std::ffi::OsStr;
use std::io;
use std::sync::atomic::{AtomicU8, Ordering};

use brisk::ignore::Rules;
use brisk::{Error, Fields, FileType, Operation, Order, Shape, Walk};
use brisk_cli_sys::{Category, locale};
use brisk_colors::{Colors, MetadataColors, TargetColors};

use super::flags::{Dereference, Format, Given, Hidden, Refusal, Sort};
use super::order::Arrangement;
use super::surroundings::{
    self, Surroundings, columns, dereference, dired, format, scales, sort, style, tab, time_style,
    width,
};
use crate::filter::Ignoring;
use crate::front::messages::{Caller, cause, failure};
use crate::show::fields::FieldsByType;
use crate::show::long::{Clock, Indicator, Naming, Sheet, TimeStyle};
use crate::show::quoting::{self, Quoting, Style};
use crate::show::safe::path_bytes;
use crate::show::text::{self, Charset};
use brisk_filter::fnmatch::Patterns;

/// GNU's exit codes: something went wrong that is minor, or serious.
pub(crate) const MINOR: u8 = 1;
pub(crate) const SERIOUS: u8 = 2;

/// A listing, compiled.
pub(crate) struct Plan {
    pub(crate) caller: Caller,
    /// What the command line says.
    pub(crate) given: Given,
    pub(crate) dereference: Dereference,
    pub(crate) format: Format,
    /// Columns of a line; 0: no limit.
    pub(crate) width: usize,
    /// Columns between tab stops; 0: no tabs.
    pub(crate) tab: usize,
    /// The byte that ends a line.
    pub(crate) end: u8,
    /// How names are written.
    pub(crate) naming: Naming,
    /// How columns are written.
    pub(crate) sheet: Sheet,
    pub(crate) colors: Option<Colors>,
    pub(crate) wants: FieldsByType,
    pub(crate) arrangement: Arrangement,
    pub(crate) ignore: Patterns,
    pub(crate) hide: Patterns,
    /// The rules of --git-ignore.
    pub(crate) rules: Option<Rules>,
    /// The exit code so far.
    pub(crate) code: AtomicU8,
}

/// Adopts what a listing of this format and order needs of the locale. Returns the character set,
/// and whether names are collated.
type Adopt = fn(Format, Sort, &Surroundings<'_>) -> (Charset, bool);

impl Plan {
    /// Compiles what the command line and its surroundings say together, and adopts what that needs
    /// of the locale. Prints warnings about values of the environment.
    ///
    /// # Errors
    /// A time style that is not understood, or `--dired` with `--zero`.
    pub(crate) fn new(given: Given, around: &Surroundings<'_>) -> Result<Plan, Refusal> {
        Plan::compiled(given, around, adopt)
    }

    // long: each of these decisions rests on those before it.
    fn compiled(given: Given, around: &Surroundings<'_>, adopt: Adopt) -> Result<Plan, Refusal> {
        let format = format(&given, around);
        let links = given.hyperlink.is_some_and(|when| when.is_on(|| around.terminal));
        let dired = dired(&given, format, links)?;
        let paints = given.color.is_some_and(|when| when.is_on(|| around.paints()));
        let packed = matches!(format, Format::Columns | Format::Across | Format::Commas);
        let width = if packed || paints { width(&given, around) } else { 80 };
        let tab = if packed { tab(&given, around) } else { 8 };
        let style = style(&given, around);
        let is_long = format == Format::Long;
        let times = (is_long || given.json).then(|| time_style(&given, around)).transpose()?;
        let by = sort(&given, format);
        let (charset, collated) = adopt(format, by, around);
        let colors = if paints && !given.json { colors(format, around) } else { None };
        let dereference = dereference(&given, format);
        let marks = given.question_marks.unwrap_or(around.terminal);
        let quoting = Quoting::new(style, marks, charset);
        let in_columns = is_long || format != Format::Commas && packed && width > 0;
        let naming = Naming {
            quoting: quoting.clone().with_special(special(style, given.indicator)),
            header_quoting: quoting.with_special(b":"),
            line: if colors.is_some() { width } else { 0 },
            indicator: given.indicator,
            icons: given.icons,
            links,
            follows: matches!(dereference, Dereference::Paths | Dereference::Always),
            dired,
            // Only some names may be quoted.
            aligns: in_columns && style.varies(),
        };
        let ignoring = Ignoring { hidden: true, ..Ignoring::default() };
        let rules = given.git_ignore.then(|| ignoring.rules(around.caller, &[], false));
        let mut plan = Plan {
            caller: around.caller,
            dereference,
            format,
            width,
            // Some terminals misplace tabs among colours.
            tab: if colors.is_some() { 0 } else { tab },
            end: if given.zero { 0 } else { b'\n' },
            wants: FieldsByType::default(),
            arrangement: Arrangement {
                by,
                reverse: given.reverse,
                directories_first: given.directories_first,
                time: given.time,
                collated,
                quoting: naming.quoting.clone(),
                shifts: naming.aligns,
            },
            naming,
            sheet: sheet(&given, around, charset, times.filter(|_| is_long).as_ref()),
            ignore: Patterns::new(&given.ignore, text::first_length),
            hide: Patterns::new(&given.hide, text::first_length),
            rules: rules.and_then(|rules| rules.expect("BUG: no glob is given")),
            colors,
            given,
            code: AtomicU8::new(0),
        };
        plan.wants = wants(&plan);
        Ok(plan)
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
        let in_current = self.given.paths.iter().all(|path| path == ".");
        match path.strip_prefix(b"./") {
            Some(name) if in_current && !name.contains(&b'/') => name,
            _ => path,
        }
    }

    /// Whether the entry is left out.
    #[inline]
    pub(crate) fn leaves_out(&self, name: &[u8]) -> bool {
        let hidden = match self.given.hidden {
            Hidden::All => false,
            Hidden::AlmostAll => matches!(name, b"." | b".."),
            Hidden::LeftOut => name.first() == Some(&b'.') || self.hide.match_name(name),
        };
        hidden || self.ignore.match_name(name)
    }

    /// Whether links are followed wherever the walk meets them.
    pub(crate) fn follows(&self) -> bool {
        self.dereference == Dereference::Always
            && (!self.wants.any().is_empty()
                || self.given.recursive
                || self.given.tree
                || self.given.json
                || self.sheet.columns.inode
                || self.naming.links
                || self.given.directories_first
                || self.colors.is_some()
                || self.given.indicator != Indicator::None)
    }

    /// Whether directories are listed in another order than their own.
    pub(crate) fn is_sorted(&self) -> bool {
        self.arrangement.by != Sort::Unsorted
    }

    /// The walk of the listing, without its roots.
    pub(crate) fn walk(&self, walk: Walk) -> Walk {
        let deep = self.given.recursive || self.given.tree;
        let depth = match self.given.max_depth {
            Some(depth) if deep => depth.max(1),
            None if deep => usize::MAX,
            Some(_) | None => 1,
        };
        let shape = if self.given.tree { Shape::Pre } else { Shape::SiblingsFirst };
        walk.order(if self.is_sorted() { Order::Sorted(shape) } else { Order::Depth(shape) })
            .min_depth(1)
            .max_depth(depth)
            .dots(self.given.hidden == Hidden::All && !self.given.tree)
            .follow(if self.follows() { brisk::Follow::Always } else { brisk::Follow::Roots })
            .threads(self.given.common.threads)
            .rules(self.rules.clone())
            .cached(self.given.common.cached)
            .backend(crate::front::config::backend())
    }

    /// Whether an entry's line depends on the entry alone, not even on its directory. Any worker
    /// can then draft it.
    pub(crate) fn drafts(&self) -> bool {
        self.streams()
            && self.format == Format::Lines
            && !self.naming.links
            && !(self.given.json || self.given.common.explain)
            // A link that leads nowhere is asked about by its path.
            && self.dereference != Dereference::Always
    }

    /// Whether lines can be written as entries come: no line depends on other entries.
    pub(crate) fn streams(&self) -> bool {
        let columns = &self.sheet.columns;
        if self.given.tree || self.given.json {
            return self.given.json;
        }
        let aligned = columns.inode || columns.blocks || columns.context;
        // As in GNU ls, whose lines are as wide as each is where nothing is sorted.
        let is_ragged =
            self.arrangement.by == Sort::Unsorted && !(columns.blocks || self.given.recursive);
        match self.format {
            Format::Lines => !aligned || is_ragged,
            // A total has to be written first.
            Format::Commas => !columns.blocks,
            Format::Columns | Format::Across => self.width == 0 && !aligned,
            Format::Long => false,
        }
    }
}

/// Adopts the parts of the locale that the listing needs.
fn adopt(format: Format, by: Sort, around: &Surroundings<'_>) -> (Charset, bool) {
    let is_hard = |category| surroundings::is_hard(around, category);
    let charset = if is_hard("LC_CTYPE") && is_c_utf8(around, "LC_CTYPE") {
        // The first name that needs it adopts the locale.
        Charset::Utf8
    } else {
        let adopted = is_hard("LC_CTYPE") && text::adopt();
        match adopted {
            // Where locales cannot be adopted, names are UTF-8.
            _ if locale::is_utf8() => Charset::Utf8,
            true => Charset::Other,
            false => Charset::Ascii,
        }
    };
    charset.set();
    if format == Format::Long && is_hard("LC_TIME") {
        locale::adopt(Category::Time);
    }
    let collates = is_hard("LC_COLLATE")
        // In these locales characters have the order of their bytes.
        && !is_c_utf8(around, "LC_COLLATE")
        && !matches!(by, Sort::Unsorted | Sort::Version)
        && locale::adopt(Category::Collation);
    (charset, collates)
}

/// Whether a category's locale is that of programmers, with UTF-8.
fn is_c_utf8(around: &Surroundings<'_>, category: &str) -> bool {
    let name = surroundings::locale_name(around, category);
    name.to_string_lossy().to_ascii_lowercase().starts_with("c.utf")
}

/// How columns are written. `times`: the style of times, if they are shown.
fn sheet(
    given: &Given,
    around: &Surroundings<'_>,
    charset: Charset,
    times: Option<&TimeStyle>,
) -> Sheet {
    let (block_scale, size_scale) = scales(given, around);
    let clock = times.map(|style| Clock::new(style, charset));
    Sheet { columns: columns(given), block_scale, size_scale, time: given.time, charset, clock }
}

/// The characters that are escaped in names, because they could be taken for an indicator. (The
/// offsets are GNU's.)
fn special(style: Style, indicator: Indicator) -> &'static [u8] {
    match (style, indicator) {
        (Style::Escape, Indicator::FileType) => b" *=>@|",
        (Style::Escape, Indicator::Classify) => b" =>@|",
        (Style::Escape, _) => b" ",
        (_, Indicator::FileType) => b"*=>@|",
        (_, Indicator::Classify) => b"=>@|",
        _ => b"",
    }
}

/// The colours of the environment, if names are painted.
fn colors(format: Format, around: &Surroundings<'_>) -> Option<Colors> {
    let values = ["LS_COLORS", "COLORTERM", "TERM"].map(|name| (around.var)(name));
    let [value, colorterm, term] =
        values.each_ref().map(|value| value.as_deref().map(OsStr::as_encoded_bytes));
    let (colors, refusal) = Colors::for_terminal(value, colorterm, term);
    for message in refusal.iter().flat_map(|refusal| refusal.messages(quoting::as_argument)) {
        around.caller.complain(&message);
    }
    let is_long = format == Format::Long;
    let targets = if is_long { TargetColors::Shown } else { TargetColors::Hidden };
    let colors = colors.with_metadata(MetadataColors::On).with_targets(targets);
    colors.is_on().then_some(colors)
}

/// The reason of fields that `LS_COLORS` needs.
const COLORS: &str = "LS_COLORS";

/// What asks for fields, and for which.
pub(crate) type Reason = (&'static str, Fields);

/// The needed fields, by type.
fn wants(plan: &Plan) -> FieldsByType {
    FieldsByType::new(|file_type| {
        let reasons = reasons(plan, file_type);
        let mut fields: Fields = reasons.iter().map(|(_, fields)| *fields).collect();
        // A file that is asked about for another reason is also painted by its number of links.
        let asked_anyway = reasons.iter().any(|(what, _)| *what != COLORS);
        if plan.colors.is_some() && file_type == FileType::File && asked_anyway {
            fields |= Fields::NLINK;
        }
        fields
    })
}

/// The reasons to ask about entries of this type, with their fields.
pub(crate) fn reasons(plan: &Plan, file_type: FileType) -> Vec<Reason> {
    let Plan { given, sheet, format, .. } = plan;
    let columns = &sheet.columns;
    let sort = plan.arrangement.by;
    let is_long = *format == Format::Long;
    let has_modes = !columns.attributes;
    let is_file = file_type == FileType::File;
    let is_link = file_type == FileType::Symlink;
    let indicator = given.indicator;
    let marks_files = indicator == Indicator::Classify && has_modes;
    let marks_targets = is_long && indicator >= Indicator::FileType;
    let first = given.directories_first;
    let time = given.time.field();
    let painted = plan.colors.as_ref().map_or(Fields::empty(), |colors| colors.fields(file_type));
    let reasons = [
        (is_long, "-l", of_long(plan, is_link)),
        (is_long && has_modes && !given.json, "The mark behind the mode", Fields::ACCESS),
        (columns.blocks && !is_long, "-s", Fields::BLOCKS),
        (columns.inode && !is_long, "-i", Fields::INO),
        (columns.context, "-Z", Fields::CONTEXT),
        (sort == Sort::Size, "The order by size", Fields::SIZE),
        (sort == Sort::Time, "The order by time", time),
        (first && is_link, "--group-directories-first", Fields::TARGET),
        (marks_files && is_file, "The mark of executables", Fields::MODE),
        (marks_targets && is_link, "The mark of what links lead to", Fields::TARGET),
        (!painted.is_empty(), COLORS, painted),
    ];
    let hold = reasons.into_iter().filter(|(holds, ..)| *holds);
    hold.map(|(_, what, fields)| (what, fields)).collect()
}

/// The fields of a long line.
fn of_long(plan: &Plan, is_link: bool) -> Fields {
    let columns = &plan.sheet.columns;
    let mut fields = Fields::SIZE | Fields::BLOCKS | plan.given.time.field();
    fields |= if columns.attributes { Fields::ATTRIBUTES } else { Fields::MODE | Fields::NLINK };
    fields.set(Fields::UID, !columns.without_owner || columns.author);
    fields.set(Fields::GID, !columns.without_group);
    fields.set(Fields::INO, columns.inode);
    fields.set(Fields::LINK_TARGET, is_link);
    fields
}

#[cfg(test)]
mod tests;
