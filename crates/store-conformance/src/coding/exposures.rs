//! Exposures: round trip, by task and for a whole memory, and erasure.

use loci_model::tasks::exposure::{Exposure, ExposureCall};
use loci_model::{ActorId, ExposureId, MemoryId, Result, TaskId};

use crate::{Bench, same};
use loci_testkit_ports::exposure_samples::exposure;
use loci_testkit_ports::samples::time;

fn put(bench: &Bench, exposures: &[Exposure]) -> Result<()> {
    let exposures = exposures.to_vec();
    bench.write(move |tx| exposures.iter().try_for_each(|one| tx.exposures_mut().put(one)))
}

fn ids(found: Vec<Exposure>) -> Vec<String> {
    found.iter().map(|one| one.id.to_string()).collect()
}

fn all(bench: &Bench, memory: &MemoryId, after: Option<&str>, limit: usize) -> Result<Vec<String>> {
    let (memory, after) = (memory.clone(), after.map(ExposureId::parse).transpose()?);
    bench.read(move |tx| Ok(ids(tx.exposures().list(&memory, after.as_ref(), limit)?)))
}

pub(crate) fn come_back(bench: &Bench) -> Result<()> {
    let (memory, other) = (bench.memory("first")?, bench.memory("second")?);
    let one = exposure(&memory, 1)?;
    put(bench, &[one.clone(), exposure(&other, 1)?])?;
    let get = |memory: &MemoryId, id: &str| {
        let (memory, id) = (memory.clone(), ExposureId::parse(id)?);
        bench.read(move |tx| tx.exposures().get(&memory, &id))
    };
    same("comes back", get(&memory, "exp_0001")?, Some(one.clone()));
    same("unknown", get(&memory, "exp_0002")?, None);
    put(bench, &[Exposure { used: 1, ..one.clone() }])?;
    same("written once", get(&memory, "exp_0001")?, Some(one));
    same("another memory's", get(&other, "exp_0001")?, Some(exposure(&other, 1)?));
    let nowhere = exposure(&MemoryId::compose("none", "0000000000")?, 1)?;
    same("of a memory that is there", put(bench, &[nowhere]).is_err(), true);
    Ok(())
}

pub(crate) fn lists(bench: &Bench) -> Result<()> {
    let memory = bench.memory("first")?;
    let of_first = |number: u32| -> Result<Exposure> {
        Ok(Exposure { task: TaskId::parse("t-001")?, ..exposure(&memory, number)? })
    };
    let search = Exposure { call: ExposureCall::Search, ..of_first(3)? };
    put(bench, &[search, exposure(&memory, 2)?, of_first(1)?, of_first(4)?])?;
    let of_call = |call: ExposureCall, limit: usize| -> Result<Vec<String>> {
        let (memory, task) = (memory.clone(), TaskId::parse("t-001")?);
        bench.read(move |tx| Ok(ids(tx.exposures().of_call(&memory, &task, call, limit)?)))
    };
    let hydrate = ExposureCall::Hydrate;
    same("by one call", of_call(hydrate, 9)?, vec!["exp_0004".into(), "exp_0001".into()]);
    same("by one call, the newest", of_call(hydrate, 1)?, vec!["exp_0004".into()]);
    same("by the other", of_call(ExposureCall::Search, 9)?, vec!["exp_0003".into()]);
    let of_task = |before: Option<&str>, limit: usize| -> Result<Vec<String>> {
        let (memory, before) = (memory.clone(), before.map(ExposureId::parse).transpose()?);
        let task = TaskId::parse("t-001")?;
        bench.read(move |tx| Ok(ids(tx.exposures().of_task(&memory, &task, before.as_ref(), limit)?)))
    };
    same(
        "of a task, the newest first",
        of_task(None, 9)?,
        vec!["exp_0004".into(), "exp_0003".into(), "exp_0001".into()],
    );
    same("the newest alone", of_task(None, 1)?, vec!["exp_0004".into()]);
    same("before one, so many", of_task(Some("exp_0004"), 1)?, vec!["exp_0003".into()]);
    same("all", all(bench, &memory, None, 2)?, vec!["exp_0001".into(), "exp_0002".into()]);
    same("all behind", all(bench, &memory, Some("exp_0002"), 9)?, vec!["exp_0003".into(), "exp_0004".into()]);
    Ok(())
}

pub(crate) fn erasure(bench: &Bench) -> Result<()> {
    let memory = bench.memory("first")?;
    let other = Exposure { actor: ActorId::parse("acme/other")?, ..exposure(&memory, 2)? };
    put(bench, &[exposure(&memory, 1)?, other])?;
    let (of, who) = (memory.clone(), ActorId::parse("acme/shop")?);
    same("forgotten", bench.write(move |tx| tx.exposures_mut().forget_actor(&of, &who))?, 1);
    same("that actor's alone", all(bench, &memory, None, 9)?, vec!["exp_0002".to_owned()]);
    let of = memory.clone();
    bench.write(move |tx| tx.memories_mut().delete(&of, time(9)).map(drop))?;
    same("hidden at once", all(bench, &memory, None, 9)?, Vec::new());
    let purge = |rows| {
        let of = memory.clone();
        bench.write(move |tx| tx.memories_mut().purge(&of, rows))
    };
    while !purge(3)? {}
    let again = bench.memory("first")?;
    same("nothing is left", all(bench, &again, None, 9)?, Vec::new());
    Ok(())
}
