//! Judges if a sentence is a rule for all future work: its cues, their sum, and the reason. It
//! contains no language data.

use super::Reason;
use super::cues::{self, CueKind, Language};
use super::{cue_text, rule_scope};

/// The minimum difference between general and local points.
pub(super) const POINTS_MIN: i32 = 2;
/// The minimum for a request in the form of a question, which needs clearer general cues.
const REQUEST_POINTS_MIN: i32 = 3;
/// The points of a remark that opens with a mark of generality.
const OPENING_POINTS: i32 = 2;
/// The maximum number of later clauses of a statement that are read. Each extends to the
/// statement's end.
const CLAUSES_MAX: usize = 16;
/// The minimum number of words of a statement. `CHARS_MIN` applies to scripts without word
/// separators.
const WORDS_MIN: usize = 3;
const CHARS_MIN: usize = 5;
/// The maximum number of openings that are removed from a sentence.
const LEADERS_MAX: usize = 4;

/// A statement that is a rule by its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RuleStatement {
    /// The statement, or the clause of it that is the rule.
    pub(super) text: String,
    /// Its cues with their points.
    pub(super) why: Vec<String>,
}

/// The effect of a statement's cues.
#[derive(Debug, Default)]
struct CueEffect {
    orders: Option<i32>,
    general: i32,
    local: i32,
    requests: bool,
    stops: Option<Reason>,
    why: Vec<String>,
}

impl CueEffect {
    /// Returns the sum of the points. In a question, the instruction counts for at most 1 point.
    fn points(&self, asks: bool) -> i32 {
        let orders = self.orders.unwrap_or(0);
        let orders = if asks { orders.min(1) } else { orders };
        orders.saturating_add(self.general).saturating_sub(self.local)
    }
}

/// Accepts a statement as a rule, or returns the reason against it. If several languages are
/// possible, one that accepts it is sufficient, unless another one finds a different kind of
/// statement.
pub(super) fn judge(statement: &str, of_text: &[&'static Language]) -> Result<RuleStatement, Reason> {
    let mut found = Err(Reason::OneOff);
    for language in cues::of_statement(statement, of_text) {
        match in_language(statement, language) {
            Ok(taken) => found = found.or(Ok(taken)),
            Err(Reason::OneOff) => {}
            Err(reason) => return Err(reason),
        }
    }
    found
}

/// True for an instruction without local cues and without a cue that stops it, general or not.
/// `copy` is the spelling for cues.
pub(super) fn is_free_order(copy: &str, statement: &str) -> bool {
    let is_so = |language: &&'static Language| {
        let weighed = weigh(copy, language);
        weighed.local == 0 && weighed.stops.is_none() && !weighed.requests
    };
    !copy.ends_with('?') && cues::of_text(statement).iter().any(is_so)
}

fn in_language(statement: &str, language: &'static Language) -> Result<RuleStatement, Reason> {
    let bare = without_leaders(statement, language);
    let opening = statement.get(..statement.len().saturating_sub(bare.len())).unwrap_or_default();
    let general = if cues::opens_generally(opening) { OPENING_POINTS } else { 0 };
    match of_clause(bare, language, general) {
        Ok(taken) => Ok(taken),
        // Praise, questions and disagreement concern the statement as a whole.
        Err(reason @ (Reason::OneOff | Reason::Opinion)) => {
            let mut clauses = clauses(bare, language).into_iter();
            let taken =
                |clause| of_clause(clause, language, general).ok().map(|one| in_place(bare, clause, one));
            clauses.find_map(taken).ok_or(reason)
        }
        Err(reason) => Err(reason),
    }
}

/// Keeps the whole statement if the text before the clause only states the place where it holds,
/// which is the rule's scope.
fn in_place(statement: &str, clause: &str, taken: RuleStatement) -> RuleStatement {
    let is_of_place = rule_scope::behind_place(statement).is_some_and(|rest| rest.trim() == clause.trim());
    if is_of_place {
        RuleStatement { text: statement.trim_end_matches(['?', ' ']).to_owned(), ..taken }
    } else {
        taken
    }
}

