//! A change in any words: the new statement ends the content of the old one, leads away from it, or
//! gives another value as of now.
//!
//! Three kinds of evidence exist, each subject to the guards: an end whose object the old statement
//! asserts (`end`); a change on the old statement's topic (`explicit_change`); a value of the same
//! sort in the same frame with a word that marks it as new (`new_value`).

mod end;
mod explicit_change;
mod new_value;

use super::compare::Against;
use super::gist::Gist;
use super::guards::{conditional, new_person, other_direction, other_person, runs_elsewhere};
use crate::consolidation::Alike;
use crate::consolidation::statement_parser::ParsedStatement;
use crate::consolidation::statement_parser::turns::{change, end};
use crate::consolidation::thresholds::Thresholds;

/// Returns true if a statement contains an end or a change.
pub(in crate::consolidation) fn tells(gist: &Gist) -> bool {
    gist.parts.iter().any(|part| end(&part.words).is_some() || change(&part.words).is_some())
}

/// Returns the effect on the old statement of a change that the new one states.
pub(in crate::consolidation) fn turns(
    new: &ParsedStatement,
    (was, is): (&Gist, &Gist),
    (alike, limits): (Alike, &Thresholds),
) -> Option<Against> {
    let near = alike.cosine.is_none_or(|cosine| cosine >= limits.turned);
    let asserts = was.items().any(|item| !item.denied);
    let only = is.says("only") && !was.says("only") && !new.cues.now;
    if near && !asserts && !new.cues.also && !conditional(was, is) && !other_person(was, is) {
        return is
            .parts
            .iter()
            .any(|part| new_value::asserts_all(was, part, new.cues.now))
            .then_some(Against::Denial);
    }
    if !near || !asserts || only || conditional(was, is) || runs_elsewhere(was, is) {
        return None;
    }
    let whole = !end::lists_several(was) && !is.acts_otherwise(was);
    if whole && is.parts.iter().any(|part| end::is_ended(was, part)) {
        return Some(Against::Change);
    }
    let past = was.parts.iter().any(|part| part.clause.past && !part.clause.negative);
    if new.cues.also || past || other_direction(was, is) {
        return None;
    }
    let strange = new_person(was, is);
    if (0..is.parts.len()).any(|at| explicit_change::is_changed(was, is, at, strange)) {
        return Some(Against::Change);
    }
    if other_person(was, is) {
        return None;
    }
    if new_value::contrasts(was, is) {
        return Some(Against::Change);
    }
    if is.parts.iter().any(|part| new_value::denies(was, part)) {
        return Some(Against::Denial);
    }
    let turned = |gist: &Gist| gist.parts.iter().any(|part| change(&part.words).is_some());
    let ends = |gist: &Gist| gist.parts.iter().any(|part| end(&part.words).is_some());
    let told = turned(is) && !turned(was) && !ends(was);
    let alike_enough = alike.cosine.is_none_or(|cosine| cosine >= limits.renewed);
    let strong = new.cues.now || new.cues.instead || new.cues.corrected || told;
    let renewed = is.parts.iter().any(|part| {
        // Another thing ended here.
        end(&part.words).is_none() && new_value::is_renewed(was, part, strong)
    });
    (renewed && alike_enough).then_some(Against::Value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(old: &str, new: &str, expect: Option<Against>) {
        let alike = Alike { jaccard: 0.5, cosine: Some(0.7) };
        let told = ParsedStatement::of(new);
        let gists = (&Gist::of(&ParsedStatement::of(old)), &Gist::of(&told));
        let found = turns(&told, gists, (alike, &Thresholds::default()));
        assert_eq!(found, expect, "{old} | {new}");
    }

    #[test]
    fn ends() {
        let ended = Some(Against::Change);
        check("I smoke ten cigarettes a day.", "I quit smoking in May.", ended);
        check("Deploy with `make deploy`.", "`make deploy` is gone, use `just ship`.", ended);
        check("Integration tests need Docker.", "Integration tests don't need Docker any more.", ended);
        check("Je travaille chez Renault.", "Je ne travaille plus chez Renault.", ended);
        check("We deploy with Helm.", "We no longer deploy on Fridays.", None);
        check("I work at Tessera.", "My husband quit his job at Tessera.", None);
        check("I live in Kassel.", "I no longer work in Kassel.", None);
    }

    #[test]
    fn changes() {
        let changed = Some(Against::Change);
        check(
            "The kitchen budget is 12,000 euros.",
            "We had to raise the kitchen budget to 15,500 euros.",
            changed,
        );
        check("Client Roth is on the monthly plan.", "Client Roth switched to the yearly plan.", changed);
        check("The cache TTL is 5 minutes.", "The session TTL was raised to 30 minutes.", None);
        check("Leo plays the drums in a band.", "Leo's band changed its name to Nightfall.", None);
    }

    #[test]
    fn values() {
        check("Users are fetched via REST.", "Users are now fetched via GraphQL.", Some(Against::Value));
        check("I'm 34 years old.", "Sorry, correction: I'm 35, not 34.", Some(Against::Change));
        check("The Berlin office has 40 people.", "The Madrid office now has 65 people.", None);
        check("We have two cats.", "We also have a parrot now.", None);
        check(
            "Project Atlas has 4 people.",
            "If Borea is approved, Project Atlas has 9 people from now on.",
            None,
        );
    }
}
