//! How the command is linked: a start of a millisecond is most of what a small directory takes.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        // A fixed address: 10,000 relocations less.
        println!("cargo:rustc-link-arg-bin=brisk=-no-pie");
        if env::var("TARGET") == env::var("HOST") {
            link_unwinder();
        }
    }
}

/// Has the unwinder linked in, where the compiler brings it as an archive. The shared one is a library more
/// to load, and asks the processor for its features a dozen times, which a virtual machine pays dearly.
fn link_unwinder() {
    println!("cargo:rerun-if-env-changed=CC");
    let compiler = env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let asked = Command::new(compiler).arg("-print-file-name=libgcc_eh.a").output();
    let archive = asked.ok().and_then(|output| String::from_utf8(output.stdout).ok());
    // A compiler that has none answers with the bare name.
    let is_there = archive.is_some_and(|path| Path::new(path.trim()).is_absolute());
    let Some(out) = env::var_os("OUT_DIR").filter(|_| is_there) else { return };
    // The standard library asks for gcc_s by name, and this is found before it.
    let out = PathBuf::from(out);
    if std::fs::write(out.join("libgcc_s.so"), "INPUT(-lgcc_eh -lgcc)\n").is_ok() {
        println!("cargo:rustc-link-search=native={}", out.display());
    }
}
