//! The picture: draws a [`Model`] on the cells of a screen. From top to bottom: the directory's
//! path and sums, the rows, and a status line.

use brisk::Timestamp;
use brisk::remove::Freed;
use brisk_commands::internal::{
    Interactive, Paint, Scale, append_safe, bar, grouped, is_bound, paint_of_share, paint_of_size,
    share,
};
use brisk_sys::paths::bytes_to_path;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::{Color, Style};

use crate::model::keys::KEYS;
use crate::model::row::{Key, Row};
use crate::model::{Mode, Model};
use crate::removal::Chosen;
use crate::tree::TOP;

/// The least widths, in columns, of a screen that shows the number of entries, and of one that also
/// shows the date of the newest change.
const WITH_COUNT: u16 = 60;
const WITH_TIME: u16 = 72;
/// The most paths that a question names.
const MAX_NAMES: usize = 3;

/// The lines above the rows: the title and the headings.
pub const ABOVE: u16 = 2;

/// What is drawn, and how.
pub struct Picture<'a> {
    pub model: &'a Model,
    pub looks: &'a Interactive,
    /// How many entries the running removal has removed.
    pub removed: u64,
}

/// The name as text, with control characters escaped.
fn safe(name: &[u8]) -> String {
    let mut out = Vec::new();
    append_safe(name, &mut out);
    String::from_utf8_lossy(&out).replace('\t', "\\x09")
}

/// How much space is freed, as text. On btrfs, an ordinary user cannot see how much overwritten
/// parts of files still hold.
fn frees(freed: &Freed, scale: Scale) -> String {
    let bound = if is_bound(freed.most, freed.least) { "at most " } else { "" };
    let more = if freed.hides_overwritten { " and what was overwritten" } else { "" };
    format!("{bound}{}{more}", scale.text(freed.most))
}

/// The last `columns` characters of a text: the end of a long path says more than its beginning.
fn end(text: &str, columns: usize) -> String {
    text.chars().skip(text.chars().count().saturating_sub(columns)).collect()
}

/// Writes a line, cut off at the edge of the screen.
fn line(buffer: &mut Buffer, at: u16, text: &str, style: Style) {
    let Rect { width, height, .. } = buffer.area;
    if at < height {
        buffer.set_stringn(0, at, text, width.into(), style);
    }
}

