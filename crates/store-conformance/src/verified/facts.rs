//! Facts: round trip, pages, unique contents, paths, sums, expiry, erasure.

use loci_model::facts::fact::{Fact, FactEventKind};
use loci_model::ports::store::{FactChoice, FactPage, Facts, PathChoice, RecordChange};
use loci_model::record::RecordState;
use loci_model::{ErrorKind, MemoryId, RecordId, Result, Timestamp, limits};

use crate::{Bench, same};
use loci_testkit_ports::fact_samples::{citation, fact, fact_event, kept_verdict, object, repository_id};
use loci_testkit_ports::samples::{record, record_id, time};

/// Writes facts and, if missing, their records.
pub(super) fn put(bench: &Bench, facts: &[Fact]) -> Result<()> {
    let facts = facts.to_vec();
    bench.write(move |tx| {
        for one in &facts {
            if tx.records().get(&one.memory, &one.record)?.is_none() {
                let number =
                    u32::from_str_radix(one.record.as_str().get(28..).unwrap_or("0"), 16).unwrap_or(0);
                tx.records_mut().insert(&record(&one.memory, number, "the answer is 42")?)?;
            }
            tx.facts_mut().put(one)?;
        }
        Ok(())
    })
}

fn get(bench: &Bench, memory: &MemoryId, number: u32) -> Result<Option<Fact>> {
    let memory = memory.clone();
    bench.read(move |tx| tx.facts().get(&memory, &record_id(number)?))
}

pub(crate) fn come_back(bench: &Bench) -> Result<()> {
    let memory = bench.memory("first")?;
    let one = fact(&memory, 1, 1, "src/lib.rs")?;
    put(bench, std::slice::from_ref(&one))?;
    same("comes back", get(bench, &memory, 1)?, Some(one.clone()));
    let mut changed = Fact { last_used_at: None, status: RecordState::Quarantined, ..one.clone() };
    changed.counters.applied = 3;
    changed.counters.retrieved = 4;
    changed.detail.citations.push(citation("src/main.rs"));
    put(bench, std::slice::from_ref(&changed))?;
    same("changed", get(bench, &memory, 1)?, Some(changed.clone()));
    changed = counts_alone(bench, changed)?;
    put(bench, &[fact(&memory, 1, 2, "a.rs")?])?;
    let of = memory.clone();
    bench.write(move |tx| {
        tx.facts_mut().count_retrieved(&of, &[record_id(1)?, record_id(2)?, record_id(9)?])
    })?;
    changed.counters.retrieved = 5;
    let of = memory.clone();
    let some =
        bench.read(move |tx| tx.facts().get_many(&of, &[record_id(2)?, record_id(9)?, record_id(1)?]))?;
    same("in the order asked", some.get(1), Some(&changed));
    same(
        "counted",
        some.first().map(|one| (one.record.clone(), one.counters.retrieved)),
        Some((record_id(2)?, 1)),
    );
    same("absent ones left out", some.len(), 2);
    let refused = |one: Fact| put(bench, &[one]).map_err(|error| error.kind);
    let mut bare = fact(&memory, 1, 3, "a.rs")?;
    bare.detail.citations.clear();
    same("no fact without a citation", refused(bare), Err(ErrorKind::Bug));
    same("a path has an end", refused(fact(&memory, 1, 3, &"a".repeat(2_001))?), Err(ErrorKind::TooLarge));
    put(bench, &[fact(&memory, 1, 3, &"\u{6f22}".repeat(666))?])?;
    let lone = fact(&memory, 1, 99, "a.rs")?;
    let recordless = bench.write(move |tx| tx.facts_mut().put(&lone)).map_err(|error| error.kind);
    same("a fact is a record", recordless, Err(ErrorKind::NotFound));
    Ok(())
}

/// Writes a fact again with other counts and details, then with another value of a list key: each
/// is read back as written.
fn counts_alone(bench: &Bench, mut fact: Fact) -> Result<Fact> {
    let mut check = |what: &str, change: &dyn Fn(&mut Fact)| -> Result<()> {
        change(&mut fact);
        put(bench, std::slice::from_ref(&fact))?;
        same(what, get(bench, &fact.memory, 1)?, Some(fact.clone()));
        Ok(())
    };
    check("used", &|fact| fact.last_used_at = Some(fact.created_at.plus_millis(5)))?;
    check("counted", &|fact| {
        fact.counters.verifications += 2;
        fact.counters.rejections += 1;
        fact.counters.applied += 1;
    })?;
    check("of other lines of the same file", &|fact| {
        for citation in &mut fact.detail.citations {
            citation.anchor.place.line_end += 1;
        }
    })?;
    check("not used", &|fact| fact.last_used_at = None)?;
    check("expires", &|fact| fact.expires_at = fact.created_at.plus_millis(77))?;
    check("refreshed", &|fact| fact.refreshed_at = fact.created_at.plus_millis(9))?;
    Ok(fact)
}

