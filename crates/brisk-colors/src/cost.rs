//! What colours cost: the fields that each key needs, and the value of `LS_COLORS` that needs none.

use crate::parse::{DIRECTORY_MODES, FILE_MODES, Key};
use crate::{Colors, MetadataColors, TargetColors};
use brisk::{Fields, FileType};

/// Keys that cost a request for entries of one type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cost {
    /// The keys as `LS_COLORS` spells them; `ln=target` is one.
    pub keys: Vec<&'static str>,
    /// The type of the entries that are asked about.
    pub file_type: FileType,
    /// The fields that are asked for: all of them by one statx, or by one request for attributes,
    /// or by one statx that follows a link.
    pub fields: Fields,
}

impl Colors {
    /// The keys that cost a request, and for which entries. Empty if [`fields`](Colors::fields)
    /// needs nothing.
    #[must_use]
    pub fn costs(&self) -> Vec<Cost> {
        let mut costs = Vec::new();
        if self.metadata == MetadataColors::Off {
            return costs;
        }
        let mut add = |keys: Vec<&'static str>, file_type, fields| {
            if !keys.is_empty() {
                costs.push(Cost { keys, file_type, fields });
            }
        };
        add(self.colored(&FILE_MODES), FileType::File, Fields::MODE);
        add(self.colored(&[Key::Capability]), FileType::File, Fields::CAPS);
        add(self.colored(&DIRECTORY_MODES), FileType::Directory, Fields::MODE);
        add(self.link_keys(), FileType::Symlink, Fields::TARGET);
        costs
    }

    /// The keys for which links are followed.
    fn link_keys(&self) -> Vec<&'static str> {
        let mut keys = self.colored(&[Key::Orphan]);
        if self.targets == TargetColors::Shown {
            keys.extend(self.colored(&[Key::Missing]));
        }
        if self.as_target && self.needs_target() {
            keys.push("ln=target");
        }
        keys
    }

    fn colored(&self, keys: &[Key]) -> Vec<&'static str> {
        let colored = keys.iter().filter(|&&key| self.sequences.is_colored(key));
        colored.map(|key| key.letters()).collect()
    }

    /// The text that makes a value of `LS_COLORS` free, appended to it after a colon: `ex=0:su=0`
    /// and so on. Empty if the value is free already.
    #[must_use]
    pub fn free_suffix(&self) -> String {
        let mut words = Vec::new();
        for key in self.costs().into_iter().flat_map(|cost| cost.keys) {
            words.push(match key {
                // Links keep a colour.
                "ln=target" => "ln=01;36".to_owned(),
                key => format!("{key}=0"),
            });
        }
        words.join(":")
    }
}
