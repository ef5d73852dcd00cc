//! `brisk ls`: lists directories. This file leads from words to an exit code: it reads the options,
//! compiles the plan, looks at the paths, walks and finishes.

mod arguments;
mod explain;
pub(crate) mod flags;
mod given;
mod hyperlink;
mod icons;
mod item;
mod layout;
mod lister;
mod long;
mod mode;
mod numbers;
mod order;
mod out;
mod paint;
mod pattern;
mod pen;
mod plan;
mod quoting;
mod settings;
mod sheet;
mod size;
pub(crate) mod strftime;
mod text;
mod time_style;
mod tree;
mod version;
mod wants;

use std::ffi::OsString;
use std::path::Path;
use std::sync::atomic::{AtomicU8, Ordering};

use brisk::{Stats, Walk};
use brisk_cli_sys::{Category, locale};
use brisk_colors::{Colors, MetadataColors, TargetColors};
use brisk_sys::limits;

use crate::common::config::{Config, Section};
use crate::common::messages::Caller;
use crate::common::options::getopt::Mixing;
use crate::common::options::{Refusal, StatsForm};
use crate::common::standard;
use arguments::Arguments;
use explain::Census;
use flags::GETOPT;
use given::{Answer, Format, Given, Sort};
use hyperlink::Links;
use lister::{Headers, Lister};
use long::Sheet;
use order::Arrangement;
use out::Out;
use paint::Painter;
use pattern::Patterns;
use pen::Pen;
use plan::{Plan, SERIOUS};
use settings::{Settings, Surroundings};
use sheet::Writer;
use text::Charset;
use time_style::Clock;
use wants::Wants;

/// Runs the command on the words behind its name; returns the exit code.
pub(crate) fn run(caller: Caller, words: &[OsString]) -> u8 {
    let terminal = standard::output_is_terminal();
    let var = |name: &str| std::env::var_os(name);
    let columns = if terminal { terminal_width() } else { None };
    let around = Surroundings { var: &var, terminal, columns };
    match prepare(caller, words, &around) {
        Ok(Prepared::Listing(plan)) => list(&plan),
        Ok(Prepared::Answer(answer)) => self::answer(caller, answer),
        Err(refusal) => refuse(caller, &refusal),
    }
}

enum Prepared {
    Listing(Box<Plan>),
    Answer(Answer),
}

#[cfg(unix)]
fn terminal_width() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(rustix::stdio::stdout()).ok()?;
    Some(usize::from(size.ws_col))
}

#[cfg(not(unix))]
fn terminal_width() -> Option<usize> {
    None
}

fn answer(caller: Caller, answer: Answer) -> u8 {
    let text = match answer {
        Answer::Help => flags::command(caller).render_long_help().to_string(),
        Answer::Version => format!("{} {}\n", caller.ls_command(), caller.version()),
    };
    standard::print(caller, text, SERIOUS)
}

#[cold]
fn refuse(caller: Caller, refusal: &Refusal) -> u8 {
    caller.complain(&refusal.message);
    if refusal.hint {
        let command = caller.hint(caller.ls_command());
        // The exit code says so too.
        let hint = format!("Try '{command} --help' for more information.\n");
        let _ = standard::write_error(hint.as_bytes());
    }
    refusal.code
}

/// Reads the layers of options. The command line is the last layer, and the strongest.
fn prepare(
    caller: Caller,
    words: &[OsString],
    around: &Surroundings<'_>,
) -> Result<Prepared, Refusal> {
    let mixing = Mixing::new((around.var)("POSIXLY_CORRECT"));
    let nothing = || Given { on_terminal: around.terminal, ..Given::default() };
    let mut given = nothing();
    GETOPT.read(words, mixing, &mut given)?;
    if let Some(answer) = given.answer {
        return Ok(Prepared::Answer(answer));
    }
    let mut most = None;
    if caller == Caller::Brisk && !given.beyond.no_config {
        let config = Config::load(Section::Ls).map_err(Refusal::value)?;
        for message in &config.unread {
            caller.complain(message);
        }
        most = config.max_in_flight;
        if !config.layers.is_empty() {
            let mut layered = nothing();
            for layer in config.layers {
                GETOPT.read(&layer.words, mixing, &mut layered).map_err(|refusal| {
                    let why = refusal.message;
                    Refusal::value(format!("cannot use the options in {}: {why}", layer.source))
                })?;
            }
            layered.paths.clear();
            if given.has_form() {
                layered.forget_form();
            }
            GETOPT.read(words, mixing, &mut layered)?;
            given = layered;
        }
    }
    if given.paths.is_empty() && given.selection.themselves {
        given.paths.push(".".into());
    }
    let mut settings = Settings::new(given, around)?;
    settings.most_in_flight = most;
    Ok(Prepared::Listing(Box::new(compile(caller, settings, around))))
}

/// Adopts the parts of the locale that the listing needs.
fn adopt(settings: &Settings, around: &Surroundings<'_>) -> (Charset, bool) {
    let charset = match settings::is_hard(around, "LC_CTYPE") && locale::adopt(Category::Characters)
    {
        true if locale::is_utf8() => Charset::Utf8,
        true => Charset::Other,
        false => Charset::Ascii,
    };
    if settings.shows_time() && settings::is_hard(around, "LC_TIME") {
        locale::adopt(Category::Time);
    }
    let name = settings::locale_name(around, "LC_COLLATE");
    let collates = settings::is_hard(around, "LC_COLLATE")
        // In these locales characters have the order of their bytes.
        && !name.to_string_lossy().to_ascii_lowercase().starts_with("c.utf")
        && !matches!(settings.sort, Sort::Unsorted | Sort::Version)
        && locale::adopt(Category::Collation);
    (charset, collates)
}

