//! The flags of `--watch`, and what they set.

use std::ffi::OsStr;
use std::time::Duration;

use brisk_cli_sys::group::StopSignal;
use brisk_filter::pattern::Case;

use crate::filter::Selecting;
use crate::front::Words;
use crate::front::{Flag, Refusal, duration};

/// How long no event must come before a batch ends: 20 ms, because an editor writes a file in
/// several steps within a few milliseconds.
const SETTLE: Duration = Duration::from_millis(20);

/// How long a command may take to stop before it is killed.
const STOP_TIMEOUT: Duration = Duration::from_secs(10);

/// What a valid span of time looks like.
const TIME: &str = "a time is needed, such as 50ms or 2s; a bare number means milliseconds";

/// What the flags say.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watching {
    pub(in super::super) is_on: bool,
    settle: Option<Duration>,
    /// Whether COMMAND is stopped and started again if something changes while it runs.
    pub(super) restarts: bool,
    pub(super) stop_signal: Option<StopSignal>,
    stop_timeout: Option<Duration>,
    /// Whether COMMAND runs at the start, even if nothing has changed.
    pub(super) initial: bool,
    /// Whether COMMAND waits for the first change after the start.
    pub(super) postpone: bool,
    pub(super) clear: bool,
    pub(super) once: bool,
    pub(super) timeout: Option<Duration>,
    pub(super) stdin_quit: bool,
    /// Whether `--poll` was given, an option of other watchers.
    polls: bool,
}

impl Watching {
    pub(super) fn settle(&self) -> Duration {
        self.settle.unwrap_or(SETTLE)
    }

    pub(super) fn stop_timeout(&self) -> Duration {
        self.stop_timeout.unwrap_or(STOP_TIMEOUT)
    }

    /// The flags that need a COMMAND, and whether they were given.
    pub(in super::super) fn need_command(&self) -> [(bool, &'static str); 5] {
        [
            (self.restarts, "--restart"),
            (self.stop_signal.is_some(), "--stop-signal"),
            (self.stop_timeout.is_some(), "--stop-timeout"),
            (self.initial, "--initial"),
            (self.postpone, "--postpone"),
        ]
    }
}

pub(in super::super) fn watch<O: AsMut<Watching>>() -> Flag<O> {
    Flag::<O>::on("w, watch", |options| options.as_mut().is_on = true)
        .brief("Afterwards wait for further changes, and print them or run COMMAND on them")
        .conflicts("stamp depfile")
        .doc(
            "Print the changes since the state, or run COMMAND on them; then wait for further \
                 changes, and do the same with each batch of them, until a signal ends brisk or \
                 the reader closes the output. A batch is accepted once it is printed or, with \
                 COMMAND, once COMMAND has succeeded. If COMMAND fails, its changes are in the \
                 next batch again. Without a state, as in the first run, everything is new, so \
                 COMMAND runs at once, unless --postpone is given.",
        )
}

pub(in super::super) fn watching<O: AsMut<Watching>>() -> Vec<Flag<O>> {
    vec![
        Flag::<O>::parsed("settle", "TIME", |options, value| {
            options.as_mut().settle = Some(span(value)?);
            Ok(())
        })
        .needs(TIME)
        .requires("watch")
        .aliases("debounce")
        .rare("End a batch when nothing has happened for this long (default: 20ms)")
        .doc(
            "End a batch when nothing has happened for this long (default: 20ms), and at the \
                 latest after ten times this long. A bare number means milliseconds.",
        ),
        Flag::<O>::word("on-busy", "WHAT", BUSY, |options, word| {
            options.as_mut().restarts = word == "restart";
        })
        .aliases("on-busy-update")
        .requires("watch")
        .rare("What to do if something changes while COMMAND runs"),
        Flag::<O>::on("r, restart", |options| options.as_mut().restarts = true)
            .requires("watch")
            .rare("Stop COMMAND if something changes while it runs, and start it again")
            .overrides("on-busy"),
        Flag::<O>::parsed("stop-signal", "SIGNAL", |options, value| {
            let signal = value.to_str().and_then(StopSignal::named);
            options.as_mut().stop_signal = Some(signal.ok_or_else(|| Refusal::usage(""))?);
            Ok(())
        })
        .needs("a signal is needed, such as TERM, INT, HUP or a number")
        .requires("watch")
        .rare("The signal that stops COMMAND (default: TERM)"),
        Flag::<O>::parsed("stop-timeout", "TIME", |options, value| {
            options.as_mut().stop_timeout = Some(span(value)?);
            Ok(())
        })
        .needs(TIME)
        .requires("watch")
        .rare("Kill COMMAND if it has not stopped after this time (default: 10s)"),
        Flag::<O>::on("initial", |options| options.as_mut().initial = true)
            .requires("watch")
            .rare("Run COMMAND at the start, even if nothing has changed"),
        Flag::<O>::on("postpone", |options| options.as_mut().postpone = true)
            .requires("watch")
            .conflicts("initial")
            .rare("Do not run COMMAND before something changes")
            .doc(
                "Do not run COMMAND before something changes. It then gets the changes since the \
                 state too. A first run without --state only records the entries at the start.",
            ),
        Flag::<O>::on("clear", |options| options.as_mut().clear = true)
            .requires("watch")
            .rare("Clear the terminal before each batch"),
        Flag::<O>::on("once", |options| options.as_mut().once = true)
            .requires("watch")
            .rare("End after the first batch with changes, or after one run of COMMAND"),
        Flag::<O>::parsed("timeout", "TIME", |options, value| {
            options.as_mut().timeout = Some(span(value)?);
            Ok(())
        })
        .needs(TIME)
        .requires("watch")
        .rare("End if nothing has changed for this long and COMMAND is not running"),
        Flag::<O>::on("stdin-quit", |options| options.as_mut().stdin_quit = true)
            .requires("watch")
            .rare("End when standard input ends"),
        Flag::<O>::on("poll", |options| options.as_mut().polls = true)
            .aliases("force-poll use-polling")
            .hidden(),
    ]
}

/// What can be done if something changes while COMMAND runs.
const BUSY: Words =
    Words::new("queue | restart").docs("the changes are the next batch (default) | as --restart");

/// A span of time; a bare number means milliseconds.
fn span(value: &OsStr) -> Result<Duration, Refusal> {
    let millis = value.to_str().and_then(|text| text.parse().ok());
    millis.map(Duration::from_millis).or_else(|| duration(value)).ok_or_else(|| Refusal::usage(""))
}

/// Refuses what users of other watchers type by habit, with a message that says what brisk has
/// instead.
///
/// # Errors
/// The refusal.
pub(in super::super) fn check(watching: &Watching, selecting: &Selecting) -> Result<(), Refusal> {
    let matching = &selecting.matching;
    let is_in_vain = matching.case == Case::Insensitive
        && matching.pattern.is_empty()
        && selecting.ignoring.exclude_regex.is_empty();
    let why = if watching.polls {
        "there is no --poll: brisk polls by itself where the system reports no changes"
    } else if watching.is_on && is_in_vain {
        "-i ignores the case of a pattern, and there is none; -E GLOB leaves files out"
    } else {
        return Ok(());
    };
    Err(Refusal::hinted(why))
}
