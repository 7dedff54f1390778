//! Output for people and programs: results on standard output, everything else on standard error. A
//! closed pipe is not a failure of the command; another failure to write a result is ([`finish`]).
//! Control sequences of a terminal are made visible.

mod details;
pub(super) mod notices;
pub(super) mod protected_paths;
pub(crate) mod reasons;
mod terminal_text;
pub(super) mod wait_notice;

use std::io::{ErrorKind, IsTerminal, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::{ProgressBar, ProgressStyle};
use loci_client::ClientError;
use serde::Serialize;

use crate::exit;
use crate::output::terminal_text::{visible, visible_json};

/// The interval of a spinner.
const TICK: std::time::Duration = std::time::Duration::from_millis(120);

/// The first failure to write a result.
static LOST: OnceLock<std::io::Error> = OnceLock::new();

/// True once a progress bar is on the terminal.
static BAR: AtomicBool = AtomicBool::new(false);

/// Takes the outcome of a write to standard output. The reader may have closed the pipe; another
/// failure is kept for [`finish`].
fn written(outcome: std::io::Result<()>) {
    if let Err(error) = outcome
        && error.kind() != ErrorKind::BrokenPipe
    {
        // The first failure says enough.
        let _ = LOST.set(error);
    }
}

/// Returns the outcome of all writes of results. A command calls it once, at its end.
///
/// # Errors
/// Errors if a part of the result could not be written, such as to a full disk.
pub(crate) fn finish() -> anyhow::Result<()> {
    written(std::io::stdout().lock().flush());
    match LOST.get() {
        Some(error) => anyhow::bail!("the result was not written completely to standard output: {error}"),
        None => Ok(()),
    }
}

/// Prints a line of the result.
pub(crate) fn line(text: impl std::fmt::Display) {
    written(writeln!(std::io::stdout().lock(), "{}", visible(&text.to_string())));
}

/// Prints a line of this program's own text, with its own colours.
pub(crate) fn styled(text: impl std::fmt::Display) {
    written(writeln!(std::io::stdout().lock(), "{text}"));
}

/// Prints a text of the result: unchanged into a file or a pipe, made visible on a terminal. Adds a
/// missing final newline.
pub(crate) fn text(text: &str) {
    let mut out = std::io::stdout().lock();
    let shown = if out.is_terminal() { visible(text) } else { text.into() };
    written(out.write_all(shown.as_bytes()));
    if !text.is_empty() && !text.ends_with('\n') {
        written(out.write_all(b"\n"));
    }
}

/// Prints a line for the waiting person.
pub(crate) fn note(text: impl std::fmt::Display) {
    // There is no other place to report this failure.
    let _ = writeln!(std::io::stderr().lock(), "{}", visible(&text.to_string()));
}

/// Notes that a list is empty.
pub(crate) fn note_if_empty<T>(list: &[T], text: &str) {
    if list.is_empty() {
        note(text);
    }
}

/// Prints that a dry run wrote nothing, and how to apply the changes.
pub(crate) fn dry_run() {
    note("would write these changes; run it without --dry-run to write them");
}

/// Prints the result for a program.
pub(crate) fn json(value: &impl Serialize) -> anyhow::Result<()> {
    let text = serde_json::to_string_pretty(value)?;
    written(writeln!(std::io::stdout().lock(), "{}", visible_json(&text)));
    Ok(())
}

/// Prints one object: JSON if `as_json` is set, otherwise a line for each member.
pub(crate) fn details(as_json: bool, value: &impl Serialize) -> anyhow::Result<()> {
    if as_json {
        return json(value);
    }
    members(&serde_json::to_value(value)?);
    Ok(())
}

/// Prints a line for each member of an object.
pub(crate) fn members(value: &serde_json::Value) {
    details::lines(value).iter().for_each(line);
}

/// The result: JSON where that was asked for, else lines.
pub(crate) fn result<T: Serialize>(as_json: bool, value: &T, lines: impl FnOnce(&T)) -> anyhow::Result<()> {
    if as_json {
        return json(value);
    }
    lines(value);
    Ok(())
}

/// Prints columns of equal width. A list of unknown length is printed by [`list`].
pub(crate) fn table(rows: &[Vec<String>]) {
    table_lines(rows).iter().for_each(line);
}

/// Returns the lines of a table. No cell is cut, whatever the width of the terminal is.
fn table_lines(rows: &[Vec<String>]) -> Vec<String> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let shown = |row: &Vec<String>| {
        let mut text = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            text.push_str(&format!("{cell:width$}  "));
        }
        // A cell is always one line.
        text.replace('\n', " ").trim_end().to_owned()
    };
    rows.iter().map(shown).collect()
}

/// Prints a list as columns below their headings, if they have any. A list without rows prints the
/// sentence `empty` to standard error instead, so that nobody takes it for a failure.
pub(crate) fn list(headings: &[&str], rows: Vec<Vec<String>>, empty: &str) {
    note_if_empty(&rows, empty);
    list_lines(headings, rows).iter().for_each(line);
}

fn list_lines(headings: &[&str], rows: Vec<Vec<String>>) -> Vec<String> {
    if rows.is_empty() {
        return Vec::new();
    }
    let headings: Vec<String> = headings.iter().map(|&heading| heading.to_owned()).collect();
    let headings = (!headings.is_empty()).then_some(headings);
    table_lines(&headings.into_iter().chain(rows).collect::<Vec<_>>())
}

