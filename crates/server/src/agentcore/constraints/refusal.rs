//! The errors of a request, in AWS's wording. They never contain a member's value.

use std::fmt;

/// The maximum number of violations in one response; the check stops there.
const VIOLATIONS_MAX: usize = 50;

/// The `reason` of a `ValidationException`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The body is not JSON, or a member has the wrong JSON type.
    CannotParse,
    /// A member of the request violates a constraint.
    FieldValidationFailed,
    /// The client token was used before with other parameters.
    IdempotentParameterMismatch,
    /// The root event of the branch belongs to another session.
    EventInOtherSession,
    /// Another resource already has the name.
    ResourceConflict,
}

impl Reason {
    /// Returns the spelling of the API.
    pub fn name(self) -> &'static str {
        match self {
            Self::CannotParse => "CannotParse",
            Self::FieldValidationFailed => "FieldValidationFailed",
            Self::IdempotentParameterMismatch => "IdempotentParameterMismatchException",
            Self::EventInOtherSession => "EventInOtherSession",
            Self::ResourceConflict => "ResourceConflict",
        }
    }
}

/// One entry of the error's `fieldList`: a member, and the constraint that it violates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldRefusal {
    /// The member's path, for example `payload[0].conversational.role`.
    pub name: String,
    /// The violated constraint.
    pub message: String,
}

/// A request that is rejected before it reaches the engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The reason, from a closed list.
    pub reason: Reason,
    /// The message, with one sentence per violation.
    pub message: String,
    /// One entry per violation; empty if the body as a whole is rejected.
    pub fields: Vec<FieldRefusal>,
}

impl Refusal {
    /// Creates a refusal that concerns no single member.
    pub fn whole(reason: Reason, message: &str) -> Self {
        Self { reason, message: message.to_owned(), fields: Vec::new() }
    }

    /// Creates a refusal of one member with Loci's own message.
    pub fn field(name: &str, message: &str) -> Self {
        Self {
            reason: Reason::FieldValidationFailed,
            message: message.to_owned(),
            fields: vec![FieldRefusal { name: name.to_owned(), message: message.to_owned() }],
        }
    }
}

/// A violated constraint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Rule {
    Required,
    LengthMin(usize),
    LengthMax(usize),
    ValueMin(i64),
    ValueMax(i64),
    Choice(&'static [&'static str]),
    /// Exactly one of these members must be set.
    One(Vec<&'static str>),
    /// A constraint in words: a pattern, or a condition that a pattern cannot express.
    Words(String),
    /// The value has the wrong JSON type; the text names the expected one.
    Type(&'static str),
    MapKey(Box<Rule>),
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Required => f.write_str("Member must not be null"),
            Self::LengthMin(min) => write!(f, "Member must have length greater than or equal to {min}"),
            Self::LengthMax(max) => write!(f, "Member must have length less than or equal to {max}"),
            Self::ValueMin(min) => write!(f, "Member must have value greater than or equal to {min}"),
            Self::ValueMax(max) => write!(f, "Member must have value less than or equal to {max}"),
            Self::Choice(values) => write!(f, "Member must satisfy enum value set: [{}]", values.join(", ")),
            Self::One(names) => write!(f, "Member must have exactly one of [{}] set", names.join(", ")),
            Self::Words(words) => f.write_str(words),
            Self::Type(expected) => write!(f, "Member must be {expected}"),
            Self::MapKey(rule) => write!(f, "Map keys must satisfy constraint: [{rule}]"),
        }
    }
}

/// The violations found so far, in the order of the tables.
#[derive(Debug, Default)]
pub(super) struct Violations {
    found: Vec<(String, Rule)>,
}

impl Violations {
    pub(super) fn push(&mut self, path: &str, rule: Rule) {
        if !self.is_full() {
            self.found.push((path.to_owned(), rule));
        }
    }

    /// Returns true if no further violations are collected.
    pub(super) fn is_full(&self) -> bool {
        self.found.len() >= VIOLATIONS_MAX
    }

    pub(super) fn into_first(self) -> Option<Rule> {
        self.found.into_iter().next().map(|(_, rule)| rule)
    }

    pub(super) fn into_result(self) -> Result<(), Refusal> {
        let wrong_type = self.found.iter().any(|(_, rule)| matches!(rule, Rule::Type(_)));
        let reason = if wrong_type { Reason::CannotParse } else { Reason::FieldValidationFailed };
        let fields: Vec<FieldRefusal> = self
            .found
            .into_iter()
            .filter(|(_, rule)| !wrong_type || matches!(rule, Rule::Type(_)))
            .map(|(name, rule)| {
                let message = format!("Value at '{name}' failed to satisfy constraint: {rule}");
                FieldRefusal { name, message }
            })
            .collect();
        if fields.is_empty() {
            return Ok(());
        }
        let count = fields.len();
        let sentences: Vec<&str> = fields.iter().map(|field| field.message.as_str()).collect();
        let message = format!(
            "{count} validation error{} detected: {}",
            if count == 1 { "" } else { "s" },
            sentences.join("; ")
        );
        Err(Refusal { reason, message, fields })
    }
}