pub(crate) fn one_of_each_content(bench: &Bench) -> Result<()> {
    let (memory, other) = (bench.memory("first")?, bench.memory("second")?);
    let said = |of: &MemoryId, repository: u32, number: u32| -> Result<Fact> {
        Ok(Fact { content_hash: "5".repeat(64), ..fact(of, repository, number, "a.rs")? })
    };
    put(bench, &[said(&memory, 1, 1)?, said(&memory, 2, 2)?, said(&other, 1, 1)?])?;
    let with = |repository: u32| {
        let of = memory.clone();
        bench.read(move |tx| tx.facts().active_with(&of, &repository_id(repository)?, &"5".repeat(64)))
    };
    same("by its content", (with(1)?, with(2)?, with(3)?), (Some(record_id(1)?), Some(record_id(2)?), None));
    let twice = put(bench, &[said(&memory, 1, 3)?]).map_err(|error| error.kind);
    same("a second", twice, Err(ErrorKind::Conflict));
    same("nothing of it", get(bench, &memory, 3)?, None);
    put(bench, &[Fact { proposed: true, ..said(&memory, 1, 3)? }])?;
    put(bench, &[Fact { status: RecordState::Superseded, ..said(&memory, 1, 4)? }])?;
    let vouched = put(bench, &[said(&memory, 1, 3)?]).map_err(|error| error.kind);
    same("nor when it is vouched for", vouched, Err(ErrorKind::Conflict));
    // One supersedes another in one transaction.
    put(bench, &[Fact { status: RecordState::Superseded, ..said(&memory, 1, 1)? }, said(&memory, 1, 3)?])?;
    same("another's", with(1)?, Some(record_id(3)?));
    Ok(())
}

pub(crate) fn pages(bench: &Bench) -> Result<()> {
    let memory = bench.memory("first")?;
    let at = |number: u32, seconds: i64, status: RecordState, proposed: bool| -> Result<Fact> {
        let refreshed_at = time(seconds);
        Ok(Fact { refreshed_at, status, proposed, ..fact(&memory, 1, number, "a.rs")? })
    };
    use RecordState::{Active, Quarantined, Superseded};
    put(
        bench,
        &[
            at(1, 10, Active, false)?,
            at(2, 30, Active, false)?,
            at(3, 20, Quarantined, false)?,
            at(4, 20, Active, true)?,
            at(5, 20, Active, false)?,
            at(6, 40, Superseded, false)?,
            fact(&memory, 2, 7, "a.rs")?,
        ],
    )?;
    let page =
        |statuses: &'static [RecordState], choice: FactChoice, after: Option<(i64, u32)>, limit: usize| {
            let of = memory.clone();
            bench.read(move |tx| {
                let after = after.map(|(at, number)| Ok((time(at), record_id(number)?))).transpose()?;
                let (memory, repository, statuses) = (of.clone(), repository_id(1)?, statuses.to_vec());
                numbers(&tx.facts().list(&FactPage { memory, repository, statuses, choice, after, limit })?)
            })
        };
    use FactChoice::{Both, Proposed, Stored};
    same("confirmed last first", page(&[Active], Stored, None, 9)?, vec![2, 5, 1]);
    same("proposed too", page(&[Active], Both, None, 9)?, vec![2, 4, 5, 1]);
    same("proposed alone", page(&[Active], Proposed, None, 9)?, vec![4]);
    same("before the limit", page(&[Active], Proposed, None, 1)?, vec![4]);
    same("behind it none", page(&[Active], Proposed, Some((20, 4)), 1)?, vec![]);
    same("proposed in another state", page(&[Quarantined], Proposed, None, 9)?, vec![]);
    same("of two states", page(&[Quarantined, Active], Stored, None, 9)?, vec![2, 3, 5, 1]);
    same("of none", page(&[], Both, None, 9)?, Vec::<u32>::new());
    let all: &[RecordState] = &[Active, Quarantined, Superseded];
    same("the first", page(all, Both, None, 3)?, vec![6, 2, 3]);
    same("behind it", page(all, Both, Some((20, 3)), 2)?, vec![4, 5]);
    same("behind that", page(all, Both, Some((20, 5)), 2)?, vec![1]);
    Ok(())
}

