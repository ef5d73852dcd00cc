//! Journals as NTFS writes them, and which entries of a state are checked for them.

use std::collections::HashMap;

use brisk::{Fields, FileType};
use brisk_sys::nt::usn::deliver;
use brisk_sys::volume::{Volume, VolumeKind};
use testkit::usn::{answer, record};

use super::*;
use crate::format::record::TOP;
use crate::format::state::tests::loaded;
use crate::format::tree::Tree;
use crate::sources::ToCheck;
use crate::sources::source::Answer;

pub(super) const WRITE: u32 = 2;
pub(super) const CLOSE: u32 = 0x8000_0000;
/// The sequence number in the highest 16 bits of a file's number: how often the number has been
/// used.
const USED: u128 = 3 << 48;

/// A volume whose journal answers one reading after another.
struct Imitation {
    readings: Vec<Vec<u8>>,
    /// The directories of a file's names.
    links: HashMap<u64, Vec<u64>>,
}

impl JournalReader for Imitation {
    fn changes(&self, since: &Position, each: Each<'_>) -> io::Result<()> {
        let mut from = since.next;
        for reading in &self.readings {
            match deliver(reading, from, &mut |change| each(change))? {
                Some(next) => from = next,
                None => break,
            }
        }
        Ok(())
    }

    fn directories_of(&self, file: u64) -> io::Result<Vec<u64>> {
        self.links.get(&file).cloned().ok_or(io::ErrorKind::PermissionDenied.into())
    }
}

/// The entries of the state: path below the root, number. Those with a `/` at the end are
/// directories.
const TREE: [(&str, u64); 11] = [
    ("/", 5),
    ("a/", 11),
    ("a/f", 21),
    ("a/g", 22),
    ("a/l", 30),
    ("b/", 12),
    ("b/h", 23),
    ("b/m", 30),
    ("b/sub/", 13),
    ("b/sub/deep", 24),
    ("old", 0),
];

fn state() -> State {
    let roots = ["r", "s"].map(|root| root.as_bytes().to_vec()).to_vec();
    let mut tree = Tree::new(&std::env::temp_dir(), roots).expect("a state");
    let volume = |kind| Volume { kind, fsid: 77, has_nanoseconds: true };
    let own = tree.add_volume(volume(VolumeKind::Ntfs));
    let other = tree.add_volume(volume(VolumeKind::Fat));
    let mut push = |root, path: &str, ino, volume| {
        let is_dir = path.ends_with('/');
        let file_type = if is_dir { FileType::Directory } else { FileType::File };
        let ino = if ino == 0 { 0 } else { ino | (USED as u64) };
        let path = path.trim_end_matches('/').replace('/', "\0");
        let mode = (Fields::TYPE, file_type.mode_bits().into());
        let meta = [mode, (Fields::INO, ino)].into_iter().collect();
        tree.push(root, path.as_bytes(), &meta, None, Some(volume)).expect("an entry");
    };
    TREE.iter().for_each(|&(path, ino)| push(0, path, ino, own));
    // Numbers identify files on their own volume only.
    push(1, "/", 50, other);
    push(1, "f", 21, other);
    loaded(tree)
}

/// A change of a file in a directory, by the numbers of the table.
fn change(file: u128, parent: u128, reason: u32) -> Vec<u8> {
    record(2, [file | USED, parent | USED], reason, "name")
}

pub(super) const SINCE: Position = Position { id: 9, next: 4096 };
pub(super) const NOW: UsnJournal = UsnJournal { id: 9, first: 0, next: 8192, lowest: 0 };

/// A state, and a journal to search.
struct JournalCase {
    state: State,
    now: UsnJournal,
    most: usize,
    links: HashMap<u64, Vec<u64>>,
}

impl JournalCase {
    fn new() -> JournalCase {
        let links = HashMap::from([(30 | USED as u64, [11, 12].map(|at| at | USED as u64).into())]);
        JournalCase { state: state(), now: NOW, most: 100, links }
    }

