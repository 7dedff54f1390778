//! The result of `loci migrate`, for programs and for people: the equal parts, the different parts,
//! and what to do about them.

use std::time::Duration;

use anyhow::Result;
use loci_engine::admin::{KindSums, PlaceReport, TransferOutcome, TransferReport, TransferSum};
use loci_model::transfer::{TransferKind, TransferPlace};
use serde::Serialize;

use crate::exit::Difference;
use crate::output;
use crate::wiring::store::StorePlan;

/// The result of a migration, for output as JSON.
#[derive(Serialize)]
pub(super) struct MigrationResult {
    from: String,
    to: String,
    same: bool,
    copied: u64,
    elapsed_ms: u64,
    places: Vec<PlaceAnswer>,
}

#[derive(Serialize)]
struct PlaceAnswer {
    memory: Option<String>,
    outcome: &'static str,
    /// The remedy for the difference. `None` if there is none.
    remedy: Option<String>,
    copied: u64,
    kinds: Vec<KindAnswer>,
}

#[derive(Serialize)]
struct KindAnswer {
    kind: &'static str,
    same: bool,
    from: SumAnswer,
    to: SumAnswer,
}

#[derive(Serialize)]
struct SumAnswer {
    rows: u64,
    sha256: String,
}

impl MigrationResult {
    /// Returns an error that lists the differences and their remedies.
    pub(super) fn differences(&self) -> Result<()> {
        let said: Vec<String> = self.places.iter().filter_map(PlaceAnswer::difference).collect();
        if said.is_empty() {
            return Ok(());
        }
        Err(Difference(format!("the stores differ: {}", said.join("; "))).into())
    }
}

impl PlaceAnswer {
    fn differing(&self) -> String {
        let kinds: Vec<&str> = self.kinds.iter().filter(|kind| !kind.same).map(|kind| kind.kind).collect();
        kinds.join(", ")
    }

    fn difference(&self) -> Option<String> {
        let remedy = self.remedy.as_ref()?;
        let whose = self.memory.as_deref().unwrap_or(SERVER);
        let differing = self.differing();
        let differing = if differing.is_empty() { String::new() } else { format!(" ({differing})") };
        Some(format!("{whose} is {}{differing}: {remedy}", self.outcome.replace('_', " ")))
    }
}

/// The name for the data that belongs to no memory.
const SERVER: &str = "keys and tokens";

fn outcome(outcome: TransferOutcome) -> &'static str {
    match outcome {
        TransferOutcome::Moved => "moved",
        TransferOutcome::Same => "same",
        TransferOutcome::Different => "different",
        TransferOutcome::SourceChanged => "source_changed",
        TransferOutcome::Missing => "missing",
    }
}

fn name(place: &TransferPlace) -> Option<String> {
    match place {
        TransferPlace::Server => None,
        TransferPlace::Memory(memory) => Some(memory.to_string()),
    }
}

/// Returns what the user can do about a part of the target that differs.
fn remedy(place: &PlaceReport, verified: bool) -> Option<String> {
    let replace = match &place.place {
        TransferPlace::Memory(memory) => format!("--replace {memory}"),
        TransferPlace::Server => "--replace keys".to_owned(),
    };
    Some(match place.outcome {
        TransferOutcome::Moved | TransferOutcome::Same => return None,
        TransferOutcome::Missing => "without --verify-only it is moved".to_owned(),
        TransferOutcome::SourceChanged if place.there => {
            format!("stop everything that works on the source, then run this with {replace}")
        }
        TransferOutcome::SourceChanged => {
            "stop everything that works on the source, then run this again".to_owned()
        }
        TransferOutcome::Different => match &place.place {
            TransferPlace::Memory(_) if place.there => format!(
                "it changed on either side since it was moved; if the source is right, {replace} moves it anew, and what \
                 the target has of it is lost"
            ),
            TransferPlace::Memory(_) => "run this again: it is moved anew".to_owned(),
            TransferPlace::Server => remedy_of_server(place, verified, &replace),
        },
    })
}

