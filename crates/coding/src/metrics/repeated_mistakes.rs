//! Repeated mistakes: reviewers' comments that match a rule that was in force before the task
//! began. They are compared by vectors if an embedding model is configured, else by words.

use std::collections::BTreeSet;

use loci_api::coding::metrics::RepeatedMistakes;
use loci_model::{RecordId, Result};
use loci_text::similarity::jaccard;
use loci_text::terms;

use super::metric_inputs::MetricsData;
use crate::Coding;

/// The minimum cosine of texts that match.
const COSINE_MIN: f32 = 0.85;
/// The minimum word overlap of texts that match, without vectors.
const LEXICAL_MIN: f32 = 0.6;

/// The method by which texts were compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ComparedBy {
    /// By vectors.
    Vectors,
    /// By words.
    Words,
}

impl ComparedBy {
    /// Returns the name that the API uses for this value.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Vectors => "vectors",
            Self::Words => "words",
        }
    }
}

/// The compared features of texts.
enum Marks {
    Vectors { comments: Vec<Vec<f32>>, rules: Vec<Vec<f32>> },
    Words { comments: Vec<Vec<String>>, rules: Vec<Vec<String>> },
}

impl Marks {
    fn alike(&self, comment: usize, rule: usize) -> bool {
        match self {
            Self::Vectors { comments, rules } => {
                let pair = comments.get(comment).zip(rules.get(rule));
                // The vectors have length one, so the dot product is the cosine.
                pair.is_some_and(|(a, b)| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>() >= COSINE_MIN)
            }
            Self::Words { comments, rules } => {
                let pair = comments.get(comment).zip(rules.get(rule));
                pair.is_some_and(|(a, b)| jaccard(a, b) >= LEXICAL_MIN)
            }
        }
    }
}

impl Coding {
    /// Returns the repeated mistakes of each task, in their order.
    pub(super) async fn repeated(
        &self,
        gathered: &MetricsData,
    ) -> Result<(Vec<RepeatedMistakes>, ComparedBy)> {
        let comments: Vec<String> =
            gathered.tasks.iter().flat_map(|one| one.comments.iter().cloned()).collect();
        let rules: Vec<String> = gathered.rules.iter().map(|rule| rule.record.text.clone()).collect();
        let by = if self.engine.embedder().is_some() { ComparedBy::Vectors } else { ComparedBy::Words };
        if comments.is_empty() || rules.is_empty() {
            return Ok((vec![RepeatedMistakes::default(); gathered.tasks.len()], by));
        }
        let marks = match self.engine.embedder() {
            Some(embedder) => Marks::Vectors {
                comments: embedder.embed(comments).await?,
                rules: embedder.embed(rules).await?,
            },
            None => Marks::Words {
                comments: comments.iter().map(|text| terms(text)).collect(),
                rules: rules.iter().map(|text| terms(text)).collect(),
            },
        };
        Ok((counted(gathered, &marks), by))
    }
}

fn counted(gathered: &MetricsData, marks: &Marks) -> Vec<RepeatedMistakes> {
    let mut next = 0;
    let mut all = Vec::with_capacity(gathered.tasks.len());
    for one in &gathered.tasks {
        let mut repeated = RepeatedMistakes::default();
        // A rule counts as shown if any task of the pull request was shown it.
        let pr = one.outcome.as_ref().and_then(|outcome| outcome.facts.pr);
        let together = gathered.tasks.iter().filter(|other| {
            pr.is_some() && other.outcome.as_ref().and_then(|outcome| outcome.facts.pr) == pr
        });
        let shown: BTreeSet<&RecordId> = match one.comments.is_empty() {
            true => BTreeSet::new(),
            false => together.flat_map(|other| &other.shown).collect(),
        };
        for _ in &one.comments {
            let rules = gathered.rules.iter().enumerate();
            let said: Vec<&RecordId> = rules
                .filter(|(place, rule)| rule.was_active(one.task.created_at) && marks.alike(next, *place))
                .map(|(_, rule)| &rule.record.id)
                .collect();
            next += 1;
            if said.iter().any(|id| shown.contains(id)) {
                repeated.exposed += 1;
            } else if !said.is_empty() {
                repeated.not_exposed += 1;
            }
        }
        all.push(repeated);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a98_alike_from_the_thresholds_on() {
        let vectors = |cosine: f32| {
            let rule = vec![1.0, 0.0];
            Marks::Vectors { comments: vec![vec![cosine, (1.0 - cosine * cosine).sqrt()]], rules: vec![rule] }
        };
        let words = |shared: usize, alone: usize| {
            let all: Vec<String> = (0..shared + alone).map(|number| format!("w{number}")).collect();
            Marks::Words { comments: vec![all[..shared].to_vec()], rules: vec![all] }
        };
        for (marks, expect) in [
            (vectors(1.0), true),
            (vectors(0.85), true),
            (vectors(0.849), false),
            (vectors(0.0), false),
            (words(6, 4), true),
            (words(59, 41), false),
        ] {
            assert_eq!(marks.alike(0, 0), expect);
        }
        assert!(!vectors(1.0).alike(1, 0), "there is no such comment");
    }
}
