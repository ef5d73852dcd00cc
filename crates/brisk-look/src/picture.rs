//! The picture: what a [`Model`] looks like on the cells of a screen. A line about the directory,
//! the rows, and a line about what goes on.

use brisk::Timestamp;
use brisk::remove::Freed;
use brisk_cli::internal::{Interactive, Scale, append_safe, bar, grouped, is_bound, share};
use brisk_sys::paths::bytes_to_path;
use brisk_sys::slashed;
use ratatui_core::buffer::Buffer;
use ratatui_core::style::{Color, Modifier, Style};

use crate::model::keys::KEYS;
use crate::model::parts::{Key, Row};
use crate::model::{Mode, Model};
use crate::removal::Chosen;
use crate::tree::TOP;

/// Columns from which on the number of entries, and the time of the newest change, are shown.
const WITH_COUNT: u16 = 60;
const WITH_TIME: u16 = 72;
/// The most names in a question.
const MAX_NAMES: usize = 3;

/// The lines above the rows: the title and the headings.
const ABOVE: u16 = 2;

/// Draws the model. `removed`: how many entries the present removal has removed.
pub fn draw(model: &Model, looks: &Interactive, removed: u64, buffer: &mut Buffer) {
    let area = buffer.area;
    let mut page = Canvas { looks, buffer };
    page.line(0, &title(model, looks, area.width), page.bold());
    if model.mode == Mode::Help {
        let keys = KEYS.iter().skip(model.first_key).take(model.key_lines());
        for ((keys, what), line) in keys.zip(1..) {
            page.line(line, &format!("  {keys:<17}{what}"), Style::new());
        }
    } else {
        page.list(model);
    }
    let below = below(model, looks, removed, area.width.into());
    for (text, line) in below.iter().rev().zip((1..area.height).rev()) {
        page.line(line, text, page.bold());
    }
}

/// A text that holds no characters that command a terminal.
pub fn safe(name: &[u8]) -> String {
    let mut out = Vec::new();
    append_safe(name, &mut out);
    String::from_utf8_lossy(&out).replace('\t', "\\x09")
}

/// The directory, and what it takes.
fn title(model: &Model, looks: &Interactive, width: u16) -> String {
    let node = model.tree.node(model.view);
    let size = looks.scale.text(model.number(&node.sums));
    let apparent = if model.choices.apparent { " of contents" } else { "" };
    let about = if model.is_inexact() { "about " } else { "" };
    let entries = grouped(node.sums.entries);
    let sums = format!("{about}{size}{apparent} in {entries} entries");
    let sums = sums + &state(model, looks) + &order(model);
    let path = safe(&absolute(model));
    let room = usize::from(width).saturating_sub(sums.chars().count() + 2);
    // Of a long path the end says more.
    let cut = path.chars().count().saturating_sub(room);
    let path: String = path.chars().skip(cut).collect();
    format!("{path}  {sums}")
}

/// What goes on, and where the sums come from.
fn state(model: &Model, looks: &Interactive) -> String {
    let mut state = String::new();
    let elsewhere = model.rows.iter().filter(|row| model.elsewhere(**row).is_some()).count();
    if elsewhere > 0 {
        state += &format!(", {} counted elsewhere", grouped(elsewhere as u64));
    }
    if model.choices.is_stored {
        state += ", saved";
        if model.stored.is_some() {
            state += &format!(" {}", date(model.stored, looks));
        }
    } else if model.is_inexact() {
        state += ", counting again";
    } else if model.counting.is_some() {
        state += ", counting";
    }
    state
}

/// The path of the directory that is shown, from the root of the file system on.
fn absolute(model: &Model) -> Vec<u8> {
    let path = model.tree.path(model.view);
    if model.view == TOP {
        return format!("{} paths", model.tree.node(TOP).children.len()).into_bytes();
    }
    // Where a saved tree was counted is not known.
    if model.choices.is_stored || model.place.is_empty() || bytes_to_path(&path).is_absolute() {
        return path;
    }
    let mut below = &path[..];
    while let Some(rest) = below.strip_prefix(b"./") {
        below = rest;
    }
    let mut all = model.place.clone();
    if !below.is_empty() && below != b"." {
        slashed::push(&mut all, below);
    }
    all
}

/// The order, unless it is the usual one.
fn order(model: &Model) -> String {
    let key = match model.sort.key {
        Key::Size if !model.sort.is_reversed => return String::new(),
        Key::Size => "size",
        Key::Count => "count",
        Key::Time => "time",
        Key::Name => "name",
    };
    let reversed = if model.sort.is_reversed { ", reversed" } else { "" };
    format!(", by {key}{reversed}")
}

