//! Another value of the same sort in the same frame. The statement marks it as new, denies the old
//! value, or the slot holds only one of the two.

use super::super::gist::{ContentWord, Gist, Sort, StatementPart, sort};
use super::super::guards::other_purpose;
use super::super::slot::is_attribute;
use crate::consolidation::statement_parser::Class;
use crate::consolidation::statement_parser::exclusive_values::excludes;
use crate::consolidation::statement_parser::lists::has;
use crate::consolidation::statement_parser::turns::{change, end};
use crate::consolidation::statement_parser::verbs::{VerbObjectCount, holding};

/// Returns true if the new statement denies a value of the old one and gives another of its sort:
/// "not 34", "instead of Mondays".
pub(super) fn contrasts(was: &Gist, is: &Gist) -> bool {
    let known = |item: &ContentWord| {
        let number = item.word.class == Class::Number;
        was.asserts(item.form()) || (number && was.asserts(&format!("{}:00", item.form())))
    };
    let said: Vec<&ContentWord> = is.items().filter(|item| !item.denied).collect();
    let shared = said.iter().any(|said| was.asserts(said.form()));
    let short = said.iter().all(|said| sort(&said.word) != Sort::Word);
    let strangers: Vec<(&ContentWord, Sort)> =
        said.iter().filter(|said| !was.has(said.form())).map(|said| (*said, sort(&said.word))).collect();
    let strange = strangers.iter().filter(|(_, sort)| *sort == Sort::Word).count();
    is.parts.iter().any(|part| {
        let denied: Vec<&ContentWord> = part.items.iter().filter(|item| item.denied).collect();
        let other = || {
            denied.iter().any(|denied| {
                let own = sort(&denied.word);
                strangers.iter().any(|(said, sort)| {
                    (own == *sort || denied.word.class == said.word.class) && denied.form() != said.form()
                })
            })
        };
        let replaces = part.words.iter().any(|word| word.form == "instead-of");
        let corrects =
            part.words.first().is_some_and(|word| word.class == Class::Negation) && is.parts.len() > 1;
        let numbers = denied.iter().all(|item| item.word.class == Class::Number);
        let subject = part.items.iter().filter(|item| item.subject).all(|item| was.has(item.form()));
        !denied.is_empty()
            && denied.iter().all(|item| known(item))
            && subject
            && (replaces || corrects)
            && other()
            && if numbers { strange < 2 && (shared || short) } else { shared }
    })
}

/// Returns true if the part denies all content of the old statement except numbers.
pub(super) fn denies(was: &Gist, part: &StatementPart) -> bool {
    let denied: Vec<&ContentWord> = part.items.iter().filter(|item| item.denied).collect();
    let covers = was
        .items()
        .filter(|item| item.word.class != Class::Number)
        .all(|item| !item.denied && denied.iter().any(|denied| denied.form() == item.form()));
    denied.len() > 1 && covers && part.items.iter().all(|item| was.asserts(item.form()))
}

/// Returns true if the part asserts all content that the old statement denies, and nothing else.
pub(super) fn asserts_all(was: &Gist, part: &StatementPart, now: bool) -> bool {
    let said = |form: &str| part.items.iter().any(|item| item.form() == form && !item.denied);
    !part.clause.negative
        && (now || was.items().count() > 1)
        && end(&part.words).is_none()
        && was.items().all(|item| said(item.form()))
        && part.items.iter().all(|item| was.has(item.form()))
}

/// Returns true for the same frame with another value of the same sort; `strong`: the statement
/// marks the value as new.
pub(super) fn is_renewed(was: &Gist, part: &StatementPart, strong: bool) -> bool {
    if part.items.iter().any(|item| item.denied) {
        return false;
    }
    let gone: Vec<&ContentWord> =
        was.items().filter(|item| !part.items.iter().any(|new| new.form() == item.form())).collect();
    // The day of an event is not the value of its result.
    let event = part.clause.past || end(&part.words).is_some() || change(&part.words).is_some();
    let timed = gone.iter().any(|item| sort(&item.word) == Sort::Time);
    let dated = |item: &ContentWord| event && !timed && sort(&item.word) == Sort::Time;
    let come: Vec<&ContentWord> =
        part.items.iter().filter(|item| !was.has(item.form()) && !dated(item)).collect();
    let shared: Vec<&ContentWord> = part.items.iter().filter(|item| was.asserts(item.form())).collect();
    if gone.is_empty() || come.is_empty() || shared.is_empty() || other_purpose(was, &come) {
        return false;
    }
    let frame = Frame { part, gone, come, shared };
    let cued = strong || frame.is_called_new() || frame.is_rescheduled();
    let opposed = frame.is_opposed();
    if !(cued || opposed)
        || !(frame.keeps_subject() || (strong && frame.is_taken_over()))
        || !frame.is_of_one_sort()
        || !frame.is_one_chunk()
    {
        return false;
    }
    let same_topic = frame.is_taken_over() || frame.gone.iter().all(|item| !item.subject);
    let timed_alone = frame.shared.iter().all(|item| sort(&item.word) == Sort::Time);
    if (timed_alone || !same_topic) && !opposed {
        return false;
    }
    let narrow = frame.gone.len() <= frame.shared.len() + 1 && frame.come.len() <= frame.gone.len() + 2;
    let topical = frame.shared.iter().any(|item| item.subject) || part.clause.subject_end == 0;
    let alone = frame.come.len() == 1 && frame.gone.len() <= 2 && topical;
    frame.holds_one(strong, opposed) && if cued { narrow || opposed } else { alone }
}

