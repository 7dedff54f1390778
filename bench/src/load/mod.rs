//! `wire-load`: measures the resources and the speed of a server, over the public wire with one
//! process per server.
//!
//! Every part starts its own server on its own folder. Each figure is printed with its conditions.

mod cold_start;
mod disk;
mod events;
mod fill;
mod great_memory;
mod many_memories;
mod process_memory;
mod retrieve;
mod template_change;
mod zipf_texts;

use std::path::PathBuf;

use anyhow::Result;
use serde_json::{Value, json};

use crate::server;

pub(crate) use process_memory::Arguments as MemberArguments;
pub(crate) use process_memory::member as run_member;

/// Options of the measurement.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Parts to run; all if none is named.
    #[arg(value_enum)]
    parts: Vec<Part>,
    /// The `loci` to run; by default the one next to this program.
    #[arg(long)]
    binary: Option<PathBuf>,
    /// Records of the parts that retrieve and move.
    #[arg(long, default_value_t = 100_000)]
    records: u64,
    /// Memories over which the records of `many-memories` are spread.
    #[arg(long, default_value_t = 1_000)]
    memories: u64,
    /// Distinct queries of the retrieval part.
    #[arg(long, default_value_t = 1_200)]
    questions: u64,
    /// Seconds of each closed loop of events.
    #[arg(long, default_value_t = 15)]
    seconds: u64,
    /// Print one JSON object per figure.
    #[arg(long)]
    json: bool,
}

/// A part of the measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// CreateEvent with one client and with sixteen, during extraction; records extracted and
    /// embedded per second.
    Events,
    /// Retrieval at many records in one memory, and resident memory.
    Retrieve,
    /// Retrieval and CreateEvent with the records spread over many memories (`--memories`); not run
    /// unless named.
    ManyMemories,
    /// One memory of `--records` in PostgreSQL, held by the process and searched in the database;
    /// not run unless named.
    GreatMemory,
    /// Bytes on disk per record of 300 bytes.
    Disk,
    /// Time from the start of the process to the first response, at 10,000 records.
    ColdStart,
    /// Time to move a strategy's records after its template changes.
    Move,
    /// Memory of a server and of four further processes on one folder, at 10,000 records.
    Shared,
}

/// Prints figures, as text or as JSON.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Report {
    json: bool,
}

impl Report {
    pub(crate) fn new(json: bool) -> Self {
        Self { json }
    }

    pub(crate) fn figure(self, name: &str, text: &str, value: &Value) {
        if self.json {
            println!("{}", json!({"figure": name, "value": value}));
        } else {
            println!("{name}: {text}");
        }
    }
}

/// Runs the selected parts.
pub(crate) async fn run(arguments: Arguments) -> Result<()> {
    let binary = server::binary(arguments.binary.as_deref())?;
    let report = Report::new(arguments.json);
    let wanted = |part| arguments.parts.is_empty() || arguments.parts.contains(&part);
    if arguments.parts.contains(&Part::ManyMemories) {
        let sizes = (arguments.memories, arguments.records);
        many_memories::run(&binary, report, sizes, arguments.questions).await?;
    }
    if arguments.parts.contains(&Part::GreatMemory) {
        great_memory::run(&binary, report, arguments.records, arguments.questions).await?;
    }
    if wanted(Part::Events) {
        events::run(&binary, report, arguments.seconds).await?;
    }
    if wanted(Part::Disk) {
        disk::run(&binary, report).await?;
    }
    if wanted(Part::ColdStart) {
        cold_start::run(&binary, report).await?;
    }
    if wanted(Part::Shared) {
        process_memory::run(&binary, report).await?;
    }
    if wanted(Part::Move) {
        template_change::run(&binary, report, arguments.records).await?;
    }
    if wanted(Part::Retrieve) {
        retrieve::run(&binary, report, arguments.records, arguments.questions).await?;
    }
    Ok(())
}
