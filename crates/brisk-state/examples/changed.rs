//! Prints what has changed in a directory since the last call: `changed DIR STATE`.

use std::io::{self, Write};
use std::path::Path;

use brisk_state::{Rescan, State};

#[expect(clippy::disallowed_methods, reason = "an example of the library, not part of brisk")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args_os().skip(1);
    let (Some(dir), Some(file)) = (args.next(), args.next()) else {
        return Err("changed DIR STATE".into());
    };
    let file = Path::new(&file);
    let report = Rescan { old: State::load(file), ..Rescan::over([dir]) }.run()?;
    let mut out = io::stdout().lock();
    for change in &report.changes {
        writeln!(out, "{}\t{}", change.kind.letter(), change.place.path.escape_ascii())?;
    }
    if report.is_worth_saving() {
        report.write(file)?;
    }
    writeln!(io::stderr(), "{}", report.stats)?;
    Ok(())
}
