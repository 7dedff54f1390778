//! Events of one batch arrive in any order, microseconds apart. Events that are later in the
//! client's run count as later, independent of their arrival.

use loci_model::Timestamp;
use loci_model::event::Role::User;
use loci_model::memory::strategy::StrategyBase::{self, Semantic, Summary, UserPreference};
use loci_model::record::RecordState::Superseded;

use crate::fixture::{World, said};

/// A run of a client: the text of each event, in the order of the run.
struct Batch<'a> {
    says: &'a [&'a str],
    /// Order of arrival, by index.
    arrival: &'a [usize],
    /// Milliseconds between the first event's time and each event's time.
    offsets_ms: &'a [i64],
    /// True to run extraction after each event, not only after the last.
    at_once: bool,
}

fn arrived(base: StrategyBase, batch: &Batch<'_>) -> World {
    let world = World::with(&[base]);
    for at in batch.arrival {
        let mut event = world.event("s1", vec![said(User, batch.says[*at])]);
        event.time = Some(Timestamp::clamped(1_700_000_000_000 + batch.offsets_ms[*at]));
        let token = format!("{}-alice-run1-{at}-{at}", world.memory.id);
        world.create_with(event, Some(&token));
        if batch.at_once {
            world.work();
        }
    }
    world.work();
    world
}

const ORDERS: [&[usize]; 4] = [&[0, 1, 2], &[2, 0, 1], &[2, 1, 0], &[1, 2, 0]];
/// Equal times, and times against the run's order.
const OFFSETS_MS: [&[i64]; 2] = [&[0, 0, 0], &[1, 0, 1]];

fn check_all(base: StrategyBase, says: &[&str], rounds: &[bool], check: impl Fn(&World, &str)) {
    for arrival in ORDERS {
        for offsets_ms in OFFSETS_MS {
            for at_once in rounds.iter().copied() {
                let world = arrived(base, &Batch { says, arrival, offsets_ms, at_once });
                check(&world, &format!("{base:?} {arrival:?} {offsets_ms:?} at once: {at_once}"));
            }
        }
    }
}

#[test]
fn the_last_of_the_run_is_in_force() {
    let says = ["My favourite colour is blue", "I went for a walk at noon", "My favourite colour is green"];
    check_all(UserPreference, &says, &[false, true], |world, how| {
        let (active, old) = (world.texts(), world.records(&[Superseded]));
        assert!(active.len() == 1 && active[0].contains("green"), "{how}: {active:?}");
        assert!(old.len() == 1 && old[0].text.contains("blue"), "{how}");
    });
    // Near-duplicates: the later one represents both.
    let says = ["the dog is called Pixel", "I went for a walk at noon.", "The dog is called Pixel!"];
    check_all(Semantic, &says, &[false, true], |world, how| {
        let old: Vec<String> = world.records(&[Superseded]).into_iter().map(|record| record.text).collect();
        assert_eq!(old, ["the dog is called Pixel"], "{how}");
    });
}

/// One round only: a summary does not repeat an earlier round's content.
#[test]
fn a_summary_tells_in_the_order_of_the_run() {
    let says = ["First we chose the harbour.", "Then we rented a boat.", "At last we sailed to Elba."];
    check_all(Summary, &says, &[false], |world, how| {
        let texts = world.texts();
        let at = |what: &str| texts[0].find(what);
        let (first, last) = (at("we chose"), at("we sailed"));
        assert!(first.is_some() && first < last, "{how}: {texts:?}");
    });
}
