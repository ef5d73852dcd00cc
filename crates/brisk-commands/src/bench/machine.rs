//! Where and when a report was made: date, processor, kernel, file system, and how busy the machine
//! is.

use std::path::Path;

use jiff::Timestamp;

use crate::front::messages::cannot;
use crate::system::file_system;

/// Name and value of what a report says about where it was made: the machine that holds this
/// directory. Facts that the system does not report are left out.
pub(crate) fn facts(dir: &Path) -> Vec<(&'static str, String)> {
    let date = Timestamp::now().strftime("%Y-%m-%d %H:%M:%S UTC").to_string();
    let mut facts = vec![("date", date), ("cores", cores().to_string())];
    let processor = field("/proc/cpuinfo", "model name");
    facts.extend(processor.map(|name| ("processor", name)));
    let kernel = read("/proc/sys/kernel/osrelease").map(|kernel| format!("Linux {kernel}"));
    let system = kernel.unwrap_or_else(|| std::env::consts::OS.to_owned());
    facts.push(("system", system));
    facts.extend(file_system(dir).map(|name| ("file system", name)));
    facts.push(("brisk", env!("CARGO_PKG_VERSION").to_owned()));
    facts
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// A warning if other programs want the processors too. Called before the measurement, which wants
/// the processors itself.
pub(crate) fn busy() -> Option<String> {
    let runnable: f64 = read("/proc/loadavg")?.split(' ').next()?.parse().ok()?;
    let load = runnable / cores() as f64;
    (load > 0.5).then(|| {
        format!("the machine is busy ({load:.1} runnable threads a core): times may be too long")
    })
}

/// Drops the system's caches of files and names.
///
/// # Errors
/// This user may not do that, or this system does not offer it.
pub(crate) fn drop_caches() -> Result<(), String> {
    let control = "/proc/sys/vm/drop_caches";
    std::fs::write(control, "3").map_err(|error| cannot("drop caches by", control, &error))
}

fn read(path: &str) -> Option<String> {
    brisk_sys::whole::read_text(path.as_ref()).ok().map(|text| text.trim().to_owned())
}

fn field(path: &str, name: &str) -> Option<String> {
    let text = read(path)?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}