/// Returns a count with its noun, such as “1 record” or “2 records”.
pub(crate) fn counted(count: impl std::fmt::Display, noun: &str) -> String {
    let count = count.to_string();
    let ending = if count == "1" { "" } else { "s" };
    format!("{count} {noun}{ending}")
}

/// Returns a number of things with their verb, such as “1 job is” and “2 jobs are”.
pub(crate) fn counted_are(count: impl std::fmt::Display, noun: &str) -> String {
    let counted = counted(count, noun);
    let verb = if counted.ends_with('s') { "are" } else { "is" };
    format!("{counted} {verb}")
}

/// Returns the first characters of a text, on one line.
pub(crate) fn short(text: &str, chars_max: usize) -> String {
    let one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if one_line.chars().count() <= chars_max {
        return one_line;
    }
    let cut: String = one_line.chars().take(chars_max.saturating_sub(1)).collect();
    format!("{}…", cut.trim_end())
}

/// True if a progress bar shows that the command works.
pub(super) fn has_bar() -> bool {
    BAR.load(Ordering::Relaxed)
}

/// Notes that a bar is shown, unless there is no terminal.
fn noted(bar: ProgressBar) -> ProgressBar {
    BAR.fetch_or(!bar.is_hidden(), Ordering::Relaxed);
    bar
}

/// Returns a counter of bytes without a known end, on a terminal only.
pub(crate) fn spinner(what: &'static str) -> ProgressBar {
    let bar = ProgressBar::new_spinner().with_message(what);
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {bytes} {elapsed}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(TICK);
    noted(bar)
}

/// Returns a progress bar of bytes with the remaining time, on a terminal only.
pub(crate) fn progress(bytes: u64, what: &'static str) -> ProgressBar {
    let bar = ProgressBar::new(bytes).with_message(what);
    if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {bytes}/{total_bytes} {eta} left") {
        bar.set_style(style);
    }
    noted(bar)
}

/// Returns a progress bar of items with the remaining time, on a terminal only.
pub(crate) fn items(count: u64, what: &'static str) -> ProgressBar {
    let bar = ProgressBar::new(count).with_message(what);
    if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta} left") {
        bar.set_style(style);
    }
    noted(bar)
}

/// Prints a failure.
pub(crate) fn failure(error: &anyhow::Error, as_json: bool) {
    if as_json {
        let problem = error.chain().enumerate().find_map(|(depth, cause)| {
            let Some(ClientError::Refused { problem, .. }) = cause.downcast_ref::<ClientError>() else {
                return None;
            };
            let mut problem = (**problem).clone();
            if depth > 0 {
                problem.message = format!("{error}: {}", problem.message);
            }
            Some(problem)
        });
        let problem = problem.unwrap_or_else(|| loci_api::Problem {
            code: exit::error_code(error).to_owned(),
            message: message(error),
            field: None,
            retryable: error
                .chain()
                .any(|cause| cause.downcast_ref::<ClientError>().is_some_and(ClientError::is_retryable)),
            details: None,
        });
        if let Ok(text) = serde_json::to_string(&loci_api::ProblemBody { error: problem }) {
            let _ = writeln!(std::io::stderr().lock(), "{}", visible_json(&text));
            return;
        }
    }
    note(format!("error: {}", message(error)));
}

/// Returns the chain of causes, without repetitions. It ends with a failed connection, whose own
/// message names the cause and the remedy.
fn message(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain() {
        let shown = cause.to_string();
        if !text.ends_with(&shown) {
            if !text.is_empty() {
                text.push_str(": ");
            }
            text.push_str(&shown);
        }
        if let Some(ClientError::Unreachable { .. }) = cause.downcast_ref() {
            break;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_agree_with_their_noun() {
        let shown: Vec<_> = [0, 1, 2, 11].map(|count| counted(count, "record")).to_vec();
        assert_eq!(shown, ["0 records", "1 record", "2 records", "11 records"]);
        assert_eq!([1, 2].map(|count| counted_are(count, "job")), ["1 job is", "2 jobs are"]);
    }

    #[test]
    fn a_failed_connection_is_the_last_cause() {
        let source = Box::new(std::io::Error::other("Connection refused (os error 111)"));
        let message_of = |error: anyhow::Error| message(&error);
        let failed = ClientError::Unreachable { message: "no server answers at http://h".to_owned(), source };
        let error = anyhow::Error::from(failed).context("listing memories");
        assert_eq!(message_of(error), "listing memories: no server answers at http://h");
    }

    #[test]
    fn a_list_without_rows_has_no_headings() {
        let rows = vec![vec!["k-1".to_owned(), "a long name".to_owned()]];
        let check = |headings: &[&str], rows: &[Vec<String>], expect: &[&str]| {
            assert_eq!(list_lines(headings, rows.to_vec()), expect);
        };
        check(&["KEY", "NAME"], &rows, &["KEY  NAME", "k-1  a long name"]);
        check(&[], &rows, &["k-1  a long name"]);
        check(&["KEY", "NAME"], &[], &[]);
        // No cell is cut.
        let wide = "x".repeat(500);
        check(&[], &[vec![wide.clone()]], &[wide.as_str()]);
    }

    #[test]
    fn long_texts_are_cut_on_one_line() {
        assert_eq!(short("a\n b", 10), "a b");
        assert_eq!(short("abcdefghij", 5), "abcd…");
        assert_eq!(short("grüße dich", 6), "grüße…");
    }
}
