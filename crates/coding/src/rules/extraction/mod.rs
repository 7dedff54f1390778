//! Extracts the rules for future work from one review, without a model: the input is the review's
//! text, the output is rules and corrections, each statement with the reason for its result. Pure.
//! `loci-bench rules` measures its quality.
//!
//! | file | idea |
//! |---|---|
//! | `review_text` | the texts of a review that are read |
//! | `prose` | the reviewer's sentences, without code, quotes and text of programs |
//! | `cue_text` | the spelling of a sentence in which cues are searched |
//! | `cues` | words that speak for or against a rule: data, one file for each language |
//! | `classification` | judges if a sentence is a rule: the cues and their sum |
//! | `refusals` | never a rule: unsafe text, protected topics, text for programs |
//! | `prohibition` | a prohibition and the alternative after it: one rule |
//! | `stored_form`, `canonical_rule` | the stored form of a rule, and the form for comparison |
//! | `rule_scope`, `impact` | the scope of a rule, and its impact beyond style |
//! | `grammar`, `model_question` | extraction by a model: the form of its answer, and the question |
//!
//! To add a cue: one line in its language's file. To add a language: a file in `cues`, one line in
//! its table.

mod canonical_rule;
mod classification;
mod cue_text;
mod cues;
mod grammar;
mod impact;
pub mod model_question;
mod prohibition;
mod prose;
mod refusals;
mod review_text;
mod rule_scope;
mod stored_form;

use loci_model::limits;

pub use self::canonical_rule::canonical;
pub(super) use self::canonical_rule::folded;
pub use self::grammar::parse;
pub use self::impact::{Impact, impact_of};
pub(super) use self::prohibition::head;
pub use self::refusals::{Refusal, refusal};
pub use self::review_text::{ReviewText, ReviewTextPart};
use loci_engine::safety::injection;

/// The reason why a statement is not a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// It contains an address, a command, code to run, a role, or encoded text.
    Unsafe,
    /// It concerns a topic that no review may change: CI, secrets, permissions and similar ones.
    ProtectedTopic,
    /// It addresses programs that read it.
    Injection,
    /// A program wrote it.
    Bot,
    /// It is a question.
    Question,
    /// It is praise or thanks.
    Praise,
    /// It reports completed work.
    Status,
    /// It is a disagreement.
    Disagreement,
    /// It is an opinion that the author does not insist on.
    Opinion,
    /// It concerns only this place.
    OneOff,
    /// Its author retracted it.
    Withdrawn,
    /// It is too short or too long for a rule.
    Length,
    /// The review has reached the maximum number of rules.
    TooMany,
}

impl Reason {
    /// Returns the name that the API uses for this value.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unsafe => "unsafe",
            Self::ProtectedTopic => "protected_topic",
            Self::Injection => "injection",
            Self::Bot => "bot",
            Self::Question => "question",
            Self::Praise => "praise",
            Self::Status => "status",
            Self::Disagreement => "disagreement",
            Self::Opinion => "opinion",
            Self::OneOff => "one_off",
            Self::Withdrawn => "withdrawn",
            Self::Length => "length",
            Self::TooMany => "too_many",
        }
    }
}

/// A rule that a reviewer stated.
#[derive(Debug, Clone, PartialEq)]
pub struct ExtractedRule {
    /// The statement, in the reviewer's words: one line, 10 to 300 characters.
    pub text: String,
    /// The canonical form, for comparison with other rules.
    pub canonical: String,
    /// The scope: a path, a glob, `module:<name>`; `None`: the whole repository.
    pub scope: Option<String>,
    /// The comments that state it; empty if the review's own text does.
    pub comment_ids: Vec<u64>,
    /// The impact of the rule.
    pub impact: Impact,
    /// True if a person must approve it before it becomes active, regardless of its support.
    pub needs_approval: bool,
    /// The injection score of the statement, 0 to 1.
    pub injection: f32,
    /// The cues by which it was accepted, and the reasons for an approval.
    pub why: Vec<String>,
}

/// A correction of one place, to store as an example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Correction {
    /// The text of the correction, in one line.
    pub text: String,
    /// The path of the file that the correction is about.
    pub path: Option<String>,
    /// The ids of the review comments that state the correction.
    pub comment_ids: Vec<u64>,
}

/// A statement that is not a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedStatement {
    /// The reason why the statement is not a rule.
    pub reason: Reason,
    /// The comments that state it; empty if the review's own text does.
    pub comment_ids: Vec<u64>,
    /// The beginning of the statement.
    pub excerpt: String,
}

/// The result of an extraction.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Extraction {
    /// The rules, in the order of their statements.
    pub rules: Vec<ExtractedRule>,
    /// The corrections, in the order of their statements.
    pub examples: Vec<Correction>,
    /// The other statements, with the reasons.
    pub refused: Vec<RefusedStatement>,
    /// The number of lines in a model's answer that are invalid or name a source outside of the
    /// review.
    pub discarded_lines: usize,
}

