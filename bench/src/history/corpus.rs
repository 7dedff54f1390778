//! The text files of a tree in an index: one document per file, passages of at most 120 words, and
//! each file as its own session.

use std::collections::{BTreeMap, HashSet};

use anyhow::{Result, anyhow};
use loci_engine::retrieval::ranking;
use loci_index::{IndexPassage, IndexRecord, MemoryIndex, StoredVector};
use loci_model::ports::search::{Candidate, CandidateRequest, CandidateSet, LexicalView, ListLengths};
use loci_model::record::RecordKind;
use loci_model::record::scope::RecordScope;
use loci_model::{MemoryId, RecordId, Timestamp, limits};
use loci_text::{analyse_turn, bm25, question, sections};

use super::git::Repository;
use super::score::Order;
use crate::plain_record::plain_record;
use crate::vectors::{Side, Vectors};

/// The maximum number of words of a passage.
const WORDS_MAX: usize = 120;
/// The clock of the requests, in milliseconds.
const NOW_MS: i64 = 1_795_000_000_000;

/// An indexed tree.
#[derive(Default)]
pub(super) struct Corpus {
    index: MemoryIndex,
    /// The blob and the record of each path. A blob that is not text has no record.
    files: BTreeMap<String, (String, Option<RecordId>)>,
    /// The path of each record, by its number.
    paths: Vec<String>,
    sequence: u64,
}

impl Corpus {
    /// Returns true if a path is a text file of this tree.
    pub(super) fn holds(&self, path: &str) -> bool {
        self.files.get(path).is_some_and(|(_, record)| record.is_some())
    }

    /// Changes this to the tree of a commit. Files that differ are indexed again.
    pub(super) fn move_to(
        &mut self,
        repository: &mut Repository,
        commit: &str,
        mut vectors: Option<&mut Vectors>,
    ) -> Result<()> {
        let tree = repository.tree(commit)?;
        let gone: Vec<String> = self
            .files
            .iter()
            .filter(|(path, (content, _))| tree.get(*path) != Some(content))
            .map(|(path, _)| path.clone())
            .collect();
        for path in gone {
            if let Some((_, Some(record))) = self.files.remove(&path) {
                self.sequence += 1;
                self.index.remove(&record, self.sequence);
            }
        }
        for (path, content) in tree {
            if self.files.contains_key(&path) {
                continue;
            }
            let record = match repository.text(&content)? {
                Some(text) => self.add(&path, &text, vectors.as_deref_mut())?,
                None => None,
            };
            self.files.insert(path, (content, record));
        }
        Ok(())
    }

    /// Indexes a file. Returns `None` if it is empty.
    fn add(&mut self, path: &str, text: &str, vectors: Option<&mut Vectors>) -> Result<Option<RecordId>> {
        let markdown = [".md", ".markdown", ".mdx", ".txt"].iter().any(|end| path.ends_with(end));
        let cut = if markdown { sections::sections } else { sections::passages };
        let sections = cut(text, WORDS_MAX);
        if sections.is_empty() {
            return Ok(None);
        }
        let stored: Vec<Option<StoredVector>> = match vectors {
            None => vec![None; sections.len()],
            Some(vectors) => {
                let texts: Vec<&str> = sections.iter().map(|section| section.text.as_str()).collect();
                vectors.learn(Side::Turn, &texts)?;
                let stored = texts.iter().map(|text| {
                    Ok(Some(StoredVector::quantise(&vectors.of(Side::Turn, text)?, vectors.model_id())))
                });
                stored.collect::<Result<_>>()?
            }
        };
        let passages = sections.iter().zip(stored).enumerate().map(|(part, (section, vector))| {
            IndexPassage { part: part as u32, analysis: analyse_turn(&section.text), vector }
        });
        self.sequence += 1;
        let record = document(self.paths.len(), self.sequence, path, passages.collect())?;
        self.paths.push(path.to_owned());
        let id = record.record.clone();
        self.index.apply(record);
        Ok(Some(id))
    }

    /// Returns a message without the words that name a file of this tree: its path, its name, or
    /// the end of its path.
    pub(super) fn without_file_names(&self, message: &str) -> String {
        let mut names = HashSet::new();
        for path in self.files.keys() {
            let starts = path.match_indices('/').map(|(at, _)| at + 1);
            names.extend(std::iter::once(0).chain(starts).filter_map(|start| path.get(start..)));
        }
        let bare = |word: &str| {
            let other = |c: char| !c.is_alphanumeric() && c != '_';
            // A dot may begin a name, but a name ends only with a letter, a digit or an underscore.
            let trimmed = word.trim_end_matches(other).trim_start_matches(|c| other(c) && c != '.');
            let trimmed = trimmed.strip_prefix("./").unwrap_or(trimmed);
            names.contains(trimmed) || names.contains(trimmed.trim_start_matches('.'))
        };
        message.split_whitespace().filter(|word| !bare(word)).collect::<Vec<_>>().join(" ")
    }

