//! The relation of a new statement to an existing one: duplicate, superseding, or coexisting. Rules
//! alone decide, with the same result every time. Cases that they leave open are
//! [`Relation::Unclear`]: without a model, both statements stay.
//!
//! Pure. `decide` derives the decision from a relation.

use loci_model::Timestamp;
use loci_model::record::statement_time::StatementTime;
use loci_model::record::{RecordKind, TrustTier};

use super::Alike;
use super::comparison::choice;
use super::comparison::compare::{Against, Met, compare, is_wording, residue};
use super::comparison::gist::{ContentWord, Gist};
use super::comparison::guards::other_direction;
use super::comparison::paraphrase::retells;
use super::comparison::scope::{ScopeRelation, lie};
use super::comparison::value_change::{tells, turns};
use super::comparison::word_pairs::WordPairs;
use super::statement_parser::lists::has;
use super::statement_parser::verbs::is_personal;
use super::statement_parser::{Clause, Hold, ParsedStatement, StatedChange, Word};
use super::thresholds::Thresholds;

/// A statement, with the properties of its record that decide how it relates to other statements.
#[derive(Debug, Clone, Copy)]
pub struct Statement<'a> {
    /// The text of the statement.
    pub text: &'a str,
    /// The kind of its record.
    pub kind: RecordKind,
    /// The part of a codebase or system to which the statement applies; `None` means everywhere.
    pub scope: Option<&'a str>,
    /// The level of trust in its source.
    pub tier: TrustTier,
    /// The time at which the statement was made.
    pub told: StatementTime<'a>,
}

/// The relation of a new statement to an existing one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// The new statement repeats the existing one.
    Duplicate,
    /// The new statement supersedes the existing one.
    Supersedes,
    /// The new statement is about an earlier time: the existing one supersedes it.
    SupersededBy,
    /// Both statements hold, each in its own scope or time.
    Coexists,
    /// The new statement contradicts an existing one with more trust.
    Conflict,
    /// The new statement may contradict the existing one, but the rules are not certain.
    Doubtful,
    /// The statements are about different things.
    Related,
    /// The rules cannot decide the relation; a model may be asked.
    Unclear,
}

/// The reason for the relation of two statements. The list is closed, because a reason must not
/// contain text of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The statements have scopes that do not overlap.
    OtherScope,
    /// The scope of one statement contains the scope of the other.
    NarrowerScope,
    /// The statements have the same words.
    SameWords,
    /// The statements have the same meaning in other words.
    OtherWords,
    /// One statement negates the other.
    Denial,
    /// The statements give different values for something that has one value at a time.
    OtherValue,
    /// The statements give opposite orders of preference.
    OtherOrder,
    /// The new statement reports a change away from the old one.
    Change,
    /// The new statement reports a change that may end the old one.
    MaybeChange,
    /// The statements name different choices, perhaps for the same purpose.
    MaybeValue,
    /// A statement is temporary, or only planned.
    Passing,
    /// The text has several statements, and only one of them is affected.
    OnlyInPart,
    /// The statements have the same words in different roles, such as subject and object.
    OtherRoles,
    /// The statements have no common content by which a rule decides.
    Different,
    /// The statements are similar, but no rule decides.
    NoRule,
    /// The statements are similar, but too long to be compared.
    TooLong,
}

impl Reason {
    /// Returns a readable reason.
    pub fn text(self) -> &'static str {
        match self {
            Self::OtherScope => "different scopes",
            Self::NarrowerScope => "one scope lies within the other: the more specific one exists beside it",
            Self::SameWords => "says the same",
            Self::OtherWords => "says the same in other words",
            Self::Denial => "one denies the other",
            Self::OtherValue => "another value in the same place",
            Self::OtherOrder => "another order of preference",
            Self::Change => "tells of a change from the other",
            Self::MaybeChange => "tells of a change that may end the other: no rule is certain",
            Self::MaybeValue => "another choice, perhaps for the same purpose: no rule is certain",
            Self::Passing => "holds only for a time or is not decided",
            Self::OnlyInPart => "touches only a part of the other",
            Self::OtherRoles => "the same words in other roles",
            Self::Different => "about something else",
            Self::NoRule => "alike, but no rule decides",
            Self::TooLong => "alike, but too long to be compared by rules: both stay",
        }
    }
}

