//! A suggestion after a word that is no command: the command whose name is nearest, at any depth.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue};
use clap::{Command, Error};

use super::{command_place, paths};

/// The least similarity of a suggestion, 0 to 1, as clap's own.
const SIMILARITY_MIN: f64 = 0.7;

/// Returns the error with the nearest command, if the first word of a command is none. Below that,
/// clap's own suggestion is of the group that the person named.
pub(super) fn with_suggestion(mut error: Error, arguments: &[OsString], command: &Command) -> Error {
    let first = command_place(arguments, command).and_then(|at| arguments.get(at)?.to_str());
    let nearest = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(word)) if first == Some(word) => nearest(word, command),
        _ => None,
    };
    if let Some(path) = nearest {
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(vec![path]));
    }
    error
}

/// Returns the path of the command whose last word, or whose whole path, is most similar to a word.
fn nearest(word: &str, command: &Command) -> Option<String> {
    let similar = |path: &str| {
        let last = path.rsplit(' ').next().unwrap_or(path);
        strsim::jaro_winkler(word, last).max(strsim::jaro_winkler(word, &path.replace(' ', "-")))
    };
    let scored = paths(command).into_iter().map(|path| (similar(&path), path));
    let best = scored.filter(|(score, _)| *score > SIMILARITY_MIN);
    // Of equal ones the shorter path, then the alphabet.
    best.max_by(|(a, x), (b, y)| a.total_cmp(b).then(y.len().cmp(&x.len())).then(y.cmp(x)))
        .map(|(_, path)| path)
}

#[cfg(all(test, feature = "coding", feature = "documents", feature = "operations"))]
mod tests {
    use super::*;

    #[test]
    fn twenty_typos_find_their_command() {
        let typos = [
            ("serach", "search"),
            ("memroy", "memory"),
            ("recrod", "record"),
            ("evnt", "event"),
            ("sevre", "serve"),
            ("instal", "install"),
            ("docter", "doctor"),
            ("verfy", "verify"),
            ("facts", "fact"),
            ("repos", "repo"),
            ("confg", "config"),
            ("bakup", "backup"),
            ("restor", "restore"),
            ("migrte", "migrate"),
            ("hydrate", "task hydrate"),
            ("quarantin", "repo quarantine"),
            ("snapshot", "files snapshot"),
            ("themes", "repo themes"),
            ("supersed", "fact supersede"),
            ("memory-create", "memory create"),
        ];
        typos.into_iter().for_each(|(typo, expect)| check(typo, expect));
    }

    /// A typo in a group stays in the group.
    #[test]
    fn typos_of_groups_find_their_command() {
        check("memory craete", "create");
        check("record histroy", "history");
        check("--json fact serach", "search");
    }

    fn check(words: &str, expect: &str) {
        let arguments: Vec<OsString> = format!("loci {words}").split(' ').map(OsString::from).collect();
        let command = super::super::command();
        let error = command.clone().try_get_matches_from(&arguments).err();
        let said = error.map(|error| with_suggestion(error, &arguments, &command).to_string());
        let is_found = said.as_ref().is_some_and(|said| said.contains(&format!("'{expect}'")));
        assert!(is_found, "{words}: {said:?}");
    }
}