fn compile(caller: Caller, mut settings: Settings, around: &Surroundings<'_>) -> Plan {
    let (charset, collated) = adopt(&settings, around);
    charset.set();
    for warning in &settings.warnings {
        caller.complain(warning);
    }
    let painted = settings.color && !settings.beyond.json;
    let colors = if painted { colors(caller, &settings, charset, around) } else { None };
    if colors.is_some() {
        // Some terminals misplace tabs among colours.
        settings.tab = 0;
    }
    let quoting = settings.quoting(charset);
    Plan {
        caller,
        wants: Wants::new(&settings, colors.as_ref()),
        arrangement: Arrangement {
            by: settings.sort,
            reverse: settings.reverse,
            directories_first: settings.directories_first,
            time: settings.time,
            collated,
            quoting,
            shifts: settings.aligns_quotes(),
        },
        ignore: Patterns::new(&settings.selection.ignore),
        hide: Patterns::new(&settings.selection.hide),
        colors,
        charset,
        settings,
        code: AtomicU8::new(0),
    }
}

/// The colours of the environment, if names are painted.
fn colors(
    caller: Caller,
    settings: &Settings,
    charset: Charset,
    around: &Surroundings<'_>,
) -> Option<Colors> {
    let [value, colorterm, term] =
        ["LS_COLORS", "COLORTERM", "TERM"].map(|name| (around.var)(name));
    let (colors, refusal) = Colors::for_terminal(
        value.as_ref().map(|value| value.as_encoded_bytes()),
        colorterm.as_ref().map(|value| value.as_encoded_bytes()),
        term.as_ref().map(|value| value.as_encoded_bytes()),
    );
    let quotes = if charset == Charset::Utf8 { ["‘", "’"] } else { ["'", "'"] };
    for message in refusal.iter().flat_map(|refusal| refusal.messages(quotes)) {
        caller.complain(&message);
    }
    let targets = if settings.format == Format::Long && !settings.beyond.json {
        TargetColors::Shown
    } else {
        TargetColors::Hidden
    };
    let colors = colors.with_metadata(MetadataColors::On).with_targets(targets);
    colors.is_on().then_some(colors)
}

fn writer(plan: &Plan) -> Writer<'_> {
    let settings = &plan.settings;
    let painter = Painter::new(plan.colors.as_ref(), settings.width);
    let header = settings.header_quoting(plan.charset);
    let mut pen = Pen::new(settings.quoting(plan.charset), header, painter, settings.indicator);
    pen.aligns = settings.aligns_quotes();
    pen.icons = settings.beyond.icons;
    if settings.hyperlink {
        pen.links = Some(Links::new(crate::system::host_name(), crate::system::SEPARATOR));
    }
    let clock = settings
        .shows_time()
        .then(|| Clock::new(&settings.time_style, settings.time_words, plan.charset));
    let sheet = Sheet {
        columns: settings.columns,
        block_scale: settings.block_scale,
        size_scale: settings.size_scale,
        time: settings.time,
        charset: plan.charset,
        clock,
    };
    Writer::new(settings, pen, sheet)
}

fn list(plan: &Plan) -> u8 {
    let mut writer = writer(plan);
    let mut out = Out::default();
    let paths = &plan.settings.paths;
    let arguments = if paths.is_empty() {
        Arguments { directories: vec![".".into()], ..Arguments::default() }
    } else {
        arguments::look(plan)
    };
    let files = &arguments.files;
    if !files.is_empty() {
        writer.begin_directory(Path::new(""));
        files.iter().chain(arguments.beside.iter()).for_each(|item| writer.note(&item));
        writer.write_lines(files, &mut out);
    }
    let mut stats = Stats::default();
    let mut census = Census::default();
    files.iter().for_each(|item| census.note(item.file_type));
    if !arguments.directories.is_empty() {
        let headers = Headers {
            shown: plan.settings.selection.recursive || paths.len() > 1,
            first: files.is_empty(),
            given: arguments.directories.iter().rev().cloned().collect(),
        };
        let lister = Lister::new(plan, writer, out, headers);
        let roots = arguments.directories.iter();
        let walk = roots.fold(Walk::over::<&Path>([]), Walk::directory);
        limits::raise_open_files();
        let (lister, walked) = plan.walk(walk).visit_in_turn(lister);
        stats = walked;
        let Some(parts) = lister.into_parts() else { return SERIOUS };
        let walked;
        (writer, out, walked) = parts;
        census.add(&walked);
    }
    writer.pen.painter.finish(&mut out.bytes);
    plan.fail(out.finish(plan.caller));
    if !tell(plan, &census, &stats) {
        plan.fail(SERIOUS);
    }
    plan.code.load(Ordering::Relaxed)
}

/// Writes what the options ask for to standard error. Returns whether that worked.
fn tell(plan: &Plan, census: &Census, stats: &Stats) -> bool {
    let beyond = &plan.settings.beyond;
    let told = match beyond.stats {
        Some(StatsForm::Text) => standard::tell(format!("{stats}\n")),
        Some(StatsForm::Json) => standard::tell(stats.to_json() + "\n"),
        None => true,
    };
    told && (!beyond.explain || standard::tell(explain::explain(plan, census)))
}
