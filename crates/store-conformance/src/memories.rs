//! Memories: names, order, deletion, purge.

use loci_model::{ErrorKind, MemoryId, Result};

use super::{Bench, same};
use loci_testkit_ports::samples::{self, time};

pub(super) fn names_order_deletion(bench: &Bench) -> Result<()> {
    let mut names = Vec::new();
    for (number, name) in (0..).zip(["alpha", "beta", "gamma"]) {
        let mut memory = samples::memory(name)?;
        memory.created_at = time(number / 2); // alpha and beta at the same time
        names.push(memory.id.clone());
        bench.write(move |tx| tx.memories_mut().insert(&memory))?;
    }
    let [alpha, beta, gamma] = names.as_slice() else { return Ok(()) };
    let list = |after: Option<(loci_model::Timestamp, MemoryId)>, limit| {
        bench.read(move |tx| {
            Ok(tx
                .memories()
                .list(after.as_ref(), limit)?
                .into_iter()
                .map(|memory| memory.id)
                .collect::<Vec<_>>())
        })
    };
    same(
        "newest first, ties by id descending",
        list(None, 9)?,
        vec![gamma.clone(), beta.clone(), alpha.clone()],
    );
    same("a page", list(Some((time(1), gamma.clone())), 1)?, vec![beta.clone()]);
    same("the last page", list(Some((time(0), beta.clone())), 9)?, vec![alpha.clone()]);

    let taken = samples::memory("alpha")?;
    let error = bench.write(move |tx| {
        let mut taken = taken.clone();
        taken.id = MemoryId::parse("alpha-1111111111")?;
        tx.memories_mut().insert(&taken)
    });
    same("a taken name", error.map_err(|error| error.kind), Err(ErrorKind::Conflict));

    let mut changed = samples::memory("alpha")?;
    changed.description = Some("changed".to_owned());
    let update = changed.clone();
    same("update", bench.write(move |tx| tx.memories_mut().update(&update))?, true);
    let id = alpha.clone();
    same("get", bench.read(move |tx| tx.memories().get(&id))?, Some(changed.clone()));
    same("by name", bench.read(|tx| tx.memories().by_name("alpha"))?, Some(changed));

    delete_and_purge(bench, alpha)
}

fn delete_and_purge(bench: &Bench, alpha: &MemoryId) -> Result<()> {
    bench.put(&samples::record(alpha, 1, "a fact")?)?;
    let event = samples::event(alpha, "ann", "s1", 1)?;
    bench.write(move |tx| tx.events_mut().insert(&event))?;
    let id = alpha.clone();
    same("the sequence counts", bench.read(move |tx| tx.memories().sequence(&id))?, 1);
    let id = alpha.clone();
    let delete = move || {
        let id = id.clone();
        bench.write(move |tx| tx.memories_mut().delete(&id, time(100)))
    };
    same("delete", delete()?, true);
    same("delete again", delete()?, false);
    same("gone by name", bench.read(|tx| tx.memories().by_name("alpha"))?, None);
    same("its records are out of reach", bench.get(alpha, &samples::record_id(1)?)?, None);
    same("not yet due", bench.read(|tx| tx.memories().deleted(time(100), 9))?, vec![]);
    same("due", bench.read(|tx| tx.memories().deleted(time(101), 9))?, vec![alpha.clone()]);
    let mut again = samples::memory("alpha")?;
    again.id = MemoryId::parse("alpha-2222222222")?;
    bench.write(move |tx| tx.memories_mut().insert(&again))?;
    for _ in 0..20 {
        let id = alpha.clone();
        if bench.write(move |tx| tx.memories_mut().purge(&id, 1))? {
            break;
        }
    }
    same("purged", bench.read(|tx| tx.memories().deleted(time(101), 9))?, vec![]);
    Ok(())
}
