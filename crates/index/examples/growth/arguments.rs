//! Command line arguments.

use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};

const USAGE: &str = "growth [--texts FILE --vectors FILE…] [--sizes N,N,…] [--questions N] [--checked N] [--rounds N] [--json]";

/// The parsed arguments.
#[derive(Debug)]
pub(crate) struct Arguments {
    /// A file of JSON strings, one per line.
    pub(crate) texts: Option<PathBuf>,
    /// Files of vectors: f32, little-endian, rows of 384, in the order of the texts. The files are
    /// read in sequence.
    pub(crate) vectors: Vec<PathBuf>,
    /// The numbers of passages at which to measure.
    pub(crate) sizes: Vec<u64>,
    /// The number of questions: the last rows of the files, which are never indexed.
    pub(crate) questions: usize,
    /// The number of questions whose filtered results are compared with brute force.
    pub(crate) checked: usize,
    /// The number of times that each request is sent, far apart; the fastest counts. Use more than
    /// 1 on shared machines.
    pub(crate) rounds: usize,
    /// True to print one JSON document instead of tables.
    pub(crate) json: bool,
}

impl Arguments {
    /// Parses the arguments.
    pub(crate) fn read(words: impl Iterator<Item = String>) -> Result<Self> {
        let mut read = Self {
            texts: None,
            vectors: Vec::new(),
            sizes: vec![10_000, 30_000, 100_000, 300_000, 1_000_000],
            questions: 60,
            checked: 10,
            rounds: 1,
            json: false,
        };
        let mut words = words.peekable();
        while let Some(word) = words.next() {
            let mut value = || words.next().with_context(|| format!("{word} needs a value; {USAGE}"));
            match word.as_str() {
                "--texts" => read.texts = Some(value()?.into()),
                "--sizes" => read.sizes = numbers(&value()?)?,
                "--questions" => read.questions = value()?.parse().context("--questions")?,
                "--checked" => read.checked = value()?.parse().context("--checked")?,
                "--rounds" => read.rounds = value()?.parse().context("--rounds")?,
                "--json" => read.json = true,
                "--vectors" => {
                    read.vectors.push(value()?.into());
                    while let Some(more) = words.next_if(|more| !more.starts_with("--")) {
                        read.vectors.push(more.into());
                    }
                }
                _ => bail!("unknown argument {word}; {USAGE}"),
            }
        }
        ensure!(
            read.texts.is_some() != read.vectors.is_empty(),
            "--texts and --vectors go together; {USAGE}"
        );
        ensure!(read.rounds > 0, "--rounds must be at least 1");
        ensure!(read.questions > 0, "--questions must be at least 1");
        Ok(read)
    }
}

fn numbers(text: &str) -> Result<Vec<u64>> {
    text.split(',')
        .map(|number| number.trim().parse().context("--sizes: numbers with commas between"))
        .collect()
}
