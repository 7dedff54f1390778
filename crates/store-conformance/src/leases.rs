//! Leases by name: one holder each, until they expire.

use loci_model::Result;

use super::{Bench, same};
use loci_testkit_ports::samples::time;

pub(super) fn leases(bench: &Bench) -> Result<()> {
    let take = |name: &'static str, holder: &'static str, now: i64, until: i64| {
        bench.write(move |tx| tx.leases_mut().take(name, holder, time(now), time(until)))
    };
    let release = |name: &'static str, holder: &'static str| {
        bench.write(move |tx| tx.leases_mut().release(name, holder))
    };
    let holder = |name: &'static str, now: i64| bench.read(move |tx| tx.leases().holder(name, time(now)));
    same("nobody's", holder("sweep", 1)?, None);
    same("taken", take("sweep", "one", 1, 10)?, true);
    same("held", holder("sweep", 9)?, Some("one".into()));
    same("not another's", take("sweep", "two", 9, 99)?, false);
    same("of another name", take("tidy", "two", 9, 99)?, true);
    same("prolonged", take("sweep", "one", 9, 20)?, true);
    same("still not another's", take("sweep", "two", 19, 99)?, false);
    same("run out", (holder("sweep", 19)?, holder("sweep", 20)?), (Some("one".into()), None));
    same("another's", take("sweep", "two", 20, 30)?, true);
    same("lost", take("sweep", "one", 21, 99)?, false);
    same("not theirs to give up", release("sweep", "one")?, false);
    same("it stays", holder("sweep", 21)?, Some("two".into()));
    same("given up, once", (release("sweep", "two")?, release("sweep", "two")?), (true, false));
    same("free at once", take("sweep", "one", 22, 40)?, true);
    Ok(())
}