impl Picture<'_> {
    pub fn draw(&self, buffer: &mut Buffer) {
        let Rect { width, height, .. } = buffer.area;
        let bold = Style::new().bold();
        line(buffer, 0, &self.title(width.into()), bold);
        let below = self.below(width.into());
        let end = height.saturating_sub(below.len() as u16);
        if self.model.mode == Mode::Help {
            let keys = KEYS.iter().skip(self.model.first_key).take(self.model.key_lines());
            for ((keys, what), at) in keys.zip(1..end) {
                line(buffer, at, &format!("  {keys:<17}{what}"), Style::new());
            }
        } else {
            line(buffer, 1, &self.headings(width), bold.underlined());
            self.nothing().iter().for_each(|text| line(buffer, ABOVE, text, Style::new()));
            for ((at, row), y) in self.model.shown().zip(ABOVE..end) {
                let area = Rect { y, height: 1, ..buffer.area };
                self.row(row, area, buffer);
                if at == self.model.cursor {
                    buffer.set_style(area, Style::new().reversed());
                }
            }
        }
        for (text, at) in below.iter().zip(end.max(1)..) {
            line(buffer, at, text, bold);
        }
    }

    /// A size as a text.
    fn size(&self, bytes: u64) -> String {
        self.looks.scale.text(bytes)
    }

    fn date(&self, time: Option<Timestamp>) -> Option<String> {
        let time = jiff::Timestamp::from_second(time?.secs).ok()?;
        Some(time.to_zoned(self.looks.zone.clone()).strftime("%Y-%m-%d").to_string())
    }

    /// The directory's path and sums.
    fn title(&self, width: usize) -> String {
        let model = self.model;
        let sums = model.tree.node(model.view).sums;
        let size = self.size(model.number(&sums));
        let apparent = if model.choices.apparent { " of contents" } else { "" };
        let mut about = format!("  {size}{apparent} in {} entries", grouped(sums.entries));
        let elsewhere = model.rows.iter().filter(|row| model.elsewhere(**row).is_some()).count();
        if elsewhere > 0 {
            about += &format!(", {} counted elsewhere", grouped(elsewhere as u64));
        }
        if model.choices.is_stored {
            let date = self.date(model.choices.written).map(|date| format!(" {date}"));
            about += &format!(", saved{}", date.unwrap_or_default());
        } else if model.is_counting {
            about += ", counting";
        } else if model.is_listing {
            about += ", listing";
        }
        let key = match model.key {
            Key::Size => "size",
            Key::Count => "count",
            Key::Time => "time",
            Key::Name => "name",
        };
        if model.key != Key::Size || model.is_reversed {
            about += &format!(", by {key}{}", if model.is_reversed { ", reversed" } else { "" });
        }
        end(&safe(&self.path()), width.saturating_sub(about.chars().count())) + &about
    }

    /// The absolute path of the directory that is shown.
    fn path(&self) -> Vec<u8> {
        let model = self.model;
        if model.view == TOP {
            return format!("{} paths", model.roots().len()).into_bytes();
        }
        let path = model.tree.path(model.view);
        // A saved count does not say which directory relative paths begin at.
        match std::path::absolute(bytes_to_path(&path)) {
            Ok(all) if !model.choices.is_stored => all.into_os_string().into_encoded_bytes(),
            _ => path,
        }
    }

    /// The status line: what is being done, or which keys there are. A question may need two lines.
    fn below(&self, width: usize) -> Vec<String> {
        let model = self.model;
        let search = safe(model.search.as_bytes());
        let line = match model.mode {
            Mode::Question => return self.question(width),
            Mode::Search => format!("/{search}"),
            Mode::Help => "Down and Up scroll; any other key goes back".to_owned(),
            Mode::Walk if model.is_removing => {
                format!("removing: {} entries removed; q stops", grouped(self.removed))
            }
            Mode::Walk if !model.told.is_empty() => safe(model.told.as_bytes()),
            Mode::Walk => match model.row().and_then(|row| model.failed(row)) {
                Some(why) => safe(why.as_bytes()),
                None if !model.marks.is_empty() => self.marked(),
                None if !model.search.is_empty() => format!("names with {search}; Esc shows all"),
                None => {
                    let is_fixed = model.choices.read_only || model.choices.is_stored;
                    let acts = if is_fixed { "" } else { "  Space marks  d removes" };
                    format!("Enter opens{acts}  / searches  ? keys  q quits")
                }
            },
        };
        vec![line]
    }

    /// The question before a removal: the paths and their sums, on one line if they fit.
    fn question(&self, width: usize) -> Vec<String> {
        let chosen = self.model.chosen();
        let takes = format!("{}? y removes", self.takes(&chosen));
        let unseen = self.unseen(&chosen);
        let together = format!("Remove {}{unseen}, {takes}", names(&chosen, usize::MAX));
        if together.chars().count() <= width {
            return vec![together];
        }
        let room = width.saturating_sub("Remove :".len() + unseen.len());
        vec![format!("Remove {}{unseen}:", names(&chosen, room)), takes]
    }

    /// How many entries are marked, and their sums.
    fn marked(&self) -> String {
        let chosen = self.model.chosen();
        let noun = if chosen.len() == 1 { "entry" } else { "entries" };
        let count = grouped(chosen.len() as u64);
        format!("marked: {count} {noun}{}, {}", self.unseen(&chosen), self.takes(&chosen))
    }

    /// How many of these are not on the screen, if any.
    fn unseen(&self, chosen: &[Chosen]) -> String {
        match self.model.unseen(chosen) {
            0 => String::new(),
            1 if chosen.len() == 1 => " (not on the screen)".to_owned(),
            unseen => format!(" ({} not on the screen)", grouped(unseen as u64)),
        }
    }

    /// The sums of the chosen entries, and how much space their removal frees.
    fn takes(&self, chosen: &[Chosen]) -> String {
        let sums = self.model.holds(chosen);
        let size = self.size(self.model.number(&sums));
        let frees =
            self.model.frees().map_or("…".to_owned(), |freed| frees(&freed, self.looks.scale));
        let entries = if sums.entries == 1 { "entry" } else { "entries" };
        format!("{size} in {} {entries}, frees {frees}", grouped(sums.entries))
    }

    /// Why there are no rows.
    fn nothing(&self) -> Option<String> {
        let model = self.model;
        if !model.rows.is_empty() {
            return None;
        }
        if model.search.is_empty() {
            let is_known = !model.is_listing && !model.is_counting;
            return is_known.then(|| "no entries".to_owned());
        }
        let search = safe(model.search.as_bytes());
        Some(format!("no name here contains '{search}'; subdirectories are not searched"))
    }

    fn headings(&self, width: u16) -> String {
        let entries = if width < WITH_COUNT { "" } else { "   entries " };
        let changed = if width < WITH_TIME { "" } else { "   changed " };
        format!("    size {:bar$}    % {entries}{changed}name", "", bar = bar_columns(width))
    }

    fn row(&self, row: Row, area: Rect, buffer: &mut Buffer) {
        let model = self.model;
        let plain = Style::new();
        let color = |color| if self.looks.has_colors { plain.fg(color) } else { plain };
        let paint = |Paint { number, is_bold }| match color(Color::Indexed(number)) {
            style if is_bold && self.looks.has_colors => style.bold(),
            style => style,
        };
        let mut at = 0;
        let mut write = |text: &str, style| {
            if at < area.width {
                at = buffer.set_stringn(at, area.y, text, (area.width - at).into(), style).0;
            }
        };
        let sums = model.sums(row);
        let number = model.number(&sums);
        let whole = model.number(&model.tree.node(model.view).sums);
        let percent = share(number, whole, 100);
        let mark = if model.is_marked(row) { "*" } else { " " };
        let failed = if model.failed(row).is_some() { "!" } else { " " };
        write(mark, color(Color::Red));
        write(failed, color(Color::Red));
        write(&format!("{:>6} ", self.size(number)), paint(paint_of_size(number)));
        let bar = bar(number, whole, bar_columns(area.width), self.looks.is_utf8);
        write(&bar, paint(paint_of_share(percent)));
        write(&format!(" {percent:>3}% "), plain);
        if area.width >= WITH_COUNT {
            write(&format!("{:>10} ", grouped(sums.entries)), plain);
        }
        if area.width >= WITH_TIME {
            write(&format!("{:>10} ", self.date(sums.newest).unwrap_or_default()), plain);
        }
        let is_dir = matches!(row, Row::Dir(id) if !model.tree.node(id).is_file);
        let name = safe(model.name(row)) + if is_dir { "/" } else { "" };
        write(&name, if is_dir { color(Color::Blue) } else { plain });
        if let Some(sums) = model.elsewhere(row) {
            let size = self.size(model.number(&sums));
            write(&format!("  ({size}, counted elsewhere)"), plain);
        }
    }
}

