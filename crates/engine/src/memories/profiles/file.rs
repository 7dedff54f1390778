//! The file of a profile, in TOML. Unknown keys are rejected, and values follow the rules of the
//! settings that they set. The module [`super::apply`] applies a profile to a memory.

use loci_model::memory::index_key::{IndexedKey, NamespaceKey, NamespaceKeyValidation};
use loci_model::memory::settings::{InjectionMode, MemorySettings, NamespaceReading, SecretsMode};
use loci_model::memory::strategy::{CustomConfiguration, SelfManaged, StepOverride, StrategyBase};
use loci_model::record::metadata::{
    LlmExtraction, MetadataExtraction, MetadataSchemaEntry, MetadataType, MetadataValidation,
};
use loci_model::{Error, NamespaceTemplate, Result, limits};
use serde::Deserialize;

use crate::memories::{self, NewReflection, NewStrategy};

/// The maximum length of a profile's name, in characters.
const NAME_CHARS_MAX: usize = 31;

/// A profile: named settings and strategies.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// The name of the profile: a lower-case letter, then lower-case letters, digits and dashes.
    pub name: String,
    /// The version of the profile, from 1. The author of the file increments it.
    pub version: u32,
    /// The description of the profile.
    pub description: String,
    /// The retention of events in days; `None` leaves the value of the memory.
    pub event_expiry_days: Option<u32>,
    /// The settings of the memory that the profile changes.
    pub settings: ProfileSettings,
    /// Namespace templates. A memory that an AgentCore client creates with one of them gets the
    /// profile's settings.
    pub known_by: Vec<NamespaceTemplate>,
    /// The variables that the profile's namespace templates use.
    pub namespace_keys: Vec<NamespaceKey>,
    /// The metadata keys by which records can be filtered.
    pub indexed_keys: Vec<IndexedKey>,
    /// The strategies of the profile.
    pub strategies: Vec<NewStrategy>,
    /// The text of the profile's file.
    pub text: String,
}

