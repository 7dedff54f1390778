//! Checks of a task's members: short names, digests of traces, texts within their limits, valid
//! numbers.

use loci_model::{Error, Result, limits};

/// The mark at the end of a cut text.
const CUT: &str = "… (cut)";
/// The kinds of failure of a task.
const FAILURES: &[&str] = &[
    "reasoning_error",
    "instruction_noncompliance",
    "missing_verification",
    "timeout",
    "environment_failure",
];
/// The precision of stored costs: parts of a dollar.
const DOLLAR_PARTS: f64 = 10_000.0;
/// The number of hex digits of a trace.
const TRACE_DIGITS: usize = 32;

/// Checks an optional name: one line of at most [`limits::TASK_NAME_CHARS_MAX`] characters.
pub(crate) fn name(field: &'static str, value: Option<&String>) -> Result<()> {
    let fits = |text: &String| {
        (1..=limits::TASK_NAME_CHARS_MAX).contains(&text.chars().count())
            && !text.chars().any(char::is_control)
    };
    if value.is_none_or(fits) {
        return Ok(());
    }
    let max = limits::TASK_NAME_CHARS_MAX;
    Err(Error::invalid(field, format!("{field} must have 1 to {max} characters, without control characters")))
}

/// Checks the length of a description.
pub(crate) fn description(text: &str) -> Result<()> {
    if text.chars().count() <= limits::TASK_DESCRIPTION_CHARS_MAX {
        return Ok(());
    }
    let max = limits::TASK_DESCRIPTION_CHARS_MAX;
    Err(Error::invalid("description", format!("description must have at most {max} characters: shorten it")))
}

/// Checks an optional trace.
pub(super) fn trace(value: Option<&String>) -> Result<()> {
    let is_trace = |text: &String| {
        text.len() == TRACE_DIGITS
            && text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'a'..=b'f'))
            && text.bytes().any(|b| b != b'0')
    };
    if value.is_none_or(is_trace) {
        return Ok(());
    }
    Err(Error::invalid("trace_id", "trace_id must be 32 small hex digits, not all of them 0"))
}

/// Returns an error message, cut and marked if it is too long.
pub(super) fn error_message(text: String) -> String {
    cut(text, limits::TASK_ERROR_CHARS_MAX)
}

/// Returns a text, cut and marked if it exceeds a number of characters.
pub(crate) fn cut(text: String, chars_max: usize) -> String {
    if text.chars().count() <= chars_max {
        return text;
    }
    let kept: String = text.chars().take(chars_max.saturating_sub(CUT.chars().count())).collect();
    kept + CUT
}

/// Checks an optional kind of failure.
pub(super) fn failure_category(value: Option<&String>) -> Result<()> {
    if value.is_none_or(|word| FAILURES.contains(&word.as_str())) {
        return Ok(());
    }
    let words = FAILURES.join(", ");
    Err(Error::invalid("failure_category", format!("failure_category must be one of {words}")))
}

/// Returns an amount; `None` if it is not finite or negative.
pub(super) fn amount(value: Option<f64>) -> Option<f64> {
    value.filter(|amount| amount.is_finite() && *amount >= 0.0)
}

/// Returns an amount of dollars, rounded to four decimals; `None` if it is invalid.
pub(super) fn dollars(value: Option<f64>) -> Option<f64> {
    amount(value)
        .map(|dollars| (dollars * DOLLAR_PARTS).round() / DOLLAR_PARTS)
        .filter(|dollars| dollars.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_their_limits() {
        let of = |count: usize| "ä".repeat(count);
        assert!(name("branch", Some(&of(loci_model::limits::TASK_NAME_CHARS_MAX))).is_ok());
        assert!(name("branch", Some(&of(loci_model::limits::TASK_NAME_CHARS_MAX + 1))).is_err());
        assert!(name("branch", Some(&String::new())).is_err() && name("branch", None).is_ok());
        assert!(name("branch", Some(&"a\nb".to_owned())).is_err());
        assert!(description(&of(loci_model::limits::TASK_DESCRIPTION_CHARS_MAX)).is_ok());
        assert!(description(&of(loci_model::limits::TASK_DESCRIPTION_CHARS_MAX + 1)).is_err());
        let whole = of(loci_model::limits::TASK_ERROR_CHARS_MAX);
        assert_eq!(error_message(whole.clone()), whole);
        let cut = error_message(of(loci_model::limits::TASK_ERROR_CHARS_MAX + 1));
        assert_eq!(cut.chars().count(), loci_model::limits::TASK_ERROR_CHARS_MAX);
        assert!(cut.ends_with(CUT));
    }

    #[test]
    fn a39_what_is_no_number_is_absent() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.5, f64::MAX] {
            assert_eq!(dollars(Some(bad)), None, "{bad}");
        }
        assert_eq!(
            (dollars(Some(0.421_349)), dollars(Some(0.0)), dollars(None)),
            (Some(0.4213), Some(0.0), None)
        );
        assert_eq!((amount(Some(812.4)), amount(Some(f64::NAN))), (Some(812.4), None));
    }

    #[test]
    fn failures() {
        assert!(failure_category(Some(&"timeout".to_owned())).is_ok() && failure_category(None).is_ok());
        assert!(failure_category(Some(&"other".to_owned())).is_err());
    }

    #[test]
    fn traces() {
        let check = |text: String, expect: bool| assert_eq!(trace(Some(&text)).is_ok(), expect, "{text}");
        check("0af7651916cd43dd8448eb211c80319c".into(), true);
        check("0AF7651916CD43DD8448EB211C80319C".into(), false);
        check("0".repeat(32), false);
        check("a".repeat(31), false);
    }
}
