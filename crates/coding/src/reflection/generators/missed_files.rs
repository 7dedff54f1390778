//! Files that usually change together, one of which was missed and then requested in review.

use std::collections::BTreeMap;

use super::super::evidence::{CoChangedFiles, EndedTask, TaskEvidence, TaskPattern, is_named_by};

pub(super) fn found(ground: &TaskEvidence) -> Vec<TaskPattern> {
    let counted = |together: &CoChangedFiles| {
        let path = &together.path;
        let touches = |work: &&EndedTask| work.files.iter().any(|file| together.because.contains(file));
        let of = || ground.told().filter(|work| work.is_reviewed).filter(touches);
        let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
        for file in of().flat_map(|work| &work.files).filter(|file| together.because.contains(*file)) {
            *counts.entry(file).or_default() += 1;
        }
        // Ties are resolved by name, the first one wins.
        let because =
            counts.iter().rev().max_by_key(|(_, count)| **count).map_or("", |(file, _)| file.as_str());
        let said = (
            format!("missed/{}", digest(path)),
            format!("{path} usually changes with {because}; it is missed, and reviewers ask for it."),
            format!(
                "missed {path}, which usually changes with what it changed, and was asked for it in review"
            ),
        );
        TaskPattern::counted(said, of(), |work| is_missed(work, path))
    };
    ground.together.iter().map(counted).filter(|found| !found.hits.is_empty()).collect()
}

/// True if a change lacks a file that a reviewer named, by a name that matches no other file of the
/// change.
fn is_missed(work: &EndedTask, path: &str) -> bool {
    let is_other = |name: &String| work.files.iter().any(|file| is_named_by(file, name));
    !work.files.iter().any(|file| file == path)
        && work.named.iter().any(|name| is_named_by(path, name) && !is_other(name))
}

fn digest(path: &str) -> String {
    let digest = hex::encode(<sha2::Sha256 as sha2::Digest>::digest(path));
    digest.get(..16).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{counts, work};
    use super::*;

    #[test]
    fn a72_what_usually_changes_with_it_and_was_missed() {
        let reviewed = |number, files: &[&str], named: &[&str]| EndedTask {
            named: named.iter().map(|name| (*name).to_owned()).collect(),
            is_reviewed: true,
            ..work(number, files)
        };
        let api = "src/api.ts";
        let works = vec![
            reviewed(1, &[api], &["openapi.yaml"]),
            reviewed(2, &[api, "src/routes.ts"], &["docs/openapi.yaml"]),
            // The file was changed, regardless of the comments.
            reviewed(3, &[api, "docs/openapi.yaml"], &["openapi.yaml"]),
            // Another file of the change has this name.
            reviewed(4, &["src/routes.ts", "web/openapi.yaml"], &["openapi.yaml"]),
            // In order: no request; no file that it changes with; no review; no report.
            reviewed(5, &[api], &[]),
            reviewed(6, &["README.md"], &["openapi.yaml"]),
            work(7, &[api]),
            EndedTask { is_minimal: true, ..reviewed(8, &[api], &["openapi.yaml"]) },
        ];
        let because = [api, "src/routes.ts"].map(str::to_owned).into();
        let together = vec![CoChangedFiles { path: "docs/openapi.yaml".to_owned(), because }];
        let found = found(&TaskEvidence { works: works.clone(), together, ..TaskEvidence::default() });
        let key = format!("missed/{}", digest("docs/openapi.yaml"));
        assert_eq!(counts(&found), [(key.as_str(), 2, 5)]);
        let text =
            "docs/openapi.yaml usually changes with src/api.ts; it is missed, and reviewers ask for it.";
        assert_eq!(found[0].text, text);
        let rare = vec![CoChangedFiles { path: "LICENSE".to_owned(), because: [api.to_owned()].into() }];
        assert!(super::found(&TaskEvidence { works, together: rare, ..TaskEvidence::default() }).is_empty());
    }
}