/// Returns the later clauses of a statement that may be rules of their own, as in "this is odd, we
/// always …".
fn clauses<'a>(statement: &'a str, language: &Language) -> Vec<&'a str> {
    let Some(breaks) = &language.clauses else { return Vec::new() };
    let from = |found: regex::Match<'a>| statement.get(found.end()..);
    let starts = breaks.captures_iter(statement).filter_map(|found| match found.get(1) {
        // The word that starts the clause belongs to it.
        Some(first) => statement.get(first.start()..),
        None => found.get(0).and_then(from),
    });
    starts.take(CLAUSES_MAX).map(|clause| without_leaders(clause.trim(), language)).collect()
}

fn of_clause(statement: &str, language: &'static Language, general: i32) -> Result<RuleStatement, Reason> {
    let copy = cue_text::copy(statement);
    if !is_long_enough(&copy) {
        let short = weigh(&copy, language).stops;
        return Err(short.unwrap_or(Reason::OneOff));
    }
    let mut weighed = weigh(&copy, language);
    if general > 0 {
        weighed.general = weighed.general.saturating_add(general);
        weighed.why.push(format!("{}: opens as a general remark {general:+}", language.code));
    }
    let asks = copy.trim_end_matches([')', '"', '\'', ' ', '!', '.']).ends_with('?');
    if let Some(reason) = weighed.stops {
        return Err(reason);
    }
    let enough = if asks { REQUEST_POINTS_MIN } else { POINTS_MIN };
    if asks && !weighed.requests {
        return Err(Reason::Question);
    }
    let orders = weighed.orders.is_some() || weighed.requests;
    if orders && weighed.points(asks) >= enough {
        let text = statement.trim_end_matches(['?', ' ']);
        return Ok(RuleStatement { text: text.to_owned(), why: weighed.why });
    }
    Err(if asks { Reason::Question } else { Reason::OneOff })
}

fn weigh(copy: &str, language: &'static Language) -> CueEffect {
    let mut weighed = CueEffect::default();
    for cue in language.found(copy) {
        let points = match cue.kind {
            CueKind::Orders(points) => {
                weighed.orders = Some(weighed.orders.map_or(points, |best| best.max(points)));
                points
            }
            CueKind::General(points) => {
                weighed.general = weighed.general.saturating_add(points);
                points
            }
            CueKind::Local(points) => {
                weighed.local = weighed.local.saturating_add(points);
                points.saturating_neg()
            }
            CueKind::Stops(reason) => {
                weighed.stops = weighed.stops.or(Some(reason));
                continue;
            }
            CueKind::Requests => {
                weighed.requests = true;
                continue;
            }
        };
        weighed.why.push(format!("{}: {} {points:+}", language.code, cue.name));
    }
    weighed
}

/// Removes openings without meaning from a statement: "nit:", "also,", "please".
fn without_leaders<'a>(statement: &'a str, language: &Language) -> &'a str {
    let mut rest =
        statement.trim_start_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '`' | '@' | '/' | '.'));
    for _ in 0..LEADERS_MAX {
        let Some(opening) =
            language.leaders.find(rest).filter(|opening| opening.start() == 0 && opening.end() > 0)
        else {
            break;
        };
        match rest.get(opening.end()..).filter(|behind| !behind.trim().is_empty()) {
            Some(behind) => rest = behind.trim_start(),
            None => break,
        }
    }
    rest
}

fn is_long_enough(copy: &str) -> bool {
    let is_unparted = |c: char| matches!(u32::from(c), 0x3040..=0x30ff | 0x4e00..=0x9fff);
    copy.split_whitespace().count() >= WORDS_MIN
        || (copy.chars().any(is_unparted) && copy.chars().count() >= CHARS_MIN)
}