/// Additional cost of comparing a clause, in words.
const WORDS_OF_A_CLAUSE: usize = 4;

/// A statement, parsed once for several comparisons.
#[derive(Debug)]
pub struct ReadStatement<'a> {
    statement: Statement<'a>,
    reading: ParsedStatement,
    gist: Gist,
}

impl<'a> ReadStatement<'a> {
    /// Parses a statement.
    pub fn of(statement: Statement<'a>) -> Self {
        let reading = ParsedStatement::of(statement.text);
        let gist = Gist::of(&reading);
        Self { statement, reading, gist }
    }

    /// Returns the number of its words that are compared. A clause may contain words of another
    /// clause in addition to its own.
    fn weight(&self) -> usize {
        let of_clauses: usize = self.reading.clauses.iter().map(|clause| clause.words.len()).sum();
        of_clauses.max(self.reading.words.len()) + WORDS_OF_A_CLAUSE * self.reading.clauses.len()
    }
}

/// Returns the relation of `new` to `old`.
pub fn relate(
    new: &Statement<'_>,
    old: &Statement<'_>,
    alike: Alike,
    limits: &Thresholds,
) -> (Relation, Reason) {
    by_scope(new, old).unwrap_or_else(|| {
        let (new, old) = (ReadStatement::of(*new), ReadStatement::of(*old));
        relate_both(&new, &old, alike, (limits, &mut WordPairs::of_a_write()))
    })
}

/// Works like [`relate`] for a new statement that is already parsed. If the budget is used up,
/// `old` is not parsed.
pub(super) fn relate_read(
    new: &ReadStatement<'_>,
    old: &Statement<'_>,
    alike: Alike,
    (limits, pairs): (&Thresholds, &mut WordPairs),
) -> (Relation, Reason) {
    if let Some(found) = by_scope(&new.statement, old) {
        return found;
    }
    if pairs.are_spent() {
        return left_open(alike, limits, Reason::TooLong);
    }
    relate_both(new, &ReadStatement::of(*old), alike, (limits, pairs))
}

/// Works like [`relate`] for two parsed statements.
pub fn relate_both(
    new: &ReadStatement<'_>,
    old: &ReadStatement<'_>,
    alike: Alike,
    (limits, pairs): (&Thresholds, &mut WordPairs),
) -> (Relation, Reason) {
    if let Some(found) = by_scope(&new.statement, &old.statement) {
        return found;
    }
    let (told, known) = (&new.reading, &old.reading);
    if told.canonical == known.canonical {
        let days_apart = !same_day(new.statement.told.time, old.statement.told.time);
        let passing = matches!(told.hold, Hold::Passing | Hold::Dated) && days_apart;
        return if passing {
            (Relation::Coexists, Reason::Passing)
        } else {
            (Relation::Duplicate, Reason::SameWords)
        };
    }
    if told.hold == Hold::Asked || known.hold == Hold::Asked {
        return (Relation::Coexists, Reason::Passing);
    }
    let lends_too_much = told.has_long_subject() || known.has_long_subject();
    if lends_too_much || !pairs.take(old.weight(), new.weight()) {
        return left_open(alike, limits, Reason::TooLong);
    }
    by_words(new, old, alike, limits)
}

/// Returns the relation of two statements by their scopes alone.
fn by_scope(new: &Statement<'_>, old: &Statement<'_>) -> Option<(Relation, Reason)> {
    match lie(new.scope, old.scope) {
        ScopeRelation::Equal => None,
        ScopeRelation::Within => Some((Relation::Coexists, Reason::NarrowerScope)),
        ScopeRelation::Apart => Some((Relation::Coexists, Reason::OtherScope)),
    }
}

/// Returns the relation if no rule decides: unclear if the two are similar.
fn left_open(alike: Alike, limits: &Thresholds, why: Reason) -> (Relation, Reason) {
    let near =
        alike.cosine.map_or(alike.jaccard >= limits.unclear_jaccard, |cosine| cosine >= limits.unclear);
    if near { (Relation::Unclear, why) } else { (Relation::Related, Reason::Different) }
}

