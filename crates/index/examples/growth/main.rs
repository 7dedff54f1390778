//! Measures the growth of a memory's index: latencies, recall, filters, changes and memory use at
//! several sizes, with one thread. It measures only this crate: no store, no embedding, no ranking.
//!
//! `cargo xtask bench index [--texts FILE --vectors FILE…] [--sizes 10000,100000] [--questions N]
//! [--json]`
//!
//! | content | file |
//! |---|---|
//! | arguments | `arguments` |
//! | texts and vectors, from files or generated | `source`, `seeded_random` |
//! | records, and filters on them | `world`, `filters` |
//! | brute force for comparison | `brute_force` |
//! | one size | `measure`, `snapshots`, `figures` |
//! | output | `report` |
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark talks to its terminal")]
#![expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
#![expect(clippy::expect_used, reason = "ids and namespaces are spelled out in this program")]

mod arguments;
mod brute_force;
mod figures;
mod filters;
mod measure;
mod report;
mod seeded_random;
mod snapshots;
mod source;
mod world;

use std::time::Instant;

use anyhow::{Result, ensure};
use loci_index::MemoryIndex;

use arguments::Arguments;
use brute_force::Exact;
use figures::{Figures, Latencies};
use measure::{Bench, Question, progress, resident_bytes};
use source::{Row, Source};

/// The number of records whose change is timed: the last ones of each size.
const TIMED_CHANGES: u64 = 1_000;

fn main() -> Result<()> {
    let arguments = Arguments::read(std::env::args().skip(1))?;
    let mut source = Source::open(&arguments)?;
    let sizes = reachable(&arguments, &source)?;
    let questions: Vec<Question> = source.held_out()?.iter().map(Question::new).collect();
    if !arguments.json {
        println!("{}\n", source.describe(&sizes, questions.len(), arguments.rounds));
    }
    let all = grow(&arguments, &mut source, &questions, &sizes)?;
    println!("{}", if arguments.json { report::json(&all) } else { report::growth(&all) });
    ensure!(all.iter().all(|figures| figures.wrong.is_empty()), "answers differ from brute force");
    Ok(())
}

/// Builds the index up to each size, and measures there.
fn grow(
    arguments: &Arguments,
    source: &mut Source,
    questions: &[Question],
    sizes: &[u64],
) -> Result<Vec<Figures>> {
    let filters = filters::all();
    let mut exact = Exact::new(questions, &filters, arguments.checked);
    let before = resident_bytes();
    let mut index = MemoryIndex::new();
    let (mut built, mut seconds) = (0, 0.0);
    let mut all = Vec::new();
    for size in sizes.iter().copied() {
        let mut changes = Latencies::default();
        let mut newest = Row::default();
        while built < size {
            let row = source.next_row()?;
            let analysis = loci_text::analyse_turn(&row.text);
            exact.see(built, &row.vector, &analysis);
            let record = world::record(built, analysis, &row.vector);
            let start = Instant::now();
            index.apply(record);
            let took = start.elapsed();
            seconds += took.as_secs_f64();
            if size - built <= TIMED_CHANGES {
                changes.add(took);
            }
            newest = row;
            built += 1;
            if built.is_multiple_of(2_000) {
                progress(&format!("{built} of {size}"));
            }
        }
        let resident = resident_bytes().saturating_sub(before);
        let (index, newest, rounds) = (&index, &newest, arguments.rounds);
        let bench = Bench { index, questions, filters: &filters, exact: &exact, size, newest, rounds };
        let figures = bench.run(seconds, changes, resident)?;
        if !arguments.json {
            println!("{}", report::one_size(&figures));
        }
        all.push(figures);
    }
    Ok(all)
}

/// Returns the requested sizes in ascending order, without those that exceed the source.
fn reachable(arguments: &Arguments, source: &Source) -> Result<Vec<u64>> {
    let mut sizes = arguments.sizes.clone();
    sizes.sort_unstable();
    sizes.dedup();
    for size in sizes.iter().filter(|size| **size > source.rows()) {
        eprintln!("left out {size}: there are {} rows", source.rows());
    }
    sizes.retain(|size| (1..=source.rows()).contains(size));
    ensure!(!sizes.is_empty(), "no size can be reached with {} rows", source.rows());
    Ok(sizes)
}
