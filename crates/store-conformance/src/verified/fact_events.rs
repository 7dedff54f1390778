//! Fact events, and stored verifications.

use loci_model::facts::fact::{FactEvent, FactEventKind, FactTally};
use loci_model::facts::verdict::{Method, Verdict};
use loci_model::{ErrorKind, MemoryId, Result};

use crate::{Bench, same};
use loci_testkit_ports::fact_samples::{fact_event, kept_verdict, object, repository_id};
use loci_testkit_ports::samples::{record_id, time};

fn append(bench: &Bench, events: &[FactEvent]) -> Result<()> {
    let events = events.to_vec();
    bench.write(move |tx| tx.fact_events_mut().append(&events))
}

fn ids(events: &[FactEvent]) -> Vec<u32> {
    let number = |event: &FactEvent| u32::from_str_radix(event.id.get(24..).unwrap_or("0"), 16).unwrap_or(0);
    events.iter().map(number).collect()
}

fn verified(memory: &MemoryId, number: u32, found: Verdict, ms: u32) -> Result<FactEvent> {
    let kind = match found {
        Verdict::Valid => FactEventKind::VerifiedValid,
        Verdict::Unverifiable => FactEventKind::VerificationSkipped,
        Verdict::Drifted | Verdict::Gone | Verdict::Contradicted => FactEventKind::VerifiedInvalid,
    };
    let mut event = fact_event(memory, number, kind, Some(1))?;
    event.verdict = Some(found);
    event.method = Some(Method::Moved);
    event.duration_ms = Some(ms);
    event.cause = (found == Verdict::Unverifiable).then(|| "network".to_owned());
    Ok(event)
}

pub(crate) fn rewriting(bench: &Bench) -> Result<()> {
    let memory = bench.memory("first")?;
    let one = fact_event(&memory, 1, FactEventKind::Created, Some(1))?;
    append(bench, std::slice::from_ref(&one))?;
    let written = |text: &str| Some(text.to_owned());
    let new = FactEvent {
        principal: "erased-1".to_owned(),
        agent: written("erased-2"),
        session: written("another session"),
        reference: None,
        cause: written("a cause"),
        details: None,
        ..one
    };
    let row = FactEvent { kind: FactEventKind::Retrieved, ..new.clone() };
    bench.write(move |tx| tx.fact_events_mut().rewrite(&row))?;
    let (of, id) = (memory, new.id.clone());
    let found = bench.read(move |tx| tx.fact_events().get(&of, &id))?;
    same("who, where, why, and the details", found, Some(new));
    Ok(())
}

pub(crate) fn events(bench: &Bench) -> Result<()> {
    let (memory, other) = (bench.memory("first")?, bench.memory("second")?);
    let mut refused = fact_event(&memory, 9, FactEventKind::RejectedStore, None)?;
    refused.cause = Some("SECRET_DETECTED".to_owned());
    (refused.agent, refused.session, refused.reference, refused.commit, refused.details) =
        (None, None, None, None, None);
    let all = [
        fact_event(&memory, 1, FactEventKind::Created, Some(1))?,
        verified(&memory, 2, Verdict::Valid, 7)?,
        verified(&memory, 3, Verdict::Gone, 8)?,
        verified(&memory, 4, Verdict::Unverifiable, 9)?,
        fact_event(&memory, 5, FactEventKind::Retrieved, Some(1))?,
        fact_event(&memory, 6, FactEventKind::Retrieved, Some(2))?,
        FactEvent { at: time(5), ..fact_event(&memory, 7, FactEventKind::Retrieved, Some(1))? },
        FactEvent {
            repository: repository_id(2)?,
            ..fact_event(&memory, 8, FactEventKind::Retrieved, Some(3))?
        },
        refused.clone(),
        fact_event(&other, 1, FactEventKind::Retrieved, Some(1))?,
    ];
    append(bench, &all)?;
    let get = |number: usize| {
        let (of, id) = (memory.clone(), all.get(number).map_or_else(String::new, |event| event.id.clone()));
        bench.read(move |tx| tx.fact_events().get(&of, &id))
    };
    same("comes back", get(2)?.as_ref(), all.get(2));
    same("of no record", get(8)?, Some(refused));
    let twice = append(bench, &all[..1]).map_err(|error| error.kind);
    same("an id is one's", twice, Err(ErrorKind::Conflict));
    let of = memory.clone();
    let history = bench.read(move |tx| Ok(ids(&tx.fact_events().of_record(&of, &record_id(1)?, 4)?)))?;
    same("newest first", history, vec![7, 5, 4, 3]);
    let of = memory.clone();
    let kept = bench.read(move |tx| Ok(ids(&tx.fact_events().history(&of, &record_id(1)?)?)))?;
    same("what it stands on, oldest first", kept, vec![1, 3]);
    let newest = |kinds: &'static [FactEventKind], since: i64, but_of: Option<&'static str>| {
        let of = memory.clone();
        bench.read(move |tx| {
            let found = tx.fact_events().newest(&of, &record_id(1)?, kinds, time(since), but_of)?;
            Ok(found.map(|event| ids(&[event])))
        })
    };
    use FactEventKind::{Applied, Created, VerificationSkipped, VerifiedInvalid, VerifiedValid};
    same("the newest of these", newest(&[VerifiedValid, VerifiedInvalid], 0, None)?, Some(vec![3]));
    same("not before", newest(&[VerifiedValid, Created], 3, None)?, None);
    same("at that time", newest(&[VerifiedInvalid], 3, None)?, Some(vec![3]));
    same("none", (newest(&[Applied], 0, None)?, newest(&[], 0, None)?), (None, None));
    let all: &[FactEventKind] = &[VerifiedInvalid, VerificationSkipped];
    same("with a cause", newest(all, 0, None)?, Some(vec![4]));
    same("but of that", newest(all, 0, Some("network"))?, Some(vec![3]));
    same("of another", newest(all, 0, Some("rate"))?, Some(vec![4]));
    tallies(bench, &memory)
}