/// Returns the relation of two statements in different words.
fn by_words(
    new: &ReadStatement<'_>,
    old: &ReadStatement<'_>,
    alike: Alike,
    limits: &Thresholds,
) -> (Relation, Reason) {
    let (told, known) = (&new.reading, &old.reading);
    let gists = (&old.gist, &new.gist);
    let dated = |relation: (Relation, Reason)| in_time(relation, &new.statement, &old.statement);
    let met = meet(known, told, gists);
    if met != Met::Exchanged && retells(known, told, gists, (alike, limits)) {
        return (Relation::Duplicate, Reason::OtherWords);
    }
    let turned = turns(told, gists, (alike, limits))
        .or_else(|| choice::replaces(known, told, (alike, limits)).then_some(Against::Change));
    if told.hold != Hold::Lasting || known.hold != Hold::Lasting {
        let happened = told.cues.now || told.clauses.iter().any(|clause| clause.past) || tells(&new.gist);
        let event = told.hold == Hold::Lasting || (told.hold == Hold::Dated && happened);
        let ended = known.hold != Hold::Passing || told.cues.now || turned == Some(Against::Change);
        return match (turned, met) {
            (Some(against), _) if event && ended => dated((Relation::Supersedes, reason_of(against))),
            (None, Met::Against(Against::Change)) if event && known.hold == Hold::Lasting => {
                dated((Relation::Supersedes, Reason::Change))
            }
            _ => (Relation::Coexists, Reason::Passing),
        };
    }
    match met {
        Met::Same => return (Relation::Duplicate, Reason::OtherWords),
        Met::Against(against) if may_contradict(alike, limits, against) => {
            return dated((Relation::Supersedes, reason_of(against)));
        }
        Met::Exchanged => return (Relation::Related, Reason::OtherRoles),
        Met::Against(_) | Met::Apart => {}
    }
    if let Some(against) = turned {
        return dated((Relation::Supersedes, reason_of(against)));
    }
    if is_paraphrase(known, told, gists, (alike, limits)) {
        return (Relation::Duplicate, Reason::OtherWords);
    }
    match choice::doubt(known, told, (alike, limits)) {
        Some(reason) => (Relation::Doubtful, reason),
        None => left_open(alike, limits, Reason::NoRule),
    }
}

fn reason_of(against: Against) -> Reason {
    match against {
        Against::Denial => Reason::Denial,
        Against::Value => Reason::OtherValue,
        Against::Order => Reason::OtherOrder,
        Against::Change => Reason::Change,
    }
}

fn same_day(left: Timestamp, right: Timestamp) -> bool {
    left.millis().abs_diff(right.millis()) < 24 * 3_600_000
}

/// Applies time and trust: the newer statement wins, but never over a statement of higher trust.
fn in_time(found: (Relation, Reason), new: &Statement<'_>, old: &Statement<'_>) -> (Relation, Reason) {
    if new.told.is_before(&old.told) {
        return (Relation::SupersededBy, found.1);
    }
    if rank(new.tier) < rank(old.tier) {
        return (Relation::Conflict, found.1);
    }
    found
}

/// Returns the rank of a trust tier, for comparison.
pub fn rank(tier: TrustTier) -> u8 {
    match tier {
        TrustTier::Flagged => 0,
        TrustTier::External => 1,
        TrustTier::Agent => 2,
        TrustTier::Confirmed => 3,
    }
}

fn may_contradict(alike: Alike, limits: &Thresholds, against: Against) -> bool {
    // An explicit change names the thing that it ends, so similarity adds nothing.
    against == Against::Change
        || alike
            .cosine
            .map_or(alike.jaccard >= limits.contradiction_jaccard, |cosine| cosine >= limits.contradiction)
}