/// What goes on, or what can be done; a question may need two lines.
fn below(model: &Model, looks: &Interactive, removed: u64, width: usize) -> Vec<String> {
    let text = |what: &str| what.to_owned();
    let line = match model.mode {
        Mode::Question => return question(model, looks, width),
        Mode::Search => format!("/{}", safe(model.search.as_bytes())),
        Mode::Help => text("Down and Up scroll, any other key goes back"),
        Mode::Walk if model.is_removing => {
            format!("removing: {} entries removed; q stops", grouped(removed))
        }
        Mode::Walk if !model.told.is_empty() => safe(model.told.as_bytes()),
        Mode::Walk => match model.row().and_then(|row| model.note_on(row)) {
            Some(note) => safe(note.as_bytes()),
            None if model.has_marks() => marked(model, looks),
            None if !model.search.is_empty() => {
                format!("names with {}; Esc shows all", safe(model.search.as_bytes()))
            }
            None if model.choices.read_only || model.choices.is_stored => {
                text("Enter opens  / searches  ? keys  q leaves")
            }
            None => text("Enter opens  Space marks  d removes  / searches  ? keys  q leaves"),
        },
    };
    vec![line]
}

/// What is about to be removed: its names, and what it takes; on one line if that fits.
fn question(model: &Model, looks: &Interactive, width: usize) -> Vec<String> {
    let chosen = model.chosen();
    let takes = format!("{}? y removes", takes(model, looks, &chosen));
    let unseen = unseen(model, &chosen);
    let together = format!("Remove {}{unseen}, {takes}", names(&chosen, usize::MAX));
    if together.chars().count() <= width {
        return vec![together];
    }
    let room = width.saturating_sub("Remove :".len() + unseen.len());
    vec![format!("Remove {}{unseen}:", names(&chosen, room)), takes]
}

/// The paths of the first entries, as many as fit, and how many more there are. Of a path that does
/// not fit alone, the end is shown.
fn names(chosen: &[Chosen], room: usize) -> String {
    let mut text = String::new();
    for (at, item) in chosen.iter().enumerate() {
        let more = match chosen.len() - at - 1 {
            0 => String::new(),
            more => format!(" and {} more", grouped(more as u64)),
        };
        let path = safe(&item.path);
        let longer = if at == 0 { path } else { format!("{text}, {path}") };
        let length = longer.chars().count() + more.len();
        if at > 0 && (length > room || at >= MAX_NAMES) {
            return format!("{text} and {} more", grouped((chosen.len() - at) as u64));
        }
        text = longer;
        if at == 0 && length > room {
            let cut = text.chars().count().saturating_sub(room.saturating_sub(more.len() + 1));
            return format!("…{}{more}", text.chars().skip(cut).collect::<String>());
        }
    }
    text
}

/// How many entries are marked, and what they take.
fn marked(model: &Model, looks: &Interactive) -> String {
    let chosen = model.chosen();
    let noun = if chosen.len() == 1 { "entry" } else { "entries" };
    let count = grouped(chosen.len() as u64);
    let unseen = unseen(model, &chosen);
    format!("marked: {count} {noun}{unseen}, {}", takes(model, looks, &chosen))
}

/// How many of these are not on the screen, if any.
fn unseen(model: &Model, chosen: &[Chosen]) -> String {
    match model.unseen(chosen) {
        0 => String::new(),
        1 if chosen.len() == 1 => " (not on the screen)".to_owned(),
        unseen => format!(" ({} not on the screen)", grouped(unseen as u64)),
    }
}

/// What was chosen takes so much, and removing it frees so much.
fn takes(model: &Model, looks: &Interactive, chosen: &[Chosen]) -> String {
    let sums = model.holds(chosen);
    let size = looks.scale.text(model.number(&sums));
    let frees = match model.frees() {
        _ if model.choices.is_stored => String::new(),
        None => ", frees …".to_owned(),
        Some(freed) => frees(&freed, looks.scale),
    };
    format!("{size} in {} files and directories{frees}", grouped(sums.entries))
}

/// What is freed; on btrfs, parts that were overwritten are in no number that an ordinary user gets.
fn frees(freed: &Freed, scale: Scale) -> String {
    let bound = if is_bound(freed.most, freed.least) { "at most " } else { "" };
    let more = if freed.hides_overwritten { " and what was overwritten" } else { "" };
    format!(", frees {bound}{}{more}", scale.text(freed.most))
}

struct Canvas<'a> {
    looks: &'a Interactive,
    buffer: &'a mut Buffer,
}