    fn read(&self, readings: Vec<Vec<u8>>) -> Result<Vec<u64>, String> {
        let reader = &Imitation { readings, links: self.links.clone() };
        let state = &self.state;
        let now = self.now;
        let most = self.most;
        let search = JournalSearch { state, volume_number: 0, most, since: SINCE, now, reader };
        search.growth()?;
        search.changed()
    }

    /// The entries that are checked after these changes, without those that always are. `*` marks
    /// the directories that are read.
    fn looked_at(&self, changes: &[Vec<u8>]) -> String {
        let inodes = self.read(vec![answer(8192, changes), answer(8192, &[])]).expect("an answer");
        let searched = Answer { inodes: Inodes::Changed(inodes), how: String::new(), dev: 1 };
        let to_check = ToCheck::of(&self.state, &[Some(searched), None], false);
        let mut found = Vec::new();
        for_each_record(&self.state, |placed| {
            let record = self.state.block(placed.parent).record(placed.at).expect("a record");
            let is_always =
                record.attrs.ino == 0 || record.dir_id == self.root() || placed.volume_number != 0;
            let number = self.state.record_number(placed.parent, placed.at);
            if to_check.must_check(number) && !is_always {
                let mark = if to_check.has_new_names(record.dir_id) { "*" } else { "" };
                found.push(format!("{}{mark}", String::from_utf8_lossy(record.name)));
            }
        });
        found.sort();
        if to_check.has_new_names(self.root()) {
            found.push("root*".to_owned());
        }
        found.join(" ")
    }

    fn root(&self) -> u32 {
        self.state.block(TOP).record(0).expect("a root").dir_id
    }
}

#[test]
fn what_changed_is_looked_at_and_directories_whose_names_changed_are_read() {
    use reason::{CREATE, DELETE, LINK, RENAME_NEW, RENAME_OLD};
    let case = JournalCase::new();
    let table: [(&str, &[Vec<u8>], &str); 14] = [
        ("nothing", &[], ""),
        ("files elsewhere", &[change(90, 91, CREATE | CLOSE), change(92, 91, WRITE)], ""),
        ("a write", &[change(21, 11, WRITE)], "a f"),
        ("two", &[change(21, 11, WRITE), change(21, 11, WRITE | CLOSE)], "a f"),
        ("deep", &[change(24, 13, WRITE)], "b deep sub"),
        ("a directory's attributes", &[change(13, 12, 0x8000)], "b sub*"),
        ("a new file", &[change(40, 13, CREATE)], "b sub*"),
        ("a new file in the root", &[change(40, 5, CREATE)], "root*"),
        (
            "a rename across directories",
            &[change(21, 11, RENAME_OLD), change(21, 13, RENAME_NEW)],
            "a* b f sub*",
        ),
        (
            "a replacement by rename",
            &[
                change(22, 11, RENAME_OLD),
                change(21, 11, DELETE | CLOSE),
                change(22, 11, RENAME_NEW | CLOSE),
            ],
            "a* f g",
        ),
        ("gone and back", &[change(23, 12, DELETE), change(41, 12, CREATE)], "b* h"),
        ("a write through a link elsewhere", &[change(30, 99, WRITE)], "a b l m"),
        // The record names the directory of the older link.
        ("a new link", &[change(30, 99, LINK)], "a* b* l m"),
        (
            "a file that had a link for a while",
            &[change(43, 99, LINK), change(43, 99, LINK | DELETE)],
            "",
        ),
    ];
    for (what, changes, expected) in table {
        assert_eq!(case.looked_at(changes), expected, "{what}");
    }
    // A number that was reused for another file has another sequence number.
    let reused = record(2, [21 | 4 << 48, 90 | USED], WRITE, "f");
    assert_eq!(case.looked_at(&[reused]), "");
}

#[test]
fn a_link_from_outside_is_found_by_the_directories_of_the_file() {
    let mut case = JournalCase::new();
    let link = || change(60, 99, reason::LINK | CLOSE);
    case.links.insert(60 | USED as u64, [99, 13].map(|at| at | USED as u64).into());
    assert_eq!(case.looked_at(&[link()]), "b sub*");
    case.links.clear();
    let refused = case.read(vec![answer(8192, &[link()])]).expect_err("no answer");
    assert!(refused.starts_with("it does not say where the links of a file are"), "{refused}");
}