/// Returns the relation of two readings by their clauses.
fn meet(old: &ParsedStatement, new: &ParsedStatement, (was, is): (&Gist, &Gist)) -> Met {
    if let Some(change) = &new.change
        && old.clauses.iter().any(|clause| ends(change, clause, old.change.as_ref()))
    {
        return if old.clauses.len() == 1 { Met::Against(Against::Change) } else { Met::Apart };
    }
    if old.change.is_some() || new.change.is_some() {
        return Met::Apart;
    }
    let denied = |reading: &ParsedStatement| reading.clauses.iter().any(|clause| clause.negative);
    if denied(old) == denied(new) && other_direction(was, is) {
        return Met::Apart;
    }
    let each: Vec<Met> = new
        .clauses
        .iter()
        .map(|new| {
            let found: Vec<Met> = old.clauses.iter().map(|old| compare(old, new)).collect();
            let first = |wanted: fn(&Met) -> bool| found.iter().copied().find(wanted);
            first(|met| *met == Met::Same)
                .or_else(|| first(|met| matches!(met, Met::Against(_))))
                .unwrap_or_else(|| found.first().copied().unwrap_or(Met::Apart))
        })
        .collect();
    if each.iter().all(|met| *met == Met::Same) {
        return Met::Same;
    }
    let against = each.iter().copied().find(|met| matches!(met, Met::Against(_)));
    match against {
        Some(against) if old.clauses.len() == 1 => against,
        Some(_) => Met::Apart,
        None if each.len() == 1 => each.first().copied().unwrap_or(Met::Apart),
        None => Met::Apart,
    }
}

/// Returns true if a change ends a clause's content: it leads away from the clause's value and has
/// the same subject.
fn ends(change: &StatedChange, old: &Clause, old_change: Option<&StatedChange>) -> bool {
    let value: Vec<&str> = match old_change {
        Some(earlier) => earlier.to.iter().map(String::as_str).collect(),
        None => {
            let subject_end = if old.verb.is_some() { old.subject_end } else { 0 };
            let behind = old.words.get(subject_end..).unwrap_or_default();
            behind.iter().filter(|word| word.is_content()).map(|word| word.form.as_str()).collect()
        }
    };
    let many = old_change.is_none() && old.verb.as_ref().is_some_and(|verb| is_personal(&verb.form));
    if many
        || old.negative
        || (old.past && old_change.is_none())
        || !change.from.iter().all(|form| value.contains(&form.as_str()))
    {
        return false;
    }
    if change.to.iter().all(|form| value.contains(&form.as_str()))
        && change.to.iter().all(|form| !change.from.contains(form))
    {
        return false;
    }
    let subject: Vec<&Word> = old.subject().iter().filter(|word| word.is_content()).collect();
    let told = |word: &&Word| change.rest.contains(&word.form);
    change.rest.is_empty()
        || subject.is_empty()
        || subject.iter().all(told)
        || (old_change.is_none()
            && old.verb.as_ref().is_some_and(|verb| verb.passive || verb.copula)
            && within(&change.rest, &old.content()))
}

fn within(forms: &[String], others: &[&str]) -> bool {
    forms.iter().all(|form| others.contains(&form.as_str()))
}

/// Returns true for a paraphrase: similar by meaning, without a word on one side only that could
/// change the meaning.
fn is_paraphrase(
    old: &ParsedStatement,
    new: &ParsedStatement,
    (of_old, of_new): (&Gist, &Gist),
    (alike, limits): (Alike, &Thresholds),
) -> bool {
    let Some(cosine) = alike.cosine else { return false };
    if cosine < limits.paraphrase || old.change.is_some() || new.change.is_some() {
        return false;
    }
    let bare = of_old.bare || of_new.bare;
    if denied(of_old) != denied(of_new) {
        return false;
    }
    let denials = |reading: &ParsedStatement| reading.clauses.iter().filter(|clause| clause.negative).count();
    let choices = |reading: &ParsedStatement| reading.clauses.iter().filter(|clause| clause.leave).count();
    let verbs = |reading: &ParsedStatement| reading.clauses.iter().all(|clause| clause.verb.is_some());
    if denials(old) != denials(new) || choices(old) != choices(new) || !verbs(old) || !verbs(new) {
        return false;
    }
    let (was, is) = (all_words(old), all_words(new));
    let (own_old, own_new) = (residue(&was, &is), residue(&is, &was));
    if own_old.len() > 2 || own_new.len() > 2 || !is_wording(&own_old, &own_new) {
        return false;
    }
    let wishes = |own: &[&Word]| own.iter().any(|word| has("prefer like need requir", &word.form));
    if wishes(&own_old) != wishes(&own_new) && !bare {
        return false;
    }
    // A replaced word may mean another thing of the same kind.
    let exchanged = !own_old.is_empty() && !own_new.is_empty();
    cosine >= if exchanged { limits.synonym } else { limits.paraphrase }
        && hard_order(&was) == hard_order(&is)
}

