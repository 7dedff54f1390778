//! The support of a statement by cited code, independent of the code's verdict. Deterministic: it
//! uses declared claims, and the names and values of the statement in the cited lines and the
//! definitions around them. It judges no meaning, and a doubtful result is `not_checked`.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::ops::Range;

use loci_engine::admin::erasure::without_pseudonyms;
use loci_engine::safety::{RedactionMode, secrets::redact};
use loci_model::facts::citation::{Citation, LineRange};
use loci_model::facts::claim::Claim;
use loci_model::facts::support::{OtherValue, Support, SupportReason, SupportReport};
use loci_model::facts::verdict::{CitationVerdict, Method, Verdict, Verification};

use super::literal::{Literal, number_of};
use super::stated_values::{BoundInCode, CodeBindings, StatedValues, is_name};
use super::stated_versions::StatedVersion;
use super::stated_words::BareWord;
use super::statement::{SearchedPart, Statement};
use super::support_cache::{CitedBasis, SupportBasis};
use crate::verifier::anchors::grounding::{grounded, numbers};
use crate::verifier::code_structure::code_text::CodeText;
use crate::verifier::code_structure::definitions::enclosing_lines;
use crate::verifier::code_structure::name_positions::LookupBudget;
use crate::verifier::lines::words::words;
use crate::verifier::session::verifier::Verifier;

/// The number of lines on each side of a changed block that are read too, as for claims.
const DRIFTED_MARGIN_LINES: u32 = 3;
/// The shortest quoted text that is specific without a name or number, in characters.
const QUOTE_CHARS_MIN: usize = 3;

/// The lines of one citation, without comments.
struct CitedLines {
    place: LineRange,
    lines: Vec<String>,
}

impl CitedLines {
    fn each(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().map(String::as_str)
    }
}

/// The cited lines, and the values that they bind to names.
struct ReadCode<'a> {
    cited: &'a [CitedLines],
    code: &'a CodeBindings<'a>,
    budget: &'a LookupBudget,
}

/// The parts to search for.
struct SupportQuery<'a> {
    statement: &'a str,
    said: &'a Statement,
    stated: &'a StatedValues,
    /// The words of true claims that are relevant to the statement, and the lines they match.
    claimed: Vec<String>,
}

