//! A search for headers, by stat and by a [`View`]: 10,000 headers are looked for in 20 include
//! directories, twice. Prints the shortest of five times of each. It makes its tree in the temporary
//! directory, or in the directory that is named.

use std::path::{Path, PathBuf};
use std::time::Instant;
use std::{env, fs};

use brisk_state::{Rescan, RescanError, View};

const HEADERS: usize = 10_000;
const DIRS: usize = 20;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let place = env::args_os().nth(1).map_or_else(env::temp_dir, PathBuf::from);
    let scratch = tempfile::tempdir_in(place)?;
    let dir = |at| scratch.path().join(format!("include/{at}"));
    (0..DIRS).try_for_each(|at| fs::create_dir_all(dir(at)))?;
    (0..HEADERS).try_for_each(|at| fs::write(dir(at % DIRS).join(format!("header{at}.h")), ""))?;
    let began = Instant::now();
    let view = View::new(Rescan::over([scratch.path()]))?;
    println!("the view was made in {:?}", began.elapsed());
    // A compiler looks in one directory after the other until it finds the header.
    let of = |at| (0..=at % DIRS).map(move |place| (place, at));
    let paths = (0..HEADERS).flat_map(of);
    let paths: Vec<_> = paths.map(|(place, at)| dir(place).join(format!("header{at}.h"))).collect();
    let searched = |exists: &dyn Fn(&Path) -> bool| {
        let twice = |_| {
            let began = Instant::now();
            for _ in 0..2 {
                view.refresh()?;
                assert_eq!(paths.iter().filter(|path| exists(path)).count(), HEADERS);
            }
            Ok::<_, RescanError>(began.elapsed())
        };
        (0..5).map(twice).collect::<Result<Vec<_>, _>>()
    };
    let stat = searched(&|path| fs::metadata(path).is_ok())?.into_iter().min();
    let view = searched(&|path| view.exists(path))?.into_iter().min();
    println!("{} paths, twice: stat {stat:?}, view {view:?}", paths.len());
    Ok(())
}
