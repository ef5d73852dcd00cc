//! Any words as find(1)'s command line: reading them ends, and so does evaluating what they mean, on
//! names of which one is from the words.

#![no_main]

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use brisk::filter::{Filter, Scratch};
use brisk::{Fields, FileType, Follow, unstable};
use brisk_filter::find::{self, Context, Surroundings};
use brisk_filter::zone;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let words: Vec<OsString> =
        bytes.split(|byte| *byte == 0).map(|word| OsStr::from_bytes(word).to_owned()).collect();
    let context = Context {
        now: &zone::now,
        length: |text| text.len().min(1),
        min_depth: 0,
        stat: &|_: &Path, _: Fields, _: Follow| Err("No such file or directory".to_owned()),
        file_system: Arc::new(|_| "ext4".to_owned()),
    };
    let surroundings = Surroundings {
        quote: &|name| String::from_utf8_lossy(name).into_owned(),
        is_posix: false,
        warns: true,
        warn: &mut |_| (),
        prepare: &mut |_, _| Ok(()),
    };
    let Ok(line) = find::command(&words, &context, surroundings) else { return };
    let filter = Filter::with_actions(line.expr, |_, _| Fields::empty());
    let last = bytes.rsplit(|byte| *byte == 0).next().unwrap_or_default();
    for name in [&b"a"[..], b".h", b"b.rs", b"\xff\xfe", "\u{e9}".as_bytes(), last] {
        unstable::as_entry(b"./d/", 2, name, FileType::File, |entry| {
            let mut scratch = Scratch::default();
            let _ = filter.early(entry, &mut scratch);
            filter.judge_and_do(entry, &mut scratch, &|| None, &mut |act, _| act % 2 == 0);
        });
    }
});
