//! A dictionary as Python prints it, as JSON (sre-memory.md R-9): agents of the source design stored such texts. Pure. It reads literals of
//! data alone: texts, numbers, truth, None, lists, tuples and dictionaries whose keys are texts; nothing is run.

use serde_json::{Map, Number, Value};

/// Nesting that is read.
const DEPTH_MAX: usize = 64;

/// The value of a literal.
///
/// # Errors
/// What is wrong, and at which character.
pub(super) fn parse(text: &str) -> Result<Value, String> {
    let mut reader = Reader { signs: text.chars().collect(), at: 0 };
    let value = reader.value(0)?;
    reader.blank();
    if reader.at < reader.signs.len() { Err(reader.wrong("the end was expected")) } else { Ok(value) }
}

struct Reader {
    signs: Vec<char>,
    at: usize,
}

impl Reader {
    fn value(&mut self, depth: usize) -> Result<Value, String> {
        if depth > DEPTH_MAX {
            return Err(self.wrong("it is nested too deeply"));
        }
        self.blank();
        match self.peek() {
            Some('{') => self.dictionary(depth),
            Some('[') => self.list(depth, ']'),
            Some('(') => self.list(depth, ')'),
            Some('\'' | '"') => self.text().map(Value::String),
            Some(sign) if sign.is_ascii_digit() || matches!(sign, '-' | '+' | '.') => self.number(),
            Some(sign) if sign.is_ascii_alphabetic() => self.word(),
            _ => Err(self.wrong("a value was expected")),
        }
    }

    fn dictionary(&mut self, depth: usize) -> Result<Value, String> {
        self.at += 1;
        let mut members = Map::new();
        loop {
            self.blank();
            if self.takes('}') {
                return Ok(Value::Object(members));
            }
            let key = match self.peek() {
                Some('\'' | '"') => self.text()?,
                _ => return Err(self.wrong("a text was expected as key")),
            };
            self.blank();
            if !self.takes(':') {
                return Err(self.wrong("a colon was expected"));
            }
            members.insert(key, self.value(depth + 1)?);
            self.blank();
            if !self.takes(',') && self.peek() != Some('}') {
                return Err(self.wrong("a comma or the end of the dictionary was expected"));
            }
        }
    }

    fn list(&mut self, depth: usize, end: char) -> Result<Value, String> {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.blank();
            if self.takes(end) {
                return Ok(Value::Array(items));
            }
            items.push(self.value(depth + 1)?);
            self.blank();
            if !self.takes(',') && self.peek() != Some(end) {
                return Err(self.wrong("a comma or the end of the list was expected"));
            }
        }
    }

    fn text(&mut self) -> Result<String, String> {
        let quote = self.next().ok_or_else(|| self.wrong("a text was expected"))?;
        let mut out = String::new();
        loop {
            match self.next() {
                None => return Err(self.wrong("a text has no end")),
                Some('\\') => out.push(self.escaped()?),
                Some(sign) if sign == quote => return Ok(out),
                Some(sign) => out.push(sign),
            }
        }
    }

    fn escaped(&mut self) -> Result<char, String> {
        let digits = match self.next() {
            Some('n') => return Ok('\n'),
            Some('t') => return Ok('\t'),
            Some('r') => return Ok('\r'),
            Some('0') => return Ok('\0'),
            Some('x') => 2,
            Some('u') => 4,
            Some('U') => 8,
            Some(sign) => return Ok(sign),
            None => return Err(self.wrong("a text has no end")),
        };
        let mut code = 0;
        for _ in 0..digits {
            let digit = self.next().and_then(|sign| sign.to_digit(16));
            code = code * 16 + digit.ok_or_else(|| self.wrong("a hexadecimal digit was expected"))?;
        }
        char::from_u32(code).ok_or_else(|| self.wrong("that is no character"))
    }

    fn number(&mut self) -> Result<Value, String> {
        let from = self.at;
        while self.peek().is_some_and(|sign| sign.is_ascii_digit() || "+-.eE_".contains(sign)) {
            self.at += 1;
        }
        let digits = self.signs.get(from..self.at).unwrap_or_default();
        let text: String = digits.iter().filter(|sign| **sign != '_').collect();
        if let Ok(whole) = text.parse::<i64>() {
            return Ok(Value::from(whole));
        }
        let number = text.parse::<f64>().ok().and_then(Number::from_f64);
        number.map(Value::Number).ok_or_else(|| self.wrong("that is no number"))
    }

    fn word(&mut self) -> Result<Value, String> {
        let from = self.at;
        while self.peek().is_some_and(|sign| sign.is_ascii_alphanumeric() || sign == '_') {
            self.at += 1;
        }
        let word: String = self.signs.get(from..self.at).unwrap_or_default().iter().collect();
        match word.as_str() {
            "True" | "true" => Ok(Value::Bool(true)),
            "False" | "false" => Ok(Value::Bool(false)),
            "None" | "null" => Ok(Value::Null),
            _ => Err(self.wrong("only True, False and None are read as words")),
        }
    }

    fn blank(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.at += 1;
        }
    }

    fn takes(&mut self, sign: char) -> bool {
        let is_there = self.peek() == Some(sign);
        self.at += usize::from(is_there);
        is_there
    }

    fn peek(&self) -> Option<char> {
        self.signs.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let sign = self.peek();
        self.at += usize::from(sign.is_some());
        sign
    }

    fn wrong(&self, what: &str) -> String {
        format!("{what} at character {}", self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_python_prints() {
        let check = |text: &str, expect: Value| assert_eq!(parse(text), Ok(expect), "{text}");
        check("{}", json!({}));
        check(
            "{'a': 1, 'b': [1.5, -2, 1e3], 'c': (True, False, None)}",
            json!({"a": 1, "b": [1.5, -2, 1000.0], "c": [true, false, null]}),
        );
        check(
            r#"{'it': "it's", 'q': 'say \'x\'', "n": 'a\nb\\'}"#,
            json!({"it": "it's", "q": "say 'x'", "n": "a\nb\\"}),
        );
        check(r"{'u': '\u00e9\x41'}", json!({"u": "éA"}));
        check("{'nested': {'a': [{'b': 'c'}]},}", json!({"nested": {"a": [{"b": "c"}]}}));
    }

    #[test]
    fn what_it_does_not_read() {
        let deep = "[".repeat(100);
        for text in [
            "",
            "{",
            "{'a'}",
            "{'a': 1",
            "{'a': f(1)}",
            "{1: 2}",
            "{'a': 1} x",
            "'x",
            r"'\uzz'",
            "--",
            deep.as_str(),
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
