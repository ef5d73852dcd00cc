//! How the command is linked: starting takes a millisecond, which is most of the time that a small
//! directory takes.

use std::env;
use std::path::PathBuf;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        println!("cargo:rerun-if-env-changed=CC");
        // Another linker brings another C library: zig's, for wheels.
        let is_usual = env::var_os("RUSTC_LINKER").is_none();
        if is_usual && env::var("TARGET") == env::var("HOST") {
            link_unwinder();
            pack_relocations();
            order_functions();
        }
    }
}

/// Writes the relocations as a bitmap, where the C library understands that (glibc 2.36). Root runs
/// brisk on other users' trees, so its address is random. The price is 10,000 relocations: packed
/// they are 3 KiB to read instead of 240. A C library that is older would refuse to start the
/// program.
fn pack_relocations() {
    let library = found("libc.so.6").and_then(|path| std::fs::read(path).ok()).unwrap_or_default();
    let feature = b"GLIBC_ABI_DT_RELR";
    if library.windows(feature.len()).any(|bytes| bytes == feature) {
        println!("cargo:rustc-link-arg-bin=brisk=-Wl,-z,pack-relative-relocs");
    }
}

/// Lays the functions that short commands run next to one another, as scripts/start found them. A
/// start maps the program 64 KiB at a time: `brisk find` of ten files takes 0.9 of the time, with
/// 129 page faults instead of 158. Who chooses a linker may have one that cannot insert sections.
fn order_functions() {
    println!("cargo:rerun-if-changed=start.ld");
    println!("cargo:rerun-if-env-changed=CARGO_ENCODED_RUSTFLAGS");
    let has_own_linker =
        env::var("CARGO_ENCODED_RUSTFLAGS").is_ok_and(|flags| flags.contains("link"));
    if let (false, Ok(directory)) = (has_own_linker, env::var("CARGO_MANIFEST_DIR")) {
        println!("cargo:rustc-link-arg-bin=brisk=-Wl,-T,{directory}/start.ld");
    }
}

/// The path of a file that the compiler links with.
fn found(name: &str) -> Option<PathBuf> {
    let compiler = env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let asked = Command::new(compiler).arg(format!("-print-file-name={name}")).output();
    let path = PathBuf::from(String::from_utf8(asked.ok()?.stdout).ok()?.trim());
    // A compiler that does not have the file answers with its bare name.
    path.is_absolute().then_some(path)
}

/// Links the unwinder in, where the compiler brings it as an archive. The shared one would be one
/// more library to load. It also asks the processor for its features a dozen times, which is slow
/// on a virtual machine.
fn link_unwinder() {
    let Some(out) = env::var_os("OUT_DIR").filter(|_| found("libgcc_eh.a").is_some()) else {
        return;
    };
    // The standard library asks for gcc_s by name, and the linker finds this file first.
    let out = PathBuf::from(out);
    if std::fs::write(out.join("libgcc_s.so"), "INPUT(-lgcc_eh -lgcc)\n").is_ok() {
        println!("cargo:rustc-link-search=native={}", out.display());
    }
}
