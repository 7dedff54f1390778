//! The texts of reviewers: sentences that support one rule each, and texts that support none.
//! `loci-bench rules` measures the extraction of rules from real comments.

/// Sentences, none of which contradicts another.
pub(super) const SENTENCES: &[&str] = &[
    "Always sort imports alphabetically in this repo.",
    "Always validate all request input in this codebase.",
    "Always name test files after the module in this repo.",
    "Boolean props should start with `is` or `has`.",
    "We don't use default exports in this codebase.",
    "We always go through `dayjs` for date handling.",
    "Always document every exported function in this repo.",
];
/// Fillers that accompany the sentences.
pub(super) const FILLERS: &[&str] = &[
    "",
    "Thanks, looks good.",
    "This variable should be called `total` here.",
    "Why is this needed?",
    PROTECTED,
];
/// A request for a change that no review may make: it is rejected.
const PROTECTED: &str = "Always skip the CI checks in this repo.";
/// Replies in a thread.
pub(super) const ANSWERS: &[&str] = &[
    "Done in the last commit.",
    "I disagree, this is fine as it is.",
    "Good point.",
    "Won't fix, this is by design.",
];

/// Returns a text of a filler and sentences, each by number.
pub(super) fn text(filler: usize, said: &[usize]) -> String {
    let filler = FILLERS.get(filler).filter(|filler| !filler.is_empty());
    let said = said.iter().filter_map(|number| SENTENCES.get(*number));
    filler.into_iter().chain(said).copied().collect::<Vec<_>>().join("\n\n")
}

#[cfg(test)]
mod tests {
    use loci_coding::rules::extraction::{ReviewText, canonical, extract};

    use super::*;

    fn rules(text: &str) -> Vec<String> {
        let read = extract(&ReviewText::of_comment(1, text.to_owned(), Some("src/page.rs".to_owned())));
        read.rules.into_iter().map(|rule| rule.canonical).collect()
    }

    #[test]
    fn each_sentence_teaches_its_rule_and_nothing_else_does() {
        for (filler, beside) in FILLERS.iter().enumerate() {
            assert_eq!(rules(&text(filler, &[])), [""; 0], "{beside}");
            for (number, sentence) in SENTENCES.iter().enumerate() {
                assert_eq!(
                    rules(&text(filler, &[number])),
                    [canonical(sentence)],
                    "{sentence} beside {beside}"
                );
            }
        }
        for answer in ANSWERS {
            assert_eq!(rules(answer), [""; 0], "{answer}");
        }
        let all: Vec<usize> = (0..SENTENCES.len()).collect();
        assert_eq!(rules(&text(0, &all)).len(), all.len());
    }
}
