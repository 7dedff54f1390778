//! The inputs of every engine: conversations with questions, and texts, vectors and questions for
//! the scales. The programs of the peers read files, so that no data passes through a pipe during a
//! measurement.

use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use loci_embed::MiniLm;
use serde_json::json;

use crate::dev_set::{self, Conversation};
use crate::texts;

const MADE_UP_BYTES: usize = 100;
/// The number of texts per call of the model, if no vectors are given.
const AT_ONCE: usize = 64;

/// A set and its file for the peers.
#[derive(Debug)]
pub(super) struct Set {
    pub(super) path: PathBuf,
    pub(super) conversations: Vec<Conversation>,
    /// `{records: [{id, session, text}], questions: [text]}`, one line per conversation.
    pub(super) work: PathBuf,
}

/// Texts, their vectors and the questions of the scales.
#[derive(Debug)]
pub(super) struct Scales {
    /// JSON strings, one a line.
    pub(super) texts: PathBuf,
    /// Rows of 384 little-endian f32, in the same order.
    pub(super) vectors: PathBuf,
    /// Distinct JSON strings, one a line. The first one warms up.
    pub(super) questions: PathBuf,
}

impl Set {
    /// Reads a set, or its first `conversations`, and writes it for the peers.
    pub(super) fn read(path: &Path, number: usize, conversations: usize, folder: &Path) -> Result<Set> {
        let mut read = dev_set::read(path)?;
        read.truncate(conversations);
        let work = folder.join(format!("set-{number}.jsonl"));
        let mut file = BufWriter::new(std::fs::File::create(&work)?);
        for conversation in &read {
            let sent = conversation.sent()?;
            let records: Vec<_> = conversation
                .turns
                .iter()
                .zip(&sent)
                .map(|(turn, sent)| json!({"id": turn.id, "session": turn.session, "text": sent.text}))
                .collect();
            let questions: Vec<_> = conversation.questions.iter().map(|question| &question.text).collect();
            writeln!(file, "{}", json!({"records": records, "questions": questions}))?;
        }
        file.flush()?;
        Ok(Set { path: path.to_owned(), conversations: read, work })
    }

    /// Returns its name for reports: the name of the file.
    pub(super) fn name(&self) -> String {
        self.path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
    }
}

impl Scales {
    /// Uses the given files, or generates them. Questions are further texts of the given file, or
    /// generated questions.
    pub(super) fn prepare(
        texts: Option<&Path>,
        vectors: Option<&Path>,
        records: usize,
        questions: usize,
        folder: &Path,
    ) -> Result<Scales> {
        let made_up = folder.join("texts.jsonl");
        let asked = folder.join("questions.jsonl");
        let mut file = BufWriter::new(std::fs::File::create(&asked)?);
        if let Some(path) = texts {
            let after = first_lines(path, records + questions + 1)?.split_off(records);
            after.iter().try_for_each(|line| writeln!(file, "{line}"))?;
        } else {
            let mut texts_file = BufWriter::new(std::fs::File::create(&made_up)?);
            for number in 0..records as u64 {
                writeln!(texts_file, "{}", json!(texts::talk(number, MADE_UP_BYTES)))?;
            }
            texts_file.flush()?;
            (0..=questions as u64).try_for_each(|at| writeln!(file, "{}", json!(texts::question(at))))?;
        }
        file.flush()?;
        let texts = texts.map_or(made_up, Path::to_owned);
        let vectors = match vectors {
            Some(path) => path.to_owned(),
            None => make_vectors(&texts, records, &folder.join("vectors.f32"))?,
        };
        let needed = (records * MiniLm::new().dimensions() * 4) as u64;
        let there =
            std::fs::metadata(&vectors).with_context(|| format!("reading {}", vectors.display()))?.len();
        ensure!(there >= needed, "{} has {there} bytes, {records} rows need {needed}", vectors.display());
        Ok(Scales { texts, vectors, questions: asked })
    }
}

/// Returns the first lines of a file, and fails if it has fewer.
pub(super) fn first_lines(path: &Path, count: usize) -> Result<Vec<String>> {
    let file = std::fs::File::open(path).with_context(|| format!("reading {}", path.display()))?;
    let lines: Vec<String> = BufReader::new(file).lines().take(count).collect::<std::io::Result<_>>()?;
    ensure!(lines.len() == count, "{} has {} lines, {count} are needed", path.display(), lines.len());
    Ok(lines)
}

fn make_vectors(texts: &Path, records: usize, path: &Path) -> Result<PathBuf> {
    eprintln!("making {records} vectors, since no --vectors are given");
    let model = MiniLm::new();
    let mut file = BufWriter::new(std::fs::File::create(path)?);
    for lines in first_lines(texts, records)?.chunks(AT_ONCE) {
        let texts: Vec<String> =
            lines.iter().map(|line| serde_json::from_str(line)).collect::<serde_json::Result<_>>()?;
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        for value in model.embed(&texts).into_iter().flatten() {
            file.write_all(&value.to_le_bytes())?;
        }
    }
    file.flush()?;
    Ok(path.to_owned())
}
