//! Keeps the extension loaded when a worker of Node's that has loaded it ends: threads of brisk's
//! may still run.

fn main() {
    // The crate is empty elsewhere.
    if std::env::var_os("CARGO_CFG_UNIX").is_some() {
        napi_build::setup();
    }
}