fn numbers(facts: &[Fact]) -> Result<Vec<u32>> {
    facts.iter().map(|one| number_of(&one.record)).collect()
}

fn number_of(record: &RecordId) -> Result<u32> {
    (1..=200)
        .find(|number| record_id(*number).is_ok_and(|id| id == *record))
        .ok_or_else(|| loci_model::Error::bug(format!("{record} is none of the samples")))
}

pub(crate) fn paths(bench: &Bench) -> Result<()> {
    let memory = bench.memory("first")?;
    let mut moved = fact(&memory, 1, 2, "src/b.rs")?;
    if let Some(one) = moved.detail.citations.first_mut() {
        let place = loci_model::facts::citation::LineRange {
            path: "src/new/b.rs".to_owned(),
            line_start: 1,
            line_end: 2,
        };
        one.current = Some((place, object(9)));
        one.earlier_paths.push("old/b.rs".to_owned());
    }
    let sample = |repository, number, path| fact(&memory, repository, number, path);
    put(
        bench,
        &[
            sample(1, 1, "src/a.rs")?,
            moved,
            sample(1, 3, "src/a.rs")?,
            sample(1, 4, "src0.rs")?,
            sample(2, 5, "src/a.rs")?,
        ],
    )?;
    let with = |choice: PathChoice, after: Option<(&'static str, u32)>, limit: usize| {
        let of = memory.clone();
        bench.read(move |tx| {
            let after = after.map(|(path, number)| Ok((path.to_owned(), record_id(number)?))).transpose()?;
            let found = tx.facts().with_path(&of, &repository_id(1)?, &choice, after.as_ref(), limit)?;
            found
                .iter()
                .map(|(path, id)| Ok(format!("{path} {}", number_of(id)?)))
                .collect::<Result<Vec<_>>>()
        })
    };
    let (exact, prefix) =
        (|path: &str| PathChoice::Exact(path.to_owned()), |path: &str| PathChoice::Prefix(path.to_owned()));
    let check = |what: &str, got: Result<Vec<String>>, expect: &[&str]| -> Result<()> {
        same(what, got?, expect.iter().map(|one| (*one).to_owned()).collect());
        Ok(())
    };
    check("this one", with(exact("src/a.rs"), None, 9), &["src/a.rs 1", "src/a.rs 3"])?;
    check("behind a record", with(exact("src/a.rs"), Some(("src/a.rs", 1)), 9), &["src/a.rs 3"])?;
    check("behind it all", with(exact("src/a.rs"), Some(("src/b.rs", 1)), 9), &[])?;
    check("before it", with(exact("src/a.rs"), Some(("a", 1)), 1), &["src/a.rs 1"])?;
    check("one it had", with(exact("old/b.rs"), None, 9), &["old/b.rs 2"])?;
    let below = &["src/a.rs 1", "src/a.rs 3", "src/b.rs 2", "src/new/b.rs 2"];
    check("below", with(prefix("src/"), None, 9), below)?;
    check("the first below", with(prefix("src/"), None, 1), &below[..1])?;
    check("those behind", with(prefix("src/"), Some(("src/a.rs", 1)), 9), &below[1..])?;
    check("all", with(prefix(""), Some(("src/b.rs", 2)), 9), &["src/new/b.rs 2", "src0.rs 4"])?;
    check("no wild cards", with(prefix("src_"), None, 9), &[])?;
    check("by case", with(prefix("SRC"), None, 9), &[])?;
    put(bench, &[sample(1, 1, "lib/a.rs")?, sample(3, 3, "src/a.rs")?])?;
    check("gone from there", with(exact("src/a.rs"), None, 9), &[])?;
    check("and here", with(exact("lib/a.rs"), None, 9), &["lib/a.rs 1"])?;
    Ok(())
}