#[test]
fn what_has_no_number_is_always_looked_at() {
    let case = JournalCase::new();
    let searched = Answer { inodes: Inodes::Changed(Vec::new()), how: String::new(), dev: 1 };
    let to_check = ToCheck::of(&case.state, &[Some(searched), None], false);
    let mut found = Vec::new();
    for_each_record(&case.state, |placed| {
        let record = case.state.block(placed.parent).record(placed.at).expect("a record");
        if to_check.must_check(case.state.record_number(placed.parent, placed.at)) {
            found.push(String::from_utf8_lossy(record.name).into_owned());
        }
    });
    // Entries on another volume are checked too.
    assert_eq!(found, ["r", "s", "old", "f"]);
}

#[test]
fn records_of_128_bits_are_the_same_numbers_while_they_fit() {
    let case = JournalCase::new();
    let long = |file: u128| record(3, [file, 11 | USED], WRITE, "f");
    assert_eq!(case.looked_at(&[long(21 | USED)]), "a f");
    for wide in [long(21 | USED | 1 << 64), record(3, [21, 1 << 127], WRITE, "f")] {
        let refused = case.read(vec![answer(8192, &[wide])]).expect_err("no answer");
        assert_eq!(refused, "it numbers files by 128 bits, and the state by 64");
    }
}

#[test]
fn several_readings_are_one_and_a_cut_record_is_no_answer() {
    let case = JournalCase::new();
    let [one, two] = [change(21, 11, WRITE), change(23, 12, WRITE)];
    let whole = vec![
        answer(5000, std::slice::from_ref(&one)),
        answer(6000, &[]),
        answer(8192, std::slice::from_ref(&two)),
        answer(8192, &[]),
    ];
    let numbers = |numbers: [u64; 2]| numbers.map(|at| at | USED as u64).to_vec();
    assert_eq!(case.read(whole), Ok(numbers([21, 23])));
    let mut cut = answer(8192, &[one, two]);
    cut.pop();
    let refused = case.read(vec![cut]).expect_err("no answer");
    assert!(refused.starts_with("its journal cannot be read"), "{refused}");
    assert!(case.read(vec![vec![0; 7]]).is_err());
}

#[test]
fn a_journal_that_does_not_hold_all_changes_is_refused() {
    let mut case = JournalCase::new();
    let table = [
        (NOW, None),
        (UsnJournal { id: 10, ..NOW }, Some("its journal was deleted and created again")),
        (
            UsnJournal { first: 4097, ..NOW },
            Some("its journal has dropped changes made since the state"),
        ),
        (
            UsnJournal { lowest: 4097, ..NOW },
            Some("its journal has dropped changes made since the state"),
        ),
        (UsnJournal { first: 4096, lowest: 4096, ..NOW }, None),
        (
            UsnJournal { next: 4095, ..NOW },
            Some("its journal ends before the state's position: the volume was restored"),
        ),
        (UsnJournal { next: 4096 + 400_000, ..NOW }, None),
        (
            UsnJournal { next: 4097 + 400_000, ..NOW },
            Some("reading 400001 bytes of its journal would take longer than a walk"),
        ),
    ];
    for (now, expected) in table {
        case.now = now;
        let read = case.read(vec![answer(now.next, &[])]);
        assert_eq!(read.err().as_deref(), expected, "{now:?}");
    }
}

#[test]
fn more_changes_than_looking_costs_are_refused() {
    let mut case = JournalCase::new();
    let changes = [change(21, 11, WRITE), change(30, 99, WRITE), change(90, 91, WRITE)];
    // Both names of one file are checked; names outside the tree do not count.
    case.most = 3;
    assert!(case.read(vec![answer(8192, &changes)]).is_ok());
    case.most = 2;
    let refused = case.read(vec![answer(8192, &changes)]).expect_err("no answer");
    assert_eq!(refused, "more than 2 entries were written");
    case.most = 0;
    let refused = case.read(vec![answer(8192, &[change(30, 99, reason::LINK)])]);
    assert_eq!(refused.expect_err("no answer"), "the hard links of more than 0 files changed");
}