impl Extraction {
    /// Adds the result from another part of the same review.
    fn add(&mut self, other: Self) {
        for rule in other.rules {
            let is_same =
                |known: &ExtractedRule| known.canonical == rule.canonical && known.scope == rule.scope;
            if let Some(same) = self.rules.iter_mut().find(|known| is_same(known)) {
                same.comment_ids.extend(rule.comment_ids);
            } else if self.rules.len() < limits::RULES_OF_REVIEW_MAX {
                self.rules.push(rule);
            } else {
                let excerpt = stored_form::cut(&rule.text, limits::REFUSED_EXCERPT_CHARS_MAX);
                let comment_ids = rule.comment_ids;
                self.refused.push(RefusedStatement { reason: Reason::TooMany, comment_ids, excerpt });
            }
        }
        self.examples.extend(other.examples);
        self.refused.extend(other.refused);
    }
}

/// Returns the rules and corrections of a review.
pub fn extract(review: &ReviewText) -> Extraction {
    let mut found = Extraction::default();
    for said in &review.said {
        read(review, said, &mut found);
    }
    found
}

/// Reads one text of the review.
fn read(review: &ReviewText, said: &ReviewTextPart, found: &mut Extraction) {
    let text = prose::without_hidden(&said.body);
    let injection = match score_of(review, said, &text) {
        Ok(score) => score,
        Err(reason) => return refuse(found, reason, said, &text),
    };
    let languages = cues::of_text(&text);
    let mut corrected = false;
    for paragraph in prose::by_paragraph(&text) {
        let mut rest = paragraph.as_slice();
        while let Some((statement, behind)) = rest.split_first() {
            rest = behind;
            match classification::judge(statement, &languages) {
                Ok(taken) => rest = add_whole(found, said, taken, (behind, &languages, injection)),
                Err(reason) => {
                    corrected |= reason == Reason::OneOff;
                    refuse(found, reason, said, statement);
                }
            }
        }
    }
    if corrected && said.path.is_some() {
        correct(found, said, &text);
    }
}

/// Returns the similarity of a text to instructions, or the reason to reject all its sentences.
fn score_of(review: &ReviewText, said: &ReviewTextPart, text: &str) -> Result<f32, Reason> {
    if said.is_bot || prose::is_of_program(&said.body) {
        return Err(Reason::Bot);
    }
    if review.is_withdrawn(said) {
        return Err(Reason::Withdrawn);
    }
    let score = injection::score(&said.body).score;
    refusals::of_whole(text, score).map_or(Ok(score), Err)
}

/// Adds a statement that is a rule by its words, if no check rejects it.
fn add(found: &mut Extraction, said: &ReviewTextPart, taken: classification::RuleStatement, injection: f32) {
    let text = stored_form::kept(&taken.text);
    let chars = text.chars().count();
    if !(limits::RULE_TEXT_CHARS_MIN..=limits::RULE_TEXT_CHARS_MAX).contains(&chars) {
        return refuse(found, Reason::Length, said, &text);
    }
    let refusal = refusals::refusal(&text);
    if let Some(reason) = refusal.reason {
        return refuse(found, reason, said, &text);
    }
    let canonical = canonical_rule::canonical(&text);
    let scope = rule_scope::scope_of(&prohibition::head(&text), said.path.as_deref());
    if let Some(same) = found.rules.iter_mut().find(|rule| rule.canonical == canonical && rule.scope == scope)
    {
        same.comment_ids.extend(said.id.filter(|id| !same.comment_ids.contains(id)));
        return;
    }
    if found.rules.len() >= limits::RULES_OF_REVIEW_MAX {
        return refuse(found, Reason::TooMany, said, &text);
    }
    let mut why = taken.why;
    why.extend(refusal.approval.map(str::to_owned));
    if injection >= injection::FLAGGED {
        why.push("approval: looks like instructions".to_owned());
    }
    found.rules.push(ExtractedRule {
        impact: impact::impact_of(&text),
        needs_approval: refusal.approval.is_some() || injection >= injection::FLAGGED,
        text,
        canonical,
        scope,
        comment_ids: said.id.into_iter().collect(),
        injection,
        why,
    });
}

/// Adds a rule together with the alternative after it, if there is one. Returns the remaining
/// statements.
fn add_whole<'a>(
    found: &mut Extraction,
    said: &ReviewTextPart,
    taken: classification::RuleStatement,
    (behind, languages, injection): (&'a [String], &[&'static cues::Language], f32),
) -> &'a [String] {
    if let Some((next, rest)) = behind.split_first()
        && prohibition::completes(&taken.text, next)
        && classification::judge(next, languages).is_err()
        && let Some(text) = prohibition::joined(&taken.text, next)
    {
        add(found, said, classification::RuleStatement { text, ..taken }, injection);
        return rest;
    }
    add(found, said, taken, injection);
    behind
}

/// Stores a text as a correction of its place.
fn correct(found: &mut Extraction, said: &ReviewTextPart, text: &str) {
    let text = stored_form::one_line(text);
    if text.chars().count() < limits::RULE_TEXT_CHARS_MIN || refusals::refusal(&text).reason.is_some() {
        return;
    }
    found.examples.push(Correction {
        text: stored_form::cut(&text, limits::RULE_TEXT_CHARS_MAX),
        path: said.path.clone(),
        comment_ids: said.id.into_iter().collect(),
    });
}

fn refuse(found: &mut Extraction, reason: Reason, said: &ReviewTextPart, text: &str) {
    found.refused.push(RefusedStatement {
        reason,
        comment_ids: said.id.into_iter().collect(),
        excerpt: stored_form::cut(&stored_form::one_line(text), limits::REFUSED_EXCERPT_CHARS_MAX),
    });
}