    /// Returns files, best first.
    pub(super) fn rank(
        &self,
        text: &str,
        order: &Order,
        vectors: Option<&mut Vectors>,
    ) -> Result<Vec<String>> {
        let memory = MemoryId::parse("bench-0123456789").map_err(|error| anyhow!("{error}"))?;
        let scope = RecordScope::whole(memory, Timestamp::clamped(NOW_MS));
        let asked = question::parse(text, &self.index.known_names(&scope), Some(scope.now.civil()));
        let vector = match vectors {
            None => None,
            Some(vectors) => Some((vectors.of(Side::Question, &asked.text)?, vectors.model_id().to_owned())),
        };
        let request = |terms: Vec<String>, lists| CandidateRequest {
            scope: scope.clone(),
            terms,
            vector: vector.clone(),
            earlier: None,
            lists,
        };
        let mut terms = ranking::distinct_terms(&asked);
        let counting = Some(ListLengths { window: 0, turn: 0, dense: 0 });
        if terms.len() > limits::QUERY_TERMS_MAX {
            let counted = terms.chunks(limits::QUERY_TERMS_MAX).flat_map(|some| {
                let statistics = self.index.candidates(&request(some.to_vec(), counting)).statistics;
                statistics.df.into_iter().map(move |df| bm25::idf(statistics.turns, df))
            });
            let idf: Vec<f32> = counted.collect();
            terms = ranking::rarest(terms, &idf);
        }
        let set = self.index.candidates(&request(terms.clone(), None));
        let ranked: Vec<&Candidate> = match order {
            Order::Sum(weights) => {
                let ranked = ranking::rank(&asked, &terms, &set, weights);
                ranked.into_iter().map(|ranked| ranked.candidate).collect()
            }
            Order::WholeFile => by_whole_file(&set),
        };
        let mut seen = HashSet::new();
        let mut files = Vec::new();
        for candidate in ranked {
            let number = crate::conversation_index::place(candidate)?;
            if let Some(path) = self.paths.get(number)
                && seen.insert(number)
            {
                files.push(path.clone());
            }
        }
        Ok(files)
    }
}

/// Ranks passages by the BM25 score of their file, best first, and by id for equal scores.
fn by_whole_file(set: &CandidateSet) -> Vec<&Candidate> {
    let (view, statistics) = (LexicalView::Session, &set.statistics);
    let average = statistics.views[view as usize].average_length;
    let idf: Vec<f32> = statistics.df.iter().map(|df| bm25::idf(statistics.turns, *df)).collect();
    let score = |candidate: &Candidate| -> f32 {
        let length = candidate.views.length(view) as f32;
        let terms = candidate.views.tf(view).iter().zip(&idf);
        terms.map(|(tf, idf)| bm25::term_score(bm25::SESSION, *idf, *tf as f32, length, average)).sum()
    };
    let mut scored: Vec<(f32, &Candidate)> =
        set.candidates.iter().map(|candidate| (score(candidate), candidate)).collect();
    // Passages are in order of their ids, and the stable sort keeps that order.
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.into_iter().map(|(_, candidate)| candidate).collect()
}

fn document(number: usize, sequence: u64, path: &str, passages: Vec<IndexPassage>) -> Result<IndexRecord> {
    Ok(IndexRecord {
        sequence,
        kind: RecordKind::Document,
        namespace: "/files/".to_owned(),
        has_time: false,
        path: Some(path.to_owned()),
        passages,
        ..plain_record(number as u64, Timestamp::EPOCH)?
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_taken_out() {
        let mut corpus = Corpus::default();
        for path in ["src/lib.rs", "crates/a/README.md", ".gitignore", "Makefile"] {
            corpus.files.insert(path.to_owned(), (String::new(), None));
        }
        let check = |message: &str, expect: &str| assert_eq!(corpus.without_file_names(message), expect);
        check("fix src/lib.rs: a (README.md)", "fix a");
        check("see a/README.md, ./Makefile and `.gitignore`.", "see and");
        check("lib and src stay\n\nas rs does", "lib and src stay as rs does");
    }

    /// Compares a short file with one occurrence of the word and a longer one with several.
    /// Occurrences are 150 words apart, and passages have 120. A third file is much longer than
    /// both.
    #[test]
    fn the_file_and_its_best_chunk_rank_differently() {
        let word = |at: usize, many: usize| if at.is_multiple_of(many) { "lighthouse" } else { "wall" };
        let text =
            |words: usize, many: usize| (0..words).map(|at| word(at + 1, many)).collect::<Vec<_>>().join(" ");
        let short = ("short.rs", text(5, 5));
        let long = ("long.rs", text(1_200, 150));
        let rest = ("rest.rs", text(6_000, usize::MAX));
        let chunk = {
            let mut weights = loci_engine::retrieval::weights::Weights::shipped().unwrap().clone();
            for (weight, row) in weights.signals.iter_mut().zip(loci_engine::retrieval::signals::SIGNALS) {
                *weight = f64::from(u8::from(row.name == "lex_turn"));
            }
            Order::Sum(Box::new(weights))
        };
        let check = |files: [&(&str, String); 3], order: &Order, expect: [&str; 2]| {
            let mut corpus = Corpus::default();
            for (path, text) in files {
                corpus.add(path, text, None).unwrap().unwrap();
            }
            let found = corpus.rank("Where is the lighthouse?", order, None).unwrap();
            assert_eq!(found[..2], expect);
        };
        // Both orders of ids, to detect files with equal scores.
        for files in [[&short, &long, &rest], [&rest, &long, &short]] {
            check(files, &Order::WholeFile, ["long.rs", "short.rs"]);
            check(files, &chunk, ["short.rs", "long.rs"]);
        }
    }
}
