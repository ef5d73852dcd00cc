//! Storage that answers in bulk: the requests to slowfs with READDIRPLUS, by kind.

use brisk::{Fields, Order, Walk};
use testkit::Mounted;

use crate::record::{Mode, ORDERS, Rules, run};
use crate::storage::{alone, sound};

/// The most reads of 4,000 names, of which five are usual. Reads of 4 KiB each would be 31.
const FEW: u64 = 12;

/// Requests for one directory of 4,000 files: reads with and without attributes, lookups, and the
/// most requests that waited at once.
struct Requests {
    plus: u64,
    plain: u64,
    lookups: u64,
    peak: u64,
    /// The requests for metadata that the walk counted.
    stats: u64,
}

/// The requests of a walk on a fresh mount. `None` where nothing can be mounted.
fn requests(test: &str, flags: &str, order: Order, mode: Mode, fields: Fields) -> Option<Requests> {
    let mount = Mounted::new(test, &format!("--flat 4000 {flags}"))?;
    let outcome = run(Walk::new(mount.path()).order(order), mode, Rules { fields, ..Rules::NONE });
    sound(&outcome, 4_001, test);
    let stats = outcome.stats().calls.stat;
    let counts = mount.finish();
    Some(Requests {
        plus: counts.get("readdirplus"),
        plain: counts.get("readdir"),
        lookups: counts.get("lookup"),
        peak: counts.get("peak_waiting"),
        stats,
    })
}

/// Attributes that come with the listing are not asked for again: the first answers of each buffer
/// are taken before the next read, and buffers grow. The kernel keeps attributes for an hour here.
/// The second that is usual with FUSE is too short for a test: a machine may stall for longer.
#[test]
fn attributes_that_come_with_the_listing_cost_no_lookup() {
    let _alone = alone();
    let test = "attributes_that_come_with_the_listing_cost_no_lookup";
    for mode in ["auto", "always"] {
        let long = "--entry-timeout 3600s --attr-timeout 3600s";
        let flags = format!("--latency 1ms --readdirplus={mode} {long}");
        for order in ORDERS {
            for workers in [Mode::Serial, Mode::Adaptive] {
                let what = format!("{mode} {order:?} {workers:?}");
                let Some(all) = requests(test, &flags, order, workers, Fields::SIZE) else {
                    return;
                };
                assert_eq!(all.lookups, 0, "{what}");
                assert!(all.plus + all.plain <= FEW, "{what}: {} + {}", all.plus, all.plain);
            }
        }
    }
}

/// Attributes that do not last are asked for by many workers, as where no attributes come with the
/// listing. Each is asked for once. But if a worker gets no processor for 10 ms, the watchdog of a
/// walk that streams takes it for hung, and what it had asked for is asked for again.
#[test]
fn attributes_that_do_not_last_are_asked_for_in_parallel() {
    let _alone = alone();
    let test = "attributes_that_do_not_last_are_asked_for_in_parallel";
    for plus in ["auto", "always", "never"] {
        let flags = format!("--latency 1ms --readdirplus={plus}");
        for order in ORDERS {
            let asked = requests(test, &flags, order, Mode::Adaptive, Fields::SIZE);
            let Some(Requests { lookups, peak, stats, .. }) = asked else { return };
            let what = format!("{plus} {order:?}: {lookups} lookups, {stats} requests");
            // The request about the root is not a lookup.
            assert_eq!(lookups + 1, stats, "{what}");
            let is_watched = matches!(order, Order::Unordered | Order::Breadth);
            assert!(lookups == 4_000 || is_watched && lookups > 4_000, "{what}");
            assert!(peak > 8, "{plus} {order:?}: at most {peak} requests at once");
        }
    }
}

/// Each read is one request of its buffer's size, so there are few.
#[test]
fn names_alone_are_read_in_few_requests() {
    let _alone = alone();
    let test = "names_alone_are_read_in_few_requests";
    for plus in ["auto", "always", "never"] {
        let flags = format!("--latency 1ms --readdirplus={plus}");
        for order in ORDERS {
            let asked = requests(test, &flags, order, Mode::Adaptive, Fields::empty());
            let Some(Requests { plus: with, plain, lookups, .. }) = asked else { return };
            let what = format!("{plus} {order:?}: {with} + {plain}");
            assert!(lookups == 0 && with + plain <= FEW, "{what}");
        }
    }
}
