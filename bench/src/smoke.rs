//! The small fixed workloads whose instructions `cargo xtask bench smoke` counts, and the ratios of
//! kernels, which instructions cannot show. `xtask` holds the recorded costs and the limits. Every
//! workload does the same work each time.
//!
//! A new workload needs a line in the table and its function. Then run
//! `cargo xtask bench smoke --record`.

use std::time::Instant;

use anyhow::{Context, Result, anyhow};
use loci_embed::MiniLm;
use loci_engine::retrieval::ranking;
use loci_engine::retrieval::weights::Weights;
use loci_index::{IndexPassage, IndexRecord, MemoryIndex, StoredVector};
use loci_model::event::Role;
use loci_model::ports::search::CandidateRequest;
use loci_model::record::scope::RecordScope;
use loci_model::{ActorId, MemoryId, SessionId, Timestamp};
use loci_server::agentcore::fuzz::fuzz_shapes;
use loci_text::{analyse_turn, question};

use crate::plain_record::plain_record;
use crate::seeded_random::Seeded;
use crate::texts;

/// The workload to run.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Measure how many times faster each kernel is than AVX2, instead of a workload.
    #[arg(long)]
    ratios: bool,
    /// The workload to run; without one their names are listed.
    workload: Option<String>,
}

type Work = Box<dyn FnMut()>;

/// One workload. The count excludes `prepare` and the first of the two executions of the work.
struct Workload {
    name: &'static str,
    prepare: fn() -> Result<Work>,
}

const WORKLOADS: &[Workload] = &[
    Workload { name: "embed 16 tokens", prepare: || embed(14) },
    Workload { name: "embed 64 tokens", prepare: || embed(62) },
    Workload { name: "tokenise and analyse 200 texts", prepare: analyse },
    Workload { name: "index 2,000 records", prepare: index_records },
    Workload { name: "candidates by words of 5,000", prepare: || candidates(false) },
    Workload { name: "candidates with vectors of 5,000", prepare: || candidates(true) },
    Workload { name: "rank one question's candidates", prepare: rank },
    Workload { name: "read a CreateEvent's body", prepare: read_body },
];

/// The kernels with which all others are compared.
const BASE: &str = "avx2";
const MODEL: &str = "smoke-384";
const DIMENSIONS: usize = 384;
const NOW_MS: i64 = 1_795_000_000_000;
const BODY: &str = r#"{"actorId":"alice","sessionId":"s1","eventTimestamp":1795291920.45,"payload":[{"conversational":{"role":"USER","content":{"text":"My boat is called Gull and lies in Largs."}}}],"metadata":{"k":{"stringValue":"v"}}}"#;

/// Runs one workload, or lists all.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    if arguments.ratios {
        return ratios();
    }
    let Some(wanted) = &arguments.workload else {
        WORKLOADS.iter().for_each(|workload| println!("{}", workload.name));
        return Ok(());
    };
    let workload = WORKLOADS.iter().find(|workload| workload.name == wanted);
    let mut work = (workload.context("there is no such workload")?.prepare)()?;
    work();
    measured(&mut work);
    Ok(())
}

/// The counted function. Callgrind finds it by its name.
#[inline(never)]
fn measured(work: &mut dyn FnMut()) {
    work();
}

fn embed(words: usize) -> Result<Work> {
    let model = MiniLm::variants().into_iter().find(|model| model.kernels() == BASE);
    let model = model.context("this processor has no AVX2")?;
    let text = "memory ".repeat(words);
    Ok(Box::new(move || {
        std::hint::black_box(model.embed(&[&text]));
    }))
}

fn analyse() -> Result<Work> {
    let texts: Vec<String> = (0..200).map(|number| texts::talk(number, 300)).collect();
    let model = MiniLm::new();
    Ok(Box::new(move || {
        for text in &texts {
            std::hint::black_box((analyse_turn(text), model.token_ids(text)));
        }
    }))
}

fn index_records() -> Result<Work> {
    let mut kept = [records(2_000)?, records(2_000)?].into_iter();
    let mut done = Vec::new();
    Ok(Box::new(move || done.push(filled(kept.next().unwrap_or_default()))))
}

