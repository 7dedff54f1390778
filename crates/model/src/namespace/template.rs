//! Namespace templates: a namespace with `{variables}`, substituted in one pass.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

use crate::{Error, FieldName, Namespace, Result, limits};

/// A namespace with variables, as the caller wrote it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct NamespaceTemplate(String);

impl TryFrom<String> for NamespaceTemplate {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        Self::parse(text)
    }
}

/// Maximum number of steps for reading a namespace. A template that needs more has many readings.
const READING_STEPS_MAX: usize = 20_000;

/// A part of a template after its known values are substituted.
enum TemplatePart<'a> {
    Literal(String),
    Unknown(&'a str),
}

/// The readings of a namespace that were found.
struct Readings {
    found: Option<BTreeMap<String, String>>,
    count: usize,
    steps: usize,
}

impl Readings {
    /// Reads the rest of a namespace by the rest of a template; stops at a second reading.
    fn go<'a>(&mut self, parts: &[TemplatePart<'a>], rest: &str, values: &mut BTreeMap<&'a str, String>) {
        self.steps = self.steps.saturating_sub(1);
        if self.count > 1 {
            return;
        }
        if self.steps == 0 {
            self.count = 2;
            return;
        }
        match parts.split_first() {
            None if rest.is_empty() => {
                self.count += 1;
                self.found =
                    Some(values.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect());
            }
            None => {}
            Some((TemplatePart::Literal(text), parts)) => {
                // The normal form has single slashes; a value that ends in a slash must not produce
                // two.
                if let Some(rest) = rest.strip_prefix(text.as_str()) {
                    self.go(parts, rest, values);
                }
            }
            Some((TemplatePart::Unknown(name), parts)) => {
                if let Some(value) = values.get(name).cloned() {
                    if let Some(rest) = rest.strip_prefix(value.as_str()) {
                        self.go(parts, rest, values);
                    }
                    return;
                }
                for (at, c) in rest.char_indices() {
                    let end = at + c.len_utf8();
                    let (Some(value), Some(behind)) = (rest.get(..end), rest.get(end..)) else { return };
                    if value.starts_with('/') {
                        return;
                    }
                    if c != '/' {
                        values.insert(name, value.to_owned());
                        self.go(parts, behind, values);
                        values.remove(name);
                    }
                }
            }
        }
    }
}

enum Piece<'a> {
    Text(&'a str),
    Variable(&'a str),
}

impl NamespaceTemplate {
    /// Checks length, alphabet, braces and variable names. The memory defines the existing
    /// variables.
    pub fn parse(text: impl Into<String>) -> Result<Self> {
        let text = text.into();
        let length = text.chars().count();
        if length == 0 || length > limits::TEMPLATE_CHARS_MAX {
            return Err(Error::invalid(
                FieldName::NamespaceTemplate,
                "a namespace template must have 1 to 512 characters",
            ));
        }
        let rule = "a namespace template must be letters, digits, - _ . / and variables like {actorId}";
        let legal = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'/' | b'.');
        for piece in pieces(&text) {
            let ok = match piece {
                Some(Piece::Text(part)) => part.bytes().all(legal),
                Some(Piece::Variable(name)) => {
                    name.bytes().next().is_some_and(|b| b.is_ascii_alphabetic())
                        && name.bytes().all(|b| b.is_ascii_alphanumeric())
                }
                None => false,
            };
            if !ok {
                return Err(Error::invalid(FieldName::NamespaceTemplate, rule));
            }
        }
        if crate::ids::has_dot_segment(&text) {
            return Err(Error::invalid(
                FieldName::NamespaceTemplate,
                "a segment of a template must not be dots alone",
            ));
        }
        Ok(Self(text))
    }

    /// Returns the template as written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the variables, in order of appearance, with repetitions.
    pub fn variables(&self) -> Vec<&str> {
        pieces(&self.0)
            .filter_map(|piece| match piece {
                Some(Piece::Variable(name)) => Some(name),
                _ => None,
            })
            .collect()
    }

    /// Substitutes the variables in one pass: a value that looks like a variable stays unchanged.
    /// The error names the variable that has no value.
    pub fn render(&self, value: &dyn Fn(&str) -> Option<String>) -> Result<Namespace> {
        let mut out = String::with_capacity(self.0.len());
        for piece in pieces(&self.0) {
            match piece {
                Some(Piece::Text(part)) => out.push_str(part),
                Some(Piece::Variable(name)) => match value(name) {
                    Some(text) => out.push_str(&text),
                    None => {
                        let message = format!("namespace variable {{{name}}} has no value for this event");
                        return Err(Error::invalid(FieldName::TemplateVariables, message));
                    }
                },
                None => return Err(Error::bug("an unchecked namespace template")),
            }
        }
        Namespace::parse(out)
    }

    /// Returns the values of unknown variables with which the template yields this namespace.
    /// `known` supplies the other values. Returns `None` if the template cannot yield the
    /// namespace, or if more than one reading can (two adjacent unknown values that may hold
    /// slashes).
    pub fn read(
        &self,
        namespace: &Namespace,
        known: &dyn Fn(&str) -> Option<String>,
    ) -> Option<BTreeMap<String, String>> {
        let template = crate::namespace::normal(&self.0);
        let mut parts: Vec<TemplatePart<'_>> = Vec::new();
        for piece in pieces(&template) {
            let (literal, name) = match piece? {
                Piece::Text(text) => (Some(text.to_owned()), ""),
                Piece::Variable(name) => (known(name), name),
            };
            match (literal, parts.last_mut()) {
                (Some(text), Some(TemplatePart::Literal(before))) => before.push_str(&text),
                (Some(text), _) => parts.push(TemplatePart::Literal(text)),
                (None, _) => parts.push(TemplatePart::Unknown(name)),
            }
        }
        // Values may contain slashes of their own: `/{actorId}/` with the actor `a/b`.
        let normal = namespace.normal();
        let mut readings = Readings { found: None, count: 0, steps: READING_STEPS_MAX };
        readings.go(&parts, &normal, &mut BTreeMap::new());
        readings.found.filter(|_| readings.count == 1)
    }

    /// True if `self` equals `other`, or is a shallower whole-segment prefix of it.
    pub fn is_prefix_of(&self, other: &Self) -> bool {
        crate::namespace::normal(&other.0).starts_with(&crate::namespace::normal(&self.0))
    }

    /// Returns the template cut after the segment that holds `{variable}`; `None` without that
    /// variable.
    pub fn cut_after(&self, variable: &str) -> Option<Self> {
        let at = self.0.find(&format!("{{{variable}}}"))?;
        let end = self.0[at..].find('/').map_or(self.0.len(), |slash| at + slash + 1);
        self.0.get(..end).map(|text| Self(text.to_owned()))
    }
}

