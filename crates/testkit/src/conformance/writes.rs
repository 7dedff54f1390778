//! Writes: all or nothing, seen by the next read, many at once.

use std::sync::Arc;

use loci_model::ports::store::StoreExt;
use loci_model::{Error, ErrorKind, Result};

use super::{Bench, same};
use crate::{block_on, samples};

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
    let scope = loci_model::scope::RecordScope::whole(memory, samples::time(9_999));
    same("nothing lost, nothing twice", bench.records(move |records| records.count(&scope))?, expect);
    Ok(())
}