/// The settings of a memory that a profile changes; a member that is `None` leaves the value of
/// the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ProfileSettings {
    /// The meaning of AgentCore's request member `namespace`: one node, or also the nodes below
    /// it.
    pub namespace_match: Option<NamespaceReading>,
    /// True if searches also return events that are not extracted yet.
    pub read_your_writes: Option<bool>,
    /// The treatment of secrets in texts.
    pub secrets: Option<SecretsMode>,
    /// The treatment of texts that look like instructions to their reader.
    pub injection: Option<InjectionMode>,
    /// The number of unprocessed messages in a session after which a model extracts them.
    pub messages: Option<u32>,
    /// The number of unprocessed tokens in a session after which a model extracts them.
    pub tokens: Option<u32>,
    /// The time without a new event in a session after which a model extracts the unprocessed
    /// messages, in milliseconds.
    pub idle_ms: Option<u64>,
    /// The number of already processed messages that a model receives as context.
    pub context_messages: Option<u32>,
    /// The number of new episodes after which a reflection is made.
    pub reflect_every: Option<u32>,
    /// Number of episodes that must support a reflection.
    pub reflect_min_episodes: Option<u32>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    profile: String,
    version: u32,
    #[serde(default)]
    description: String,
    event_expiry_days: Option<u32>,
    namespace_match: Option<NamespaceReading>,
    read_your_writes: Option<bool>,
    #[serde(default)]
    known_by: KnownBy,
    #[serde(default)]
    safety: Safety,
    #[serde(default)]
    window: Window,
    #[serde(default)]
    consolidation: Consolidation,
    #[serde(default, rename = "namespace_key")]
    namespace_keys: Vec<Variable>,
    #[serde(default, rename = "indexed_key")]
    indexed_keys: Vec<Indexed>,
    #[serde(default, rename = "strategy")]
    strategies: Vec<FileStrategy>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct KnownBy {
    templates: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Safety {
    secrets: Option<SecretsMode>,
    injection: Option<InjectionMode>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Window {
    messages: Option<u32>,
    tokens: Option<u32>,
    idle_ms: Option<u64>,
    context_messages: Option<u32>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Consolidation {
    reflect_every: Option<u32>,
    reflect_min_episodes: Option<u32>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Variable {
    key: String,
    allowed: Option<Vec<String>>,
    pattern: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Indexed {
    key: String,
    r#type: KeyType,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum KeyType {
    String,
    StringList,
    Number,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Semantic,
    Summary,
    UserPreference,
    Episodic,
    SelfManaged,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Extraction {
    /// The metadata value is copied from the event.
    #[default]
    Strict,
    /// A language model infers the metadata value.
    Llm,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileStrategy {
    name: String,
    kind: Kind,
    description: Option<String>,
    namespace: String,
    reflection_namespace: Option<String>,
    ttl_days: Option<u32>,
    #[serde(default)]
    metadata: Vec<FileMetadata>,
    /// Instructions that replace those of the default prompt.
    instructions: Option<String>,
    /// The model that gets the instructions; not allowed without them.
    #[serde(default)]
    model_id: String,
    /// The target of notifications and messages, for a self-managed strategy only.
    #[serde(default)]
    topic: String,
    #[serde(default)]
    bucket: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileMetadata {
    key: String,
    r#type: Option<KeyType>,
    #[serde(default)]
    extraction: Extraction,
    definition: Option<String>,
    instruction: Option<String>,
    allowed: Option<Vec<String>>,
}

/// Parses a profile.
///
/// # Errors
/// `Invalid`, with the key, the rule and the remedy.
pub fn parse(text: &str) -> Result<Profile> {
    if text.len() > limits::PROFILE_BYTES_MAX {
        return Err(Error::invalid("text", "a profile must have at most 64 KiB"));
    }
    let file = toml::Deserializer::parse(text).and_then(loci_json::strict);
    let file: File = file.map_err(|error| {
        Error::invalid("text", format!("the profile does not hold: {}", error.to_string().trim()))
    })?;
    if !is_name(&file.profile) {
        let rule = "profile must be 1 to 31 lower-case letters, digits or dashes, first a letter";
        return Err(Error::invalid("profile", rule));
    }
    if file.version == 0 {
        return Err(Error::invalid("version", "version must be at least 1"));
    }
    let template =
        |text: String| NamespaceTemplate::parse(text).map_err(|error| error.on("known_by.templates"));
    let profile = Profile {
        name: file.profile,
        version: file.version,
        description: file.description,
        event_expiry_days: file.event_expiry_days,
        settings: ProfileSettings {
            namespace_match: file.namespace_match,
            read_your_writes: file.read_your_writes,
            secrets: file.safety.secrets,
            injection: file.safety.injection,
            messages: file.window.messages,
            tokens: file.window.tokens,
            idle_ms: file.window.idle_ms,
            context_messages: file.window.context_messages,
            reflect_every: file.consolidation.reflect_every,
            reflect_min_episodes: file.consolidation.reflect_min_episodes,
        },
        known_by: file.known_by.templates.into_iter().map(template).collect::<Result<_>>()?,
        namespace_keys: file.namespace_keys.into_iter().map(variable).collect(),
        indexed_keys: file.indexed_keys.into_iter().map(indexed).collect(),
        strategies: file.strategies.into_iter().map(strategy).collect::<Result<_>>()?,
        text: text.to_owned(),
    };
    check(&profile)?;
    Ok(profile)
}

/// Applies the checks of memories to every profile, independent of its source.
fn check(profile: &Profile) -> Result<()> {
    let mut settings = MemorySettings::default();
    super::set(&mut settings, profile);
    memories::check_settings(&settings)?;
    profile
        .event_expiry_days
        .map_or(Ok(()), memories::check_event_expiry)
        .map_err(|_| Error::invalid("event_expiry_days", "event_expiry_days must be 3 to 3650"))
}

fn is_name(name: &str) -> bool {
    name.len() <= NAME_CHARS_MAX
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

fn variable(asked: Variable) -> NamespaceKey {
    let validation = (asked.allowed.is_some() || asked.pattern.is_some())
        .then_some(NamespaceKeyValidation { allowed: asked.allowed, pattern: asked.pattern });
    NamespaceKey { key: asked.key, validation }
}

fn indexed(asked: Indexed) -> IndexedKey {
    IndexedKey { key: asked.key, kind: key_type(asked.r#type) }
}

fn key_type(asked: KeyType) -> MetadataType {
    match asked {
        KeyType::String => MetadataType::String,
        KeyType::StringList => MetadataType::StringList,
        KeyType::Number => MetadataType::Number,
    }
}

fn strategy(asked: FileStrategy) -> Result<NewStrategy> {
    let field = |member: &str| format!("strategy.{}.{member}", asked.name);
    let template =
        |text: &str, member: &str| NamespaceTemplate::parse(text).map_err(|error| error.on(field(member)));
    let base = match asked.kind {
        Kind::Semantic => StrategyBase::Semantic,
        Kind::Summary => StrategyBase::Summary,
        Kind::UserPreference => StrategyBase::UserPreference,
        Kind::Episodic => StrategyBase::Episodic,
        Kind::SelfManaged => StrategyBase::SelfManaged,
    };
    let reflection = asked.reflection_namespace.as_deref();
    if reflection.is_some() && base != StrategyBase::Episodic {
        let rule = "only episodic strategies reflect: leave reflection_namespace out";
        return Err(Error::invalid(field("reflection_namespace"), rule));
    }
    let reflection = reflection.map(|text| template(text, "reflection_namespace")).transpose()?;
    let told = !asked.topic.is_empty() || !asked.bucket.is_empty();
    if told && base != StrategyBase::SelfManaged {
        let rule = "only self-managed strategies tell others of events: leave topic and bucket out";
        return Err(Error::invalid(field("topic"), rule));
    }
    if !asked.model_id.is_empty() && asked.instructions.is_none() {
        let rule = "model_id is the model for instructions: give them too, or leave model_id out";
        return Err(Error::invalid(field("model_id"), rule));
    }
    let custom = custom(&asked, base).map_err(|error| error.on(field("instructions")))?;
    let schema: Vec<_> = asked.metadata.iter().map(schema_entry).collect();
    Ok(NewStrategy {
        base,
        description: asked.description.clone(),
        template: Some(template(&asked.namespace, "namespace")?),
        custom,
        reflection: reflection
            .map(|template| NewReflection { template: Some(template), ..NewReflection::default() }),
        schema: (!schema.is_empty()).then_some(schema),
        record_expiry_days: asked.ttl_days,
        name: asked.name,
    })
}

fn custom(asked: &FileStrategy, base: StrategyBase) -> Result<Option<CustomConfiguration>> {
    if base == StrategyBase::SelfManaged {
        if asked.instructions.is_some() {
            let rule = "a self-managed strategy reads nothing itself: leave instructions out";
            return Err(Error::invalid("instructions", rule));
        }
        let own = SelfManaged {
            triggers: Vec::new(),
            topic_arn: asked.topic.clone(),
            payload_bucket: asked.bucket.clone(),
            history_messages: 4,
        };
        return Ok(Some(CustomConfiguration { self_managed: Some(own), ..CustomConfiguration::default() }));
    }
    let Some(instructions) = &asked.instructions else { return Ok(None) };
    if !(1..=limits::PROMPT_INSTRUCTIONS_CHARS_MAX).contains(&instructions.chars().count()) {
        return Err(Error::invalid("instructions", "instructions must have 1 to 30,000 characters"));
    }
    let step = StepOverride { append_to_prompt: instructions.clone(), model_id: asked.model_id.clone() };
    Ok(Some(CustomConfiguration { extraction: Some(step), ..CustomConfiguration::default() }))
}

fn schema_entry(asked: &FileMetadata) -> MetadataSchemaEntry {
    let (extraction, llm) = match asked.extraction {
        Extraction::Strict => (MetadataExtraction::StrictlyConsistent, None),
        Extraction::Llm => {
            let llm = LlmExtraction {
                definition: asked.definition.clone().unwrap_or_default(),
                instruction: asked.instruction.clone(),
                validation: asked.allowed.clone().map(|allowed| validation(asked.r#type, allowed)),
            };
            (MetadataExtraction::LlmInferred, Some(llm))
        }
    };
    MetadataSchemaEntry {
        key: asked.key.clone(),
        kind: asked.r#type.map(key_type),
        extraction: Some(extraction),
        llm,
    }
}

fn validation(kind: Option<KeyType>, allowed: Vec<String>) -> MetadataValidation {
    match kind {
        Some(KeyType::StringList) => MetadataValidation::StringList { allowed, items_max: None },
        Some(KeyType::String | KeyType::Number) | None => MetadataValidation::String { allowed },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_file() {
        let text = r#"
            profile = "team-notes"
            version = 3
            description = "d"
            event_expiry_days = 30
            namespace_match = "segment_prefix"
            [known_by]
            templates = ["/{actorId}/notes/"]
            [safety]
            secrets = "mask"
            [window]
            messages = 3
            [consolidation]
            reflect_every = 9
            [[namespace_key]]
            key = "team"
            allowed = ["a", "b"]
            [[indexed_key]]
            key = "service"
            type = "string"
            [[strategy]]
            name = "Notes"
            kind = "semantic"
            namespace = "/{team}/notes/"
            ttl_days = 7
            instructions = "Only decisions."
            metadata = [{ key = "service", type = "string" }, { key = "topic", extraction = "llm", definition = "what" }]
        "#;
        let profile = parse(text).unwrap();
        assert_eq!((profile.name.as_str(), profile.version), ("team-notes", 3));
        assert_eq!(profile.settings.secrets, Some(SecretsMode::Mask));
        assert_eq!(profile.settings.injection, None);
        let notes = &profile.strategies[0];
        assert_eq!(notes.record_expiry_days, Some(7));
        assert_eq!(notes.schema.as_ref().unwrap().len(), 2);
        assert!(notes.custom.as_ref().unwrap().extraction.is_some());
    }

    #[test]
    fn what_does_not_hold_is_named() {
        let check = |text: &str, field: &str, part: &str| {
            let error = parse(text).unwrap_err();
            assert_eq!(error.field.as_deref(), Some(field), "{text}");
            assert!(error.message.contains(part), "{}", error.message);
        };
        let with = |tail: &str| format!("profile = \"p\"\nversion = 1\n{tail}");
        let of = |lines: &str| with(&format!("[[strategy]]\nname = \"S\"\nnamespace = \"/a/\"\n{lines}"));
        check("version = 1", "text", "profile");
        check(&with("colour = 1"), "text", "colour");
        check(&with("window = []"), "text", "expected an object");
        check(&with("\nstrategy = [[]]"), "text", "line 4");
        check("profile = \"P\"\nversion = 1", "profile", "lower-case");
        check("profile = \"p\"\nversion = 0", "version", "at least 1");
        check(&of("kind = \"nonsense\""), "text", "nonsense");
        check(&of("kind = \"semantic\"\ncolour = 1"), "text", "colour");
        check(
            &of("kind = \"semantic\"\nreflection_namespace = \"/b/\""),
            "strategy.S.reflection_namespace",
            "reflect",
        );
        check(&of("kind = \"semantic\"\ntopic = \"t\""), "strategy.S.topic", "self-managed");
        check(&of("kind = \"self_managed\"\ninstructions = \"t\""), "strategy.S.instructions", "leave");
        check(&of("kind = \"semantic\"\nmodel_id = \"m\""), "strategy.S.model_id", "instructions");
        check(&with("[window]\nmessages = 0"), "window.messages", "1 to 50");
        check(&with("[window]\ntokens = 99"), "window.tokens", "100");
        check(&with("[consolidation]\nreflect_every = 0"), "consolidation.reflect_every", "1 to 1000");
        check(&with("event_expiry_days = 2"), "event_expiry_days", "3 to 3650");
        let bad = with("[[strategy]]\nname = \"S\"\nkind = \"semantic\"\nnamespace = \"/{a/\"");
        check(&bad, "strategy.S.namespace", "template");
        check(&with("[known_by]\ntemplates = [\"/{\"]"), "known_by.templates", "template");
        let long = format!("{}# {}", with(""), "x".repeat(loci_model::limits::PROFILE_BYTES_MAX));
        check(&long, "text", "64 KiB");
        let full = with(&"#".repeat(loci_model::limits::PROFILE_BYTES_MAX - with("").len()));
        assert_eq!(full.len(), loci_model::limits::PROFILE_BYTES_MAX);
        parse(&full).unwrap();
    }
}