impl fmt::Display for NamespaceTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Splits the text into pieces; `None` for an unbalanced brace.
fn pieces(text: &str) -> impl Iterator<Item = Option<Piece<'_>>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let Some(open) = rest.find('{') else {
            let part = std::mem::take(&mut rest);
            return Some((!part.contains('}')).then_some(Piece::Text(part)));
        };
        if open > 0 {
            let (part, tail) = rest.split_at(open);
            rest = tail;
            return Some((!part.contains('}')).then_some(Piece::Text(part)));
        }
        let Some(close) = rest.find('}') else {
            rest = "";
            return Some(None);
        };
        let name = rest.get(1..close);
        rest = rest.get(close + 1..).unwrap_or("");
        Some(name.map(Piece::Variable))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renders_in_one_pass() {
        let template = NamespaceTemplate::parse("/facts/{actorId}/{sessionId}/").unwrap();
        assert_eq!(template.variables(), ["actorId", "sessionId"]);
        let value = |name: &str| match name {
            "actorId" => Some("org/alice".to_owned()),
            "sessionId" => Some("s".to_owned()),
            _ => None,
        };
        assert_eq!(template.render(&value).unwrap().as_str(), "/facts/org/alice/s/");
        let missing = NamespaceTemplate::parse("/{team}/").unwrap().render(&value).unwrap_err();
        assert!(missing.message.contains("{team}"));
    }

    #[test]
    fn a_namespace_is_read_by_its_template() {
        let check =
            |template: &str, namespace: &str, actor: Option<&str>, expect: Option<&[(&str, &str)]>| {
                let known = |name: &str| actor.filter(|_| name == "actorId").map(str::to_owned);
                let read = NamespaceTemplate::parse(template)
                    .unwrap()
                    .read(&Namespace::parse(namespace).unwrap(), &known);
                let expect = expect.map(|pairs| {
                    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
                });
                assert_eq!(read, expect, "{template} {namespace}");
            };
        check("/{actorId}/knowledge/", "/acme/shop/knowledge/", None, Some(&[("actorId", "acme/shop")]));
        check("/{actorId}/knowledge/", "acme/shop/knowledge", Some("acme/shop"), Some(&[]));
        check("/{actorId}/knowledge/", "/acme/shop/rules/", None, None);
        check("/a/{team}-{region}/", "/a/x-y/", None, Some(&[("region", "y"), ("team", "x")]));
        check("/a/{team}-{region}/", "/a/x-y-z/", None, None);
        check("/{actorId}/{sessionId}/", "/a/b/", None, Some(&[("actorId", "a"), ("sessionId", "b")]));
        check("/{actorId}/{sessionId}/", "/a/b/c/", None, None);
        check("/{actorId}/{sessionId}/", "/a/b/c/", Some("a/b"), Some(&[("sessionId", "c")]));
        check("/{team}/x/{team}/", "/a/x/a/", None, Some(&[("team", "a")]));
        check("/{team}/x/{team}/", "/a/x/b/", None, None);
        check("/fixed/", "/fixed", None, Some(&[]));
        check("/fixed/", "/other", None, None);
    }

    #[test]
    fn refuses_bad_forms() {
        for bad in ["", "/a/{", "/a/}", "/{a b}/", "/{1a}/", "/a b/", "/../", "/{}/"] {
            assert!(NamespaceTemplate::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn prefixes_are_by_segment() {
        let parse = |text| NamespaceTemplate::parse(text).unwrap();
        assert!(parse("/e/{actorId}/").is_prefix_of(&parse("/e/{actorId}/{sessionId}/")));
        assert!(!parse("/e/x").is_prefix_of(&parse("/e/xy/")));
        assert_eq!(parse("/e/{actorId}/{sessionId}/").cut_after("actorId"), Some(parse("/e/{actorId}/")));
        assert_eq!(parse("/e/").cut_after("actorId"), None);
    }
}
