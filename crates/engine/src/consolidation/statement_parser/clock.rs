//! Normal form of clock times: "3 pm", "3 in the afternoon" and "15:00" are equal. English.
//!
//! A number counts as a time only with a clock marker; a bare number stays a number.

use super::words::{Class, Word};

/// Replaces clock times by hours and minutes.
pub(super) fn with_clock(words: Vec<Word>) -> Vec<Word> {
    let mut read: Vec<Word> = Vec::with_capacity(words.len());
    let mut at = 0;
    while let Some(word) = words.get(at) {
        at += 1;
        let rest = words.get(at..).unwrap_or_default();
        let Some((hour, minute)) = time_of(word) else {
            read.push(word.clone());
            continue;
        };
        let (half, used) = half_of_day(rest);
        let hour = match half {
            Some(Half::After) if hour < 12 => hour + 12,
            Some(Half::Before) if hour == 12 => 0,
            Some(_) | None => hour,
        };
        if half.is_some() || word.form.contains(':') {
            read.push(Word { form: format!("{hour}:{minute:02}"), ..word.clone() });
            at += used;
        } else {
            read.push(word.clone());
        }
    }
    read
}

/// The half of the day that follows a time.
enum Half {
    Before,
    After,
}

/// Returns the hour and minute of a number that may be a time.
fn time_of(word: &Word) -> Option<(u32, u32)> {
    if word.class != Class::Number {
        return None;
    }
    let (hour, minute) = word.form.split_once(':').unwrap_or((&word.form, "0"));
    let (hour, minute): (u32, u32) = (hour.parse().ok()?, minute.parse().ok()?);
    (hour < 24 && minute < 60).then_some((hour, minute))
}

/// Returns the half of the day and its number of words: "am", "in the morning".
fn half_of_day(rest: &[Word]) -> (Option<Half>, usize) {
    let lower = |at: usize| rest.get(at).map(|word| word.lower.as_str()).unwrap_or_default();
    match lower(0) {
        "am" | "a.m" => return (Some(Half::Before), 1),
        "pm" | "p.m" => return (Some(Half::After), 1),
        "o'clock" => return half_of_day(rest.get(1..).unwrap_or_default()),
        _ => {}
    }
    match (lower(0), lower(1), lower(2)) {
        ("in", "the", "morning") => (Some(Half::Before), 3),
        ("in", "the", "afternoon" | "evening") => (Some(Half::After), 3),
        _ => (None, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::super::words::words;

    #[test]
    fn one_form() {
        let check = |text: &str, expect: &str| {
            let seen: Vec<String> = words(text).into_iter().map(|word| word.form).collect();
            assert_eq!(seen.join(" "), expect, "{text}");
        };
        check("at 3 pm", "at 15:00");
        check("at 07:45", "at 7:45");
        check("at 10 in the morning", "at 10:00");
        check("I am 10", "user is 10");
        check("12 am", "0:00");
        check("with 25 pm", "with 25 pm");
    }
}