pub(crate) fn sums_and_expiry(bench: &Bench) -> Result<()> {
    let (memory, other) = (bench.memory("first")?, bench.memory("second")?);
    let mut first = fact(&memory, 1, 10, "a.rs")?;
    first.counters.verifications = 2;
    first.counters.rejections = 1;
    let mut second = Fact { status: RecordState::Invalid, ..fact(&memory, 1, 20, "a.rs")? };
    second.counters.verifications = 5;
    second.counters.rejections = 3;
    second.counters.applied = 4;
    let proposed = Fact { proposed: true, ..fact(&memory, 1, 30, "a.rs")? };
    put(bench, &[first, second, proposed, fact(&memory, 2, 40, "a.rs")?, fact(&other, 1, 15, "a.rs")?])?;
    let of = memory.clone();
    let sums = bench.read(move |tx| tx.facts().sums(&of, &repository_id(1)?))?;
    same("by state", sums.by_status, vec![(RecordState::Active, 1), (RecordState::Invalid, 1)]);
    same("sums", (sums.verifications, sums.rejections, sums.applied), (2, 4, 4));
    same("times", (sums.refreshed_last, sums.created), (Some(time(20)), Some((time(10), time(20)))));
    let count = |status| {
        let of = memory.clone();
        bench.read(move |tx| tx.facts().count(&of, &repository_id(1)?, status))
    };
    let counts = (count(RecordState::Active)?, count(RecordState::Invalid)?, count(RecordState::Expired)?);
    same("counted", counts, (1, 1, 0));
    let of = memory.clone();
    let standing = bench.read(move |tx| tx.facts().by_status(&of, &repository_id(1)?))?;
    same(
        "where they stand",
        standing,
        vec![(RecordState::Active, 1, time(10)), (RecordState::Invalid, 1, time(20))],
    );
    let expired = |now: Timestamp, limit: usize| {
        bench.read(move |tx| {
            let found = tx.facts().expired_by(now, limit)?;
            found
                .iter()
                .map(|(of, id)| Ok((of.as_str().starts_with("first"), number_of(id)?)))
                .collect::<Result<Vec<_>>>()
        })
    };
    let year = |seconds: i64| time(seconds).plus_days(365);
    same("of every memory", expired(year(30), 9)?, vec![(true, 10), (false, 15), (true, 30)]);
    same("the first", expired(year(99), 1)?, vec![(true, 10)]);
    same("none yet", expired(year(9), 9)?, vec![]);
    bench.write(move |tx| tx.memories_mut().delete(&other, time(70)))?;
    same("of memories that are there", expired(year(20), 9)?, vec![(true, 10)]);
    Ok(())
}

pub(crate) fn erasure(bench: &Bench) -> Result<()> {
    let memory = bench.memory("first")?;
    put(bench, &[fact(&memory, 1, 1, "a.rs")?, fact(&memory, 1, 2, "a.rs")?])?;
    let of = memory.clone();
    bench.write(move |tx| {
        let events = [1, 2].map(|number| fact_event(&of, number, FactEventKind::Created, Some(number)));
        tx.fact_events_mut().append(&events.into_iter().collect::<Result<Vec<_>>>()?)?;
        tx.verdicts_mut().put(&of, &[kept_verdict(1, object(1), 1)?, kept_verdict(2, object(1), 1)?])?;
        let change = RecordChange { state: RecordState::Erased, reason: "asked".into(), at: time(100) };
        tx.records_mut().set_state(&of, &record_id(1)?, &change).map(drop)
    })?;
    same("hidden, it is there", get(bench, &memory, 1)?.is_some(), true);
    let of = memory.clone();
    let erased = bench.write(move |tx| tx.records_mut().erase_deleted(&of, time(200), 0, 10))?;
    same("erased", erased, vec![record_id(1)?]);
    same("with its fact", get(bench, &memory, 1)?, None);
    let of = memory.clone();
    let (paths, verdicts, events) = bench.read(move |tx| {
        let facts: &dyn Facts = tx.facts();
        let paths = facts.with_path(&of, &repository_id(1)?, &PathChoice::Prefix(String::new()), None, 9)?;
        let digests = [format!("{:064x}", 1), format!("{:064x}", 2)];
        let verdicts = tx.verdicts().get_many(&of, &digests, &object(1))?;
        Ok((paths, verdicts, tx.fact_events().of_record(&of, &record_id(1)?, 9)?))
    })?;
    same("its paths", paths, vec![("a.rs".to_owned(), record_id(2)?)]);
    same("its verdicts", verdicts, vec![kept_verdict(2, object(1), 1)?]);
    let mut tombstone = fact_event(&memory, 1, FactEventKind::Created, Some(1))?;
    tombstone.details = None;
    same("what happened stays, without words", events, vec![tombstone]);
    Ok(())
}