impl Verifier<'_> {
    /// Returns the support of the cited code for a statement, based on the states of citations and
    /// claims. A cached report is used if there is one.
    pub fn support(
        &self,
        statement: &str,
        citations: &[Citation],
        claims: &[Claim],
        verification: &Verification,
    ) -> SupportReport {
        // The name of a person is not a name of code, and a pseudonym is not a number.
        let statement = without_pseudonyms(statement);
        let cited = citations.iter().zip(&verification.citations).map(|(citation, verdict)| {
            CitedBasis::of(citation, verdict, verdict.blob.is_some_and(|blob| self.is_readable(blob)))
        });
        let basis = SupportBasis {
            scope: &self.scope,
            statement: statement.as_ref(),
            claims,
            holds: verification.claims.iter().map(|claim| claim.holds).collect(),
            cited: cited.collect(),
        };
        let failed_reads = self.failed_reads.get();
        self.cache.supports.get(
            &basis,
            || self.judged(statement.as_ref(), citations, claims, verification),
            || self.failed_reads.get() == failed_reads,
        )
    }

    /// Computes the support now.
    fn judged(
        &self,
        statement: &str,
        citations: &[Citation],
        claims: &[Claim],
        verification: &Verification,
    ) -> SupportReport {
        let outcomes = &verification.claims;
        if outcomes.iter().any(|claim| claim.holds == Some(false)) {
            return SupportReport::new(Support::Contradicted, SupportReason::ClaimFalse);
        }
        let checked: Vec<(&Citation, &CitationVerdict)> =
            citations.iter().zip(&verification.citations).collect();
        let cited: Vec<CitedLines> =
            checked.iter().filter_map(|(citation, verdict)| self.cited_lines(citation, verdict)).collect();
        if cited.is_empty() {
            return SupportReport::new(Support::NotChecked, SupportReason::Unread);
        }
        let said = Statement::of(statement);
        let stated = StatedValues::of(statement);
        if stated.is_cut {
            return SupportReport::new(Support::NotChecked, SupportReason::TooMuch);
        }
        let budget = LookupBudget::default();
        let lines = cited.iter().flat_map(CitedLines::each);
        let code = CodeBindings::of(lines, &budget);
        let read = ReadCode { cited: &cited, code: &code, budget: &budget };
        let mut other_values = read.other_values(&said, &stated);
        if stated.is_of_now() {
            other_values.extend(read.other_words(statement, &said));
        }
        other_values.extend(read.other_versions(statement, &said));
        if !other_values.is_empty() {
            let report = SupportReport::new(Support::Contradicted, SupportReason::OtherValue);
            return SupportReport { other_values, ..report };
        }
        let is_claimed = !outcomes.is_empty() && outcomes.iter().all(|claim| claim.holds == Some(true));
        let claimed = match is_claimed {
            true => self.relevant_words(statement, stated.denies(), claims, &verification.citations),
            false => Vec::new(),
        };
        self.by_names(&SupportQuery { statement, said: &said, stated: &stated, claimed }, &checked, &read)
    }

    /// Checks that every name and value of a statement occurs in the cited lines, the definition
    /// around them or true claims, and each value with its name.
    fn by_names(
        &self,
        asked: &SupportQuery<'_>,
        checked: &[(&Citation, &CitationVerdict)],
        read: &ReadCode<'_>,
    ) -> SupportReport {
        let SupportQuery { statement, said, stated, claimed } = asked;
        if said.is_empty() && !said.is_cut && claimed.is_empty() {
            return SupportReport::new(Support::NotChecked, SupportReason::NothingToFind);
        }
        let lines = || read.cited.iter().flat_map(CitedLines::each);
        let mut held = LineWords::of(lines().chain(claimed.iter().map(String::as_str)));
        let around: OnceCell<Vec<String>> = OnceCell::new();
        let around =
            || around.get_or_init(|| checked.iter().flat_map(|(_, one)| self.lines_around(one)).collect());
        if said.wanted().any(|wanted| !held.holds(wanted)) {
            held.add(&around().join(" "));
        }
        let (found, missing): (Vec<SearchedPart<'_>>, _) =
            said.wanted().partition(|wanted| held.holds(*wanted));
        let code_around = OnceCell::new();
        let code_around = || {
            let lines = || around().iter().map(String::as_str);
            code_around.get_or_init(|| CodeBindings::of(lines(), read.budget))
        };
        let bound = |name: &str| read.code.of_name_or(name, || code_around().of_name(name));
        let is_claimed = |token: &str| {
            claimed.iter().any(|text| words(text).chain(numbers(text)).any(|word| word == token))
        };
        let open = || {
            let mut open = stated.open(&bound, &|text| held.text.contains(text), &is_claimed);
            open.extend(
                said.quotes.iter().filter(|quote| !self.is_exact(quote, statement, checked)).cloned(),
            );
            open
        };
        let unshown = || {
            let words = read.budget.distinct(BareWord::all(statement));
            let is_other = |word: &BareWord| is_meant(said, &word.name) && word.differs(&bound(&word.name));
            words.into_iter().filter(is_other).map(|word| word.word).filter(|word| !is_claimed(word))
        };
        let shown = |list: &[SearchedPart<'_>]| list.iter().map(|wanted| wanted.shown()).collect::<Vec<_>>();
        let report = |support, reason, missing| {
            let found = shown(&found);
            SupportReport { found, missing, ..SupportReport::new(support, reason) }
        };
        if !missing.is_empty() {
            return report(Support::NotChecked, SupportReason::NamesMissing, shown(&missing));
        }
        if said.is_cut {
            return report(Support::NotChecked, SupportReason::TooMuch, Vec::new());
        }
        if claimed.is_empty() && !is_specific(&found, statement, lines()) {
            return report(Support::NotChecked, SupportReason::NothingToFind, Vec::new());
        }
        let mut open = open();
        open.extend(unshown());
        if read.budget.is_spent() {
            return report(Support::NotChecked, SupportReason::TooMuch, Vec::new());
        }
        if !open.is_empty() || (stated.denies() && claimed.is_empty()) {
            return report(Support::NotChecked, SupportReason::ValuesOpen, open);
        }
        let reason = if claimed.is_empty() { SupportReason::NamesFound } else { SupportReason::ClaimTrue };
        report(Support::Supported, reason, Vec::new())
    }

    /// Checks that a quoted text with white space occurs in the cited lines with exactly that white
    /// space. Lines that would have to be fetched are not checked.
    fn is_exact(&self, quote: &str, statement: &str, checked: &[(&Citation, &CitationVerdict)]) -> bool {
        if !quote.contains(' ') {
            return true;
        }
        let folded = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let written = statement.split(['"', '“', '”', '«', '»']).find(|part| folded(part) == quote);
        let written = written.unwrap_or(quote).trim();
        let files = checked.iter().filter_map(|(_, verdict)| {
            let (place, blob) = (verdict.found.as_ref()?, verdict.blob?);
            let file = self.is_readable(blob).then(|| self.blob(blob).ok()).flatten()?;
            Some(file.raw(place.line_start, place.line_end).to_owned())
        });
        let texts: Vec<String> = files.collect();
        // A text in none of them occurs in a definition or a claim.
        texts.iter().all(|text| !folded(text).contains(quote))
            || texts.iter().any(|text| text.contains(written))
    }

    /// Returns the lines at the place where a citation was found; `None` if it was not found or
    /// cannot be read. Unchanged lines that are stored need not be read again.
    fn cited_lines(&self, citation: &Citation, verdict: &CitationVerdict) -> Option<CitedLines> {
        let place = verdict.found.clone()?;
        let is_as_kept = verdict.verdict == Verdict::Valid && verdict.method != Method::ByClaims;
        if is_as_kept && !citation.anchor.lines.is_empty() {
            let lines = citation.anchor.lines.iter().map(String::as_str);
            return Some(CitedLines { lines: code_of(&citation.anchor.place.path, lines), place });
        }
        let margin = match verdict.verdict {
            Verdict::Valid if is_as_kept => 0,
            Verdict::Valid | Verdict::Drifted | Verdict::Contradicted => DRIFTED_MARGIN_LINES,
            Verdict::Gone | Verdict::Unverifiable => return None,
        };
        let file = self.blob(verdict.blob?).ok()?;
        let first = place.line_start.saturating_sub(margin).max(1);
        let range = file.between(first, place.line_end.saturating_add(margin));
        let lines = code_of(&place.path, file.lines(range.start, range.end));
        Some(CitedLines { place, lines })
    }

    /// Returns the lines of the definition around a citation; none if they would have to be
    /// fetched.
    fn lines_around(&self, verdict: &CitationVerdict) -> Vec<String> {
        let (Some(place), Some(blob)) = (&verdict.found, verdict.blob) else { return Vec::new() };
        if !self.is_readable(blob) {
            return Vec::new();
        }
        let Ok(file) = self.blob(blob) else { return Vec::new() };
        let cited = file.between(place.line_start, place.line_end);
        let around: Option<Range<usize>> = enclosing_lines(&place.path, &file, cited.start);
        around.map_or_else(Vec::new, |around| code_of(&place.path, file.lines(around.start, around.end)))
    }
}

/// Returns true if the match is more specific than a number that matches by chance.
fn is_specific<'l>(
    found: &[SearchedPart<'_>],
    statement: &str,
    lines: impl Iterator<Item = &'l str>,
) -> bool {
    let is_named = found.iter().any(|wanted| match wanted {
        SearchedPart::Name(_) => true,
        SearchedPart::Quote(quote) => quote.chars().count() >= QUOTE_CHARS_MIN,
        SearchedPart::Number(_) => false,
    });
    // A number belongs to the statement if a word of the statement occurs with it.
    let is_word = |token: &String| !token.starts_with(|c: char| c.is_ascii_digit());
    is_named || grounded(statement, lines).iter().any(is_word)
}

/// Returns lines without comments and documentation.
pub(in crate::verifier) fn code_of<'l>(path: &str, lines: impl Iterator<Item = &'l str>) -> Vec<String> {
    let mut scan = CodeText::of(path);
    lines.map(|line| scan.line(line)).collect()
}

