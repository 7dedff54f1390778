//! Values that are no contact although their member has the name of one: a medium such as `email`,
//! a delay, a threshold, a switch. Pure. In case of doubt a value is a contact and waits for a
//! person.

use serde_json::Value;

use super::contact_words::{has_contact, has_number};

/// Media without an address. A separate member sets the address of a medium.
const MEDIA: &[&str] = &[
    "email",
    "mail",
    "slack",
    "sms",
    "text",
    "textmessage",
    "phone",
    "phonecall",
    "call",
    "voice",
    "pager",
    "pagerduty",
    "opsgenie",
    "victorops",
    "teams",
    "msteams",
    "microsoftteams",
    "discord",
    "mattermost",
    "telegram",
    "whatsapp",
    "chat",
    "push",
    "inapp",
    "webhook",
    "none",
];
/// Suffixes of the names of measurements and switches, in letters only.
const MEASURES: &[&str] = &[
    "delay",
    "delays",
    "minutes",
    "mins",
    "min",
    "seconds",
    "secs",
    "hours",
    "days",
    "after",
    "threshold",
    "thresholds",
    "timeout",
    "interval",
    "severity",
    "priority",
    "level",
    "attempts",
    "retries",
    "count",
    "enabled",
];
/// Names of severities.
const SEVERITIES: &[&str] = &[
    "critical", "high", "medium", "low", "major", "minor", "warning", "error", "info", "p0", "p1", "p2",
    "p3", "p4", "p5", "sev0", "sev1", "sev2", "sev3", "sev4", "sev5", "s1", "s2", "s3", "s4", "s5",
];
/// Units of time, in lower case.
const UNITS: &[&str] = &[
    "s", "sec", "secs", "second", "seconds", "m", "min", "mins", "minute", "minutes", "h", "hour", "hours",
    "d", "day", "days", "%",
];

/// True if a value is no contact. `name` holds only the letters of the member's name.
pub(super) fn leads_nowhere(name: &str, value: &Value) -> bool {
    match value {
        Value::Bool(_) => true,
        Value::Number(number) => is_measure(name) && !has_number(&number.to_string()),
        Value::String(text) => is_medium(text) || (is_measure(name) && is_amount(text)),
        Value::Array(items) => {
            let is_harmless = |item: &Value| item.as_str().is_some_and(is_medium);
            !items.is_empty() && items.iter().all(is_harmless)
        }
        Value::Null | Value::Object(_) => false,
    }
}

fn is_measure(name: &str) -> bool {
    MEASURES.iter().any(|word| name.ends_with(word))
}

fn is_medium(text: &str) -> bool {
    let is_plain = text.chars().all(|sign| sign.is_ascii_alphanumeric() || matches!(sign, ' ' | '-' | '_'));
    let letters: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
    is_plain && MEDIA.contains(&letters.to_ascii_lowercase().as_str())
}

/// True for a severity, or a number with a unit of time.
fn is_amount(text: &str) -> bool {
    let text = text.trim().to_lowercase();
    let digits = text.trim_start_matches(|sign: char| sign.is_ascii_digit() || sign == '.');
    let is_time = digits.len() < text.len() && (digits.is_empty() || UNITS.contains(&digits.trim()));
    let is_safe = !has_contact(&text) && !has_number(&text);
    is_safe && (is_time || SEVERITIES.contains(&text.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_that_lead_to_nobody() {
        let check = |name: &str, value: Value, expect: bool| {
            assert_eq!(leads_nowhere(name, &value), expect, "{name}: {value}");
        };
        check("channel", json!("email"), true);
        check("channel", json!("MS Teams"), true);
        check("channels", json!(["email", "in-app"]), true);
        check("emailenabled", json!(true), true);
        check("oncalldelay", json!(15), true);
        check("oncalldelay", json!("15 min"), true);
        check("contactthreshold", json!("P1"), true);
        check("contactthreshold", json!("90%"), true);
        check("channel", json!("ops"), false);
        check("channel", json!("#email"), false);
        check("channel", json!("email@evil"), false);
        check("channels", json!(["email", "ops"]), false);
        check("channels", json!([]), false);
        check("oncalldelay", json!(15_551_234_567_i64), false);
        check("oncalldelay", json!("mallory"), false);
        check("phone", json!(4711), false);
        check("contact", json!({"email": "email"}), false);
        check("contact", json!(null), false);
    }
}
