//! Repositories: identities, keys, names, and the one not examined for the longest time.

use loci_model::facts::repository::Repository;
use loci_model::{ErrorKind, MemoryId, Result, Timestamp};

use crate::{Bench, same};
use loci_testkit_ports::fact_samples::{repository, repository_id};
use loci_testkit_ports::samples::time;

fn keys(repositories: &[Repository]) -> Vec<String> {
    repositories.iter().map(|one| one.key.clone()).collect()
}

fn put(bench: &Bench, one: &Repository) -> Result<()> {
    let one = one.clone();
    bench.write(move |tx| tx.repositories_mut().put(&one))
}

fn named(bench: &Bench, memory: &MemoryId, name: &str) -> Result<Vec<String>> {
    let (memory, name) = (memory.clone(), name.to_owned());
    bench.read(move |tx| Ok(keys(&tx.repositories().named(&memory, &name)?)))
}

pub(crate) fn names_and_pages(bench: &Bench) -> Result<()> {
    let (memory, other) = (bench.memory("first")?, bench.memory("second")?);
    let one = repository(&memory, 1, "acme/beta")?;
    let mut two = repository(&memory, 2, "acme/alpha")?;
    two.aliases.insert("id:git.example:7".to_owned());
    for one in [&one, &two, &repository(&other, 1, "acme/beta")?] {
        put(bench, one)?;
    }
    let (of, id) = (memory.clone(), one.id.clone());
    same("comes back", bench.read(move |tx| tx.repositories().get(&of, &id))?, Some(one.clone()));
    same("by key", named(bench, &memory, "acme/beta")?, vec!["acme/beta".to_owned()]);
    same("by alias", named(bench, &memory, "id:git.example:7")?, vec!["acme/alpha".to_owned()]);
    same("byte for byte", named(bench, &memory, "Acme/beta")?, vec![]);
    let list = |after: Option<&'static str>, limit: usize| {
        let of = memory.clone();
        bench.read(move |tx| Ok(keys(&tx.repositories().list(&of, after, limit)?)))
    };
    same("a page", list(None, 1)?, vec!["acme/alpha".to_owned()]);
    same("the next", list(Some("acme/alpha"), 5)?, vec!["acme/beta".to_owned()]);

    let clash = put(bench, &Repository { key: "acme/alpha".to_owned(), ..one.clone() });
    same("a key is one's", clash.map_err(|error| error.kind), Err(ErrorKind::Conflict));
    let mut moved = Repository { key: "acme/gamma".to_owned(), ..one.clone() };
    moved.aliases = ["id:git.example:7".to_owned(), "acme/beta".to_owned()].into();
    put(bench, &moved)?;
    same(
        "a name of two",
        named(bench, &memory, "id:git.example:7")?,
        vec!["acme/alpha".into(), "acme/gamma".into()],
    );
    same("by its old key", named(bench, &memory, "acme/beta")?, vec!["acme/gamma".to_owned()]);
    same("names that went", named(bench, &memory, "git.example/acme/beta")?, vec![]);

    let remove = || {
        let of = memory.clone();
        bench.write(move |tx| tx.repositories_mut().remove(&of, &repository_id(1)?))
    };
    same("removed, once", (remove()?, remove()?), (true, false));
    same("its names too", named(bench, &memory, "acme/beta")?, vec![]);
    same("another memory's stays", named(bench, &other, "acme/beta")?, vec!["acme/beta".to_owned()]);
    Ok(())
}

pub(crate) fn unchecked(bench: &Bench) -> Result<()> {
    let (memory, other) = (bench.memory("first")?, bench.memory("second")?);
    for (of, number, checked) in [
        (&memory, 1, Some(30)),
        (&memory, 2, None),
        (&other, 1, Some(10)),
        (&other, 2, None),
        (&other, 3, Some(50)),
    ] {
        let checked_at = checked.map(time);
        put(bench, &Repository { checked_at, ..repository(of, number, &format!("acme/r{number}"))? })?;
    }
    let since = |before: Timestamp, limit: usize| {
        bench.read(move |tx| {
            let found = tx.repositories().unchecked_since(before, limit)?;
            Ok(found.iter().map(|one| format!("{} {}", one.memory, one.key)).collect::<Vec<_>>())
        })
    };
    let all = [
        "first-0000000000 acme/r2",
        "second-0000000000 acme/r2",
        "second-0000000000 acme/r1",
        "first-0000000000 acme/r1",
    ];
    same("never, then longest ago", since(time(50), 9)?, all.map(str::to_owned).to_vec());
    same("at most so many", since(time(50), 3)?.len(), 3);
    let one = Repository { checked_at: Some(time(60)), ..repository(&memory, 2, "acme/r2")? };
    put(bench, &one)?;
    same("looked at", since(time(50), 1)?, vec![all[1].to_owned()]);
    bench.write(move |tx| tx.memories_mut().delete(&other, time(70)))?;
    same("of memories that are there", since(time(50), 9)?, vec![all[3].to_owned()]);
    Ok(())
}
