//! The canonical form of JSON (RFC 8785), so that equal documents have equal digests: pure. Members
//! are ordered by their UTF-16 code units, numbers are written as double-precision numbers, and
//! there is no white space.

use loci_model::{Error, Result};
use serde_json::Value;

/// The powers of ten within which a number is written without an exponent.
const PLAIN_POWERS: std::ops::RangeInclusive<i32> = -6..=20;

/// Returns the canonical form.
///
/// # Errors
/// `Invalid` for a number beyond double precision.
pub(super) fn canonical(value: &Value) -> Result<String> {
    let mut out = String::new();
    write(value, &mut out)?;
    Ok(out)
}

fn write(value: &Value, out: &mut String) -> Result<()> {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Number(number) => {
            let finite = number.as_f64().filter(|number| number.is_finite());
            let rule = "a number must fit double precision";
            out.push_str(&number_text(finite.ok_or_else(|| Error::invalid("overrides", rule))?));
        }
        Value::String(text) => write_text(text, out)?,
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write(item, out)?;
            }
            out.push(']');
        }
        Value::Object(members) => {
            let mut ordered: Vec<(&String, &Value)> = members.iter().collect();
            ordered.sort_by(|(one, _), (other, _)| one.encode_utf16().cmp(other.encode_utf16()));
            out.push('{');
            for (at, (name, member)) in ordered.into_iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write_text(name, out)?;
                out.push(':');
                write(member, out)?;
            }
            out.push('}');
        }
    }
    Ok(())
}

fn write_text(text: &str, out: &mut String) -> Result<()> {
    let written = serde_json::to_string(text)
        .map_err(|error| Error::bug("a text that cannot be written as JSON").caused_by(error))?;
    out.push_str(&written);
    Ok(())
}

/// Returns the shortest digits that identify the number, in the notation of ECMAScript.
fn number_text(number: f64) -> String {
    if number == 0.0 {
        return "0".to_owned();
    }
    let scientific = format!("{number:e}");
    let (digits, power) = scientific.split_once('e').unwrap_or((scientific.as_str(), "0"));
    let power: i32 = power.parse().unwrap_or_default();
    if PLAIN_POWERS.contains(&power) {
        return number.to_string();
    }
    let sign = if power < 0 { "" } else { "+" };
    format!("{digits}e{sign}{power}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_form_of_each_document() {
        let check = |text: &str, expect: &str| {
            let value: Value = serde_json::from_str(text).unwrap();
            assert_eq!(canonical(&value).unwrap(), expect, "{text}");
        };
        check(r#"{ "b": [1, 2.0, null], "a": true }"#, r#"{"a":true,"b":[1,2,null]}"#);
        check(
            r#"{"\u20ac":"Euro","\r":"CR","1":"One","\ud83d\ude00":"S","\ufb33":"H"}"#,
            "{\"\\r\":\"CR\",\"1\":\"One\",\"\u{20ac}\":\"Euro\",\"\u{1f600}\":\"S\",\"\u{fb33}\":\"H\"}",
        );
        check(r#""\u000f\n\"\\/é\u007f""#, "\"\\u000f\\n\\\"\\\\/é\u{7f}\"");
        check(
            "[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001]",
            "[333333333.3333333,1e+30,4.5,0.002,1e-27]",
        );
        check(
            "[1e21,1e20,0.000001,0.0000001,-0,-1.5,9007199254740993]",
            "[1e+21,100000000000000000000,0.000001,1e-7,0,-1.5,9007199254740992]",
        );
        let huge: Value = serde_json::from_str("1e999").unwrap();
        assert!(canonical(&huge).is_err());
    }
}
