//! Prompt versions: round trip, lists, and erasure.

use loci_model::ports::store::ReadTx;
use loci_model::tasks::prompt_version::PromptVersion;
use loci_model::{MemoryId, Result};

use crate::{Bench, same};
use loci_testkit_ports::samples::time;
use loci_testkit_ports::task_samples::prompt;

fn put(bench: &Bench, prompts: &[PromptVersion]) -> Result<()> {
    let prompts = prompts.to_vec();
    bench.write(move |tx| prompts.iter().try_for_each(|prompt| tx.prompts_mut().put(prompt)))
}

fn get(bench: &Bench, memory: &MemoryId, version: &str) -> Result<Option<PromptVersion>> {
    let (memory, version) = (memory.clone(), version.to_owned());
    bench.read(move |tx| tx.prompts().get(&memory, &version))
}

fn numbers(
    bench: &Bench,
    ask: impl Fn(&dyn ReadTx) -> Result<Vec<PromptVersion>> + Send + 'static,
) -> Result<Vec<String>> {
    let found = bench.read(move |tx| ask(tx))?;
    Ok(found.iter().map(|one| one.version.trim_start_matches('0').to_owned()).collect())
}

pub(crate) fn come_back(bench: &Bench) -> Result<()> {
    let (memory, other) = (bench.memory("first")?, bench.memory("second")?);
    let one = prompt(&memory, 1)?;
    put(bench, &[one.clone(), prompt(&other, 1)?])?;
    same("comes back", get(bench, &memory, &one.version)?, Some(one.clone()));
    same("unknown", get(bench, &memory, "x\0")?, None);
    let later = PromptVersion { model: None, current_since: time(9), ..one };
    put(bench, std::slice::from_ref(&later))?;
    same("as it is now", get(bench, &memory, &later.version)?, Some(later.clone()));
    same("another memory's stays", get(bench, &other, &later.version)?, Some(prompt(&other, 1)?));
    same(
        "of a memory that is there",
        put(bench, &[prompt(&MemoryId::compose("none", "0000000000")?, 1)?]).is_err(),
        true,
    );
    Ok(())
}

pub(crate) fn lists(bench: &Bench) -> Result<()> {
    let memory = bench.memory("first")?;
    let mut prompts = (1..=4).map(|number| prompt(&memory, number)).collect::<Result<Vec<_>>>()?;
    if let [one, two, _, four] = prompts.as_mut_slice() {
        one.template_id = "review".to_owned();
        two.current_since = four.current_since;
    }
    put(bench, &prompts)?;
    let words = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let of = memory.clone();
    let all = numbers(bench, move |tx| tx.prompts().list(&of, None, None, 9))?;
    same("who became current last first, ties by name", all, words(&["2", "4", "3", "1"]));
    let of = memory.clone();
    let one = numbers(bench, move |tx| tx.prompts().list(&of, Some("new-task"), None, 2))?;
    same("of a template, at most", one, words(&["2", "4"]));
    let of = memory.clone();
    let after = format!("{:012x}", 2);
    let rest = numbers(bench, move |tx| tx.prompts().list(&of, None, Some((time(4), &after)), 9))?;
    same("behind one", rest, words(&["4", "3", "1"]));
    let of = memory.clone();
    bench.write(move |tx| tx.memories_mut().delete(&of, time(9)).map(drop))?;
    let purge = |rows| {
        let of = memory.clone();
        bench.write(move |tx| tx.memories_mut().purge(&of, rows))
    };
    while !purge(3)? {}
    let again = bench.memory("first")?;
    same("nothing is left", numbers(bench, move |tx| tx.prompts().list(&again, None, None, 9))?, Vec::new());
    Ok(())
}
