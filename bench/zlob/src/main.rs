//! `zlob-walk MODE DIR [THREADS]`: lists a tree with zlob's walker.
//!
//! `all` lists everything. `git` leaves out hidden files and those that rules of git ignore. The walk
//! is collected before anything is printed, which is the fastest way that the library has.

use std::io::{self, Write};

use zlob::walk::{WalkBuilder, WalkFlags};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().collect();
    let [_, mode, dir, threads @ ..] = &words[..] else {
        return Err("usage: zlob-walk all|git DIR [THREADS]".into());
    };
    let mut walk = WalkBuilder::new(dir)?;
    walk.max_depth(None);
    walk.options(if mode == "git" { WalkFlags::RECOMMENDED } else { WalkFlags::empty() });
    if let Some(threads) = threads.first() {
        walk.threads(threads.parse()?);
    }
    let mut out = io::BufWriter::with_capacity(1 << 16, io::stdout().lock());
    for entry in walk.collect()?.iter() {
        out.write_all(entry.path_bytes())?;
        out.write_all(b"\n")?;
    }
    Ok(out.flush()?)
}
