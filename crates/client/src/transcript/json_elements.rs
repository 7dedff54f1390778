//! Splits a JSON array into the texts of its elements while it is read. A single object counts as
//! an array of one.
//!
//! It recognises only brackets and strings: the caller parses and checks each element. It does NOT
//! hold more than one element.

use loci_json::ForeignText;

use super::error::TranscriptError;
use super::lines::{Input, UNIT_BYTES_MAX};

/// The text of one element.
pub(super) struct Element {
    /// Line of the source where it begins, from 1.
    pub(super) line: usize,
    pub(super) text: String,
    /// The number of lone surrogates in its bytes that became U+FFFD.
    pub(super) replaced: usize,
}

pub(super) struct Elements<'a> {
    input: Input<'a>,
    line: usize,
    state: State,
    bytes_max: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nothing but white space so far.
    Start,
    /// Inside the array, before an element.
    Array,
    /// After the array or the lone object.
    End,
    /// After an error that affects the whole file.
    Broken,
}

/// One element being collected.
#[derive(Default)]
struct Collected {
    line: usize,
    bytes: Vec<u8>,
    depth: usize,
    in_string: bool,
    escaped: bool,
    over: bool,
}

impl Collected {
    /// Takes a byte; true if it was the last of the element.
    fn push(&mut self, byte: u8, bytes_max: usize) -> bool {
        if self.bytes.len() >= bytes_max {
            self.over = true;
            self.bytes = Vec::new();
        }
        if !self.over {
            self.bytes.push(byte);
        }
        if self.in_string {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            return false;
        }
        match byte {
            b'"' => self.in_string = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        self.depth == 0 && matches!(byte, b'}' | b']')
    }
}

impl<'a> Elements<'a> {
    pub(super) fn new(input: Input<'a>) -> Self {
        Self::with_limit(input, UNIT_BYTES_MAX)
    }

    fn with_limit(input: Input<'a>, bytes_max: usize) -> Self {
        Self { input, line: 1, state: State::Start, bytes_max }
    }

    fn byte(&mut self) -> Result<Option<u8>, TranscriptError> {
        loop {
            match self.input.fill_buf() {
                Ok(chunk) => {
                    let byte = chunk.first().copied();
                    if byte.is_some() {
                        self.input.consume(1);
                    }
                    return Ok(byte);
                }
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                Err(cause) => return Err(TranscriptError::input(self.line, cause)),
            }
        }
    }

    /// Returns the next element, or the reason why it is unusable. After the outer error, reading
    /// cannot continue.
    fn read(&mut self) -> Result<Option<Result<Element, TranscriptError>>, TranscriptError> {
        let mut element: Option<Collected> = None;
        while let Some(byte) = self.byte()? {
            let line = self.line;
            if byte == b'\n' {
                self.line += 1;
            }
            if let Some(open) = &mut element {
                if open.push(byte, self.bytes_max) {
                    return Ok(Some(finished(std::mem::take(open), self.bytes_max)));
                }
                continue;
            }
            match (self.state, byte) {
                (_, b' ' | b'\t' | b'\r' | b'\n') | (State::Array, b',') => {}
                // A byte order mark.
                (State::Start, 0xef | 0xbb | 0xbf) if line == 1 => {}
                (State::Start, b'[') => self.state = State::Array,
                (State::Start | State::Array, b'{') => {
                    if self.state == State::Start {
                        self.state = State::End;
                    }
                    let mut open = Collected { line, ..Collected::default() };
                    open.push(byte, self.bytes_max);
                    element = Some(open);
                }
                (State::Array, b']') => self.state = State::End,
                (State::Start | State::Array | State::End | State::Broken, _) => {
                    return Err(not_an_export(line));
                }
            }
        }
        if element.is_some() || self.state == State::Array {
            return Err(TranscriptError::new(
                self.line,
                "the JSON ends too early",
                "the file was cut off: export or copy it again; the conversations before are complete",
            ));
        }
        if self.state == State::Start {
            return Err(not_an_export(self.line));
        }
        Ok(None)
    }
}

fn finished(open: Collected, bytes_max: usize) -> Result<Element, TranscriptError> {
    if open.over {
        return Err(TranscriptError::new(
            open.line,
            format!("a conversation has at most {bytes_max} bytes"),
            "remove this conversation from the array, or import it in another format",
        ));
    }
    let ForeignText { text, replaced } = loci_json::text_of(open.bytes).map_err(|_| {
        TranscriptError::new(open.line, "the text is UTF-8 (it is not)", "convert the file to UTF-8")
    })?;
    Ok(Element { line: open.line, text, replaced })
}

fn not_an_export(line: usize) -> TranscriptError {
    TranscriptError::new(
        line,
        "a ChatGPT export is a JSON array of conversations",
        "give conversations.json of the unpacked export, or choose another --transcript-format",
    )
}

impl Iterator for Elements<'_> {
    type Item = Result<Element, TranscriptError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.state == State::Broken {
            return None;
        }
        match self.read() {
            Ok(element) => element,
            Err(error) => {
                self.state = State::Broken;
                Some(Err(error))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    fn check(input: &str, expect: &[&str]) {
        let got: Vec<String> =
            Elements::with_limit(Box::new(BufReader::with_capacity(3, input.as_bytes())), 16)
                .map(|e| {
                    e.map_or_else(
                        |e| format!("{} error: {}", e.line, e.rule),
                        |e| format!("{} {}", e.line, e.text),
                    )
                })
                .collect();
        assert_eq!(got, expect, "{input}");
    }

    #[test]
    fn an_array_is_cut_into_its_elements() {
        check("[]", &[]);
        check("\u{feff} [ ]\n", &[]);
        check(r#"[{"a":1},{"b":[]}]"#, &[r#"1 {"a":1}"#, r#"1 {"b":[]}"#]);
        check("[\n{\n},\n {}\n]\n", &["2 {\n}", "4 {}"]);
        check(r#"[{"a":"}]\"{"}]"#, &[r#"1 {"a":"}]\"{"}"#]);
        check(r#"{"a":1}"#, &[r#"1 {"a":1}"#]);
    }

    #[test]
    fn what_is_no_array_of_objects_ends_with_one_error() {
        let no_export = "a ChatGPT export is a JSON array of conversations";
        check("", &[&format!("1 error: {no_export}")]);
        check("hello", &[&format!("1 error: {no_export}")]);
        check("{}\n{}", &["1 {}", &format!("2 error: {no_export}")]);
        check("[{},\n7]", &["1 {}", &format!("2 error: {no_export}")]);
        check("[{},\n{\"a\":", &["1 {}", "2 error: the JSON ends too early"]);
        check("[{},", &["1 {}", "1 error: the JSON ends too early"]);
    }

    #[test]
    fn a_conversation_over_the_limit_is_passed_over_whole() {
        check(r#"[{"a":"0123456789"},{}]"#, &["1 error: a conversation has at most 16 bytes", "1 {}"]);
    }
}