/// Returns true for a name that a statement uses as a name of code.
fn is_meant(said: &Statement, name: &str) -> bool {
    is_name(name) || said.names.iter().any(|one| one == name)
}

/// Returns the place of the first cited lines with a property.
fn place_of(cited: &[CitedLines], holds: impl Fn(&CitedLines) -> bool) -> Option<LineRange> {
    cited.iter().find(|one| holds(one)).map(|one| one.place.clone())
}

impl ReadCode<'_> {
    /// Returns the values that one citation binds to a name.
    fn bound_at(&self, name: &str, one: &CitedLines) -> BoundInCode {
        BoundInCode::of(name, one.each(), self.budget)
    }

    /// Returns the names that the cited lines bind to other literals than the statement gives, and
    /// nowhere to its value or to a non-literal. Also returns the names of which the statement
    /// denies their actual value.
    fn other_values(&self, said: &Statement, stated: &StatedValues) -> Vec<OtherValue> {
        let bound = |name: &str| self.code.of_name(name);
        let mut others: Vec<OtherValue> = Vec::new();
        let mut add = |name: &str, stated: String, value: &Literal| {
            let is_there = |one: &CitedLines| self.bound_at(name, one).values.contains(value);
            let Some(place) = place_of(self.cited, is_there) else { return };
            let (found, _) = redact(value.shown(), RedactionMode::Mask);
            let other = OtherValue { name: name.to_owned(), stated, found, place };
            if !others.contains(&other) {
                others.push(other);
            }
        };
        for binding in &said.bindings {
            let found = bound(&binding.name);
            // A statement with both values may describe the change from one to the other.
            let is_doubtful = found.is_open
                || found
                    .values
                    .iter()
                    .any(|value| !binding.value.differs(value) || stated.states_freely(value, &binding.name));
            if let Some(value) = found.values.first().filter(|_| !is_doubtful) {
                add(&binding.name, binding.value.shown(), value);
            }
        }
        for (name, value) in stated.wrongly_denied(&bound) {
            if is_meant(said, &name) {
                add(&name, format!("{}{}", OtherValue::DENIED, value.shown()), &value);
            }
        }
        others
    }

    /// Returns the names to which the statement explicitly gives a bare word, and the cited lines
    /// only another literal.
    fn other_words(&self, statement: &str, said: &Statement) -> Vec<OtherValue> {
        let words = self.budget.distinct(BareWord::all(statement)).into_iter();
        let words = words.filter(|word| word.is_value && is_meant(said, &word.name));
        let small = statement.to_lowercase();
        let other = |word: BareWord| {
            let value = word.other(&self.code.of_name(&word.name), &small)?;
            // A word is neither a number nor a boolean, so the code may write it in another form.
            let Literal::Text(_) = value else { return None };
            let place = place_of(self.cited, |one| self.bound_at(&word.name, one).values.contains(&value))?;
            let (found, _) = redact(value.shown(), RedactionMode::Mask);
            Some(OtherValue { name: word.name, stated: word.word, found, place })
        };
        words.filter_map(other).collect()
    }

    /// Returns the names to which the statement gives a version, and the cited lines only another
    /// one.
    fn other_versions(&self, statement: &str, said: &Statement) -> Vec<OtherValue> {
        let versions = self.budget.distinct(StatedVersion::all(statement)).into_iter();
        let versions = versions.filter(|one| said.bindings.iter().all(|binding| binding.name != one.name));
        let other = |stated: StatedVersion| {
            let found = stated.other(self.cited.iter().flat_map(CitedLines::each), self.budget)?;
            if statement.contains(&found) {
                return None;
            }
            let holds = |one: &CitedLines| stated.other(one.each(), self.budget).as_ref() == Some(&found);
            let place = place_of(self.cited, holds)?;
            Some(OtherValue { name: stated.name.clone(), stated: stated.version, found, place })
        };
        versions.filter_map(other).collect()
    }
}

