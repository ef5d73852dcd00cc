//! Tests of the records' decoder: records of Windows and Wine, possible ones, and arbitrary bytes.

use proptest::prelude::*;

use super::*;
use crate::nt::kind::tag;
use crate::nt::wtf8;

/// Lays out records as the file system does: each begins at a multiple of eight.
fn chain(class: Class, records: &[(&str, NtMeta)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut last = 0;
    for (name, found) in records {
        let start = bytes.len().next_multiple_of(8);
        if start > 0 {
            bytes.resize(start, 0xcc);
            let next = (start - last) as u32;
            bytes[last..last + 4].copy_from_slice(&next.to_le_bytes());
        }
        last = start;
        let name: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
        bytes.extend([0; 8]);
        bytes.extend(found.times.iter().flat_map(|time| time.to_le_bytes()));
        bytes.extend(found.size.to_le_bytes());
        bytes.extend(found.allocated.to_le_bytes());
        bytes.extend(found.attributes.to_le_bytes());
        bytes.extend((name.len() as u32).to_le_bytes());
        bytes.extend(found.tag.to_le_bytes());
        if class == Class::IdFull {
            bytes.extend([0; 4]);
            bytes.extend(found.id.to_le_bytes());
        }
        bytes.extend(name);
    }
    bytes
}

fn file(size: u64) -> NtMeta {
    NtMeta {
        times: [132_000_000_000_000_001, 132_000_000_000_000_002, 132_223_104_000_000_003, 4],
        size,
        allocated: size.next_multiple_of(4096),
        attributes: attribute::ARCHIVE,
        tag: 0,
        id: size + 1,
    }
}

fn names(records: Records<'_>) -> Vec<String> {
    records
        .map(|record| {
            let mut name = Vec::new();
            wtf8::append_utf16le(&mut name, record.name);
            String::from_utf8(name).expect("UTF-8")
        })
        .collect()
}

/// The loop in "How to Query File Attributes 50x faster on Windows" (Whole Tomato, 2024). It tests
/// `NextEntryOffset` after it has advanced, so the last record of each buffer is not used.
fn published_loop(bytes: &[u8]) -> usize {
    let mut used = 0;
    let mut at = 0;
    loop {
        let next = u32_at(bytes, at).expect("a record") as usize;
        if next == 0 {
            return used;
        }
        used += 1;
        at += next;
    }
}

#[test]
fn the_last_record_of_a_buffer_is_not_lost() {
    for class in [Class::IdFull, Class::Full] {
        for count in 1..5 {
            let all = ["a", "bc", "def", "ghij", "klmno"];
            let records: Vec<_> = all[..count].iter().map(|name| (*name, file(7))).collect();
            let bytes = chain(class, &records);
            let mut found = Records::new(&bytes, class);
            assert_eq!(names(found.clone()), all[..count]);
            assert_eq!(found.by_ref().count(), count);
            assert_eq!(published_loop(&bytes), count - 1);
            assert!(!found.is_malformed());
            assert_eq!(found.bytes_left(), 0);
        }
    }
}

#[test]
fn a_record_tells_all_but_the_mode_and_the_owner() {
    let bytes = chain(Class::IdFull, &[("x", file(5000))]);
    let record = Records::new(&bytes, Class::IdFull).next().expect("one record");
    assert_eq!(record.found, file(5000));
    let meta = record.found.meta();
    assert_eq!(meta.file_type(), Some(FileType::File));
    assert_eq!((meta.size(), meta.blocks(), meta.ino()), (Some(5000), Some(16), Some(5001)));
    assert_eq!(meta.mtime(), Some(Timestamp { secs: 1_577_836_800, nanos: 300 }));
    assert_eq!(meta.attributes(), Some(attribute::ARCHIVE));
    for invented in [meta.mode(), meta.uid(), meta.gid()] {
        assert_eq!(invented, None);
    }
    assert_eq!((meta.nlink(), meta.dev()), (None, None));
}

#[test]
fn a_time_of_zero_is_none_and_times_before_1970_are_negative() {
    assert_eq!(timestamp(0), None);
    assert_eq!(timestamp(1), Some(Timestamp { secs: -EPOCH, nanos: 100 }));
    assert_eq!(timestamp(EPOCH * TICKS), Some(Timestamp { secs: 0, nanos: 0 }));
    assert_eq!(timestamp(EPOCH * TICKS - 1), Some(Timestamp { secs: -1, nanos: 999_999_900 }));
    let found = NtMeta { times: [0; 4], ..file(1) };
    let times = Fields::ATIME | Fields::BTIME | Fields::CTIME | Fields::MTIME;
    assert!(!found.meta().filled().intersects(times));
}

#[test]
fn a_file_system_without_ids_fills_no_inode() {
    let bytes = chain(Class::Full, &[("x", file(1))]);
    let record = Records::new(&bytes, Class::Full).next().expect("one record");
    assert_eq!(record.found.meta().ino(), None);
    assert_eq!(record.found.size, 1);
}

#[test]
fn the_tag_counts_for_reparse_points_alone() {
    let link = attribute::REPARSE_POINT | attribute::DIRECTORY;
    let junction = NtMeta { attributes: link, tag: tag::MOUNT_POINT, ..file(0) };
    let with_attributes = NtMeta { tag: tag::SYMLINK, ..file(0) };
    let bytes = chain(Class::IdFull, &[("junction", junction), ("xattrs", with_attributes)]);
    let found: Vec<_> = Records::new(&bytes, Class::IdFull).map(|record| record.found).collect();
    assert_eq!(found[0].file_type(), FileType::Symlink);
    assert_eq!((found[1].file_type(), found[1].tag), (FileType::File, 0));
}

#[test]
fn hidden_is_an_attribute() {
    assert!(!file(1).is_hidden());
    assert!(NtMeta { attributes: attribute::HIDDEN | attribute::SYSTEM, ..file(1) }.is_hidden());
}

/// What Wine 8.0 wrote for a directory with `a.txt` of 5 bytes, `sub` and `ü😀`.
#[test]
fn a_buffer_captured_under_wine() {
    let bytes = include_bytes!("../captured/wine-8.0-id-full.bin");
    let records: Vec<_> = Records::new(bytes, Class::IdFull).collect();
    let mut sorted = names(Records::new(bytes, Class::IdFull));
    sorted.sort();
    assert_eq!(sorted, [".", "..", "a.txt", "sub", "ü😀"]);
    for record in records {
        let mut name = Vec::new();
        wtf8::append_utf16le(&mut name, record.name);
        let meta = record.found.meta();
        assert!(meta.ino().is_some_and(|ino| ino > 0));
        match &name[..] {
            b"a.txt" => {
                assert_eq!((meta.file_type(), meta.size()), (Some(FileType::File), Some(5)));
                assert_eq!(meta.mtime(), Some(Timestamp { secs: 981_173_106, nanos: 0 }));
            }
            b"." | b".." | b"sub" => assert_eq!(meta.file_type(), Some(FileType::Directory)),
            _ => assert_eq!(meta.size(), Some(0)),
        }
    }
}

#[test]
fn what_is_no_record_ends_the_iteration_and_says_so() {
    let whole = chain(Class::IdFull, &[("first", file(1)), ("second", file(2))]);
    let second = whole.len() - (80 + 12);
    let broken = |at: usize, value: u32| {
        let mut bytes = whole.clone();
        bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        bytes
    };
    // (bytes, records before the end)
    let cases = [
        (whole[..whole.len() - 1].to_vec(), 1),
        (whole[..second].to_vec(), 0),
        (broken(0, 1), 0),
        (broken(0, whole.len() as u32 + 8), 0),
        (broken(60, 4000), 0),
        (broken(60, 0), 0),
        (broken(60, 3), 0),
        (broken(second + 60, 13), 1),
        (vec![0; 12], 0),
    ];
    for (bytes, expected) in cases {
        let mut records = Records::new(&bytes, Class::IdFull);
        assert_eq!(records.by_ref().count(), expected);
        assert!(records.is_malformed());
        assert_eq!(records.next(), None);
    }
    assert_eq!(Records::new(&[], Class::Full).next(), None);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 4 } else { 256 }, ..Default::default() })]

    #[test]
    fn what_is_written_comes_back(
        records in prop::collection::vec(("[a-zäß😀]{1,20}", any::<u64>(), any::<u32>()), 0..12),
        has_ids: bool,
    ) {
        let class = if has_ids { Class::IdFull } else { Class::Full };
        let reparse = |attributes| attributes & attribute::REPARSE_POINT != 0;
        let expected: Vec<(&str, NtMeta)> = records
            .iter()
            .map(|(name, size, attributes)| {
                let tag = if reparse(*attributes) { tag::DEDUP } else { 0 };
                let id = if has_ids { 9 } else { 0 };
                (&name[..], NtMeta { attributes: *attributes, tag, id, size: *size, ..file(3) })
            })
            .collect();
        let bytes = chain(class, &expected);
        let got: Vec<NtMeta> = Records::new(&bytes, class).map(|record| record.found).collect();
        prop_assert_eq!(names(Records::new(&bytes, class)), expected.iter().map(|it| it.0.to_owned()).collect::<Vec<_>>());
        prop_assert_eq!(got, expected.iter().map(|it| it.1).collect::<Vec<_>>());
    }

    #[test]
    fn any_bytes_end(mut bytes in prop::collection::vec(any::<u8>(), 0..400), next in 0_u8..200) {
        if let Some(head) = bytes.first_chunk_mut::<4>() {
            *head = [next, 0, 0, 0];
        }
        for class in [Class::IdFull, Class::Full] {
            prop_assert!(Records::new(&bytes, class).count() <= bytes.len() / 68);
        }
    }
}
