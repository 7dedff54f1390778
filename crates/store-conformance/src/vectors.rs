//! Vectors: passages without one, and vectors dropped because their record changed.

use loci_model::ports::store::PassageVector;
use loci_model::record::{Record, RecordKind, RecordState};
use loci_model::{MemoryId, RecordId, Result};

use super::records::states::set;
use super::{Bench, same};
use loci_testkit_ports::samples::{self, time};

fn missing(bench: &Bench, memory: &MemoryId, model: &str) -> Result<Vec<(String, u32, u32)>> {
    let (place, name) = (memory.clone(), model.to_owned());
    let rows = bench.records(move |records| records.missing_vectors(&place, None, &name, 99))?;
    let (place, name) = (memory.clone(), model.to_owned());
    let count = bench.records(move |records| records.missing_vector_count(&place, &name))?;
    same("as many as counted", u64::try_from(rows.len()).unwrap_or(0), count);
    let name = model.to_owned();
    let named = bench.records(move |records| records.memories_missing_vectors(&name, None, 9))?;
    same("the memory is named as long as one lacks", named.contains(memory), count > 0);
    same("in order", named.is_sorted(), true);
    let (place, name) = (memory.clone(), model.to_owned());
    let behind = bench.records(move |records| records.memories_missing_vectors(&name, Some(&place), 9))?;
    same("not behind itself", behind.iter().all(|other| other > memory), true);
    Ok(rows.into_iter().map(|row| (row.text, row.version, row.part)).collect())
}

fn put(
    bench: &Bench,
    memory: &MemoryId,
    id: &RecordId,
    version: u32,
    part: u32,
    model: &str,
) -> Result<usize> {
    let vector =
        PassageVector { record: id.clone(), version, part, model: model.to_owned(), vector: vec![0.6, -0.8] };
    let memory = memory.clone();
    bench.change(move |records| records.put_vectors(&memory, std::slice::from_ref(&vector)))
}

pub(super) fn vectors(bench: &Bench) -> Result<()> {
    let memory = bench.memory("notes")?;
    let one = Record { index_text: Some("indexed".into()), ..samples::record(&memory, 1, "one")? };
    let two = samples::record(&memory, 2, "two")?;
    bench.put(&one)?;
    bench.put(&two)?;
    let row = |text: &str, version, part| (text.to_owned(), version, part);
    same(
        "all lack one, oldest first",
        missing(bench, &memory, "m")?,
        vec![row("indexed", 1, 0), row("two", 1, 0)],
    );
    same("written", put(bench, &memory, &one.id, 1, 0, "m")?, 1);
    same("one left", missing(bench, &memory, "m")?, vec![row("two", 1, 0)]);
    same("all lack one of another model", missing(bench, &memory, "n")?.len(), 2);
    let sequence = bench.get(&memory, &one.id)?.map(|record| record.sequence);
    same("a vector moves the sequence", sequence, Some(3));
    same("of an unknown record", put(bench, &memory, &samples::record_id(9)?, 1, 0, "m")?, 0);
    same("of a part that is not there", put(bench, &memory, &two.id, 1, 1, "m")?, 0);

    let edit = Record {
        version: 2,
        index_text: None,
        text: "one, edited".into(),
        updated_at: time(9),
        ..one.clone()
    };
    let next = edit.clone();
    bench.change(move |records| records.put_version(&next))?;
    same("dropped: the version moved", put(bench, &memory, &one.id, 1, 0, "m")?, 0);
    same("lacks one again", missing(bench, &memory, "m")?, vec![row("two", 1, 0), row("one, edited", 2, 0)]);
    set(bench, &memory, &two.id, RecordState::Erased, time(9))?;
    same("what is deleted needs none", missing(bench, &memory, "m")?, vec![row("one, edited", 2, 0)]);
    documents(bench)
}

fn documents(bench: &Bench) -> Result<()> {
    let memory = bench.memory("docs")?;
    let text = format!("# One\n\n{}\n\n# Two\n\n{}\n", "alpha ".repeat(150), "beta ".repeat(10));
    let document = Record { kind: RecordKind::Document, ..samples::record(&memory, 1, &text)? };
    bench.put(&document)?;
    let parts = missing(bench, &memory, "m")?;
    same("a document is cut", parts.len() >= 2, true);
    same("without a loss", parts.iter().map(|(text, _, _)| text.as_str()).collect::<String>(), text);
    put(bench, &memory, &document.id, 1, 1, "m")?;
    let left: Vec<u32> = missing(bench, &memory, "m")?.into_iter().map(|(_, _, part)| part).collect();
    let expect: Vec<u32> = parts.iter().map(|(_, _, part)| *part).filter(|part| *part != 1).collect();
    same("the rest", left, expect.clone());
    for part in expect {
        put(bench, &memory, &document.id, 1, part, "m")?;
    }
    same("none", missing(bench, &memory, "m")?, vec![]);
    let blank = Record { kind: RecordKind::Document, ..samples::record(&memory, 2, " \n ")? };
    bench.put(&blank)?;
    same("nothing to embed in white space", missing(bench, &memory, "m")?, vec![]);
    Ok(())
}