fn candidates(with_vector: bool) -> Result<Work> {
    let index = filled(records(5_000)?);
    let request = request(7, with_vector)?;
    Ok(Box::new(move || {
        std::hint::black_box(index.candidates(&request));
    }))
}

fn rank() -> Result<Work> {
    let index = filled(records(2_000)?);
    let request = request(7, true)?;
    let set = index.candidates(&request);
    let read = question::parse(&texts::question(7), &index.known_names(&request.scope), None);
    let weights = Weights::shipped().map_err(bad)?;
    Ok(Box::new(move || {
        std::hint::black_box(ranking::rank(&read, &request.terms, &set, weights));
    }))
}

fn read_body() -> Result<Work> {
    Ok(Box::new(|| fuzz_shapes(BODY.as_bytes())))
}

fn bad(error: loci_model::Error) -> anyhow::Error {
    anyhow!("{error}")
}

fn filled(records: Vec<IndexRecord>) -> MemoryIndex {
    let mut index = MemoryIndex::new();
    for record in records {
        index.apply(record);
    }
    index
}

fn request(number: u64, with_vector: bool) -> Result<CandidateRequest> {
    let memory = MemoryId::parse("bench-0123456789").map_err(bad)?;
    let read = question::parse(&texts::question(number), &[], None);
    Ok(CandidateRequest {
        scope: RecordScope::whole(memory, Timestamp::clamped(NOW_MS)),
        terms: ranking::distinct_terms(&read),
        vector: with_vector.then(|| (vector(number), MODEL.to_owned())),
        earlier: None,
        lists: None,
    })
}

/// Returns numbers around one of sixteen centres, as texts of one subject have.
fn vector(number: u64) -> Vec<f32> {
    let (mut centre, mut own) = (Seeded::new(number % 16 + 1), Seeded::new(number + 1_000));
    let one = |random: &mut Seeded| random.below(2_001) as f32 - 1_000.0;
    (0..DIMENSIONS).map(|_| one(&mut centre) + one(&mut own)).collect()
}

fn records(count: u64) -> Result<Vec<IndexRecord>> {
    (0..count).map(record).collect()
}

fn record(number: u64) -> Result<IndexRecord> {
    let time = Timestamp::clamped(NOW_MS - 1_000_000_000 + (number * 1_000).cast_signed());
    let vector = StoredVector::quantise(&vector(number), MODEL);
    let passage =
        IndexPassage { part: 0, analysis: analyse_turn(&texts::talk(number, 120)), vector: Some(vector) };
    Ok(IndexRecord {
        namespace: format!("/facts/u{}/", number / 500),
        actor: Some(ActorId::parse(format!("u{}", number / 500)).map_err(bad)?),
        session: Some(SessionId::parse(format!("s{}", number / 20)).map_err(bad)?),
        verbatim: true,
        role: Some(if number.is_multiple_of(2) { Role::User } else { Role::Assistant }),
        passages: vec![passage],
        ..plain_record(number, time)?
    })
}

/// Measures the shortest time of many calls, alternating between the kernels. Prints the factor
/// relative to AVX2.
fn ratios() -> Result<()> {
    let models = MiniLm::variants();
    let models: Vec<&MiniLm> = models.iter().filter(|model| model.kernels() != "portable").collect();
    for (words, rounds) in [(14, 150), (62, 40)] {
        let text = "memory ".repeat(words);
        let mut least = vec![u128::MAX; models.len()];
        for _ in 0..rounds {
            for (model, least) in models.iter().zip(&mut least) {
                // Other waiting threads run now rather than during the measurement.
                std::thread::yield_now();
                let before = Instant::now();
                std::hint::black_box(model.embed(&[&text]));
                let took = before.elapsed().as_nanos();
                *least = took.min(*least);
            }
        }
        let base = models.iter().position(|model| model.kernels() == BASE).context("no AVX2 here")?;
        for (model, took) in models.iter().zip(&least).filter(|(model, _)| model.kernels() != BASE) {
            println!("{}, {} tokens: {:.2}", model.kernels(), words + 2, least[base] as f64 / *took as f64);
        }
    }
    Ok(())
}