impl Canvas<'_> {
    fn bold(&self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    fn color(&self, color: Color) -> Style {
        if self.looks.has_colors { Style::new().fg(color) } else { Style::new() }
    }

    /// Writes a line; what does not fit is cut off.
    fn line(&mut self, line: u16, text: &str, style: Style) {
        let area = self.buffer.area;
        if line < area.height {
            self.buffer.set_stringn(area.x, area.y + line, text, area.width.into(), style);
        }
    }

    /// Appends a text to a line from this column on; returns the column behind it.
    fn text(&mut self, column: u16, line: u16, text: &str, style: Style) -> u16 {
        let room = self.buffer.area.width.saturating_sub(column);
        if room == 0 {
            return column;
        }
        self.buffer.set_stringn(column, line, text, room.into(), style).0
    }

    /// The headings, and the rows; or why there are none.
    fn list(&mut self, model: &Model) {
        self.headings();
        let rows = model.rows.iter().enumerate().skip(model.first).take(model.height());
        for ((at, row), line) in rows.zip(ABOVE..self.buffer.area.height.saturating_sub(1)) {
            self.row(model, *row, line, at == model.cursor);
        }
        let nothing = match (&model.rows[..], &*model.search) {
            ([_, ..], _) => return,
            ([], "") if model.is_listing() || model.counting.is_some() => return,
            ([], "") => "nothing is in this directory".to_owned(),
            ([], search) => format!(
                "nothing here has '{}' in its name; names below are not searched",
                safe(search.as_bytes())
            ),
        };
        self.line(ABOVE, &nothing, Style::new());
    }

    fn headings(&mut self) {
        let width = self.buffer.area.width;
        let bar = bar_columns(width);
        let mut text = format!("  {:>6} {:bar$} {:>4} ", "size", "", "part");
        if width >= WITH_COUNT {
            text += &format!("{:>10} ", "entries");
        }
        if width >= WITH_TIME {
            text += &format!("{:>10} ", "changed");
        }
        let style = self.bold().add_modifier(Modifier::UNDERLINED);
        self.line(1, &(text + "name"), style);
    }

    fn row(&mut self, model: &Model, row: Row, line: u16, is_under_cursor: bool) {
        let width = self.buffer.area.width;
        let sums = model.sums(row);
        let number = model.number(&sums);
        let whole = model.number(&model.tree.node(model.view).sums);
        let percent = share(number, whole, 100);
        let sign = [
            if model.is_marked(row) { '*' } else { ' ' },
            if model.has_failed(row) { '!' } else { ' ' },
        ];
        let mut at = self.text(0, line, &String::from_iter(sign), self.color(Color::Red));
        let size = format!("{:>6} ", self.looks.scale.text(number));
        at = self.text(at, line, &size, self.color(of_size(number)));
        let bar = bar(number, whole, bar_columns(width), self.looks.is_utf8);
        at = self.text(at, line, &bar, self.color(of_share(percent)));
        at = self.text(at, line, &format!(" {percent:>3}% "), Style::new());
        if width >= WITH_COUNT {
            at = self.text(at, line, &format!("{:>10} ", grouped(sums.entries)), Style::new());
        }
        if width >= WITH_TIME {
            let date = date(sums.newest, self.looks);
            at = self.text(at, line, &format!("{date:>10} "), Style::new());
        }
        let is_dir = matches!(row, Row::Dir(id) if !model.tree.node(id).is_file);
        let name = safe(model.name(row)) + if is_dir { "/" } else { "" };
        let style = if is_dir { self.color(Color::Blue) } else { Style::new() };
        at = self.text(at, line, &name, style);
        if let Some(sums) = model.elsewhere(row) {
            let size = self.looks.scale.text(model.number(&sums));
            self.text(at, line, &format!("  ({size}, counted elsewhere)"), Style::new());
        }
        if is_under_cursor {
            let area = ratatui_core::layout::Rect { y: line, height: 1, ..self.buffer.area };
            self.buffer.set_style(area, Style::new().add_modifier(Modifier::REVERSED));
        }
    }
}

fn bar_columns(width: u16) -> usize {
    if width < WITH_TIME { 5 } else { 10 }
}

fn date(time: Option<Timestamp>, looks: &Interactive) -> String {
    let time = time.and_then(|time| jiff::Timestamp::from_second(time.secs).ok());
    let date =
        |time: jiff::Timestamp| time.to_zoned(looks.zone.clone()).strftime("%Y-%m-%d").to_string();
    time.map(date).unwrap_or_default()
}

/// The colours of du's tree: by size.
fn of_size(bytes: u64) -> Color {
    match bytes {
        0..0x10_0000 => Color::Green,
        0x10_0000..0x4000_0000 => Color::Yellow,
        0x4000_0000..0x100_0000_0000 => Color::Red,
        _ => Color::Magenta,
    }
}

/// The same: by share.
fn of_share(percent: usize) -> Color {
    match percent {
        0..20 => Color::Green,
        20..50 => Color::Yellow,
        _ => Color::Red,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_and_what_is_in_no_number_are_told() {
        let mut freed = Freed::default();
        freed.most = 4096;
        freed.least = 4096;
        assert_eq!(frees(&freed, Scale::BINARY), ", frees 4.0K");
        freed.least = 0;
        assert_eq!(frees(&freed, Scale::BINARY), ", frees at most 4.0K");
        freed.hides_overwritten = true;
        let told = ", frees at most 4.0K and what was overwritten";
        assert_eq!(frees(&freed, Scale::BINARY), told);
    }
}
