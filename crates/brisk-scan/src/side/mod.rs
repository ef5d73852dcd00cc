//! A table of `brisk scan` as a side: its rows are sorted into a state.

mod damage;
mod places;

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::Path;

use brisk::{Fields, FileType};
use brisk_cli::internal::{Caller, cannot, cause, quoted};
use brisk_state::{Input, Known, Sorting};
use brisk_sys::volume::{Volume, VolumeKind};
use brisk_sys::whole::open_regular;
use brisk_table::{Column, Record, Scan, Unusable};
use serde_json::Value;

use damage::Expected;
use places::Places;

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

/// Makes a state of a table. The state is in a file without a name.
///
/// # Errors
/// The message for the user, without the name of the file.
pub(crate) fn open(path: &Path) -> Result<Input, String> {
    let _expected = Expected::of(path);
    let file = open_regular(path).map_err(|error| cause(&error).to_string())?;
    let scan = Scan::of(file).map_err(|why| message(&why))?;
    scan.require(Column::Type).map_err(|why| message(&why))?;
    let list = |key: &str| -> Option<Vec<Value>> {
        serde_json::from_str(scan.get(&format!("brisk.{key}"))?).ok()
    };
    let places = list("roots").zip(list("absolute_roots"));
    let places = places.and_then(|(given, absolute)| Places::new(&given, &absolute));
    let places = places.ok_or_else(|| message(&Unusable::Foreign))?;
    tell_missing(path, &scan);
    if !scan.is_checked().map_err(|why| message(&why))? {
        let why = "has no checksums: damage in it may go unnoticed";
        Caller::Brisk.complain(&format!("{} {why}", quoted(path)));
    }

    let scratch = std::env::temp_dir();
    let kept = |error: io::Error| match error.kind() {
        io::ErrorKind::InvalidData => format!("{}: {error}", Unusable::Damaged),
        _ => cannot("sort the table in", &scratch, &error),
    };
    let sorting = Sorting::new(&scratch, places.roots().to_vec()).map_err(kept)?;
    let mut table = Table {
        has_metadata: COMPARED.iter().any(|column| scan.has(*column)),
        devices: HashMap::new(),
        unread: HashSet::new(),
        places,
        sorting,
    };
    table.add_volumes(&list("volumes").unwrap_or_default());
    for unread in list("unread").unwrap_or_default() {
        let path = places::bytes(&unread).unwrap_or_default();
        let place = table.places.find(&path, None);
        table.unread.extend(place.map(|(_, path)| path.into_owned()));
    }
    for group in 0..scan.groups() {
        for batch in scan.group(group).map_err(|why| message(&why))? {
            let batch = batch.map_err(|why| message(&why))?;
            batch.records().try_for_each(|record| table.add(&record)).map_err(kept)?;
        }
    }
    let state = table.sorting.finish().map_err(kept)?;
    let mut input = Input::of(state).map_err(|why| why.to_string())?;
    input.known = known(&scan);
    input.unread = table.unread;
    Ok(input)
}

#[cold]
fn message(why: &Unusable) -> String {
    match why {
        Unusable::Unreadable(error) => format!("cannot read the table: {}", cause(error)),
        why => why.to_string(),
    }
}

/// Says which columns the comparison has to do without.
fn tell_missing(path: &Path, scan: &Scan) {
    let missing = COMPARED.iter().filter(|column| !scan.has(**column));
    let names: Vec<_> = missing.map(|column| column.name()).collect();
    if !names.is_empty() {
        let names = names.join(", ");
        let shown = quoted(path);
        Caller::Brisk.complain(&format!("{shown} has no columns {names}, which are not compared"));
    }
}

/// The fields that a table knows.
fn known(scan: &Scan) -> Fields {
    let columns = COMPARED.iter().chain(&[Column::Btime]).filter(|column| scan.has(**column));
    columns.fold(Fields::TYPE, |known, column| known | column.fields(FileType::Symlink))
}

/// A table that becomes a state.
struct Table {
    places: Places,
    sorting: Sorting,
    /// The numbers of file systems in the state, by those of their devices.
    devices: HashMap<u64, u16>,
    /// The paths of what could not be read.
    unread: HashSet<Vec<u8>>,
    /// An entry without any metadata is one that could not be asked about.
    has_metadata: bool,
}

impl Table {
    fn add_volumes(&mut self, volumes: &[Value]) {
        for volume in volumes.iter().take(usize::from(u16::MAX)) {
            let number = |key: &str| volume[key].as_u64();
            let numbers = number("device").zip(number("magic").zip(number("fsid")));
            let Some((device, (magic, fsid))) = numbers else { continue };
            let kind = VolumeKind::from_magic(magic as u32);
            let volume = Volume { kind, fsid, is_fine: true };
            self.devices.insert(device, self.sorting.add_volume(volume));
        }
    }

    fn add(&mut self, record: &Record<'_>) -> io::Result<()> {
        let Some((root, path)) = self.places.find(record.path, record.depth) else {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a path below no root"));
        };
        if self.has_metadata && is_bare(record) {
            self.unread.insert(path.into_owned());
            return Ok(());
        }
        let known = Known {
            file_type: record.file_type.unwrap_or_default(),
            size: record.size.unwrap_or(0),
            mode: record.mode.unwrap_or(0).into(),
            uid: record.uid.unwrap_or(0),
            gid: record.gid.unwrap_or(0),
            ino: record.inode.unwrap_or(0),
            mtime: record.mtime.unwrap_or_default(),
            ctime: record.ctime.unwrap_or_default(),
            btime: record.btime.unwrap_or_default(),
            target: record.target.unwrap_or_default(),
            digest: record.digest.copied(),
            volume: record.device.and_then(|device| self.devices.get(&device).copied()),
            ..Known::default()
        };
        self.sorting.push(root, &path, &known)
    }
}

/// Whether nothing is known of an entry but its name and perhaps its type.
fn is_bare(record: &Record<'_>) -> bool {
    let Record { size, mode, uid, gid, inode, mtime, ctime, target, .. } = record;
    let numbers = [uid.is_some(), gid.is_some(), inode.is_some(), size.is_some()];
    let others = [mode.is_some(), mtime.is_some(), ctime.is_some(), target.is_some()];
    !numbers.contains(&true) && !others.contains(&true)
}
