//! The fields that a listing needs of an entry, by its type: those of its columns, order, marks and
//! colours, each with its reason.

use brisk::{Fields, FileType};
use brisk_colors::Colors;

use super::flags::{Format, Sort};
use super::settings::Settings;
use crate::show::fields::FieldsByType;
use crate::show::long::Indicator;

/// The reason of fields that `LS_COLORS` needs.
const COLORS: &str = "LS_COLORS";

/// A reason to ask for fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reason {
    pub(crate) what: &'static str,
    pub(crate) fields: Fields,
}

/// The needed fields, by type.
pub(crate) fn fields(settings: &Settings, colors: Option<&Colors>) -> FieldsByType {
    FieldsByType::new(|file_type| {
        let reasons = reasons(settings, colors, file_type);
        let mut fields = reasons.iter().fold(Fields::empty(), |sum, one| sum | one.fields);
        // A file that is asked about for another reason is also painted by its number of links.
        let asked_anyway = reasons.iter().any(|reason| reason.what != COLORS);
        if colors.is_some() && file_type == FileType::File && asked_anyway {
            fields |= Fields::NLINK;
        }
        fields
    })
}

/// The reasons to ask about entries of this type, with their fields.
pub(crate) fn reasons(
    settings: &Settings,
    colors: Option<&Colors>,
    file_type: FileType,
) -> Vec<Reason> {
    let Settings { given, columns, format, sort, .. } = settings;
    let is_long = *format == Format::Long;
    let has_modes = !columns.attributes;
    let is_file = file_type == FileType::File;
    let is_link = file_type == FileType::Symlink;
    let indicator = given.indicator;
    let marks_files = indicator == Indicator::Classify && has_modes;
    let marks_targets = is_long && indicator >= Indicator::FileType;
    let first = given.directories_first;
    let time = given.time.field();
    let painted = colors.map_or(Fields::empty(), |colors| colors.fields(file_type));
    let reasons = [
        (is_long, "-l", of_long(settings, is_link)),
        (is_long && has_modes && !given.json, "The mark behind the mode", Fields::ACCESS),
        (columns.blocks && !is_long, "-s", Fields::BLOCKS),
        (columns.inode && !is_long, "-i", Fields::INO),
        (columns.context, "-Z", Fields::CONTEXT),
        (*sort == Sort::Size, "The order by size", Fields::SIZE),
        (*sort == Sort::Time, "The order by time", time),
        (first && is_link, "--group-directories-first", Fields::TARGET),
        (marks_files && is_file, "The mark of executables", Fields::MODE),
        (marks_targets && is_link, "The mark of what links lead to", Fields::TARGET),
        (!painted.is_empty(), COLORS, painted),
    ];
    let hold = reasons.into_iter().filter(|(holds, ..)| *holds);
    hold.map(|(_, what, fields)| Reason { what, fields }).collect()
}

/// The fields of a long line.
fn of_long(settings: &Settings, is_link: bool) -> Fields {
    let columns = &settings.columns;
    let mut fields = Fields::SIZE | Fields::BLOCKS | settings.given.time.field();
    fields |= if columns.attributes { Fields::ATTRIBUTES } else { Fields::MODE | Fields::NLINK };
    fields.set(Fields::UID, !columns.without_owner || columns.author);
    fields.set(Fields::GID, !columns.without_group);
    fields.set(Fields::INO, columns.inode);
    fields.set(Fields::LINK_TARGET, is_link);
    fields
}
