//! Questions in the form of training: the value of every signal for every turn of the conversation,
//! the gold turns, and the candidates.

use std::collections::{HashMap, HashSet};

use anyhow::Result;
use loci_engine::retrieval::ranking;
use loci_engine::retrieval::signals::SIGNAL_COUNT;
use loci_model::Timestamp;

use crate::conversation_index::{self, Indexed};
use crate::dev_set::{Conversation, Question};
use crate::recall::{self, GoldRecall};
use crate::vectors::Vectors;

/// One question.
pub(super) struct Example {
    /// The number of the set.
    pub(super) set: usize,
    /// The number of the conversation, over all sets.
    pub(super) conversation: usize,
    /// The category of the question.
    pub(super) category: String,
    /// The values of the signals, one row per turn.
    pub(super) values: Vec<[f32; SIGNAL_COUNT]>,
    /// Rows of the gold.
    pub(super) gold: Vec<usize>,
    /// For each row: true if it is a candidate, and true if it is in one of the lexical lists.
    pub(super) candidate: Vec<(bool, bool)>,
    times: Vec<Timestamp>,
    names: Vec<(String, String)>,
    gold_turns: Vec<String>,
    gold_sessions: Vec<String>,
}

/// The rows that take part in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListedRows {
    /// The union of the three lists.
    All,
    /// The two lexical lists: results without vectors.
    Lexical,
}

impl Example {
    /// Returns true if the question is used for training and counted. Its premise is then not
    /// false.
    pub(super) fn counts(&self) -> bool {
        recall::counts(&self.category)
    }

    /// Creates rows without names or times, all of them candidates.
    #[cfg(test)]
    pub(super) fn bare(set: usize, values: Vec<[f32; SIGNAL_COUNT]>, gold: Vec<usize>) -> Self {
        Self {
            set,
            conversation: 0,
            category: String::new(),
            candidate: vec![(true, true); values.len()],
            values,
            gold,
            times: Vec::new(),
            names: Vec::new(),
            gold_turns: Vec::new(),
            gold_sessions: Vec::new(),
        }
    }

    /// Returns the weighted sum of the values of each row.
    pub(super) fn scores(&self, weights: &[f64; SIGNAL_COUNT]) -> Vec<f64> {
        self.values
            .iter()
            .map(|values| weights.iter().zip(values).map(|(weight, value)| weight * f64::from(*value)).sum())
            .collect()
    }

    /// Returns the recall of the candidates' list, best score first, and newer first for equal
    /// scores.
    pub(super) fn found(&self, scores: &[f64], listed: ListedRows) -> GoldRecall {
        let takes_part = |row: &usize| {
            self.candidate.get(*row).is_some_and(|(all, lexical)| match listed {
                ListedRows::All => *all,
                ListedRows::Lexical => *lexical,
            })
        };
        let mut rows: Vec<usize> = (0..scores.len()).filter(takes_part).collect();
        let score = |row: &usize| scores.get(*row).copied().unwrap_or(f64::NEG_INFINITY);
        rows.sort_by(|a, b| {
            score(b).total_cmp(&score(a)).then_with(|| self.times.get(*b).cmp(&self.times.get(*a)))
        });
        let listed: Vec<_> = rows
            .iter()
            .filter_map(|row| self.names.get(*row))
            .map(|(turn, session)| (turn.as_str(), session.as_str()))
            .collect();
        recall::found(&listed, &self.gold_turns, &self.gold_sessions)
    }

    /// Returns the share of the gold among the candidates.
    pub(super) fn gold_share(&self, listed: ListedRows) -> f64 {
        let found =
            self.gold.iter().filter_map(|row| self.candidate.get(*row)).filter(
                |(all, lexical)| match listed {
                    ListedRows::All => *all,
                    ListedRows::Lexical => *lexical,
                },
            );
        found.count() as f64 / self.gold_turns.len().max(1) as f64
    }
}

/// Returns the questions of one conversation.
pub(super) fn of_conversation(
    (set, number): (usize, usize),
    conversation: &Conversation,
    vectors: &mut Vectors,
    lexical_scale: f32,
    length: usize,
) -> Result<Vec<Example>> {
    let indexed = Indexed::new(&[conversation], Some(vectors))?;
    let example = |question: &Question| {
        let asked = indexed.ask(&question.text, Some(vectors))?;
        let places = |set: &loci_model::ports::search::CandidateSet| {
            set.candidates.iter().map(conversation_index::place).collect::<Result<HashSet<usize>>>()
        };
        let among = places(&indexed.candidates(&asked, length))?;
        let lexical = indexed.ask(&question.text, None)?;
        let lexical = places(&indexed.candidates(&lexical, length))?;
        let everything = indexed.candidates(&asked, indexed.len());
        let competes =
            |candidate: &_| conversation_index::place(candidate).is_ok_and(|place| among.contains(&place));
        let values = ranking::signal_values_among(
            &asked.question,
            &asked.terms,
            &everything,
            lexical_scale,
            &competes,
        );
        let mut rows = HashMap::new();
        let (mut times, mut names, mut candidate) = (Vec::new(), Vec::new(), Vec::new());
        for (row, found) in everything.candidates.iter().enumerate() {
            let (_, turn) = indexed.turn(found)?;
            let place = conversation_index::place(found)?;
            rows.insert(turn.id.as_str(), row);
            times.push(found.time);
            names.push((turn.id.clone(), turn.session.clone()));
            candidate.push((among.contains(&place), lexical.contains(&place)));
        }
        Ok(Example {
            set,
            conversation: number,
            category: question.category.clone(),
            gold: question.gold_turns.iter().filter_map(|turn| rows.get(turn.as_str()).copied()).collect(),
            gold_turns: question.gold_turns.clone(),
            gold_sessions: question.gold_sessions.clone(),
            values,
            candidate,
            times,
            names,
        })
    };
    conversation.questions.iter().map(example).collect()
}