fn tallies(bench: &Bench, memory: &MemoryId) -> Result<()> {
    let tallies = |since: i64| {
        let of = memory.clone();
        bench.read(move |tx| tx.fact_events().tallies(&of, &repository_id(1)?, time(since)))
    };
    let alike = |kind, verdict, cause: Option<&str>, count| FactTally {
        kind,
        verdict,
        cause: cause.map(str::to_owned),
        count,
    };
    use FactEventKind::{
        Created, RejectedStore, Retrieved, VerificationSkipped, VerifiedInvalid, VerifiedValid,
    };
    let expect = [
        alike(Created, None, None, 1),
        alike(Retrieved, None, None, 3),
        alike(VerifiedValid, Some(Verdict::Valid), None, 1),
        alike(VerifiedInvalid, Some(Verdict::Gone), None, 1),
        alike(VerificationSkipped, Some(Verdict::Unverifiable), Some("network"), 1),
        alike(RejectedStore, None, Some("SECRET_DETECTED"), 1),
    ];
    same("alike", tallies(0)?, expect.to_vec());
    same("since", tallies(5)?, vec![expect[1].clone(), expect[5].clone()]);
    let durations = |since: i64, limit: usize| {
        let of = memory.clone();
        bench.read(move |tx| tx.fact_events().durations_ms(&of, &repository_id(1)?, time(since), limit))
    };
    same(
        "durations",
        (durations(0, 9)?, durations(0, 2)?, durations(4, 9)?),
        (vec![9, 8, 7], vec![9, 8], vec![9]),
    );
    Ok(())
}

pub(crate) fn verdicts(bench: &Bench) -> Result<()> {
    let (memory, other) = (bench.memory("first")?, bench.memory("second")?);
    let put = |of: &MemoryId, number: u32, commit: u8, at: i64| {
        let of = of.clone();
        bench.write(move |tx| tx.verdicts_mut().put(&of, &[kept_verdict(number, object(commit), at)?]))
    };
    let found = |of: &MemoryId, numbers: &'static [u32], commit: u8| {
        let of = of.clone();
        bench.read(move |tx| {
            let digests: Vec<String> = numbers.iter().map(|number| format!("{number:064x}")).collect();
            tx.verdicts().get_many(&of, &digests, &object(commit))
        })
    };
    put(&memory, 1, 1, 10)?;
    put(&memory, 2, 1, 20)?;
    put(&memory, 1, 2, 30)?;
    put(&other, 1, 1, 5)?;
    let (first, second) = (kept_verdict(1, object(1), 10)?, kept_verdict(2, object(1), 20)?);
    same("in the order asked", found(&memory, &[2, 7, 1], 1)?, vec![second, first.clone()]);
    same("of that commit", found(&memory, &[2], 2)?, vec![]);
    put(&memory, 1, 1, 99)?;
    same("one that is there stays", found(&memory, &[1], 1)?, vec![first]);
    let remove_of = |of: &MemoryId, number: u32| {
        let of = of.clone();
        bench.write(move |tx| tx.verdicts_mut().remove_of_record(&of, &record_id(number)?))
    };
    put(&memory, 3, 1, 40)?;
    put(&memory, 3, 2, 41)?;
    put(&other, 3, 1, 42)?;
    same("those of a record", (remove_of(&memory, 3)?, remove_of(&memory, 3)?), (2, 0));
    let left =
        (found(&memory, &[3], 1)?.len(), found(&memory, &[1, 2], 1)?.len(), found(&other, &[3], 1)?.len());
    same("those of others stay", left, (0, 2, 1));
    same("and go with theirs", remove_of(&other, 3)?, 1);
    let remove = |before: i64, limit: usize| {
        bench.write(move |tx| tx.verdicts_mut().remove_before(time(before), limit))
    };
    same("the oldest first", (remove(30, 1)?, found(&other, &[1], 1)?.len()), (1, 0));
    same("the rest", (remove(30, 9)?, remove(30, 9)?), (2, 0));
    same(
        "what is younger stays",
        (found(&memory, &[1, 2], 1)?.len(), found(&memory, &[1], 2)?.len()),
        (0, 1),
    );
    Ok(())
}
