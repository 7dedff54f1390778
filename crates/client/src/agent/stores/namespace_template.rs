//! Namespace templates with `{actorId}` and `{sessionId}`, and store names derived from them.
//! Each text is scanned once, so that an inserted value is never read as a placeholder.

use crate::agent::error::MemoryError;

/// The namespace in which a store searches. Its template may contain `{actorId}` and `{sessionId}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadNamespace {
    /// The template of exactly one namespace.
    Namespace(String),
    /// The template of a namespace that includes all namespaces below it.
    NamespacePath(String),
}

impl Default for ReadNamespace {
    /// Returns the default: the facts of an actor, with all namespaces below.
    fn default() -> Self {
        Self::NamespacePath("/facts/{actorId}".to_owned())
    }
}

impl ReadNamespace {
    /// Returns the text of the template.
    pub(super) fn template(&self) -> &str {
        let (Self::Namespace(template) | Self::NamespacePath(template)) = self;
        template
    }

    /// Returns the name of this option as the clients in all languages spell it.
    pub(super) fn field(&self) -> &'static str {
        match self {
            Self::Namespace(_) => "namespace",
            Self::NamespacePath(_) => "namespace_path",
        }
    }

    /// Returns the namespace for an actor and a session.
    ///
    /// # Errors
    /// The errors of [`ReadNamespaceTemplate`], with the name of the option.
    pub(super) fn resolve(&self, actor: Option<&str>, session: Option<&str>) -> Result<String, MemoryError> {
        ReadNamespaceTemplate::of_field(self.field(), self.template())?.resolve(actor, session)
    }
}

/// A parsed template of a namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadNamespaceTemplate {
    /// The name of the option that errors mention.
    field: &'static str,
    text: String,
}

impl ReadNamespaceTemplate {
    /// Parses a template.
    ///
    /// # Errors
    /// If the template is blank, or has braces that are not a placeholder.
    pub fn parse(template: &str) -> Result<Self, MemoryError> {
        Self::of_field("namespace", template)
    }

    fn of_field(field: &'static str, template: &str) -> Result<Self, MemoryError> {
        if template.trim().is_empty() {
            return Err(MemoryError::Configuration(format!("{field} must be a non-empty string")));
        }
        let parsed = Self { field, text: template.to_owned() };
        parsed.fill(|_| Some(String::new()))?;
        Ok(parsed)
    }

    /// Returns the namespace for an actor and a session.
    ///
    /// # Errors
    /// If the template needs the actor or the session and it is `None`, or a value contains braces.
    pub fn resolve(&self, actor: Option<&str>, session: Option<&str>) -> Result<String, MemoryError> {
        self.fill(|name| match name {
            "actorId" => actor.map(str::to_owned),
            _ => session.map(str::to_owned),
        })
    }

    fn fill(&self, value_of: impl Fn(&str) -> Option<String>) -> Result<String, MemoryError> {
        let Self { field, text } = self;
        let refused = |rule: &str| MemoryError::Configuration(format!("{field} '{text}' {rule}"));
        let mut out = String::with_capacity(text.len());
        let mut rest = text.as_str();
        while let Some(at) = rest.find(['{', '}']) {
            let (before, from) = rest.split_at(at);
            out.push_str(before);
            let placeholder = ["actorId", "sessionId"].into_iter().find(|name| {
                from.get(1..).is_some_and(|inner| {
                    from.starts_with('{') && inner.strip_prefix(name).is_some_and(|end| end.starts_with('}'))
                })
            });
            let name = placeholder
                .ok_or_else(|| refused("may hold {actorId} and {sessionId}, and no other brace"))?;
            let value = value_of(name).ok_or_else(|| refused(&format!("needs {name}")))?;
            if value.contains(['{', '}']) {
                return Err(refused(
                    "would hold a brace of the actor or session, which no namespace may hold",
                ));
            }
            out.push_str(&value);
            rest = from.get(name.len() + 2..).unwrap_or_default();
        }
        out.push_str(rest);
        Ok(out)
    }
}

/// Returns a store name derived from a template: without placeholders, and with a dash for each
/// character that is not an ASCII letter or digit. `fallback` is the name if nothing remains.
pub fn name_of_template(template: &str, fallback: &str) -> String {
    let mut out = String::new();
    // The start of an open placeholder in `out`. It ends with its brace; it is no placeholder if a
    // segment ends first.
    let mut opened: Option<usize> = None;
    for character in template.chars() {
        match (character, opened) {
            ('{', None) => opened = Some(out.len()),
            ('}', Some(at)) => {
                out.truncate(at);
                opened = None;
                continue;
            }
            ('/', _) => opened = None,
            _ => {}
        }
        if character.is_ascii_alphanumeric() {
            out.push(character.to_ascii_lowercase());
        } else if !out.is_empty() && !out.ends_with('-') {
            out.push('-');
        }
    }
    let name = out.trim_end_matches('-');
    if name.is_empty() { fallback.to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates() {
        let check = |template: &str, expect: Result<&str, &str>| {
            let got = ReadNamespaceTemplate::parse(template)
                .and_then(|it| it.resolve(Some("al$&ice"), Some("s-1")));
            match (got, expect) {
                (Ok(got), Ok(expect)) => assert_eq!(got, expect),
                (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{error}"),
                (got, expect) => panic!("{template}: {got:?}, not {expect:?}"),
            }
        };
        check("/users/{actorId}/facts/", Ok("/users/al$&ice/facts/"));
        check("x{sessionId}y", Ok("xs-1y"));
        check("/{actorId}/{sessionId}/{actorId}", Ok("/al$&ice/s-1/al$&ice"));
        check("/plain", Ok("/plain"));
        for braces in ["{memoryStrategyId}", "{", "}", "a}b", "{actorId", "{{actorId}}", "{actorid}", "{é}"]
        {
            check(braces, Err("no other brace"));
        }
        check(" ", Err("namespace must be a non-empty string"));
        let template = ReadNamespaceTemplate::parse("/{actorId}/{sessionId}").unwrap();
        let error = template.resolve(Some("{sessionId}"), Some("s")).unwrap_err().to_string();
        assert!(error.contains("would hold a brace of the actor or session"), "{error}");
        let error = template.resolve(Some("a"), None).unwrap_err().to_string();
        assert_eq!(error, "namespace '/{actorId}/{sessionId}' needs sessionId");
        let path = ReadNamespace::NamespacePath("/{other}".to_owned());
        let error = path.resolve(None, None).unwrap_err().to_string();
        assert_eq!(error, "namespace_path '/{other}' may hold {actorId} and {sessionId}, and no other brace");
    }

    #[test]
    fn names() {
        let check = |template: &str, expect: &str| {
            assert_eq!(name_of_template(template, "fallback"), expect, "{template}");
        };
        check("/users/{actorId}/facts", "users-facts");
        check("/facts/{actorId}/", "facts");
        check("{actorId}", "fallback");
        check(" // ", "fallback");
        check("/Über/uns", "ber-uns");
        check("/a{b/c}", "a-b-c");
    }

    #[test]
    fn a_megabyte_takes_linear_time() {
        // A quadratic scan would take minutes for each of these.
        for piece in ["{", "-", "/", "{a", "é"] {
            let template = piece.repeat(1_000_000 / piece.len());
            let name = name_of_template(&template, "fallback");
            assert!(name.len() <= template.len());
        }
        let many = "{actorId}".repeat(100_000);
        let resolved = ReadNamespaceTemplate::parse(&many).unwrap().resolve(Some("a"), None).unwrap();
        assert_eq!(resolved.len(), 100_000);
    }
}
