//! The ledger: round trip of entries, lists, and erasure.

use loci_model::ledger::{LedgerEntry, LedgerNoun, Shelf};
use loci_model::ports::store::LedgerPage;
use loci_model::tasks::outcome::Outcome;
use loci_model::tasks::review::Review;
use loci_model::{ActorId, MemoryId, Result};

use super::{Bench, same};
use loci_testkit_ports::samples::time;
use loci_testkit_ports::task_samples::entry;

fn put(bench: &Bench, entries: &[LedgerEntry]) -> Result<()> {
    let entries = entries.to_vec();
    bench.write(move |tx| entries.iter().try_for_each(|entry| tx.ledger_mut().put(entry)))
}

fn get(bench: &Bench, memory: &MemoryId, key: &str) -> Result<Option<LedgerEntry>> {
    let (memory, key) = (memory.clone(), key.to_owned());
    bench.read(move |tx| tx.ledger().get(&memory, &Review::SHELF, &key))
}

fn whole(memory: &MemoryId) -> LedgerPage {
    LedgerPage {
        memory: memory.clone(),
        shelf: Review::SHELF,
        actor: None,
        subject: None,
        after: None,
        limit: 9,
    }
}

fn between(bench: &Bench, memory: &MemoryId, keys: (&'static str, &'static str)) -> Result<Vec<String>> {
    let memory = memory.clone();
    let found = bench.read(move |tx| tx.ledger().between(&memory, &Review::SHELF, keys, 2))?;
    Ok(found.into_iter().map(|entry| entry.key).collect())
}

fn keys(bench: &Bench, page: LedgerPage) -> Result<Vec<String>> {
    let found = bench.read(move |tx| tx.ledger().list(&page))?;
    Ok(found.into_iter().map(|entry| entry.key).collect())
}

pub(super) fn come_back(bench: &Bench) -> Result<()> {
    let (memory, other) = (bench.memory("first")?, bench.memory("second")?);
    let one = entry(&memory, 1)?;
    put(bench, &[one.clone(), entry(&other, 1)?])?;
    same("comes back", get(bench, &memory, &one.key)?, Some(one.clone()));
    same("unknown", get(bench, &memory, "x\0")?, None);
    let elsewhere = LedgerEntry { shelf: Outcome::SHELF, ..one.clone() };
    put(bench, std::slice::from_ref(&elsewhere))?;
    same("another shelf's", get(bench, &memory, &one.key)?, Some(one.clone()));
    let later = LedgerEntry { subject: None, at: time(9), ..one };
    put(bench, std::slice::from_ref(&later))?;
    same("as it is now", get(bench, &memory, &later.key)?, Some(later.clone()));
    same("another memory's stays", get(bench, &other, &later.key)?, Some(entry(&other, 1)?));
    let nowhere = entry(&MemoryId::compose("none", "0000000000")?, 1)?;
    same("of a memory that is there", put(bench, &[nowhere]).is_err(), true);
    Ok(())
}

pub(super) fn lists(bench: &Bench) -> Result<()> {
    let memory = bench.memory("first")?;
    let mut entries = (1..=4).map(|number| entry(&memory, number)).collect::<Result<Vec<_>>>()?;
    if let [one, two, three, four] = entries.as_mut_slice() {
        one.actor = ActorId::parse("acme/other")?;
        two.at = four.at;
        three.subject = None;
        four.subject = Some("7".to_owned());
        two.subject = Some("7".to_owned());
    }
    put(bench, &entries)?;
    let words = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    same("newest first, ties by key", keys(bench, whole(&memory))?, words(&["k2", "k4", "k3", "k1"]));
    let of = LedgerPage { actor: Some(ActorId::parse("acme/shop")?), limit: 2, ..whole(&memory) };
    same("of an actor, at most", keys(bench, of)?, words(&["k2", "k4"]));
    let of = LedgerPage { subject: Some("7".to_owned()), ..whole(&memory) };
    same("of a subject", keys(bench, of)?, words(&["k2", "k4"]));
    let of = LedgerPage { after: Some((time(4), "k2".to_owned())), ..whole(&memory) };
    same("behind one", keys(bench, of)?, words(&["k4", "k3", "k1"]));
    let of = LedgerPage { shelf: Shelf::named("person"), ..whole(&memory) };
    same("of another shelf", keys(bench, of)?, Vec::new());
    same("between keys", between(bench, &memory, ("k1", "k4"))?, words(&["k2", "k3"]));
    same("between keys, at most", between(bench, &memory, ("k", "l"))?, words(&["k1", "k2"]));
    same("between none", between(bench, &memory, ("k4", "k5"))?, Vec::new());
    let (of, shop) = (memory.clone(), ActorId::parse("acme/shop")?);
    let counts = bench.read(move |tx| {
        let all = tx.ledger().count(&of, &Review::SHELF, None)?;
        Ok((all, tx.ledger().count(&of, &Review::SHELF, Some(&shop))?))
    })?;
    same("counts", counts, (4, 3));
    Ok(())
}

pub(super) fn erasure(bench: &Bench) -> Result<()> {
    let memory = bench.memory("first")?;
    let other = LedgerEntry { actor: ActorId::parse("acme/other")?, ..entry(&memory, 2)? };
    put(bench, &[entry(&memory, 1)?, other, entry(&memory, 3)?])?;
    let remove = |key: &str| {
        let (of, key) = (memory.clone(), key.to_owned());
        bench.write(move |tx| tx.ledger_mut().remove(&of, &Review::SHELF, &key))
    };
    same("removed", (remove("k3")?, remove("k3")?), (true, false));
    let (of, who) = (memory.clone(), ActorId::parse("acme/shop")?);
    same("forgotten", bench.write(move |tx| tx.ledger_mut().forget_actor(&of, &who))?, 1);
    same("that actor's alone", keys(bench, whole(&memory))?, vec!["k2".to_owned()]);
    let of = memory.clone();
    bench.write(move |tx| tx.memories_mut().delete(&of, time(9)).map(drop))?;
    same("hidden at once", keys(bench, whole(&memory))?, Vec::new());
    let purge = |rows| {
        let of = memory.clone();
        bench.write(move |tx| tx.memories_mut().purge(&of, rows))
    };
    while !purge(3)? {}
    let again = bench.memory("first")?;
    same("nothing is left", keys(bench, whole(&again))?, Vec::new());
    Ok(())
}