fn remedy_of_server(place: &PlaceReport, verified: bool, replace: &str) -> String {
    let differing = || place.kinds.iter().filter(|sums| sums.from != sums.to);
    if verified && differing().any(|sums| sums.to.rows < sums.from.rows) {
        return "without --verify-only what is missing is copied".to_owned();
    }
    if differing().any(|sums| sums.kind == TransferKind::Keys) {
        return format!(
            "they changed on either side since they were moved; if the source is right, say {replace}"
        );
    }
    "tokens of requests that the target answered itself: they stay, until they expire".to_owned()
}

pub(super) fn answer(
    report: &TransferReport,
    (from, to): (&StorePlan, &StorePlan),
    elapsed: Duration,
    verified: bool,
) -> MigrationResult {
    let sum = |sum: &TransferSum| SumAnswer { rows: sum.rows, sha256: sum.sha256.clone() };
    let kind = |sums: &KindSums| KindAnswer {
        kind: sums.kind.as_str(),
        same: sums.from == sums.to,
        from: sum(&sums.from),
        to: sum(&sums.to),
    };
    let place = |place: &PlaceReport| PlaceAnswer {
        memory: name(&place.place),
        outcome: outcome(place.outcome),
        remedy: remedy(place, verified),
        copied: place.copied,
        kinds: place.kinds.iter().map(kind).collect(),
    };
    MigrationResult {
        from: from.location(),
        to: to.location(),
        same: report.is_same(),
        copied: report.places.iter().map(|place| place.copied).sum(),
        elapsed_ms: u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
        places: report.places.iter().map(place).collect(),
    }
}

pub(super) fn say(answer: &MigrationResult) {
    let mut rows = vec![["memory", "outcome", "copied", "rows", "differences"].map(str::to_owned).to_vec()];
    for place in &answer.places {
        let held: u64 = place.kinds.iter().map(|kind| kind.to.rows).sum();
        rows.push(vec![
            place.memory.clone().unwrap_or_else(|| format!("({SERVER})")),
            place.outcome.to_owned(),
            place.copied.to_string(),
            held.to_string(),
            place.differing(),
        ]);
    }
    output::table(&rows);
}

#[cfg(test)]
mod tests {
    use loci_model::MemoryId;

    use super::*;

    #[test]
    fn what_helps_is_said() {
        let check = |place: TransferPlace, outcome, there, verified, kinds: Vec<KindSums>, expect: &str| {
            let report = PlaceReport { place, outcome, there, copied: 0, kinds };
            let said = remedy(&report, verified).unwrap_or_default();
            assert!(said.contains(expect) && (said.is_empty() == expect.is_empty()), "{expect}: {said}");
        };
        let memory = || TransferPlace::Memory(MemoryId::parse("notes-0123456789").unwrap());
        let sums = |kind, from, to| {
            let sum = |rows| TransferSum { rows, sha256: format!("{rows}") };
            vec![KindSums { kind, from: sum(from), to: sum(to) }]
        };
        let (keys, tokens) = (TransferKind::Keys, TransferKind::Tokens);
        let replace = "--replace notes-0123456789";
        check(memory(), TransferOutcome::Moved, true, false, vec![], "");
        check(memory(), TransferOutcome::Missing, false, true, vec![], "without --verify-only");
        check(memory(), TransferOutcome::SourceChanged, true, false, vec![], replace);
        check(memory(), TransferOutcome::SourceChanged, false, false, vec![], "run this again");
        check(memory(), TransferOutcome::Different, true, false, vec![], replace);
        check(memory(), TransferOutcome::Different, false, false, vec![], "run this again");
        let (server, different) = (|| TransferPlace::Server, TransferOutcome::Different);
        check(server(), different, true, true, sums(keys, 2, 1), "without --verify-only");
        check(server(), different, true, false, sums(keys, 2, 1), "--replace keys");
        check(server(), different, true, false, sums(tokens, 2, 1), "until they expire");
    }
}