/// Returns the sorted forms that a statement negates.
fn denied(gist: &Gist) -> Vec<&str> {
    let mut forms: Vec<&str> = gist.items().filter(|item| item.denied).map(ContentWord::form).collect();
    forms.sort_unstable();
    forms
}

fn all_words(reading: &ParsedStatement) -> Vec<Word> {
    reading.clauses.iter().flat_map(|clause| clause.words.iter().cloned()).collect()
}

/// Returns names, numbers and code in their order: exchanged, they change the meaning.
fn hard_order(words: &[Word]) -> Vec<&str> {
    words.iter().filter(|word| word.is_hard()).map(|word| word.form.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use loci_model::limits;

    use super::*;

    const NEAR: Alike = Alike { jaccard: 0.9, cosine: Some(0.9) };

    fn statement(text: &str) -> Statement<'_> {
        let told = StatementTime::at(Timestamp::EPOCH);
        Statement { text, kind: RecordKind::Fact, scope: None, tier: TrustTier::Agent, told }
    }

    fn compare(new: &str, old: &str) -> (Relation, Reason) {
        relate(&statement(new), &statement(old), NEAR, &Thresholds::default())
    }

    fn invented(words: usize) -> String {
        (0..words).map(|number| format!("ab{number}en")).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn long_sentences_are_compared_like_short_ones() {
        let check = |new: &str, old: &str, words: usize, expect: (Relation, Reason)| {
            let invented = invented(words);
            let (new, old) = (new.replace('#', &invented), old.replace('#', &invented));
            assert_eq!(compare(&new, &old), expect, "{words} words: {new} | {old}");
        };
        for words in [3, 160, 330] {
            let value = (Relation::Supersedes, Reason::OtherValue);
            check("The port of # is 9.", "The port of # is 8.", words, value);
            check(
                "The port of # is 8.",
                "The port of # is 8",
                words,
                (Relation::Duplicate, Reason::SameWords),
            );
            let change = (Relation::Supersedes, Reason::Change);
            check(
                "We no longer use `k1` for #.",
                "We use `k1` for #.",
                words,
                (Relation::Supersedes, Reason::Denial),
            );
            check("`k1` is gone.", "We use `k1` for #.", words, change);
        }
    }

    #[test]
    fn what_is_too_long_is_left_open() {
        let open = (Relation::Unclear, Reason::TooLong);
        let same = (Relation::Duplicate, Reason::SameWords);
        let words = limits::COMPARED_WORD_PAIRS_MAX.isqrt() + 1;
        let (new, old) = (invented(words), format!("{} 9", invented(words)));
        assert_eq!(compare(&new, &old), open);
        assert_eq!(compare(&new, &new), same);
        // The subject is too long to be repeated in each clause.
        let of_subject = |words, port| format!("{} is good, and listens on {port}", invented(words));
        let max = limits::LENT_SUBJECT_WORDS_MAX;
        assert_ne!(compare(&of_subject(max, 8), &of_subject(max, 9)), open);
        assert_eq!(compare(&of_subject(max + 1, 8), &of_subject(max + 1, 9)), open);
        // Earlier comparisons in the same write used up the budget.
        let mut pairs = WordPairs::of_a_write();
        assert!(!pairs.take(limits::COMPARED_WORD_PAIRS_MAX, 2));
        let new = ReadStatement::of(statement("The port is 9."));
        let found =
            relate_read(&new, &statement("The port is 8."), NEAR, (&Thresholds::default(), &mut pairs));
        assert_eq!(found, open);
    }
}
