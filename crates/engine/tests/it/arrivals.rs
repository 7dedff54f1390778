//! Events of one batch arrive in any order, microseconds apart: what was said later in the
//! client's run counts as later, however the events came.

use loci_model::Timestamp;
use loci_model::event::Role::User;
use loci_model::memory::strategy::StrategyBase::{self, Semantic, Summary, UserPreference};
use loci_model::record::RecordState::Superseded;

use crate::world::{World, said};

/// One run of a client: what each event says, in the order of the run.
struct Batch<'a> {
    says: &'a [&'a str],
    /// How its events arrive, by index.
    arrival: &'a [usize],
    /// Milliseconds of each event's time behind the first.
    offsets_ms: &'a [i64],
    /// Extraction runs behind each event, not only behind the last.
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
    // Near-duplicates: the later one stands for both.
    let says = ["the dog is called Pixel", "I went for a walk at noon.", "The dog is called Pixel!"];
    check_all(Semantic, &says, &[false, true], |world, how| {
        let old: Vec<String> = world.records(&[Superseded]).into_iter().map(|record| record.text).collect();
        assert_eq!(old, ["the dog is called Pixel"], "{how}");
    });
}

/// Of one round: what an earlier round summed up is not told anew.
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
