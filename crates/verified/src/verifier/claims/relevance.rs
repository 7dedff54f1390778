//! The support that true claims give to a statement: their own words and the lines they match. The
//! presence or absence of a path supports no statement, and a pattern without a word matches
//! anything.

use loci_model::facts::claim::Claim;
use loci_model::facts::verdict::CitationVerdict;

use super::pattern::ClaimPattern;
use crate::verifier::anchors::grounding::grounded;
use crate::verifier::lines::words::info;
use crate::verifier::session::verifier::Verifier;
use crate::verifier::statements::support::code_of;

impl Verifier<'_> {
    /// Returns the words of true claims that contain a name, a value or a distinctive word of the
    /// statement, with the lines that they match. A negative statement is supported only by claims
    /// of absence.
    pub(in super::super) fn relevant_words(
        &self,
        statement: &str,
        is_denial: bool,
        claims: &[Claim],
        citations: &[CitationVerdict],
    ) -> Vec<String> {
        let is_apt = |claim: &&Claim| matches!(claim, Claim::Absent { .. }) == is_denial;
        let texts = claims.iter().filter(is_apt).filter_map(|claim| {
            let texts: Vec<String> =
                std::iter::once(own_words(claim)?).chain(self.matched_lines(claim, citations)?).collect();
            let is_word =
                |token: &String| !token.starts_with(|c: char| c.is_ascii_digit()) || token.len() > 1;
            grounded(statement, texts.iter().map(String::as_str)).iter().any(is_word).then_some(texts)
        });
        texts.flatten().collect()
    }

    /// Returns the cited lines that a claim about citations matches; `None` if it matches comments
    /// alone.
    fn matched_lines(&self, claim: &Claim, citations: &[CitationVerdict]) -> Option<Vec<String>> {
        let code = |index: usize| -> Option<String> {
            let citation = citations.get(index);
            let text = self.block_text(citation).ok()?;
            Some(code_of(&citation?.found.as_ref()?.path, text.lines()).join("\n"))
        };
        let matching = |index: usize, regex: &str| -> Option<Vec<String>> {
            let (pattern, code) = (ClaimPattern::parse(regex)?, code(index)?);
            let regex = pattern.within(&code)?;
            let lines = || code.lines().filter(|line| regex.is_match(line)).map(str::to_owned).collect();
            regex.is_match(&code).then(lines)
        };
        match claim {
            Claim::Contains { citation, literal } => {
                let code = code(*citation)?;
                let lines = code.lines().filter(|line| line.contains(literal.as_str())).map(str::to_owned);
                code.contains(literal.as_str()).then(|| lines.collect())
            }
            Claim::Matches { citation, regex } | Claim::Equals { citation, regex, .. } => {
                matching(*citation, regex)
            }
            Claim::SameCapture { citations, regexes } => {
                let of =
                    |(nth, index): (usize, &usize)| matching(*index, regexes.get(nth).or(regexes.first())?);
                let found: Option<Vec<Vec<String>>> = citations.iter().enumerate().map(of).collect();
                found.map(|lines| lines.concat())
            }
            Claim::Absent { .. }
            | Claim::EveryFile { .. }
            | Claim::PathExists { .. }
            | Claim::PathAbsent { .. }
            | Claim::SymbolDefined { .. }
            | Claim::ConfigValue { .. } => Some(Vec::new()),
        }
    }
}

/// Returns the words of a claim; `None` for a claim about the presence of a path, or one without a
/// word.
fn own_words(claim: &Claim) -> Option<String> {
    let own = match claim {
        Claim::Contains { literal, .. } => literal.clone(),
        Claim::Matches { regex, .. } | Claim::Absent { regex, .. } | Claim::EveryFile { regex, .. } => {
            plain_words(regex)
        }
        Claim::Equals { regex, literal, .. } => format!("{} {literal}", plain_words(regex)),
        Claim::SameCapture { regexes, .. } => plain_words(&regexes.join(" ")),
        Claim::SymbolDefined { name, .. } => name.clone(),
        Claim::ConfigValue { pointer, literal, .. } => format!("{} {literal}", pointer.replace('/', " ")),
        Claim::PathExists { .. } | Claim::PathAbsent { .. } => return None,
    };
    (info(&own) > 0 || own.chars().any(|c| c.is_ascii_digit())).then_some(own)
}

/// Returns a pattern without its classes and escapes.
fn plain_words(regex: &str) -> String {
    let mut words = String::with_capacity(regex.len());
    let mut chars = regex.chars();
    let mut in_class = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                let escaped = chars.next().unwrap_or(' ');
                words.push(if escaped.is_alphanumeric() || in_class { ' ' } else { escaped });
            }
            '[' => in_class = true,
            ']' => in_class = false,
            _ if in_class => {}
            _ => words.push(c),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_and_paths_without_a_word_say_nothing() {
        let matches = |regex: &str| Claim::Matches { citation: 0, regex: regex.to_owned() };
        for (claim, expect) in [
            (matches("."), None),
            (matches(r"\w+\s[a-zA-Z]"), None),
            (matches(r"\bMAX_ITEMS\s*=\s*50"), Some("MAX_ITEMS *= *50")),
            (Claim::Contains { citation: 0, literal: "M".to_owned() }, None),
            (Claim::PathExists { path: "src/cart.rs".to_owned() }, None),
            (Claim::PathAbsent { path: "src/cart.rs".to_owned() }, None),
        ] {
            let flat = |words: String| words.split_whitespace().collect::<Vec<_>>().join(" ");
            let words = own_words(&claim).map(flat);
            assert_eq!(words.as_deref(), expect, "{claim:?}");
        }
    }
}
