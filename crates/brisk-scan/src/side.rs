//! A table of `brisk scan` as a side, or a data set: its rows become a state.

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::Path;

use brisk::{Fields, FileType};
use brisk_commands::internal::{Caller, quoted};
use brisk_state::{Input, Tree};
use brisk_sys::volume::{Volume, VolumeKind};
use brisk_table::{Column, TableEntry, Unusable};
use serde_json::Value;

use crate::source::{Source, append_nul_separated, unsorted};

/// What is compared, besides types and digests.
const COMPARED: [Column; 8] = [
    Column::Size,
    Column::Mode,
    Column::Uid,
    Column::Gid,
    Column::Inode,
    Column::Mtime,
    Column::Ctime,
    Column::Target,
];

/// Makes a state of a table or a data set. The state is in a file without a name.
///
/// # Errors
/// The message for the user, without the name of the file.
pub(crate) fn open(path: &Path) -> Result<Input, String> {
    let others = [Column::Type, Column::Blake3, Column::Btime, Column::Depth, Column::Device];
    let source = Source::open(path, &[&COMPARED[..], &others].concat())?;
    source.require(Column::Type)?;
    tell_missing(path, &source);
    let places = source.places()?;
    let scratch = std::env::temp_dir();
    let kept = |error: io::Error| match error.kind() {
        io::ErrorKind::InvalidData => format!("{}: {error}", Unusable::Damaged),
        _ => unsorted(error),
    };
    let mut table = TableSide {
        has_metadata: COMPARED.iter().any(|column| source.has(*column)),
        devices: HashMap::new(),
        unread: HashSet::new(),
        tree: Tree::new(&scratch, places.roots().to_vec()).map_err(kept)?,
    };
    table.add_volumes(&source.about.volumes);
    for path in &source.about.unread {
        table.unread.extend(places.find(path, None).map(|(_, path)| path.into_owned()));
    }
    let known = known(&source);
    let mut rows = source.merge(|record, key| {
        let depth = record.number(Column::Depth).map(|depth| depth as u32);
        let Some((root, path)) = places.find(record.path, depth) else { return false };
        key.extend(root.to_be_bytes());
        append_nul_separated(&path, key)
    })?;
    while let Some((key, record)) = rows.next().map_err(kept)? {
        let (root, path) = key.split_first_chunk().unwrap_or((&[0; 2], &[]));
        table.add(u16::from_be_bytes(*root), path, &record).map_err(kept)?;
    }
    let state = table.tree.finish().map_err(kept)?;
    let mut input = Input::of(state).map_err(|why| why.to_string())?;
    input.known = known;
    input.unread = table.unread;
    Ok(input)
}

/// Says which columns the comparison has to do without.
fn tell_missing(path: &Path, source: &Source) {
    let missing = COMPARED.iter().filter(|column| !source.has(**column));
    let names: Vec<_> = missing.map(|column| column.name()).collect();
    if !names.is_empty() {
        let names = names.join(", ");
        let shown = quoted(path);
        Caller::Brisk.complain(&format!("{shown} has no columns {names}, which are not compared"));
    }
}

/// The fields that a table knows.
fn known(source: &Source) -> Fields {
    let columns = COMPARED.iter().chain(&[Column::Btime]).filter(|column| source.has(**column));
    columns.fold(Fields::TYPE, |known, column| known | column.fields(FileType::Symlink))
}

/// A table that becomes a state.
struct TableSide {
    tree: Tree,
    /// The numbers of file systems in the state, by those of their devices.
    devices: HashMap<u64, u16>,
    /// The paths of what could not be read.
    unread: HashSet<Vec<u8>>,
    /// An entry without any metadata is one that could not be asked about.
    has_metadata: bool,
}

impl TableSide {
    fn add_volumes(&mut self, volumes: &[Value]) {
        for volume in volumes.iter().take(usize::from(u16::MAX)) {
            let number = |key: &str| volume[key].as_u64();
            let numbers = number("device").zip(number("magic").zip(number("fsid")));
            let Some((device, (magic, fsid))) = numbers else { continue };
            let kind = VolumeKind::from_magic(magic as u32);
            let volume = Volume { kind, fsid, has_nanoseconds: true };
            self.devices.insert(device, self.tree.add_volume(volume));
        }
    }

    fn add(&mut self, root: u16, path: &[u8], record: &TableEntry<'_>) -> io::Result<()> {
        let is_bare =
            |column: &Column| record.number(*column).is_none() && record.text(*column).is_none();
        if self.has_metadata && COMPARED.iter().all(is_bare) {
            let slashed = |byte: &u8| if *byte == 0 { b'/' } else { *byte };
            self.unread.insert(path.iter().map(slashed).collect());
            return Ok(());
        }
        let device = record.number(Column::Device);
        let volume = device.and_then(|device| self.devices.get(&device).copied());
        self.tree.push(root, path, &record.meta(), record.digest(), volume)
    }
}
