//! Compares values independent of the writer's style: blanks, case, thousands separators, dashes,
//! and the noun of counted items. `18k–22k records` is `18k-22k`, and `250m-400m` is `250-400m`.

/// Words that are units of measure, with their short form.
const UNITS: &[(&str, &str)] = &[
    ("ms", "ms"),
    ("msec", "ms"),
    ("millis", "ms"),
    ("millisecond", "ms"),
    ("milliseconds", "ms"),
    ("us", "us"),
    ("µs", "us"),
    ("microseconds", "us"),
    ("s", "s"),
    ("sec", "s"),
    ("secs", "s"),
    ("second", "s"),
    ("seconds", "s"),
    ("m", "m"),
    ("min", "min"),
    ("mins", "min"),
    ("minute", "min"),
    ("minutes", "min"),
    ("h", "h"),
    ("hr", "h"),
    ("hrs", "h"),
    ("hour", "h"),
    ("hours", "h"),
    ("d", "d"),
    ("day", "d"),
    ("days", "d"),
    ("week", "week"),
    ("weeks", "week"),
    ("month", "month"),
    ("months", "month"),
    ("year", "year"),
    ("years", "year"),
    ("%", "%"),
    ("percent", "%"),
    ("b", "b"),
    ("bytes", "b"),
    ("kb", "kb"),
    ("mb", "mb"),
    ("gb", "gb"),
    ("tb", "tb"),
    ("ki", "kib"),
    ("mi", "mib"),
    ("gi", "gib"),
    ("ti", "tib"),
    ("kib", "kib"),
    ("mib", "mib"),
    ("gib", "gib"),
    ("tib", "tib"),
    ("g", "g"),
    ("millicores", "m"),
    ("cores", "core"),
    ("core", "core"),
    ("vcpu", "core"),
    ("vcpus", "core"),
    ("cpus", "core"),
    ("rps", "rps"),
    ("qps", "qps"),
    ("tps", "tps"),
    ("mbps", "mbps"),
    ("gbps", "gbps"),
    ("mbit", "mbit"),
    ("gbit", "gbit"),
    ("°c", "°c"),
    ("mhz", "mhz"),
    ("ghz", "ghz"),
    ("v", "v"),
    ("mv", "mv"),
    ("ma", "ma"),
    ("dbm", "dbm"),
    ("kwh", "kwh"),
];

/// Numbers with their unit.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Amount {
    numbers: Vec<String>,
    unit: String,
}

impl Amount {
    pub(super) fn read(value: &str) -> Self {
        let lower = value.to_lowercase().replace("per cent", "%");
        let mut numbers = Vec::new();
        let mut unit = String::new();
        let mut rest = lower.as_str();
        while let Some(from) = rest.find(|sign: char| sign.is_ascii_digit()) {
            let negative = numbers.is_empty() && rest[..from].trim_end().ends_with(['-', '−', '–']);
            let number = &rest[from..];
            let end = number
                .find(|sign: char| !sign.is_ascii_digit() && !matches!(sign, '.' | ',' | '\'' | '_'))
                .unwrap_or(number.len());
            let digits: String =
                number[..end].chars().filter(|sign| sign.is_ascii_digit() || *sign == '.').collect();
            rest = &number[end..];
            let stop = rest.find(|sign: char| sign.is_ascii_digit()).unwrap_or(rest.len());
            let behind =
                rest[..stop].trim_matches(|sign: char| sign.is_whitespace() || "-–—~.,".contains(sign));
            let (multiplier, behind) = multiplied(behind);
            let sign = if negative { "-" } else { "" };
            numbers.push(format!("{sign}{}{multiplier}", digits.trim_end_matches('.')));
            if let Some(found) = unit_of(behind) {
                unit = found;
            }
        }
        share_multiplier(&mut numbers);
        Self { numbers, unit }
    }
}

/// Returns the multiplier of a count (`k`, `M` of things), and the text after it.
fn multiplied(text: &str) -> (&'static str, &str) {
    for (written, multiplier) in [("thousand", "k"), ("million", "mill"), ("bn", "bn"), ("k", "k")] {
        let Some(rest) = text.strip_prefix(written) else { continue };
        if !rest.starts_with(char::is_alphabetic) {
            return (multiplier, rest.trim());
        }
    }
    ("", text)
}

/// Returns the unit at the beginning of a text: a word of the table, or the divisor of a rate
/// (`/s`).
fn unit_of(text: &str) -> Option<String> {
    if let Some((_, by)) = text.split_once('/') {
        let by: String = by.trim().chars().take_while(|sign| sign.is_alphabetic()).collect();
        let by =
            UNITS.iter().find(|(word, _)| *word == by).map_or(by.as_str(), |(_, short)| *short).to_owned();
        let noun = text.split('/').next().unwrap_or_default().trim();
        let noun = UNITS.iter().find(|(word, _)| *word == noun).map_or("", |(_, short)| *short);
        return Some(format!("{noun}/{by}"));
    }
    let word = text.split_whitespace().next()?;
    UNITS.iter().find(|(unit, _)| *unit == word).map(|(_, short)| (*short).to_owned())
}

/// Copies the multiplier of the last number: `5-10k` starts at five thousand.
fn share_multiplier(numbers: &mut [String]) {
    let Some(multiplier) =
        numbers.last().map(|last| last.chars().skip_while(|sign| !sign.is_alphabetic()).collect::<String>())
    else {
        return;
    };
    for number in numbers.iter_mut() {
        if !number.ends_with(char::is_alphabetic) {
            number.push_str(&multiplier);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Amount;

    #[test]
    fn values_that_say_the_same_are_equal() {
        for (one, other, expect) in [
            ("18k-22k records", "18k-22k", true),
            ("250m-400m", "250-400m", true),
            ("55% and 65%", "55-65%", true),
            ("6 to 8 minutes", "6-8 min", true),
            ("1,200 ms", "1200ms", true),
            ("90k inserts/s", "90k/s", true),
            ("12 replicas", "12", true),
            ("5-10k", "5k-10k", true),
            ("-20 °C", "20 °C", false),
            ("200 ms", "200 s", false),
            ("400Mi", "400MB", false),
            ("3", "13", false),
            ("60 req/min", "60 req/s", false),
        ] {
            assert_eq!(Amount::read(one) == Amount::read(other), expect, "{one} and {other}");
        }
    }
}
