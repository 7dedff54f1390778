//! Writes: atomic, visible to the next read, and concurrent.

use std::sync::Arc;

use loci_model::ports::store::StoreExt;
use loci_model::{Error, ErrorKind, Result};

use super::{Bench, same};
use crate::succession;
use loci_testkit_ports::{block_on, samples};

pub(super) fn all_or_nothing(bench: &Bench) -> Result<()> {
    let memory = bench.memory("notes")?;
    let (one, two) = (samples::record(&memory, 1, "one")?, samples::record(&memory, 2, "two")?);
    let (row, event) = (one.clone(), samples::event(&memory, "ann", "s1", 1)?);
    let failed: Result<()> = bench.write(move |tx| {
        tx.records_mut().insert(&row)?;
        tx.events_mut().insert(&event)?;
        Err(Error::conflict("no"))
    });
    same("its error", failed.map_err(|error| error.kind), Err(ErrorKind::Conflict));
    same("nothing of it", bench.get(&memory, &one.id)?, None);
    let row = two.clone();
    let panicked: Result<()> = bench.write(move |tx| {
        tx.records_mut().insert(&row)?;
        Err(std::panic::catch_unwind(|| Error::bug("inner")).unwrap_or_else(|_| Error::bug("outer")))
    });
    same("an error of ours", panicked.map_err(|error| error.kind), Err(ErrorKind::Bug));
    same("nothing of that", bench.get(&memory, &two.id)?, None);
    let place = memory.clone();
    same("no sequence is lost", bench.read(move |tx| tx.memories().sequence(&place))?, 0);
    let row = one.clone();
    let inside = bench.write(move |tx| {
        tx.records_mut().insert(&row)?;
        Ok(tx.records().get(&row.memory, &row.id)?.is_some())
    })?;
    same("a write sees itself", inside, true);
    same("and the next read sees it", bench.get(&memory, &one.id)?.is_some(), true);
    Ok(())
}

/// With any number of concurrent supersessions, exactly one fact is active.
pub(super) fn one_head(bench: &Bench) -> Result<()> {
    const THREADS: u32 = 6;
    const EACH: u32 = 10;
    let memory = bench.memory("notes")?;
    let outcome: Result<Vec<()>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|thread| {
                let (store, memory) = (Arc::clone(&bench.store), memory.clone());
                scope.spawn(move || -> Result<()> {
                    for number in 0..EACH {
                        let number = thread * 100 + number;
                        let of = memory.clone();
                        block_on(store.write(move |tx| {
                            tx.records_mut().insert(&samples::record(&of, number, "the answer")?)?;
                            succession::succeed(tx, &of, number)
                        }))?;
                        let of = memory.clone();
                        block_on(store.read(move |tx| succession::successions(tx, &of)))?;
                    }
                    Ok(())
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|_| Err(Error::bug("a writing thread panicked"))))
            .collect()
    });
    outcome?;
    let all = bench.read(move |tx| succession::successions(tx, &memory))?;
    same("each came once", all, u64::from(THREADS * EACH));
    Ok(())
}

pub(super) fn many_at_once(bench: &Bench) -> Result<()> {
    const THREADS: u32 = 8;
    const EACH: u32 = 25;
    let memory = bench.memory("notes")?;
    let outcome: Result<Vec<()>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|thread| {
                let (store, memory) = (Arc::clone(&bench.store), memory.clone());
                scope.spawn(move || -> Result<()> {
                    for number in 0..EACH {
                        let record = samples::record(&memory, thread * 1000 + number, "text")?;
                        let row = record.clone();
                        // Every fifth fails and must leave nothing.
                        let fails = number % 5 == 4;
                        let written = block_on(store.write(move |tx| {
                            tx.records_mut().insert(&row)?;
                            if fails { Err(Error::conflict("no")) } else { Ok(()) }
                        }));
                        same("acknowledged", written.is_err(), fails);
                        let (place, id) = (memory.clone(), record.id.clone());
                        let found = block_on(store.read(move |tx| tx.records().get(&place, &id)))?;
                        same("read back at once", found.is_some(), !fails);
                    }
                    Ok(())
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|_| Err(Error::bug("a writing thread panicked"))))
            .collect()
    });
    outcome?;
    let expect = u64::from(THREADS * EACH / 5 * 4);
    let place = memory.clone();
    same("every write has its number", bench.read(move |tx| tx.memories().sequence(&place))?, expect);
    let scope = loci_model::record::scope::RecordScope::whole(memory, samples::time(9_999));
    same("nothing lost, nothing twice", bench.records(move |records| records.count(&scope))?, expect);
    Ok(())
}

/// A write of many statements that is queued after another: it may be rolled back and run again,
/// and counts once.
pub(super) fn a_long_one(bench: &Bench) -> Result<()> {
    const READS: u32 = 3_000;
    let memory = bench.memory("notes")?;
    let (first, long, last) = (
        samples::record(&memory, 1, "first")?,
        samples::record(&memory, 2, "long")?,
        samples::record(&memory, 3, "last")?,
    );
    let (queued, all_are) = std::sync::mpsc::channel::<()>();
    let mut all_are = Some(all_are);
    let row = first.clone();
    let one = bench.store.write(move |tx| {
        // Blocks the store's writer until the others are queued.
        if let Some(all_are) = all_are.take() {
            let _ = all_are.recv();
        }
        tx.records_mut().insert(&row)
    });
    let row = long.clone();
    let two = bench.store.write(move |tx| {
        let sequence = tx.records_mut().insert(&row)?;
        for _ in 0..READS {
            same("it sees itself", tx.records().get(&row.memory, &row.id)?.is_some(), true);
        }
        Ok(sequence)
    });
    let row = last.clone();
    let three = bench.store.write(move |tx| tx.records_mut().insert(&row));
    // Queued in this order: when the first continues, the others are waiting.
    let (one, two, three, ()) =
        block_on(async { futures::join!(one, two, three, async move { drop(queued) }) });
    let mut sequences = [one?, two?, three?];
    sequences.sort_unstable();
    same("each has its number", sequences, [1, 2, 3]);
    for record in [first, long, last] {
        same("each is there", bench.get(&memory, &record.id)?.is_some(), true);
    }
    Ok(())
}
