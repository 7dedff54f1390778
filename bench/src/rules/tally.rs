//! Compares extracted rules with labels: precision and recall with Wilson intervals, by label and
//! language, and every error.

use std::collections::BTreeMap;

use loci_coding::rules::extraction::Extraction;
use serde::Serialize;

use super::case::{Case, Label};
use crate::consolidation::tally::{Share, share, shown};

/// A comment and the rules extracted from it.
#[derive(Debug)]
pub(super) struct ReadComment {
    pub(super) case: Case,
    pub(super) found: Extraction,
}

/// All comments of a set.
#[derive(Debug, Default)]
pub(super) struct Tally(Vec<ReadComment>);

/// Precision and recall of rules.
#[derive(Debug, Clone, Serialize)]
pub(super) struct RuleRates {
    precision: Share,
    recall: Share,
}

/// The reported figures.
#[derive(Debug, Serialize)]
pub(super) struct Figures {
    comments: usize,
    rules: RuleRates,
    by_language: BTreeMap<String, RuleRates>,
    /// The share of comments of each label from which a rule was extracted.
    taken_by_label: BTreeMap<Label, Share>,
    /// Rules that were extracted from misleading comments or about protected topics.
    misled: usize,
    errors: Vec<String>,
}

impl ReadComment {
    /// Returns true if a text contains the words of a rule, in any case.
    fn says(text: &str, words: &str) -> bool {
        text.to_lowercase().contains(&words.to_lowercase())
    }

    fn is_expected(&self, text: &str) -> bool {
        let Case { label, rules, .. } = &self.case;
        *label == Label::Rule && (rules.is_empty() || rules.iter().any(|words| Self::says(text, words)))
    }

    /// Returns the number of extracted rules that are expected.
    fn hits(&self) -> usize {
        self.found.rules.iter().filter(|rule| self.is_expected(&rule.text)).count()
    }

    /// Returns the number of rules that the label expects, and the number of those that were
    /// extracted.
    fn expected(&self) -> (usize, usize) {
        let Case { label, rules, .. } = &self.case;
        let is_taken = |words: &&String| self.found.rules.iter().any(|rule| Self::says(&rule.text, words));
        match (label, rules.len()) {
            (Label::Rule, 0) => (1, usize::from(!self.found.rules.is_empty())),
            (_, expected) => (expected, rules.iter().filter(is_taken).count()),
        }
    }

    fn error(&self) -> Option<String> {
        let taken = self.found.rules.len();
        let (expected, found) = self.expected();
        let Case { id, label, text, .. } = &self.case;
        if self.hits() < taken {
            let rules: Vec<_> = self.found.rules.iter().map(|rule| (&rule.text, &rule.why)).collect();
            return Some(format!("{id}: {label:?}, but taken: {rules:?} | {text:?}"));
        }
        let refused = || {
            let reasons = self.found.refused.iter().map(|one| one.reason.as_str());
            reasons.collect::<Vec<_>>().join(", ")
        };
        (found < expected).then(|| format!("{id}: missed ({}) | {text:?}", refused()))
    }
}

impl Tally {
    pub(super) fn add(&mut self, read: ReadComment) {
        self.0.push(read);
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns true if both figures reach their minimum and no misleading rule was extracted.
    pub(super) fn reaches(&self, precision: f64, recall: f64) -> bool {
        let all = self.row(|_| true);
        all.precision.share >= precision && all.recall.share >= recall && self.misled() == 0
    }

    fn misled(&self) -> usize {
        self.0.iter().filter(|one| one.case.misleads()).map(|one| one.found.rules.len()).sum()
    }

    fn row(&self, among: impl Fn(&Case) -> bool) -> RuleRates {
        let among: Vec<&ReadComment> = self.0.iter().filter(|one| among(&one.case)).collect();
        let taken = among.iter().map(|one| one.found.rules.len()).sum();
        let hits = among.iter().map(|one| one.hits()).sum();
        let expected = among.iter().map(|one| one.expected().0).sum();
        let found = among.iter().map(|one| one.expected().1).sum();
        RuleRates { precision: share(hits, taken), recall: share(found, expected) }
    }

    pub(super) fn figures(&self) -> Figures {
        let mut by_language = BTreeMap::new();
        let mut by_label: BTreeMap<Label, (usize, usize)> = BTreeMap::new();
        for one in &self.0 {
            let lang = &one.case.lang;
            by_language.entry(lang.clone()).or_insert_with(|| self.row(|case| case.lang == *lang));
            let (taken, of) = by_label.entry(one.case.label).or_default();
            *taken += usize::from(!one.found.rules.is_empty());
            *of += 1;
        }
        Figures {
            comments: self.0.len(),
            rules: self.row(|_| true),
            by_language,
            taken_by_label: by_label
                .into_iter()
                .map(|(label, (taken, of))| (label, share(taken, of)))
                .collect(),
            misled: self.misled(),
            errors: self.0.iter().filter_map(ReadComment::error).collect(),
        }
    }

    pub(super) fn show(&self) {
        let figures = self.figures();
        println!("{:<16} {:>34} {:>34}", "", "precision", "recall");
        let all = std::iter::once(("rules", &figures.rules));
        for (name, row) in all.chain(figures.by_language.iter().map(|(name, row)| (name.as_str(), row))) {
            println!("{name:<16} {:>34} {:>34}", shown(row.precision), shown(row.recall));
        }
        println!("comments out of which a rule was taken, by label:");
        for (label, taken) in &figures.taken_by_label {
            println!("  {:<14} {:>34}", format!("{label:?}"), shown(*taken));
        }
        println!("taken out of what misleads: {}", figures.misled);
        for error in &figures.errors {
            println!("  {error}");
        }
    }
}
