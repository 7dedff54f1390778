//! Rows of text and vector: from files, or generated from a fixed seed. The last rows are held out
//! as questions.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};

use crate::arguments::Arguments;
use crate::seeded_random::{Seeded, mixed};

/// The number of dimensions of a vector.
pub(crate) const DIMENSIONS: usize = 384;
const ROW_BYTES: u64 = DIMENSIONS as u64 * 4;

/// A text and its vector.
#[derive(Debug, Clone, Default)]
pub(crate) struct Row {
    pub(crate) text: String,
    pub(crate) vector: Vec<f32>,
}

/// The source of rows.
pub(crate) enum Source {
    /// Files.
    Files {
        /// The remaining texts.
        texts: Box<dyn BufRead>,
        /// The remaining vectors.
        vectors: Box<dyn Read>,
        /// The number of rows for the index.
        rows: u64,
        /// The held-out rows.
        held_out: Vec<Row>,
    },
    /// Generated rows.
    MadeUp {
        /// The number of the next row.
        next: u64,
        /// The number of questions.
        questions: u64,
    },
}

impl Source {
    /// Opens the files, or starts to generate.
    pub(crate) fn open(arguments: &Arguments) -> Result<Self> {
        let Some(path) = &arguments.texts else {
            return Ok(Self::MadeUp { next: 0, questions: arguments.questions as u64 });
        };
        let open = || File::open(path).with_context(|| format!("{}", path.display()));
        let lines = BufReader::with_capacity(1 << 20, open()?).split(b'\n').count() as u64;
        let held: u64 =
            arguments.vectors.iter().map(|path| Ok(path.metadata()?.len())).sum::<Result<u64>>()?;
        let all = lines.min(held / ROW_BYTES);
        let questions = arguments.questions as u64;
        ensure!(all > questions, "{all} rows are too few for {questions} questions");
        let rows = all - questions;
        let held_out = {
            let texts = BufReader::new(open()?).lines().skip(usize::try_from(rows)?);
            let mut vectors = skipped(&arguments.vectors, rows * ROW_BYTES)?;
            let row = |text: std::io::Result<String>| {
                Ok(Row { text: serde_json::from_str(&text?)?, vector: read_vector(&mut vectors)? })
            };
            texts.take(arguments.questions).map(row).collect::<Result<Vec<_>>>()?
        };
        let texts = Box::new(BufReader::with_capacity(1 << 20, open()?));
        Ok(Self::Files { texts, vectors: skipped(&arguments.vectors, 0)?, rows, held_out })
    }

    /// Returns the number of rows for the index.
    pub(crate) fn rows(&self) -> u64 {
        match self {
            Self::Files { rows, .. } => *rows,
            Self::MadeUp { .. } => 10_000_000,
        }
    }

    /// Returns the questions.
    pub(crate) fn held_out(&self) -> Result<Vec<Row>> {
        Ok(match self {
            Self::Files { held_out, .. } => held_out.clone(),
            Self::MadeUp { questions, .. } => (0..*questions).map(|at| made_up(u64::MAX / 2 + at)).collect(),
        })
    }

    /// Returns the next row.
    pub(crate) fn next_row(&mut self) -> Result<Row> {
        match self {
            Self::Files { texts, vectors, .. } => {
                let mut line = String::new();
                texts.read_line(&mut line)?;
                let text = serde_json::from_str(&line).context("a line of the texts is no JSON string")?;
                Ok(Row { text, vector: read_vector(vectors)? })
            }
            Self::MadeUp { next, .. } => {
                *next += 1;
                Ok(made_up(*next - 1))
            }
        }
    }

    /// Describes the measurement in a sentence.
    pub(crate) fn describe(&self, sizes: &[u64], questions: usize, rounds: usize) -> String {
        let from = match self {
            Self::Files { .. } => "texts and vectors of the files given",
            Self::MadeUp { .. } => {
                "MADE-UP texts and clustered vectors of a fixed seed: no figure about real texts"
            }
        };
        format!(
            "growth of one index: {from}; sizes {sizes:?}; {questions} questions held out; best of {rounds} rounds; one thread"
        )
    }
}

/// Returns the files in sequence, from offset `bytes` on.
fn skipped(paths: &[PathBuf], mut bytes: u64) -> Result<Box<dyn Read>> {
    let mut all: Box<dyn Read> = Box::new(std::io::empty());
    for path in paths {
        let mut file = File::open(path).with_context(|| format!("{}", path.display()))?;
        let skip = bytes.min(file.metadata()?.len());
        file.seek(SeekFrom::Start(skip))?;
        bytes -= skip;
        all = Box::new(all.chain(BufReader::with_capacity(1 << 20, file)));
    }
    Ok(all)
}

fn read_vector(vectors: &mut impl Read) -> Result<Vec<f32>> {
    let mut bytes = [0u8; DIMENSIONS * 4];
    vectors.read_exact(&mut bytes).context("the vectors end before the texts")?;
    Ok(bytes.as_chunks::<4>().0.iter().map(|value| f32::from_le_bytes(*value)).collect())
}

/// The number of words, and of topics around which the vectors cluster.
const WORDS: f32 = 60_000.0;
const MATTERS: u64 = 4_000;

/// Returns a row about a topic: words with frequencies as in a natural language, some of them
/// specific to the topic.
fn made_up(at: u64) -> Row {
    let mut dice = Seeded::new(at);
    let matter = dice.number() % MATTERS;
    let word = |dice: &mut Seeded| {
        let rank = (WORDS.powf(dice.fraction()) - 1.0) as u64;
        let own = dice.number().is_multiple_of(3);
        if own { spelled(mixed(matter * 64 + rank % 64) % WORDS as u64) } else { spelled(rank) }
    };
    let words: Vec<String> = (0..6 + dice.number() % 16).map(|_| word(&mut dice)).collect();
    let mut centre = Seeded::new(!matter);
    let mut vector: Vec<f32> = (0..DIMENSIONS).map(|_| centre.bell() + 1.2 * dice.bell()).collect();
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    vector.iter_mut().for_each(|value| *value /= length);
    Row { text: words.join(" "), vector }
}

/// Returns a distinct word for each number.
fn spelled(mut number: u64) -> String {
    let mut word = String::new();
    loop {
        word.push(char::from(b"bdfgklmnprtvz"[(number % 13) as usize]));
        word.push(char::from(b"aiou"[(number / 13 % 4) as usize]));
        number /= 52;
        if number == 0 {
            return word;
        }
    }
}
