//! Systems without a journal: nothing is set aside here.

use super::options::Options;
use crate::front::messages::Caller;

fn unsupported(caller: Caller) -> u8 {
    caller.complain("--background is not supported on this system");
    1
}

pub(super) fn start(caller: Caller, _options: &Options) -> u8 {
    unsupported(caller)
}

pub(super) fn work(caller: Caller, _record: &str, _options: &Options) -> u8 {
    unsupported(caller)
}

pub(super) fn finish(caller: Caller, _options: &Options) -> u8 {
    unsupported(caller)
}
