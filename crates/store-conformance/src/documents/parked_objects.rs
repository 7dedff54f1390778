//! Parked objects: round trip of bytes, lists by key, and removal.

use loci_model::trees::parked_object::{ObjectHead, ParkedObject};
use loci_model::{MemoryId, Result};

use crate::{Bench, same};
use loci_testkit_ports::samples::time;

/// Returns an object with these bytes that expires `expires` seconds after the start.
pub(crate) fn object(memory: &MemoryId, key: &str, content: &[u8], expires: i64) -> ParkedObject {
    let head = ObjectHead {
        memory: memory.clone(),
        key: key.to_owned(),
        content_type: Some("application/x-state".to_owned()),
        bytes: u64::try_from(content.len()).unwrap_or(0),
        sha256: "0".repeat(64),
        updated_at: time(1),
        expires_at: time(expires),
    };
    ParkedObject { head, content: content.to_vec() }
}

fn put(bench: &Bench, objects: &[ParkedObject]) -> Result<()> {
    let objects = objects.to_vec();
    bench.write(move |tx| objects.iter().try_for_each(|object| tx.parked_mut().put(object)))
}

fn get(bench: &Bench, memory: &MemoryId, key: &str) -> Result<Option<ParkedObject>> {
    let (memory, key) = (memory.clone(), key.to_owned());
    bench.read(move |tx| tx.parked().get(&memory, &key))
}

fn keys(
    bench: &Bench,
    memory: &MemoryId,
    prefix: &str,
    after: Option<&str>,
    limit: usize,
) -> Result<Vec<String>> {
    let (memory, prefix, after) = (memory.clone(), prefix.to_owned(), after.map(ToOwned::to_owned));
    let heads = bench.read(move |tx| tx.parked().list(&memory, &prefix, after.as_deref(), limit))?;
    Ok(heads.into_iter().map(|head| head.key).collect())
}

pub(crate) fn objects(bench: &Bench) -> Result<()> {
    let (memory, other) = (bench.memory("first")?, bench.memory("second")?);
    let bytes: Vec<u8> = (0..=255).collect();
    let one = object(&memory, "s/one", &bytes, 50);
    put(bench, &[one.clone(), object(&other, "s/one", b"other", 50)])?;
    same("comes back", get(bench, &memory, "s/one")?, Some(one));
    same("unknown", get(bench, &memory, "s")?, None);
    let again = object(&memory, "s/one", b"", 60);
    put(bench, std::slice::from_ref(&again))?;
    same("as it is now", get(bench, &memory, "s/one")?, Some(again));
    put(
        bench,
        &[
            object(&memory, "s/É", b"x", 9),
            object(&memory, "s-two", b"x", 99),
            object(&memory, "s/a", b"x", 99),
        ],
    )?;
    let words = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    same("by their bytes", keys(bench, &memory, "", None, 9)?, words(&["s-two", "s/a", "s/one", "s/É"]));
    same("that begin so", keys(bench, &memory, "s/", None, 9)?, words(&["s/a", "s/one", "s/É"]));
    same("behind one, at most", keys(bench, &memory, "s/", Some("s/a"), 1)?, words(&["s/one"]));
    same("swept", bench.write(|tx| tx.parked_mut().sweep(time(10), 9))?, 1);
    same("those alone", keys(bench, &memory, "s/", None, 9)?, words(&["s/a", "s/one"]));
    let remove = || {
        let of = memory.clone();
        bench.write(move |tx| tx.parked_mut().remove(&of, "s/a"))
    };
    same("removed", (remove()?, remove()?), (true, false));
    let of = memory.clone();
    bench.write(move |tx| tx.memories_mut().delete(&of, time(9)).map(drop))?;
    same("hidden at once", keys(bench, &memory, "", None, 9)?, Vec::new());
    let purge = || {
        let of = memory.clone();
        bench.write(move |tx| tx.memories_mut().purge(&of, 3))
    };
    while !purge()? {}
    let again = bench.memory("first")?;
    same("nothing is left", keys(bench, &again, "", None, 9)?, Vec::new());
    same("another memory's stays", keys(bench, &other, "", None, 9)?, words(&["s/one"]));
    Ok(())
}
