//! Field names that APIs spell differently, and error texts in which such a name is marked.
//!
//! The names here are the native ones. An API with other names has its own table, and substitutes
//! them by [`Error::with_names`](crate::Error::with_names).

use std::ops::Add;

macro_rules! field_names {
    ($($(#[$doc:meta])* $name:ident = $native:literal,)+) => {
        /// A field of a request that some API spells differently.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum FieldName { $($(#[$doc])* $name,)+ }

        impl FieldName {
            /// All fields that some API spells differently.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// Returns the native name. Two fields of another API may share one native name.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $native,)+ }
            }
        }
    };
}

field_names! {
    /// The actor of an event.
    Actor = "actor",
    /// The metadata keys that an update adds to those of a memory.
    AddIndexedKeys = "add_indexed_keys",
    /// The type of a metadata key that an update adds.
    AddedKeyKind = "add_indexed_keys.kind",
    /// The allowed values of a variable of namespace templates.
    Allowed = "allowed",
    /// The id of an event.
    Event = "event",
    /// The number of days that a memory keeps events.
    EventExpiryDays = "event_expiry_days",
    /// The values of an event for variables of namespace templates.
    EventVariables = "namespace_variables",
    /// The retention of a batch's records in days, by its path.
    Expiry = "expiry_days",
    /// The action of a batch on the retention of its records, by its path.
    ExpiryAction = "expiry_days",
    /// The retention of a batch's records in days.
    ExpiryDays = "expiry_days",
    /// The action of a batch on the retention of its records.
    ExpirySpecification = "expiry_days",
    /// The token that makes a repeated request return the first response.
    IdempotencyKey = "Idempotency-Key",
    /// The metadata keys that a memory declares for filters.
    IndexedKeys = "indexed_keys",
    /// The id of a job.
    Job = "job",
    /// The number of items on a page.
    Limit = "limit",
    /// The id of a memory.
    Memory = "memory",
    /// A metadata value that is a time.
    MetadataDateTime = "date_time",
    /// The conditions on metadata of a search or a list.
    MetadataFilters = "metadata",
    /// A metadata value that is a number.
    MetadataNumber = "number",
    /// The pattern of a variable of namespace templates, by its path.
    NamespaceKeyPattern = "namespace_keys.pattern",
    /// The variables that a memory declares for namespace templates.
    NamespaceKeys = "namespace_keys",
    /// The template of the namespace that a strategy writes to.
    NamespaceTemplate = "namespace",
    /// The pattern of a variable of namespace templates.
    Pattern = "pattern",
    /// The target that a self-managed strategy stores payloads at.
    PayloadBucket = "bucket",
    /// The query text of a search.
    Query = "query",
    /// The id of a record.
    Record = "record",
    /// The retention of a strategy's records in days.
    RecordExpiryDays = "record_expiry_days",
    /// The reflections of an episodic strategy.
    Reflection = "reflection_namespace",
    /// The template of the namespace of reflections.
    ReflectionTemplate = "reflection_namespace",
    /// The caller's own name for an item of a batch.
    Request = "request",
    /// The event that a branch starts from.
    Root = "root",
    /// A metadata key that a strategy copies from events.
    SchemaKey = "metadata.key",
    /// The type of a metadata key that a strategy copies from events.
    SchemaKind = "metadata.kind",
    /// The settings of a self-managed strategy, by their path.
    SelfManaged = "self_managed",
    /// The settings of a self-managed strategy.
    SelfManagedSettings = "self_managed",
    /// The session of an event.
    Session = "session",
    /// The strategies of a memory.
    Strategies = "strategies",
    /// The id of a strategy.
    Strategy = "strategy",
    /// The values that a namespace template needs.
    TemplateVariables = "namespace_variables",
    /// The time of an event.
    Time = "time",
    /// The maximum number of records that a search returns.
    TopK = "top_k",
    /// The target that a self-managed strategy notifies of payloads.
    Topic = "topic",
}

/// The position of a field's name in a text.
#[derive(Debug, Clone, Copy)]
struct NamePosition {
    /// The offset of its first byte. A name beyond 255 bytes stays native in every API.
    offset: u8,
    name: FieldName,
}

/// A text for an error: a message or the path of a field. It may name one [`FieldName`].
#[derive(Debug, Clone)]
pub struct ErrorText {
    text: String,
    name: MarkedName,
}

/// The marked name in a text, if there is one.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct MarkedName(Option<NamePosition>);

impl MarkedName {
    /// Replaces the native name in its text. If the text has changed at that position, it stays
    /// unchanged.
    pub(crate) fn replace(self, text: &mut String, name_of: impl Fn(FieldName) -> &'static str) {
        let Some(NamePosition { offset, name }) = self.0 else { return };
        let start = usize::from(offset);
        let end = start + name.as_str().len();
        if text.get(start..end) == Some(name.as_str()) {
            text.replace_range(start..end, name_of(name));
        }
    }
}

impl ErrorText {
    pub(crate) fn into_parts(self) -> (String, MarkedName) {
        (self.text, self.name)
    }
}

impl From<String> for ErrorText {
    fn from(text: String) -> Self {
        Self { text, name: MarkedName::default() }
    }
}

impl From<&str> for ErrorText {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<&String> for ErrorText {
    fn from(text: &String) -> Self {
        text.as_str().into()
    }
}

impl From<FieldName> for ErrorText {
    fn from(name: FieldName) -> Self {
        Self::from(String::new()) + name
    }
}

impl Add<FieldName> for ErrorText {
    type Output = Self;

    fn add(mut self, name: FieldName) -> Self {
        let position = |offset| NamePosition { offset, name };
        self.name = MarkedName(u8::try_from(self.text.len()).ok().map(position));
        self.text.push_str(name.as_str());
        self
    }
}

impl<T: AsRef<str>> Add<T> for ErrorText {
    type Output = Self;

    fn add(mut self, rest: T) -> Self {
        self.text.push_str(rest.as_ref());
        self
    }
}

impl<T: AsRef<str>> Add<T> for FieldName {
    type Output = ErrorText;

    fn add(self, rest: T) -> ErrorText {
        ErrorText::from(self) + rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;

    #[test]
    fn a_name_is_replaced_where_it_is_marked_and_nowhere_else() {
        let check = |message: ErrorText, native: &str, renamed: &str| {
            let error = Error::invalid(FieldName::Memory + ".part", message);
            assert_eq!((error.field.as_deref(), error.message.as_str()), (Some("memory.part"), native));
            let error = error.with_names(|name| match name {
                FieldName::Memory => "memoryId",
                _ => "other",
            });
            assert_eq!((error.field.as_deref(), error.message.as_str()), (Some("memoryId.part"), renamed));
        };
        let leading = FieldName::Memory + " must be the memory's name";
        check(leading, "memory must be the memory's name", "memoryId must be the memory's name");
        let trailing = ErrorText::from("größer: a memory's ") + FieldName::Memory;
        check(trailing, "größer: a memory's memory", "größer: a memory's memoryId");
        let between = ErrorText::from("each ") + FieldName::TopK + " once";
        check(between, "each top_k once", "each other once");
        check("memory and top_k as words".into(), "memory and top_k as words", "memory and top_k as words");
        let far = ErrorText::from("x".repeat(70_000)) + FieldName::Memory;
        let text = format!("{}memory", "x".repeat(70_000));
        check(far, &text, &text);
    }

    #[test]
    fn a_message_that_changed_is_not_renamed() {
        let check = |change: fn(&mut String), expect: &str| {
            let mut error = Error::invalid("x", FieldName::Memory + " is unknown");
            change(&mut error.message);
            assert_eq!(error.with_names(|_| "memoryId").message, expect);
        };
        check(|_| {}, "memoryId is unknown");
        check(|message| message.push_str(" here"), "memoryId is unknown here");
        check(|message| message.insert_str(0, "line 7: "), "line 7: memory is unknown");
        check(String::clear, "");
    }
}
