//! Dictionaries in Python notation, parsed as JSON: agents of the source design send `str(data)`.
//! Pure. Only literals are parsed: names, calls and operators are invalid, except
//! `datetime.datetime(…)`, the notation of a time in a printed data model.

use loci_model::Timestamp;
use serde_json::{Map, Number, Value};

/// The maximum nesting depth.
const DEPTH_MAX: u32 = 64;

/// Returns the value of a literal. `None` if the text is not exactly one literal.
pub(crate) fn read(text: &str) -> Option<Value> {
    let mut reader = Reader { rest: text };
    let value = reader.value(0)?;
    reader.skip();
    reader.rest.is_empty().then_some(value)
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn skip(&mut self) {
        self.rest = self.rest.trim_start();
    }

    /// Consumes a word or punctuation mark if it comes next.
    fn takes(&mut self, mark: &str) -> bool {
        self.skip();
        match self.rest.strip_prefix(mark) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn peek(&mut self) -> Option<char> {
        self.skip();
        self.rest.chars().next()
    }

    fn value(&mut self, depth: u32) -> Option<Value> {
        if depth > DEPTH_MAX {
            return None;
        }
        match self.peek()? {
            '{' => self.dictionary(depth),
            '[' => self.items("[", "]", depth).map(Value::Array),
            '(' => self.items("(", ")", depth).map(Value::Array),
            '\'' | '"' => self.text().map(Value::String),
            'd' => self.time(),
            c if c.is_ascii_digit() || matches!(c, '-' | '+' | '.') => self.number(),
            _ => self.word(),
        }
    }

    fn dictionary(&mut self, depth: u32) -> Option<Value> {
        self.takes("{");
        let mut members = Map::new();
        loop {
            if self.takes("}") {
                return Some(Value::Object(members));
            }
            let name = self.text()?;
            if !self.takes(":") {
                return None;
            }
            let value = self.value(depth.saturating_add(1))?;
            members.insert(name, value);
            if !self.takes(",") && self.peek() != Some('}') {
                return None;
            }
        }
    }

    fn items(&mut self, open: &str, close: &str, depth: u32) -> Option<Vec<Value>> {
        self.takes(open);
        let mut items = Vec::new();
        loop {
            if self.takes(close) {
                return Some(items);
            }
            items.push(self.value(depth.saturating_add(1))?);
            if !self.takes(",") && !self.rest.trim_start().starts_with(close) {
                return None;
            }
        }
    }

    fn word(&mut self) -> Option<Value> {
        let known = [("True", Value::Bool(true)), ("False", Value::Bool(false)), ("None", Value::Null)];
        let (word, value) = known.into_iter().find(|(word, _)| self.rest.starts_with(word))?;
        self.takes(word);
        Some(value)
    }

    fn number(&mut self) -> Option<Value> {
        let is_of_number = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E');
        let end = self.rest.find(|c| !is_of_number(c)).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        self.rest = rest;
        if let Ok(whole) = digits.parse::<i64>() {
            return Some(Value::from(whole));
        }
        Number::from_f64(digits.parse().ok()?).map(Value::Number)
    }

    /// Reads a quoted text.
    fn text(&mut self) -> Option<String> {
        self.skip();
        let mut chars = self.rest.chars();
        let quote = chars.next().filter(|c| matches!(c, '\'' | '"'))?;
        let mut out = String::new();
        loop {
            match chars.next()? {
                c if c == quote => break,
                '\\' => out.extend(escape(&mut chars)?),
                '\n' => return None,
                c => out.push(c),
            }
        }
        self.rest = chars.as_str();
        Some(out)
    }

    /// Reads `datetime.datetime(2026, 11, 20, 10, 0, tzinfo=datetime.timezone.utc)` as a time in
    /// RFC 3339. Without a zone it is UTC.
    fn time(&mut self) -> Option<Value> {
        if !(self.takes("datetime.datetime(") || self.takes("datetime(")) {
            return None;
        }
        let mut parts = Vec::new();
        while !self.takes(")") {
            if self.takes("tzinfo=") {
                // Other zones would need a time zone database.
                let is_utc = ["datetime.timezone.utc", "timezone.utc", "TzInfo(UTC)", "TzInfo(0)"];
                is_utc.iter().find(|zone| self.takes(zone))?;
            } else {
                parts.push(self.number()?.as_u64()?);
            }
            if !self.takes(",") && self.peek() != Some(')') {
                return None;
            }
        }
        let [year, month, day, rest @ ..] = parts.as_slice() else { return None };
        let part = |at: usize| rest.get(at).copied().unwrap_or(0);
        let (hour, minute, second, micros) = (part(0), part(1), part(2), part(3));
        let text = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{micros:06}Z");
        Some(Value::String(Timestamp::parse(&text).ok()?.to_rfc3339()))
    }
}

/// Returns the characters of an escape sequence. An unknown escape is kept unchanged, as in Python.
fn escape(chars: &mut std::str::Chars<'_>) -> Option<Vec<char>> {
    let one = match chars.next()? {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        '0' => '\0',
        'x' => coded(chars, 2)?,
        'u' => coded(chars, 4)?,
        'U' => coded(chars, 8)?,
        c @ ('\\' | '\'' | '"') => c,
        other => return Some(vec!['\\', other]),
    };
    Some(vec![one])
}

fn coded(chars: &mut std::str::Chars<'_>, digits: usize) -> Option<char> {
    let code: String = chars.by_ref().take(digits).collect();
    let is_whole = code.len() == digits && code.bytes().all(|byte| byte.is_ascii_hexdigit());
    let code = u32::from_str_radix(&code, 16).ok().filter(|_| is_whole)?;
    // Half of a surrogate pair, as Python prints text that was cut within an emoji.
    let is_half = matches!(code, 0xd800..=0xdfff);
    if is_half { Some(char::REPLACEMENT_CHARACTER) } else { char::from_u32(code) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_python_prints() {
        let check = |text: &str, expect: Value| assert_eq!(read(text), Some(expect), "{text}");
        check(
            "{'a': 1, 'b': [True, False, None], 'c': (1.5, -2)}",
            json!({"a": 1, "b": [true, false, null], "c": [1.5, -2]}),
        );
        check(
            r#"{'a': "it's", 'b': 'say "hi"', 'c': 'it\'s "x"'}"#,
            json!({"a": "it's", "b": "say \"hi\"", "c": "it's \"x\""}),
        );
        check(r"{'a': 'one\ntwo\\three\x41\u00e9\U0001f600\d'}", json!({"a": "one\ntwo\\three\u{41}é😀\\d"}));
        check(r"{'a': 'cut \ud83d'}", json!({"a": "cut \u{fffd}"}));
        check("{}", json!({}));
        check(" { 'a' : { } , } ", json!({"a": {}}));
        check("('a',)", json!(["a"]));
        check("1e-07", json!(1e-7));
        check("{'t': datetime.datetime(2026, 11, 20, 10, 0)}", json!({"t": "2026-11-20T10:00:00Z"}));
        check(
            "datetime.datetime(2026, 11, 20, 10, 0, 5, 250000, tzinfo=datetime.timezone.utc)",
            json!("2026-11-20T10:00:05.25Z"),
        );
        check(
            "{'a': 'ops.team@example.co.uk', 'n': {'m': 'k=\"v\"'}}",
            json!({"a": "ops.team@example.co.uk", "n": {"m": "k=\"v\""}}),
        );
    }

    #[test]
    fn what_is_no_literal() {
        let deep = "[".repeat(100);
        for text in [
            "",
            "{",
            "{'a'}",
            "{'a': }",
            "{'a': 1 'b': 2}",
            "{1: 2}",
            "'open",
            "{'a': open('x')}",
            "{'a': 1} x",
            "nan",
            "inf",
            "1.2.3",
            "__import__('os')",
            "{'a': <Kind.X: 'x'>}",
            "datetime.datetime(2026, 13, 1)",
            "datetime.datetime(2026)",
            r"'\u00'",
            r"'\xzz'",
            "{'a': 'b\nc'}",
            "datetime.datetime(2026, 1, 1, tzinfo=zoneinfo.ZoneInfo(key='Europe/Berlin'))",
            &deep,
            "1e999",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
