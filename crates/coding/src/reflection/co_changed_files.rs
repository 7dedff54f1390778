//! Files that usually change with those of tasks, if reviewers named them: from the co-change graph
//! and from comments. The module only reads; a generator draws the conclusions.

use std::collections::{BTreeMap, BTreeSet};

use loci_model::Result;
use loci_model::facts::repository::Repository;
use loci_model::ports::store::ReadTx;
use loci_model::principal::Principal;
use loci_model::tasks::review::Review;

use super::evidence::{CoChangedFiles, EndedTask, is_named_by};
use crate::Coding;
use crate::code_graph::co_change::{FILES_MAX, Scene, often_beside};
use crate::rules::ReviewerStatement;

/// Characters that surround a path in prose.
const AROUND: &[char] = &[
    '`', '"', '\'', '(', ')', '[', ']', '<', '>', '{', '}', '*', ',', ';', ':', '!', '?', '“', '”', '’', '|',
];

/// Returns the files that reviewers name: those whose lines they comment on, and words of their
/// comments that look like files.
pub(super) fn named(reviews: &[Review], heard: &[ReviewerStatement<'_>]) -> BTreeSet<String> {
    let is_heard = |text: &str| heard.iter().any(|heard| heard.text == text);
    let comments = reviews.iter().flat_map(|review| &review.comments);
    let commented = comments.filter(|comment| is_heard(&comment.body)).filter_map(|one| one.path.clone());
    let words = heard.iter().flat_map(|heard| heard.text.split(char::is_whitespace));
    let words = words.filter_map(|word| {
        let word = word.trim_start_matches(AROUND).trim_start_matches("./");
        let word = word.trim_end_matches(|end| end == '.' || AROUND.contains(&end));
        let is_file = word.contains('.') && word.chars().any(char::is_alphabetic) && !word.contains("://");
        is_file.then(|| word.to_owned())
    });
    commented.chain(words).collect()
}

impl Coding {
    /// Returns the files that usually change with those of tasks and that a reviewer of one of them
    /// named. Tasks with too many files are left out. A repository whose settings disable the graph
    /// has none.
    pub(super) fn together(
        &self,
        tx: &dyn ReadTx,
        repository: &Repository,
        works: &[EndedTask],
    ) -> Result<Vec<CoChangedFiles>> {
        let names: BTreeSet<&String> = works.iter().flat_map(|work| &work.named).collect();
        if names.is_empty() || repository.settings.tiers.graph == Some(false) {
            return Ok(Vec::new());
        }
        let reviewed = works.iter().filter(|work| work.is_reviewed && work.files.len() <= FILES_MAX);
        let files: BTreeSet<&String> = reviewed.flat_map(|work| &work.files).collect();
        let answer = |scene: &Scene<'_>| {
            let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
            for file in &files {
                let beside = often_beside(scene, file).into_iter();
                for path in beside.filter(|path| names.iter().any(|name| is_named_by(path, name))) {
                    found.entry(path).or_default().insert((*file).clone());
                }
            }
            Ok(found.into_iter().map(|(path, because)| CoChangedFiles { path, because }).collect())
        };
        Ok(self.ask_graph_of(tx, &Principal::engine(), repository, &answer)?.0)
    }
}

#[cfg(test)]
mod tests {
    use loci_model::Timestamp;

    use super::*;

    #[test]
    fn files_in_what_is_said() {
        let check = |said: &str, expect: &[&str]| {
            let heard = [ReviewerStatement { text: said, at: Timestamp::EPOCH }];
            let found = named(&[], &heard);
            assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), expect, "{said}");
        };
        check("Please update `openapi.yaml`, too.", &["openapi.yaml"]);
        check("See (./docs/api.md).", &["docs/api.md"]);
        check("Update docs/api.md and **openapi.yaml**!", &["docs/api.md", "openapi.yaml"]);
        check("Nothing here. Not even 1.5 of it…", &[]);
        check("See https://example.org/a.html", &[]);
    }
}