/// The shared, removed and added words of two statements.
struct Frame<'a> {
    part: &'a StatementPart,
    gone: Vec<&'a ContentWord>,
    come: Vec<&'a ContentWord>,
    shared: Vec<&'a ContentWord>,
}

impl Frame<'_> {
    fn verb(&self) -> &str {
        self.part.clause.verb.as_ref().map(|verb| verb.form.as_str()).unwrap_or_default()
    }

    /// Returns true for "a new X", if the old statement has an X.
    fn is_called_new(&self) -> bool {
        let words = &self.part.words;
        words.iter().enumerate().filter(|(_, word)| word.lower == "new").any(|(at, _)| {
            let named = words.iter().skip(at + 1).take_while(|word| word.is_content());
            named.last().is_some_and(|word| self.shared.iter().any(|item| item.form() == word.form))
        })
    }

    /// Returns true if an added and a removed word exclude each other; the verb does not count.
    fn is_opposed(&self) -> bool {
        let acts = |item: &ContentWord| {
            let verb = self.part.clause.verb.as_ref();
            verb.is_some_and(|verb| verb.form == item.form() && !verb.passive && !verb.copula)
        };
        self.come.iter().filter(|new| !acts(new)).any(|new| {
            self.gone
                .iter()
                .any(|old| excludes(old.form(), new.form()) || excludes(&old.word.lower, &new.word.lower))
        })
    }

    /// Returns true if the subject has no new words, except a number.
    fn keeps_subject(&self) -> bool {
        let count =
            |item: &ContentWord| self.part.items.first() == Some(item) && item.word.class == Class::Number;
        self.come.iter().all(|item| !item.subject || count(item))
    }

    /// Returns true for "X is the Y now": another thing has the role.
    fn is_taken_over(&self) -> bool {
        let copula = self.part.clause.verb.as_ref().is_some_and(|verb| verb.copula);
        let role = self.shared.len() > 1 || self.shared.iter().any(|item| is_attribute(item.form()));
        let named = |item: &&ContentWord| {
            matches!(item.word.class, Class::Name | Class::Plain) && item.behind.is_empty()
        };
        copula
            && role
            && self.come.iter().all(|item| item.subject && named(item))
            && self.shared.iter().all(|item| !item.subject)
            && self.gone.iter().any(|item| item.word.class == Class::Name || item.subject)
    }

    fn is_of_one_sort(&self) -> bool {
        let plain = |item: &ContentWord| match sort(&item.word) {
            Sort::Code => Sort::Word,
            Sort::Number if has("at by before after until", &item.behind) => Sort::Time,
            other @ (Sort::Word | Sort::Number | Sort::Time) => other,
        };
        self.come.iter().all(|come| self.gone.iter().any(|gone| plain(gone) == plain(come)))
    }

    /// Returns true if the added words form one phrase, or are all times or numbers.
    fn is_one_chunk(&self) -> bool {
        if self.is_counted() {
            return true;
        }
        // Added items differ from the others, so equal items are either all added or all kept.
        let mut next = self.come.iter().peekable();
        let came = |item: &ContentWord| next.next_if(|come| std::ptr::eq(**come, item)).is_some();
        let came: Vec<bool> = self.part.items.iter().map(came).collect();
        let (Some(first), Some(last)) =
            (came.iter().position(|came| *came), came.iter().rposition(|came| *came))
        else {
            return false;
        };
        let chunk = self.part.items.iter().zip(&came).take(last + 1).skip(first);
        chunk.enumerate().all(|(at, (item, came))| *came && (at == 0 || item.behind.is_empty()))
    }

    fn is_counted(&self) -> bool {
        self.come.iter().all(|item| matches!(sort(&item.word), Sort::Number | Sort::Time))
    }

    /// Returns true if all times and numbers differ, and nothing else: "open from May to
    /// September".
    fn is_rescheduled(&self) -> bool {
        let verb = self.part.clause.verb.as_ref();
        let timed = |item: &ContentWord| matches!(sort(&item.word), Sort::Number | Sort::Time);
        self.is_counted()
            && self.gone.iter().all(|item| timed(item))
            && self.gone.len() == self.come.len()
            && self.come.iter().zip(&self.gone).all(|(come, gone)| come.behind == gone.behind)
            && !self.part.clause.past
            && self.come.iter().any(|item| sort(&item.word) == Sort::Time)
            && self.shared.iter().any(|item| item.subject)
            && verb.is_some_and(|verb| verb.copula || holding(&verb.form) == Some(VerbObjectCount::One))
    }

    /// Returns true if the new and the old value follow a preposition of means or place.
    fn stands_alike(&self) -> bool {
        self.come.iter().all(|item| has("on at via by", &item.behind))
            && self.gone.iter().all(|item| has("on at via by", &item.behind))
    }

    /// Returns true if the verb and the slot have one value at a time.
    fn holds_one(&self, strong: bool, opposed: bool) -> bool {
        let acted = self.verb();
        let many = acted == "has"
            || (matches!(holding(acted), Some(VerbObjectCount::Many))
                && self.part.clause.verb.as_ref().is_some_and(|verb| !verb.copula));
        let liking =
            self.part.words.iter().any(|word| matches!(word.form.as_str(), "like" | "love" | "enjoy"));
        let framed =
            self.shared.iter().any(|item| !item.subject && !item.behind.is_empty() && item.form() != acted);
        let of_code = self.shared.iter().any(|item| item.subject && item.word.class == Class::Code);
        let one = self.come.len() == 1 && self.gone.len() == 1;
        !(many || liking)
            || self.is_counted()
            || self.is_called_new()
            || (opposed && (strong || framed || of_code))
            || (strong && one && (framed || self.stands_alike()) && !liking && acted != "has")
    }
}
