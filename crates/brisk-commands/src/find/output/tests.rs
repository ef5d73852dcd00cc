use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use brisk::Flow;

use super::*;

#[derive(Clone, Default)]
struct SharedWriter(Arc<Mutex<Vec<Vec<u8>>>>);

impl Write for SharedWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().push(bytes.to_vec());
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl SharedWriter {
    fn pieces(&self) -> Vec<String> {
        let pieces = self.0.lock().unwrap();
        pieces.iter().map(|piece| String::from_utf8(piece.clone()).unwrap()).collect()
    }
}

struct Full(io::ErrorKind);

impl Write for Full {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(self.0.into())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn line(lines: &mut Lines, text: &str) {
    lines.bytes().extend_from_slice(text.as_bytes());
    lines.bytes().push(b'\n');
    lines.end_line(text.as_bytes());
}

const LONG: Duration = Duration::from_secs(3600);

#[test]
fn few_lines_of_several_workers_come_out_sorted_in_one_piece() {
    let out = SharedWriter::default();
    let sink = Sink::new(Box::new(out.clone()), Arrangement::SortedIfSoon(LONG), None);
    let mut a = Lines::new(&sink);
    let mut b = Lines::new(&sink);
    line(&mut a, "b/c");
    line(&mut b, "b");
    assert_eq!(a.keep_or_sink(), Flow::Continue);
    line(&mut a, "b-c");
    line(&mut b, "a");
    assert_eq!(b.pause(true), Flow::Continue);
    a.close();
    b.close();
    assert!(out.pieces().is_empty());
    sink.finish().unwrap();
    assert_eq!(out.pieces(), ["a\nb\nb/c\nb-c\n"]);
}

#[test]
fn many_lines_stream_as_they_come() {
    let out = SharedWriter::default();
    let sink = Sink::new(Box::new(out.clone()), Arrangement::SortedIfSoon(LONG), None);
    let mut lines = Lines::new(&sink);
    for number in (0..MAX_HELD + 1).rev() {
        line(&mut lines, &number.to_string());
    }
    assert!(lines.is_holding_back());
    assert_eq!(lines.keep_or_sink(), Flow::Continue);
    assert!(!lines.is_holding_back());
    assert!(out.pieces()[0].starts_with("1000\n999\n"));
    line(&mut lines, "more");
    assert_eq!(lines.keep_or_sink(), Flow::Continue);
    assert_eq!(out.pieces().len(), 1, "a small piece waits");
    assert_eq!(lines.pause(true), Flow::Continue);
    assert_eq!(out.pieces()[1], "more\n");
}

#[test]
fn held_lines_appear_in_time_though_no_worker_calls() {
    let out = SharedWriter::default();
    let patience = Duration::from_millis(5);
    let sink = Sink::new(Box::new(out.clone()), Arrangement::SortedIfSoon(patience), None);
    let mut lines = Lines::new(&sink);
    line(&mut lines, "a");
    let _ = lines.pause(true);
    let started = Instant::now();
    while out.pieces().is_empty() {
        assert!(started.elapsed() < Duration::from_secs(10), "the timer never came");
        std::thread::yield_now();
    }
    assert_eq!(out.pieces(), ["a\n"]);
}

#[test]
fn in_turn_lines_of_several_workers_stay_in_turn() {
    let out = SharedWriter::default();
    let sink = Sink::new(Box::new(out.clone()), Arrangement::InTurn, None);
    let mut a = Lines::new(&sink);
    let mut b = Lines::new(&sink);
    line(&mut a, "2");
    assert_eq!(a.keep_or_sink(), Flow::Continue);
    line(&mut b, "1");
    assert_eq!(b.keep_or_sink(), Flow::Continue);
    line(&mut a, "3");
    assert_eq!(a.keep_or_sink(), Flow::Continue);
    b.close();
    a.close();
    sink.finish().unwrap();
    assert_eq!(out.pieces(), ["2\n1\n3\n"]);
}

#[test]
fn a_reader_that_left_is_no_error_and_a_full_disk_is() {
    for (kind, fails) in [(io::ErrorKind::BrokenPipe, false), (io::ErrorKind::StorageFull, true)] {
        let sink = Sink::new(Box::new(Full(kind)), Arrangement::SortedIfSoon(Duration::ZERO), None);
        let mut lines = Lines::new(&sink);
        line(&mut lines, "a");
        assert_eq!(lines.pause(true), Flow::Stop);
        assert_eq!(sink.finish().is_err(), fails, "{kind}");
    }
}

#[test]
fn lines_are_sorted_by_component() {
    let mut held = LineBuffer::default();
    for path in ["b", "a-b", "a/b", "a", "a!", "a/b/c", "a/b-c"] {
        held.bytes.extend_from_slice(path.as_bytes());
        held.bytes.push(b' ');
        held.end_line(path.as_bytes());
    }
    held.sort(false, 6);
    assert_eq!(String::from_utf8_lossy(&held.bytes), "a a/b a/b/c a/b-c a! a-b ");
}
