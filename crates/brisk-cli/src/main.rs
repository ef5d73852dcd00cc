//! The program `brisk`: the library has all of it but the start.

#![cfg_attr(all(target_os = "linux", target_env = "gnu", not(test)), no_main)]

brisk_cli_sys::main!(brisk_commands::run);