/// The words of some lines, as a lookup table.
struct LineWords {
    text: String,
    names: HashSet<String>,
    numbers: HashSet<String>,
}

impl LineWords {
    fn of<'l>(lines: impl Iterator<Item = &'l str>) -> Self {
        let mut held = Self { text: String::new(), names: HashSet::new(), numbers: HashSet::new() };
        held.add(&lines.collect::<Vec<_>>().join(" "));
        held
    }

    fn add(&mut self, text: &str) {
        self.names.extend(words(text).map(str::to_owned));
        self.numbers.extend(numbers(text).filter_map(number_of));
        // A quoted text must occur in one of both, not across them.
        self.text.push('\n');
        self.text.push_str(text);
    }

    fn holds(&self, wanted: SearchedPart<'_>) -> bool {
        match wanted {
            SearchedPart::Name(name) => self.names.contains(name.trim_start_matches('$')),
            SearchedPart::Number(number) => self.numbers.contains(number),
            SearchedPart::Quote(quote) => self.text.contains(quote),
        }
    }
}

/// Scanners of statements and cited lines, for the program that measures their cost.
pub(in crate::verifier) mod scanned {
    use std::hint::black_box;

    use super::*;

    /// Parses the values of a statement.
    pub(in crate::verifier) fn statement(text: &str) {
        let budget = LookupBudget::default();
        black_box((StatedValues::of(text).is_of_now(), Statement::of(text).bindings.len()));
        black_box(
            budget.distinct(BareWord::all(text)).len() + budget.distinct(StatedVersion::all(text)).len(),
        );
    }

    /// Looks up values in the lines of a text.
    pub(in crate::verifier) fn lines(text: &str) {
        let budget = LookupBudget::default();
        let code = CodeBindings::of(text.lines(), &budget);
        black_box(code.of_name("MAX").values.len());
        let stated = StatedVersion { name: "serde".to_owned(), version: "1.0.200".to_owned() };
        black_box(stated.other(text.lines(), &budget));
    }
}
