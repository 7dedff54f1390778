//! JSON in texts, with its position: the text as a whole, the text between two code fences, or a
//! line. Each byte is parsed twice at most. Pure. JSON within a line of other words counts as
//! words.

use std::ops::Range;

use loci_json::without_mark;
use loci_model::Document;
use loci_model::json::tree::JsonTree;

/// Prefixes of the lines that open and close a block of code.
const FENCES: [&str; 2] = ["```", "~~~"];

/// An object or a list of JSON in a text. The names of its members have no special meaning.
#[derive(Debug)]
pub(in crate::preferences) struct JsonPlace {
    /// The byte range in the text.
    pub(super) range: Range<usize>,
    /// Its value, with every member.
    pub(super) value: JsonTree,
}

/// Returns the JSON of a text in order. For each section between fences, or for a text without any:
/// the whole section if it is JSON, else each line that is. A byte order mark may precede it.
pub(in crate::preferences) fn json_places(text: &str) -> Vec<JsonPlace> {
    let mut places = Vec::new();
    let (mut start, mut end) = (0, 0);
    for line in text.split_inclusive('\n') {
        if FENCES.iter().any(|fence| line.trim_start().starts_with(fence)) {
            add_section(text.get(start..end).unwrap_or_default(), start, &mut places);
            start = end + line.len();
        }
        end += line.len();
    }
    add_section(text.get(start..end).unwrap_or_default(), start, &mut places);
    places
}

/// Adds the JSON of a section that begins at a byte of the text.
fn add_section(section: &str, start: usize, places: &mut Vec<JsonPlace>) {
    if let Some(place) = place_of(section, start) {
        places.push(place);
        return;
    }
    let mut at = start;
    for line in section.split_inclusive('\n') {
        places.extend(place_of(line, at));
        at += line.len();
    }
}

/// Returns the position of a text that is JSON as a whole and begins at that byte.
fn place_of(text: &str, at: usize) -> Option<JsonPlace> {
    let json = without_mark(text.trim_start()).trim_start();
    let start = at + text.len() - json.len();
    let json = json.trim_end();
    let is_json =
        (json.starts_with('{') && json.ends_with('}')) || (json.starts_with('[') && json.ends_with(']'));
    if !is_json {
        return None;
    }
    let value = Document::parse(json).ok()?.tree().ok()?;
    Some(JsonPlace { range: start..start + json.len(), value })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<String> {
        json_places(text).into_iter().map(|place| place.value.to_string()).collect()
    }

    #[test]
    fn a_text_of_json_keeps_each_of_its_members() {
        let check = |text: &str, expect: &str| assert_eq!(values(text), [expect], "{text}");
        check("{\"a\": 1, \"a\": 2}", "{\"a\":1,\"a\":2}");
        check(" {\"b\": 1.50, \"a\": [1e+400]}\n", "{\"b\":1.50,\"a\":[1e+400]}");
        for name in ["Number", "RawValue"] {
            let text = format!("{{\"n\":{{\"$serde_json::private::{name}\":\"1\"}}}}");
            check(&text, &text);
        }
    }

    #[test]
    fn json_is_found_where_it_is_a_text_a_section_or_a_line() {
        let check = |text: &str, expect: &[&str]| {
            let places = json_places(text);
            let found: Vec<&str> =
                places.iter().map(|place| text.get(place.range.clone()).unwrap()).collect();
            assert_eq!(found, expect, "{text}");
        };
        check("{\"a\":1}\n{\"b\":2}\n", &["{\"a\":1}", "{\"b\":2}"]);
        check("\r\n {\"a\":1} \r\n\r\n[2]\r\n", &["{\"a\":1}", "[2]"]);
        check("\u{feff}{\"a\":1}", &["{\"a\":1}"]);
        check(" \u{feff} [1]\n\u{feff}{\"b\":2}", &["[1]", "{\"b\":2}"]);
        check("{\n \"a\": 1\n}\n", &["{\n \"a\": 1\n}"]);
        check("started\n{\"a\":1}\n{\"b\":2} ended\n", &["{\"a\":1}"]);
        check("See:\n```json\n{\n\"a\": 1\n}\n```\nand\n ~~~\n[1]\n ~~~\n", &["{\n\"a\": 1\n}", "[1]"]);
        check("```jsonl\n{\"a\":1}\n{\"b\":2}\n```", &["{\"a\":1}", "{\"b\":2}"]);
        check("```json\n{\"a\":1}", &["{\"a\":1}"]);
        check("größer\n{\"ä\":\"ö\"}\nüber", &["{\"ä\":\"ö\"}"]);
        for text in
            ["{a}", "[1] and [2]", "\"a\"", "4711", "[", "{}}", "", "\u{feff}", "log: {\"a\":1}", "{a}\n]"]
        {
            check(text, &[]);
        }
    }

    #[test]
    fn many_lines_of_json_and_of_none() {
        let many = "[0,\n".repeat(20_000) + &"]\n".repeat(20_000);
        assert!(json_places(&many).is_empty());
        let lines = "{\"a\":1}\n".repeat(20_000);
        assert_eq!(json_places(&lines).len(), 20_000);
    }
}