/// The paths of the first entries, as many as fit, and how many more there are. If not even one
/// path fits, the end of the first one.
fn names(chosen: &[Chosen], room: usize) -> String {
    let mut count = chosen.len().min(MAX_NAMES);
    loop {
        let paths: Vec<_> = chosen[..count].iter().map(|item| safe(&item.path)).collect();
        let paths = paths.join(", ");
        let more = match chosen.len() - count {
            0 => String::new(),
            more => format!(" and {} more", grouped(more as u64)),
        };
        if paths.chars().count() + more.len() <= room {
            return paths + &more;
        } else if count == 1 {
            return format!("…{}{more}", end(&paths, room.saturating_sub(more.len() + 1)));
        }
        count -= 1;
    }
}

fn bar_columns(width: u16) -> usize {
    if width < WITH_TIME { 5 } else { 10 }
}

#[cfg(test)]
mod tests {
    use brisk::unstable::FileIdentity;
    use brisk::usage::Sums;

    use super::*;
    use crate::listing::Shown;

    #[test]
    fn a_bound_and_what_is_in_no_number_are_told() {
        let mut freed = Freed::default();
        freed.most = 4096;
        freed.least = 4096;
        assert_eq!(frees(&freed, Scale::BINARY), "4.0K");
        freed.least = 0;
        assert_eq!(frees(&freed, Scale::BINARY), "at most 4.0K");
        freed.hides_overwritten = true;
        assert_eq!(frees(&freed, Scale::BINARY), "at most 4.0K and what was overwritten");
    }

    #[test]
    fn a_question_names_as_many_paths_as_fit() {
        let file = FileIdentity { parent: (1, 1), itself: (1, 2), owner: 0 };
        let shown = Shown { file, born: None };
        let chosen = |path: &str| {
            let path = path.as_bytes().to_vec();
            Chosen { dir: TOP, path, shown, sums: Sums::default() }
        };
        let all = ["t/long", "t/b", "t/c", "t/d"].map(chosen);
        assert_eq!(names(&all, 80), "t/long, t/b, t/c and 1 more");
        assert_eq!(names(&all, 26), "t/long, t/b and 2 more");
        assert_eq!(names(&all, 17), "t/long and 3 more");
        assert_eq!(names(&all[..1], 6), "t/long");
        assert_eq!(names(&all[..1], 5), "…long");
        assert_eq!(names(&all, 14), "…ng and 3 more");
    }
}
