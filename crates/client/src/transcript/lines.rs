//! Numbered lines of an input, one at a time, each within a limit. It does NOT interpret a line.

use std::io::BufRead;

use loci_json::{ForeignText, without_mark};

use super::error::TranscriptError;

/// The maximum of bytes of one line, one speaker's turn, or one conversation of an export: 64 MiB.
/// Sessions with pasted images have lines of several MiB. A larger unit is an error of that line
/// and is not held in memory.
pub const UNIT_BYTES_MAX: usize = 64 * 1024 * 1024;

pub(super) type Input<'a> = Box<dyn BufRead + Send + 'a>;

/// A line without its end.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct InputLine {
    /// The number of the line, from 1.
    pub(super) number: usize,
    pub(super) text: String,
    /// The number of lone surrogates in its bytes that became U+FFFD.
    pub(super) replaced: usize,
}

pub(super) struct Lines<'a> {
    input: Input<'a>,
    number: usize,
    bytes_max: usize,
    ended: bool,
}

impl<'a> Lines<'a> {
    pub(super) fn new(input: Input<'a>) -> Self {
        Self::with_limit(input, UNIT_BYTES_MAX)
    }

    fn with_limit(input: Input<'a>, bytes_max: usize) -> Self {
        Self { input, number: 0, bytes_max, ended: false }
    }

    /// Returns the bytes of the next line; `Ok(None)` if it exceeds the limit. Its bytes are
    /// skipped.
    fn next_bytes(&mut self) -> std::io::Result<Option<Option<Vec<u8>>>> {
        let mut line = Vec::new();
        let (mut any, mut over) = (false, false);
        loop {
            let chunk = match self.input.fill_buf() {
                Ok(chunk) => chunk,
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(e) => return Err(e),
            };
            if chunk.is_empty() {
                return Ok(any.then_some((!over).then_some(line)));
            }
            any = true;
            let end = chunk.iter().position(|b| *b == b'\n');
            let taken = chunk.get(..end.unwrap_or(chunk.len())).unwrap_or_default();
            over |= line.len() + taken.len() > self.bytes_max;
            if over {
                line = Vec::new();
            } else {
                line.extend_from_slice(taken);
            }
            let used = taken.len() + usize::from(end.is_some());
            self.input.consume(used);
            if end.is_some() {
                return Ok(Some((!over).then_some(line)));
            }
        }
    }
}

impl Iterator for Lines<'_> {
    type Item = Result<InputLine, TranscriptError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let read = self.next_bytes();
        let number = self.number + 1;
        match read {
            Ok(None) => {
                self.ended = true;
                None
            }
            Err(cause) => {
                self.ended = true;
                Some(Err(TranscriptError::input(number, cause)))
            }
            Ok(Some(bytes)) => {
                self.number = number;
                Some(line_of(number, bytes, self.bytes_max))
            }
        }
    }
}

fn line_of(number: usize, bytes: Option<Vec<u8>>, bytes_max: usize) -> Result<InputLine, TranscriptError> {
    let Some(mut bytes) = bytes else {
        return Err(TranscriptError::new(
            number,
            format!("a line has at most {bytes_max} bytes"),
            "cut the line, or remove what was pasted into it",
        ));
    };
    if bytes.last() == Some(&b'\r') {
        bytes.pop();
    }
    let ForeignText { text, replaced } = loci_json::text_of(bytes).map_err(|error| {
        let valid_up_to = error.utf8_error().valid_up_to();
        TranscriptError::new(
            number,
            format!("the text is UTF-8 (it is not, from byte {valid_up_to} of the line)"),
            "convert the file to UTF-8",
        )
    })?;
    let text = if number == 1 { without_mark(&text).to_owned() } else { text };
    Ok(InputLine { number, text, replaced })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufReader, Read};

    fn check(input: &[u8], expect: &[&str]) {
        // A buffer of three bytes, so that lines cross its boundaries.
        let input = BufReader::with_capacity(3, input);
        let got: Vec<String> = Lines::with_limit(Box::new(input), 8)
            .map(|line| line.map_or_else(|e| e.to_string(), |l| format!("{} {}", l.number, l.text)))
            .collect();
        assert_eq!(got, expect);
    }

    #[test]
    fn lines_are_numbered_and_bounded() {
        check(b"", &[]);
        check(b"a\n\nb", &["1 a", "2 ", "3 b"]);
        check(b"a\r\nb\r\n", &["1 a", "2 b"]);
        check("\u{feff}x\n".as_bytes(), &["1 x"]);
        check(b"12345678\n", &["1 12345678"]);
        check(
            b"123456789\nok\n",
            &["line 1: a line has at most 8 bytes; cut the line, or remove what was pasted into it", "2 ok"],
        );
        check(b"a\xed\xa0\xbdb\n", &["1 a\u{fffd}b"]);
        check(
            b"ab\xff\nok",
            &[
                "line 1: the text is UTF-8 (it is not, from byte 2 of the line); convert the file to UTF-8",
                "2 ok",
            ],
        );
    }

    #[test]
    fn a_failing_input_is_told_once_and_ends() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
                Err(std::io::Error::from(std::io::ErrorKind::ConnectionReset))
            }
        }
        let input = BufReader::new(b"one\n".chain(Broken));
        let mut lines = Lines::new(Box::new(input));
        assert_eq!(lines.next().unwrap().unwrap().text, "one");
        let error = lines.next().unwrap().unwrap_err();
        assert_eq!(error.line, 2);
        assert!(error.cause.is_some());
        assert!(lines.next().is_none());
    }
}