pub(crate) fn retention(bench: &Bench) -> Result<()> {
    let memory = bench.memory("first")?;
    put(bench, &[fact(&memory, 1, 1, "a.rs")?, fact(&memory, 1, 2, "a.rs")?])?;
    use FactEventKind::{
        Applied, Created, Deleted, RejectedStore, Retrieved, VerifiedInvalid, VerifiedValid,
    };
    let happened = [
        (1, Created, Some(1)),
        (2, Retrieved, Some(1)),
        (3, Retrieved, Some(1)),
        (4, VerifiedValid, Some(1)),
        (5, VerifiedInvalid, Some(1)),
        (6, Applied, Some(1)),
        (7, RejectedStore, None),
        (8, Created, Some(2)),
        (9, Deleted, Some(2)),
        (50, Retrieved, Some(1)),
    ];
    let of = memory.clone();
    bench.write(move |tx| {
        for (number, kind, record) in happened {
            tx.fact_events_mut().append(&[fact_event(&of, number, kind, record)?])?;
            if kind == Retrieved {
                tx.facts_mut().count_retrieved(&of, &[record_id(1)?])?;
            }
        }
        let change = RecordChange { state: RecordState::Erased, reason: "asked".into(), at: time(9) };
        tx.records_mut().set_state(&of, &record_id(2)?, &change)?;
        tx.records_mut().erase_deleted(&of, time(10), 0, 10).map(drop)
    })?;
    let sweep = |seconds: i64, rows: usize| {
        let now = time(seconds).plus_days(limits::TELEMETRY_DAYS_DEFAULT);
        bench.write(move |tx| tx.records_mut().sweep_history(now, rows))
    };
    let left = |number: u32| {
        let of = memory.clone();
        bench.read(move |tx| {
            let events = tx.fact_events().of_record(&of, &record_id(number)?, 99)?;
            Ok(events.iter().map(|event| event.kind).collect::<Vec<_>>())
        })
    };
    same("some", sweep(20, 2)?, 2);
    same("the oldest first", left(1)?, vec![Retrieved, Applied, VerifiedInvalid, VerifiedValid, Created]);
    while sweep(20, 2)? == 2 {}
    same("what it stands on stays", left(1)?, vec![Retrieved, Applied, VerifiedInvalid, Created]);
    same("of what is erased nothing", left(2)?, vec![]);
    let counters = get(bench, &memory, 1)?.map(|one| (one.counters.retrieved, one.counters.retrieved_swept));
    same("counted", counters, Some((3, 2)));
    let of = memory.clone();
    let tallies = bench.read(move |tx| tx.fact_events().tallies(&of, &repository_id(1)?, time(0)))?;
    same("nor of what was refused", tallies.iter().any(|tally| tally.kind == RejectedStore), false);
    Ok(())
}

pub(crate) fn purge(bench: &Bench) -> Result<()> {
    let memory = bench.memory("first")?;
    put(bench, &[fact(&memory, 1, 1, "a.rs")?])?;
    let of = memory.clone();
    bench.write(move |tx| {
        tx.repositories_mut().put(&loci_testkit_ports::fact_samples::repository(&of, 1, "acme/a")?)?;
        tx.fact_events_mut().append(&[fact_event(&of, 1, FactEventKind::Created, Some(1))?])?;
        tx.verdicts_mut().put(&of, &[kept_verdict(1, object(1), 1)?])?;
        tx.memories_mut().delete(&of, time(9))?;
        Ok(())
    })?;
    same("hidden at once", get(bench, &memory, 1)?, None);
    let of = memory.clone();
    let mut rounds = 0;
    while !bench.write({
        let of = of.clone();
        move |tx| tx.memories_mut().purge(&of, 3)
    })? {
        rounds += 1;
    }
    same("by the rows", rounds > 2, true);
    // A new memory with that name contains nothing of it.
    let again = bench.memory("first")?;
    let of = again.clone();
    let left = bench.read(move |tx| {
        Ok((
            tx.facts().get(&of, &record_id(1)?)?.is_some(),
            tx.repositories().list(&of, None, 9)?.len(),
            tx.fact_events().of_record(&of, &record_id(1)?, 9)?.len(),
            tx.verdicts().get_many(&of, &[format!("{:064x}", 1)], &object(1))?.len(),
        ))
    })?;
    same("nothing is left", left, (false, 0, 0, 0));
    Ok(())
}
