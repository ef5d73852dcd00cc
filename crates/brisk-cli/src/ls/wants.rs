//! The fields that a listing needs of an entry, by its type: those of its columns, order, marks and
//! colours, each with its reason.

use brisk::{Fields, FileType};
use brisk_colors::Colors;

use super::flags::{Format, Sort};
use super::settings::Settings;
use crate::show::fields::FieldsByType;
use crate::show::long::Indicator;

/// The reason of fields that `LS_COLORS` needs.
const COLORS: &str = "colours";

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
    let mut reasons = columns(settings, file_type);
    let is_link = file_type == FileType::Symlink;
    let mut add = |what, fields: Fields| {
        if !fields.is_empty() {
            reasons.push(Reason { what, fields });
        }
    };
    match settings.sort {
        Sort::Size => add("the order by size", Fields::SIZE),
        Sort::Time => add("the order by time", settings.time.field()),
        _ => {}
    }
    if settings.directories_first && is_link {
        add("directories first", Fields::TARGET);
    }
    let has_modes = !settings.columns.attributes;
    if settings.indicator == Indicator::Classify && file_type == FileType::File && has_modes {
        add("the mark of executables", Fields::MODE);
    }
    let marks_targets =
        settings.format == Format::Long && settings.indicator >= Indicator::FileType;
    if marks_targets && is_link {
        add("the mark of what links lead to", Fields::TARGET);
    }
    if let Some(colors) = colors {
        add(COLORS, colors.fields(file_type));
    }
    reasons
}

fn columns(settings: &Settings, file_type: FileType) -> Vec<Reason> {
    let columns = &settings.columns;
    let mut reasons = Vec::new();
    if settings.format == Format::Long {
        let mut fields = Fields::SIZE | Fields::BLOCKS | settings.time.field();
        fields |=
            if columns.attributes { Fields::ATTRIBUTES } else { Fields::MODE | Fields::NLINK };
        fields.set(Fields::UID, !columns.without_owner || columns.author);
        fields.set(Fields::GID, !columns.without_group);
        fields.set(Fields::INO, columns.inode);
        fields.set(Fields::LINK_TARGET, file_type == FileType::Symlink);
        reasons.push(Reason { what: "the columns of -l", fields });
        if !settings.beyond.json && !columns.attributes {
            reasons.push(Reason { what: "the mark behind the mode", fields: Fields::ACCESS });
        }
    } else if columns.blocks {
        reasons.push(Reason { what: "the blocks of -s", fields: Fields::BLOCKS });
    }
    if columns.inode && settings.format != Format::Long {
        reasons.push(Reason { what: "the inodes of -i", fields: Fields::INO });
    }
    if columns.context {
        reasons.push(Reason { what: "the contexts of -Z", fields: Fields::CONTEXT });
    }
    reasons
}
