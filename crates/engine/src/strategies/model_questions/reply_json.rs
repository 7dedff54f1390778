//! A strict parser of JSON answers, a list of objects or one object. It reports all defects at
//! once, so that one revision can correct them. The strategies interpret the members.
//!
//! It unwraps answers: thoughts before the answer, one code fence around it, `{"items": […]}`
//! around the list. It tolerates nothing else: text around the JSON, unknown members, a truncated
//! list.

use serde_json::{Map, Value};

use super::question::BadReply;

/// The maximum number of defects that are reported; more would not help a model to correct its
/// answer.
pub const VIOLATIONS_MAX: usize = 20;
/// The maximum number of characters of the answer that the description of a defect quotes.
const SHOWN_CHARS_MAX: usize = 40;

/// A JSON object of a model's answer, and the list of defects to which its checks add.
pub struct ReplyObject<'a> {
    /// The position of the object in the answer, for descriptions of defects: `item 3`, `turns
    /// 2`, `the answer`.
    place: String,
    members: &'a Map<String, Value>,
    violations: Vec<String>,
}

/// Parses a list of at most `entries_max` objects, each by `read`; it must report a defect before
/// it returns `None`.
///
/// # Errors
/// All defects, at most twenty lines.
pub fn list<T>(
    reply: &str,
    entries_max: usize,
    read: impl Fn(&mut ReplyObject<'_>) -> Option<T>,
) -> Result<Vec<T>, BadReply> {
    let entries = entries(reply)?;
    let mut violations = Vec::new();
    if entries.len() > entries_max {
        violations.push(format!("there are {} items: at most {entries_max} are allowed", entries.len()));
    }
    let found = each("item", &entries, &mut violations, read);
    if violations.is_empty() { Ok(found) } else { Err(all_of(violations)) }
}

/// Parses one object by `read`, which must report a defect before it returns `None`.
///
/// # Errors
/// All defects, at most twenty lines.
pub fn object<T>(reply: &str, read: impl Fn(&mut ReplyObject<'_>) -> Option<T>) -> Result<T, BadReply> {
    let value = json(reply)?;
    let Value::Object(members) = &value else {
        return Err(BadReply::of(format!("the answer must be one object, not {}", kind(&value))));
    };
    let mut entry = ReplyObject { place: "the answer".to_owned(), members, violations: Vec::new() };
    match read(&mut entry) {
        Some(value) if entry.violations.is_empty() => Ok(value),
        found => {
            if found.is_none() && entry.violations.is_empty() {
                entry.refuse("it cannot be read");
            }
            Err(all_of(entry.violations))
        }
    }
}

fn all_of(mut violations: Vec<String>) -> BadReply {
    violations.truncate(VIOLATIONS_MAX);
    BadReply { violations }
}

/// Parses the objects of a list.
fn each<T>(
    name: &str,
    values: &[Value],
    violations: &mut Vec<String>,
    read: impl Fn(&mut ReplyObject<'_>) -> Option<T>,
) -> Vec<T> {
    let mut found = Vec::with_capacity(values.len());
    for (number, value) in (1..).zip(values) {
        let place = format!("{name} {number}");
        let Value::Object(members) = value else {
            violations.push(format!("{place} must be an object, not {}", kind(value)));
            continue;
        };
        let mut entry = ReplyObject { place, members, violations: Vec::new() };
        let value = read(&mut entry);
        if value.is_none() && entry.violations.is_empty() {
            entry.refuse("it cannot be read");
        }
        found.extend(value);
        violations.append(&mut entry.violations);
    }
    found
}

fn json(reply: &str) -> Result<Value, BadReply> {
    let text = bare(reply);
    if text.is_empty() {
        return Err(BadReply::of("the answer is empty: answer with JSON alone"));
    }
    loci_json::from_str(text).map_err(|error| {
        BadReply::of(if error.is_eof() {
            "the answer breaks off: answer with the whole JSON".to_owned()
        } else {
            let place = format!("line {}, column {}", error.line(), error.column());
            format!(
                "the answer is not JSON ({place}): answer with JSON alone, nothing before it or behind it"
            )
        })
    })
}

fn entries(reply: &str) -> Result<Vec<Value>, BadReply> {
    match json(reply)? {
        Value::Array(entries) => Ok(entries),
        Value::Object(mut members) if members.len() == 1 => match members.remove("items") {
            Some(Value::Array(entries)) => Ok(entries),
            Some(other) => Err(BadReply::of(format!("`items` must be a list, not {}", kind(&other)))),
            None => Err(BadReply::of("the answer must have the one member `items`")),
        },
        Value::Object(_) => Err(BadReply::of("the answer must have the one member `items`, and no other")),
        other => Err(BadReply::of(format!("the answer must be {{\"items\": […]}}, not {}", kind(&other)))),
    }
}

/// Returns the answer without preceding thoughts and without one fence around it.
pub fn bare(reply: &str) -> &str {
    let mut text = reply.trim().trim_start_matches('\u{feff}').trim_start();
    if let Some(rest) = text.strip_prefix("<think>")
        && let Some((_, behind)) = rest.split_once("</think>")
    {
        text = behind.trim();
    }
    let Some(fenced) = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```")) else {
        return text;
    };
    match fenced.split_once('\n') {
        Some((language, body)) if language.trim().chars().all(char::is_alphanumeric) => body.trim(),
        _ => text,
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

impl ReplyObject<'_> {
    /// Adds a defect to the list, with the position of the object.
    pub fn refuse(&mut self, rule: impl AsRef<str>) {
        self.violations.push(format!("{}: {}", self.place, rule.as_ref()));
    }

    /// Returns the object as it is, for a caller that checks its members itself.
    pub fn whole(&self) -> Value {
        Value::Object(self.members.clone())
    }

    /// Reports every member that is not in `names` as a defect.
    pub fn only(&mut self, names: &[&str]) {
        let other = self.members.keys().find(|key| !names.contains(&key.as_str())).cloned();
        if let Some(other) = other {
            let shown: String = other.chars().take(SHOWN_CHARS_MAX).collect();
            self.refuse(format!("there is no member `{shown}`; the members are {}", names.join(", ")));
        }
    }

    /// Returns the text of a required member without surrounding white space. It must have 1 to
    /// `chars_max` characters; otherwise a defect is reported and the result is `None`.
    pub fn text(&mut self, name: &str, chars_max: usize) -> Option<String> {
        match self.members.get(name) {
            Some(Value::String(text)) => {
                let text = text.trim();
                let count = text.chars().count();
                if (1..=chars_max).contains(&count) {
                    return Some(text.to_owned());
                }
                self.refuse(format!("`{name}` must have 1 to {chars_max} characters, it has {count}"));
            }
            Some(other) => self.refuse(format!("`{name}` must be a string, not {}", kind(other))),
            None => self.refuse(format!("`{name}` is missing")),
        }
        None
    }

    /// Returns the objects of a list, at most `count_max`, parsed like those of an answer; empty if
    /// it is absent or null.
    pub fn objects<T>(
        &mut self,
        name: &str,
        count_max: usize,
        read: impl Fn(&mut ReplyObject<'_>) -> Option<T>,
    ) -> Vec<T> {
        let values = match self.members.get(name) {
            None | Some(Value::Null) => return Vec::new(),
            Some(Value::Array(values)) => values,
            Some(other) => {
                self.refuse(format!("`{name}` must be a list of objects, not {}", kind(other)));
                return Vec::new();
            }
        };
        if values.len() > count_max {
            self.refuse(format!("`{name}` must hold at most {count_max} objects, it has {}", values.len()));
        }
        each(&format!("`{name}`"), values, &mut self.violations, read)
    }

    /// Returns one of these words, in any case; reports a defect and returns `None` for another
    /// one.
    pub fn word(&mut self, name: &str, words: &[&'static str]) -> Option<&'static str> {
        let said = self.members.get(name).and_then(Value::as_str).map(|said| said.trim().to_lowercase());
        let word = words.iter().copied().find(|word| said.as_deref() == Some(*word));
        if word.is_none() {
            self.refuse(format!("`{name}` must be one of: {}", words.join(", ")));
        }
        word
    }

    /// Returns the positive whole number of a required member, given as a number or as a string
    /// of digits; otherwise a defect is reported and the result is `None`.
    pub fn number(&mut self, name: &str) -> Option<u64> {
        let number = match self.members.get(name) {
            Some(Value::Number(number)) => number.as_u64(),
            Some(Value::String(digits)) => digits.trim().parse().ok(),
            _ => None,
        };
        if number.is_none() {
            self.refuse(format!("`{name}` must be a number"));
        }
        number
    }

    /// Works like [`ReplyObject::text`] for a member that may be absent, null or empty; violations
    /// are reported.
    pub fn maybe_text(&mut self, name: &str, chars_max: usize) -> Option<String> {
        match self.members.get(name) {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) if text.trim().is_empty() => None,
            Some(_) => self.text(name, chars_max),
        }
    }

    /// Works like [`ReplyObject::maybe_text`] for a member of a nested object, which may itself be
    /// absent or null.
    pub fn maybe_text_within(&mut self, outer: &str, name: &str, chars_max: usize) -> Option<String> {
        let members = match self.members.get(outer) {
            None | Some(Value::Null) => return None,
            Some(Value::Object(members)) => members,
            Some(other) => {
                self.refuse(format!("`{outer}` must be an object, not {}", kind(other)));
                return None;
            }
        };
        let mut inner = ReplyObject { place: self.place.clone(), members, violations: Vec::new() };
        inner.only(&[name]);
        let text = inner.maybe_text(name, chars_max);
        self.violations.append(&mut inner.violations);
        text
    }

    /// Returns the positive whole numbers of a list in order without duplicates; empty if it is
    /// absent or null.
    pub fn numbers(&mut self, name: &str) -> Vec<u64> {
        let mut numbers: Vec<u64> = Vec::new();
        match self.members.get(name) {
            None | Some(Value::Null) => {}
            Some(Value::Array(values)) => {
                for value in values {
                    match value.as_u64() {
                        Some(number) if !numbers.contains(&number) => numbers.push(number),
                        Some(_) => {}
                        None => {
                            self.refuse(format!("`{name}` must hold numbers alone, not {}", kind(value)));
                            break;
                        }
                    }
                }
            }
            Some(other) => self.refuse(format!("`{name}` must be a list of numbers, not {}", kind(other))),
        }
        numbers.sort_unstable();
        numbers
    }

    /// Returns the strings of a list, at most `count_max` of 1 to `chars_max` characters; empty if
    /// it is absent or null.
    pub fn texts(&mut self, name: &str, count_max: usize, chars_max: usize) -> Vec<String> {
        let values = match self.members.get(name) {
            None | Some(Value::Null) => return Vec::new(),
            Some(Value::Array(values)) => values,
            Some(other) => {
                self.refuse(format!("`{name}` must be a list of strings, not {}", kind(other)));
                return Vec::new();
            }
        };
        if values.len() > count_max {
            self.refuse(format!("`{name}` must hold at most {count_max} strings, it has {}", values.len()));
        }
        let fits = |text: &str| (1..=chars_max).contains(&text.chars().count());
        let texts: Vec<String> =
            values.iter().filter_map(Value::as_str).map(str::trim).map(str::to_owned).collect();
        if texts.len() < values.len() || !texts.iter().all(|text| fits(text)) {
            self.refuse(format!("`{name}` must hold strings of 1 to {chars_max} characters alone"));
        }
        texts
    }

    /// Returns further string values by key: `[{"key": …, "value": …}]`; other entries are reported
    /// as defects.
    pub fn pairs(&mut self, name: &str) -> Vec<(String, String)> {
        let values = match self.members.get(name) {
            None | Some(Value::Null) => return Vec::new(),
            Some(Value::Array(values)) => values,
            Some(other) => {
                self.refuse(format!("`{name}` must be a list of pairs, not {}", kind(other)));
                return Vec::new();
            }
        };
        let pair = |value: &Value| {
            let key = value.get("key")?.as_str()?;
            let value = match value.get("value")? {
                Value::String(text) => text.clone(),
                Value::Number(number) => number.to_string(),
                Value::Array(items) => Value::Array(items.clone()).to_string(),
                Value::Null | Value::Bool(_) | Value::Object(_) => return None,
            };
            Some((key.to_owned(), value))
        };
        let pairs: Vec<_> = values.iter().filter_map(pair).collect();
        if pairs.len() < values.len() {
            self.refuse(format!("`{name}` must hold {{\"key\", \"value\"}} alone, both strings"));
        }
        pairs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(reply: &str) -> Result<Vec<(String, Vec<u64>)>, Vec<String>> {
        list(reply, 3, |entry| {
            entry.only(&["fact", "sources"]);
            let (fact, sources) = (entry.text("fact", 10), entry.numbers("sources"));
            Some((fact?, sources))
        })
        .map_err(|bad| bad.violations)
    }

    #[test]
    fn good_answers() {
        let check = |reply: &str, expect: &[(&str, &[u64])]| {
            let expect: Vec<_> =
                expect.iter().map(|(fact, sources)| ((*fact).to_owned(), sources.to_vec())).collect();
            assert_eq!(read(reply), Ok(expect), "{reply}");
        };
        check("[]", &[]);
        check(r#"{"items":[]}"#, &[]);
        check(r#"[{"fact":"tea \ud83d"}]"#, &[("tea \u{fffd}", &[])]);
        check(r#"[{"fact":" tea "}]"#, &[("tea", &[])]);
        check(r#"{"items":[{"fact":"tea","sources":[3,1,3]}]}"#, &[("tea", &[1, 3])]);
        check("```json\n[{\"fact\":\"tea\",\"sources\":null}]\n```", &[("tea", &[])]);
        check("\u{feff}<think>hm, [1]</think>\n```\n[]\n```\n", &[]);
    }

    #[test]
    fn bad_answers_name_what_is_wrong() {
        let check = |reply: &str, parts: &[&str]| {
            let found = read(reply).unwrap_err();
            assert_eq!(found.len(), parts.len(), "{reply}: {found:?}");
            for (line, part) in found.iter().zip(parts) {
                assert!(line.contains(part), "{reply}: {found:?}");
            }
        };
        check("", &["empty"]);
        check("I cannot help with that.", &["not JSON"]);
        check("[] and that is all", &["not JSON"]);
        check("Sure! []", &["not JSON"]);
        check(r#"[{"fact":"tea"},{"fa"#, &["breaks off"]);
        check(r#""tea""#, &["not a string"]);
        check(r#"{"items":[],"more":1}"#, &["no other"]);
        check(r#"{"facts":[]}"#, &["one member `items`"]);
        check(r#"{"items":{}}"#, &["must be a list"]);
        check(r#"[1]"#, &["item 1 must be an object, not a number"]);
        check(
            r#"[{"fact":7,"x":1},{"fact":"","sources":"1"}]"#,
            &[
                "item 1: there is no member `x`",
                "item 1: `fact` must be a string",
                "item 2: `fact` must have 1 to 10 characters, it has 0",
                "item 2: `sources` must be a list of numbers",
            ],
        );
        check(
            r#"[{"fact":"12345678901"},{"sources":[-1]}]"#,
            &["it has 11", "`fact` is missing", "numbers alone"],
        );
        let four = r#"[{"fact":"a"},{"fact":"a"},{"fact":"a"},{"fact":"a"}]"#;
        check(four, &["there are 4 items"]);
        let many = format!("[{}]", vec!["1"; 50].join(","));
        assert_eq!(read(&many).unwrap_err().len(), VIOLATIONS_MAX);
        let long = format!(r#"[{{"fact":"a","{}":1}}]"#, "x".repeat(500));
        assert!(read(&long).unwrap_err()[0].chars().count() < 140);
    }

    #[test]
    fn one_object_with_objects_in_it() {
        let read = |reply: &str| {
            object(reply, |entry| {
                entry.only(&["how", "steps"]);
                let steps = entry.objects("steps", 2, |step| {
                    step.only(&["id", "what"]);
                    let (id, what) = (step.number("id"), step.text("what", 5));
                    Some((id?, what?))
                });
                Some((entry.word("how", &["well", "badly"])?, steps))
            })
            .map_err(|bad| bad.violations)
        };
        assert_eq!(
            read(r#"{"how":" Well ","steps":[{"id":"2","what":"tea"},{"id":1,"what":"a"}]}"#),
            Ok(("well", vec![(2, "tea".to_owned()), (1, "a".to_owned())]))
        );
        assert_eq!(read("```json\n{\"how\":\"badly\"}\n```"), Ok(("badly", Vec::new())));
        let check = |reply: &str, parts: &[&str]| {
            let found = read(reply).unwrap_err();
            assert_eq!(found.len(), parts.len(), "{reply}: {found:?}");
            for (line, part) in found.iter().zip(parts) {
                assert!(line.contains(part), "{reply}: {found:?}");
            }
        };
        check("[]", &["must be one object, not a list"]);
        check(r#"{"how":"well""#, &["breaks off"]);
        check(
            r#"{"how":"so so","more":1,"steps":[{"id":0.5,"what":""},7]}"#,
            &[
                "the answer: there is no member `more`",
                "`steps` 1: `id` must be a number",
                "`steps` 1: `what` must have 1 to 5",
                "`steps` 2 must be an object, not a number",
                "the answer: `how` must be one of: well, badly",
            ],
        );
        check(r#"{"how":"well","steps":{}}"#, &["must be a list of objects"]);
        let three = r#"{"how":"well","steps":[{"id":1,"what":"a"},{"id":1,"what":"a"},{"id":1,"what":"a"}]}"#;
        check(three, &["at most 2 objects"]);
    }

    #[test]
    fn lists_of_strings_and_pairs() {
        let read = |reply: &str| {
            list(reply, 3, |entry| {
                Some((entry.texts("words", 2, 3), entry.pairs("more"), entry.maybe_text("a", 2)))
            })
            .map_err(|bad| bad.violations.len())
        };
        let pair = ("k".to_owned(), "7".to_owned());
        assert_eq!(
            read(r#"[{"words":[" a ","b"],"more":[{"key":"k","value":7}],"a":""}]"#),
            Ok(vec![(vec!["a".to_owned(), "b".to_owned()], vec![pair], None)])
        );
        assert_eq!(read(r#"[{"words":["a","b","c"]}]"#), Err(1));
        assert_eq!(read(r#"[{"words":["abcd",1],"more":[1],"a":"abc"}]"#), Err(3));
    }
}
