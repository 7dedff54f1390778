//! Measures if cited lines have enough information to be found again. The store operation uses it
//! as a gate; nothing is rejected here.

use loci_model::facts::claim::Claim;

use super::anchor::MadeAnchor;
use crate::verifier::thresholds::{INFO_STORE_MIN, INFO_WEAK};

/// The information content of cited lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Information {
    /// Enough.
    Enough,
    /// Little: a wider range would be found again more reliably. A warning.
    Low,
    /// Too little: `CITATION_LOW_INFORMATION`.
    TooLow,
}

/// Rates the lines of the citation at `index`. Lines with too little information may be cited for a
/// number or a quoted literal that also occurs in the fact, or in a claim about this citation.
pub fn information(made: &MadeAnchor, index: usize, fact: &str, claims: &[Claim]) -> Information {
    if made.anchor.info >= INFO_WEAK {
        return Information::Enough;
    }
    if made.anchor.info >= INFO_STORE_MIN {
        return Information::Low;
    }
    let claimed = claims.iter().filter(|claim| claim.citations().contains(&index)).flat_map(claim_texts);
    let texts: Vec<&str> = std::iter::once(fact).chain(claimed).collect();
    let is_named = literals(&made.content).any(|literal| texts.iter().any(|text| holds(text, literal)));
    if is_named { Information::Low } else { Information::TooLow }
}

fn claim_texts(claim: &Claim) -> Vec<&str> {
    match claim {
        Claim::Contains { literal, .. } => vec![literal],
        Claim::Matches { regex, .. } => vec![regex],
        Claim::Equals { regex, literal, .. } => vec![regex, literal],
        Claim::SameCapture { regexes, .. } => regexes.iter().map(String::as_str).collect(),
        Claim::Absent { .. }
        | Claim::EveryFile { .. }
        | Claim::PathExists { .. }
        | Claim::PathAbsent { .. }
        | Claim::SymbolDefined { .. }
        | Claim::ConfigValue { .. } => Vec::new(),
    }
}

/// Returns quoted texts and numbers.
fn literals(code: &str) -> impl Iterator<Item = &str> {
    let quoted = ['"', '\'', '`'].into_iter().flat_map(|quote| code.split(quote).skip(1).step_by(2));
    let numbers = code
        .split(|c: char| !c.is_alphanumeric() && !matches!(c, '.' | '_'))
        .map(|part| part.trim_matches(['.', '_']))
        .filter(|part| part.starts_with(|c: char| c.is_ascii_digit()));
    quoted.chain(numbers).filter(|literal| !literal.trim().is_empty())
}

/// Returns true if the text contains the literal, not as part of a longer word or number.
fn holds(text: &str, literal: &str) -> bool {
    text.match_indices(literal).any(|(at, _)| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let mut after = text.get(at + literal.len()..).unwrap_or_default().chars();
        let next = after.next();
        let goes_on = next == Some('.') && after.next().is_some_and(|c| c.is_ascii_digit());
        !before.is_some_and(char::is_alphanumeric) && !next.is_some_and(char::is_alphanumeric) && !goes_on
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_held_whole() {
        for (text, literal, expect) in [
            ("The version is 2.1.5.", "2.1.5", true),
            ("It waits 30 ms", "30", true),
            ("It waits 300 ms", "30", false),
            ("The version is 30.1", "30", false),
            ("The mode is fast", "fast", true),
            ("It is breakfast", "fast", false),
        ] {
            assert_eq!(holds(text, literal), expect, "{text} {literal}");
        }
        assert_eq!(literals("version = \"2.1.5\", x = 30").collect::<Vec<_>>(), ["2.1.5", "2.1.5", "30"]);
    }
}
