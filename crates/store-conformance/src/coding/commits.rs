//! Commits: round trip, lookups, and erasure.

use loci_model::ports::store::ReadTx;
use loci_model::tasks::commit::TaskCommit;
use loci_model::{ActorId, MemoryId, Result, TaskId};

use crate::{Bench, same};
use loci_testkit_ports::samples::time;
use loci_testkit_ports::task_samples::{commit, sha};

fn put(bench: &Bench, commits: &[TaskCommit]) -> Result<()> {
    let commits = commits.to_vec();
    bench.write(move |tx| commits.iter().try_for_each(|commit| tx.commits_mut().put(commit)))
}

fn shop() -> Result<ActorId> {
    ActorId::parse("acme/shop")
}

fn get(bench: &Bench, memory: &MemoryId, number: u32) -> Result<Option<TaskCommit>> {
    let (memory, actor, sha) = (memory.clone(), shop()?, sha(number)?);
    bench.read(move |tx| tx.commits().get(&memory, &actor, &sha))
}

fn shas(
    bench: &Bench,
    ask: impl Fn(&dyn ReadTx) -> Result<Vec<TaskCommit>> + Send + Clone + 'static,
) -> Result<Vec<String>> {
    let found = bench.read(move |tx| ask(tx))?;
    Ok(found.iter().map(|one| one.sha.to_string()).collect())
}

fn expect(numbers: &[u32]) -> Result<Vec<String>> {
    numbers.iter().map(|number| Ok(sha(*number)?.to_string())).collect()
}

pub(crate) fn come_back(bench: &Bench) -> Result<()> {
    let (memory, other) = (bench.memory("first")?, bench.memory("second")?);
    let one = commit(&memory, 1)?;
    put(bench, &[one.clone(), commit(&other, 1)?])?;
    same("comes back", get(bench, &memory, 1)?, Some(one.clone()));
    same("unknown", get(bench, &memory, 2)?, None);
    let bare = TaskCommit::bare(memory.clone(), shop()?, sha(1)?, time(5));
    put(bench, std::slice::from_ref(&bare))?;
    same("as it is now", get(bench, &memory, 1)?, Some(bare));
    same("another memory's stays", get(bench, &other, 1)?, Some(commit(&other, 1)?));
    let put_nowhere = put(bench, &[commit(&MemoryId::compose("none", "0000000000")?, 1)?]);
    same("of a memory that is there", put_nowhere.is_err(), true);
    Ok(())
}

pub(crate) fn lists(bench: &Bench) -> Result<()> {
    let memory = bench.memory("first")?;
    let mut commits = (1..=4).map(|number| commit(&memory, number)).collect::<Result<Vec<_>>>()?;
    let task = TaskId::parse("t-001")?;
    if let [one, two, three, four] = commits.as_mut_slice() {
        two.task = one.task.clone();
        two.patch_id = one.patch_id.clone();
        three.patch_id = one.patch_id.clone();
        // A commit of another repository with the same patch, which counts as the same.
        *four = TaskCommit { actor: ActorId::parse("acme/shop-web")?, task: None, ..one.clone() };
        three.reported_at = one.reported_at;
    }
    put(bench, &commits)?;
    let (of, patch) = (memory.clone(), format!("{:040x}", 201));
    let actor = shop()?;
    let (place, wanted, who) = (of.clone(), patch.clone(), actor.clone());
    let by_patch = shas(bench, move |tx| tx.commits().by_patch(&place, &who, &wanted, 9))?;
    same("the first reported first, ties by id", by_patch, expect(&[1, 3, 2])?);
    let (place, who) = (of.clone(), actor.clone());
    let most = shas(bench, move |tx| tx.commits().by_patch(&place, &who, &patch, 1))?;
    same("at most", most, expect(&[1])?);
    let place = of.clone();
    let who = actor.clone();
    let none = shas(bench, move |tx| tx.commits().by_patch(&place, &who, "%", 9))?;
    same("another change", none, Vec::new());
    let place = of.clone();
    let of_task = shas(bench, move |tx| tx.commits().of_task(&place, &task, 9))?;
    same("of a task", of_task, expect(&[1, 2])?);
    let everywhere = |of: &MemoryId, number, most| {
        let (of, sha) = (of.clone(), sha(number)?);
        let found = bench.read(move |tx| tx.commits().of_sha(&of, &sha, most))?;
        Ok(found.iter().map(|one| (one.actor.to_string(), one.sha.to_string())).collect::<Vec<_>>())
    };
    let at = |actor: &str| Ok((actor.to_owned(), sha(1)?.to_string()));
    same(
        "of an id, in every repository",
        everywhere(&of, 1, 9)?,
        vec![at("acme/shop")?, at("acme/shop-web")?],
    );
    same("in one of them", everywhere(&of, 1, 1)?, vec![at("acme/shop")?]);
    same("of an id that is not there", everywhere(&of, 9, 9)?, Vec::new());
    let other = bench.memory("second")?;
    put(bench, &[commit(&other, 3)?])?;
    same("of another memory", everywhere(&other, 1, 9)?, Vec::new());
    let place = of.clone();
    let all = shas(bench, move |tx| tx.commits().list(&place, None, 9))?;
    same("all, by actor and id", all, expect(&[1, 2, 3, 1])?);
    let second = sha(2)?;
    let behind = shas(bench, move |tx| tx.commits().list(&of, Some((&actor, &second)), 1))?;
    same("behind one", behind, expect(&[3])?);
    Ok(())
}

pub(crate) fn erasure(bench: &Bench) -> Result<()> {
    let memory = bench.memory("first")?;
    let other = TaskCommit { actor: ActorId::parse("acme/other")?, ..commit(&memory, 2)? };
    put(bench, &[commit(&memory, 1)?, other])?;
    let (of, who) = (memory.clone(), shop()?);
    same("forgotten", bench.write(move |tx| tx.commits_mut().forget_actor(&of, &who))?, 1);
    let of = memory.clone();
    let left = shas(bench, move |tx| tx.commits().list(&of, None, 9))?;
    same("that one alone", left, expect(&[2])?);
    let of = memory.clone();
    bench.write(move |tx| tx.memories_mut().delete(&of, time(9)).map(drop))?;
    let purge = |rows| {
        let of = memory.clone();
        bench.write(move |tx| tx.memories_mut().purge(&of, rows))
    };
    while !purge(3)? {}
    let again = bench.memory("first")?;
    same("nothing is left", shas(bench, move |tx| tx.commits().list(&again, None, 9))?, Vec::new());
    Ok(())
}
