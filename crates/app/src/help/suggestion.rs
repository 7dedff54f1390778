//! A suggestion after a word that is no command: the command whose name is nearest, at any depth.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Error};

/// The least similarity of a suggestion, 0 to 1, as clap's own.
const SIMILARITY_MIN: f64 = 0.7;

/// Returns the error with the nearest command.
pub(super) fn with_suggestion(mut error: Error, command: &Command) -> Error {
    if error.kind() != ErrorKind::InvalidSubcommand {
        return error;
    }
    let word = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(word)) => word.clone(),
        _ => return error,
    };
    // Below the first level, clap's own suggestion is of the group that was meant.
    let names_command = |name: &str| command.find_subcommand(name).is_some();
    let is_of_group =
        std::env::args().skip(1).take_while(|given| *given != word).any(|given| names_command(&given));
    if is_of_group {
        return error;
    }
    // A command of a group may be nearer than the one that clap has found at the first level.
    if let Some(path) = nearest(&word, command) {
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(vec![path]));
    }
    error
}

/// Returns the path of the command whose last word, or whose whole path, is most similar to a word.
fn nearest(word: &str, command: &Command) -> Option<String> {
    let mut paths = Vec::new();
    collect(command, "", &mut paths);
    let similar = |path: &str| {
        let last = path.rsplit(' ').next().unwrap_or(path);
        strsim::jaro_winkler(word, last).max(strsim::jaro_winkler(word, &path.replace(' ', "-")))
    };
    let scored = paths.into_iter().map(|path| (similar(&path), path));
    let best = scored.filter(|(score, _)| *score > SIMILARITY_MIN);
    // Of equal ones the shorter path, then the alphabet.
    best.max_by(|(a, x), (b, y)| a.total_cmp(b).then(y.len().cmp(&x.len())).then(y.cmp(x)))
        .map(|(_, path)| path)
}

fn collect(command: &Command, path: &str, paths: &mut Vec<String>) {
    for one in command.get_subcommands().filter(|one| !one.is_hide_set()) {
        let whole = format!("{path} {}", one.get_name()).trim().to_owned();
        collect(one, &whole, paths);
        paths.push(whole);
    }
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
        for (typo, expect) in typos {
            let error = super::super::command().try_get_matches_from(["loci", typo]).unwrap_err();
            let said = with_suggestion(error, &super::super::command()).to_string();
            assert!(said.contains(&format!("'{expect}'")), "{typo}: {said}");
        }
    }
}
