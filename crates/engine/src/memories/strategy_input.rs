//! Converts a requested strategy to its stored form: fills in defaults and checks the rules.

use loci_model::memory::index_key::{IndexedKey, NamespaceKey};
use loci_model::memory::strategy::{
    CustomConfiguration, Reflection, SelfManaged, Strategy, StrategyBase, Trigger,
};
use loci_model::ports::ids::IdSource;
use loci_model::record::metadata::MetadataSchemaEntry;
use loci_model::{Error, ErrorText, FieldName, NamespaceTemplate, Result, StrategyId, Timestamp};

use super::{NewReflection, NewStrategy, resource_names};
use crate::settings::EngineSettings;

/// The allowed expiry of records in days. The AgentCore API has its own minimum of 31.
const EXPIRY_DAYS: std::ops::RangeInclusive<u32> = 1..=36_500;

/// The parts of a memory with which a new strategy must be consistent.
pub(crate) struct Surroundings<'a> {
    pub(crate) settings: &'a EngineSettings,
    pub(crate) ids: &'a dyn IdSource,
    pub(crate) indexed_keys: &'a [IndexedKey],
    pub(crate) namespace_keys: &'a [NamespaceKey],
    pub(crate) now: Timestamp,
}

/// Builds a strategy from a request, with defaults and a new id.
pub(crate) fn build(new: &NewStrategy, around: &Surroundings<'_>) -> Result<Strategy> {
    if !resource_names::is_name(&new.name) {
        let rule = "a strategy's name must start with a letter and have up to 48 letters, digits or _";
        return Err(Error::invalid(FieldName::Strategies + ".name", rule));
    }
    if new.base == StrategyBase::SelfManaged
        && new.custom.as_ref().is_none_or(|custom| custom.self_managed.is_none())
    {
        let rule = ErrorText::from("a self-managed strategy needs ") + FieldName::SelfManagedSettings;
        return Err(Error::invalid(FieldName::Strategies + ".configuration", rule));
    }
    if let Some(own) = new.custom.as_ref().and_then(|custom| custom.self_managed.as_ref()) {
        check_targets(Some(&own.topic_arn), Some(&own.payload_bucket), around.settings)?;
    }
    let template = match &new.template {
        Some(template) => template.clone(),
        None => default_template(new.base, around.settings)?,
    };
    let strategy = Strategy {
        id: resource_names::strategy_id(around.ids, &new.name)?,
        name: new.name.clone(),
        description: new.description.clone(),
        base: new.base,
        custom: new.custom.clone().map(with_trigger_defaults),
        reflection: reflection(new.base, new.reflection.as_ref(), &template)?,
        template,
        schema: new.schema.clone(),
        record_expiry_days: new.record_expiry_days,
        created_at: around.now,
        updated_at: around.now,
    };
    check(&strategy, around.indexed_keys, around.namespace_keys)?;
    Ok(strategy)
}

/// Checks the rules of a complete strategy, after its creation or a change.
pub(crate) fn check(strategy: &Strategy, indexed: &[IndexedKey], variables: &[NamespaceKey]) -> Result<()> {
    check_template(&strategy.template, variables)?;
    if strategy.base == StrategyBase::Summary && !strategy.template.variables().contains(&"sessionId") {
        let rule = "the template of a summary strategy must contain {sessionId}";
        return Err(Error::invalid(FieldName::NamespaceTemplate, rule));
    }
    if let Some(reflection) = &strategy.reflection {
        check_template(&reflection.template, variables)?;
        if !reflection.template.is_prefix_of(&strategy.template) {
            let rule =
                "the reflection template must equal the episodic template or be a shallower prefix of it";
            return Err(Error::invalid(FieldName::ReflectionTemplate, rule));
        }
        check_schema(reflection.schema.as_deref(), indexed)?;
    }
    if strategy.record_expiry_days.is_some_and(|days| !EXPIRY_DAYS.contains(&days)) {
        return Err(Error::invalid(
            FieldName::RecordExpiryDays,
            FieldName::RecordExpiryDays + " must be 1 to 36500",
        ));
    }
    check_schema(strategy.schema.as_deref(), indexed)
}

/// Rejects a delivery target that is a URL, unless the server's settings let clients choose
/// targets.
pub(crate) fn check_targets(
    topic: Option<&String>,
    bucket: Option<&String>,
    settings: &EngineSettings,
) -> Result<()> {
    for (name, value) in [(FieldName::Topic, topic), (FieldName::PayloadBucket, bucket)] {
        if !settings.client_targets && value.is_some_and(|value| value.contains("://")) {
            let rule = name
                + " is a URL, and this server does not let clients choose delivery targets: give a name that its \
                   configuration maps";
            return Err(Error::invalid(name, rule));
        }
    }
    Ok(())
}

fn check_template(template: &NamespaceTemplate, variables: &[NamespaceKey]) -> Result<()> {
    for variable in template.variables() {
        let built_in = matches!(variable, "actorId" | "sessionId" | "memoryStrategyId" | "strategyId");
        if !built_in && !variables.iter().any(|declared| declared.key == variable) {
            let rule =
                ErrorText::from(format!("namespace variable {{{variable}}} is not declared: add it to "))
                    + FieldName::NamespaceKeys
                    + " or use actorId, sessionId or memoryStrategyId";
            return Err(Error::invalid(FieldName::NamespaceTemplate, rule));
        }
    }
    Ok(())
}

fn check_schema(schema: Option<&[MetadataSchemaEntry]>, indexed: &[IndexedKey]) -> Result<()> {
    for entry in schema.unwrap_or_default() {
        let declared = indexed.iter().find(|key| key.key == entry.key);
        if declared.is_some_and(|key| key.kind != entry.effective_type()) {
            let rule = "a metadata schema entry must have the type of the indexed key of that name";
            return Err(Error::invalid(FieldName::SchemaKind, rule));
        }
    }
    let keys = schema.unwrap_or_default().iter().map(|entry| &entry.key);
    let distinct: std::collections::BTreeSet<_> = keys.clone().collect();
    if distinct.len() != keys.count() {
        let rule = "a metadata schema must name each key once";
        return Err(Error::invalid(FieldName::SchemaKey, rule));
    }
    Ok(())
}

fn default_template(base: StrategyBase, settings: &EngineSettings) -> Result<NamespaceTemplate> {
    NamespaceTemplate::parse(match base {
        StrategyBase::Semantic | StrategyBase::UserPreference | StrategyBase::SelfManaged => {
            &settings.template_actor
        }
        StrategyBase::Summary | StrategyBase::Episodic => &settings.template_session,
    })
}

/// Returns the reflection configuration for a new strategy; `None` if the strategy is not
/// episodic.
pub(crate) fn reflection(
    base: StrategyBase,
    asked: Option<&NewReflection>,
    template: &NamespaceTemplate,
) -> Result<Option<Reflection>> {
    if base != StrategyBase::Episodic {
        return match asked {
            None => Ok(None),
            Some(_) => Err(Error::invalid(
                FieldName::Reflection,
                ErrorText::from("only episodic strategies reflect: leave ") + FieldName::Reflection + " out",
            )),
        };
    }
    let default = || template.cut_after("actorId").unwrap_or_else(|| template.clone());
    let asked = asked.cloned().unwrap_or_default();
    Ok(Some(Reflection {
        template: asked.template.unwrap_or_else(default),
        schema: asked.schema,
        step: asked.step,
    }))
}

fn with_trigger_defaults(mut custom: CustomConfiguration) -> CustomConfiguration {
    if let Some(own) = &mut custom.self_managed {
        own.triggers = all_triggers(&own.triggers);
    }
    custom
}

/// Returns one trigger of each kind: the given triggers, and defaults for the other kinds.
pub(crate) fn all_triggers(given: &[Trigger]) -> Vec<Trigger> {
    let pick =
        |is_kind: fn(&Trigger) -> bool, default| given.iter().rev().copied().find(is_kind).unwrap_or(default);
    vec![
        pick(|trigger| matches!(trigger, Trigger::Messages(_)), Trigger::Messages(6)),
        pick(|trigger| matches!(trigger, Trigger::Tokens(_)), Trigger::Tokens(5000)),
        pick(|trigger| matches!(trigger, Trigger::IdleSeconds(_)), Trigger::IdleSeconds(20)),
    ]
}

/// Returns true if a strategy that a request adds already exists with equal name, kind and
/// templates.
pub(crate) fn is_repeated(new: &NewStrategy, existing: &Strategy, settings: &EngineSettings) -> Result<bool> {
    let template = match &new.template {
        Some(template) => template.clone(),
        None => default_template(new.base, settings)?,
    };
    Ok(new.name == existing.name
        && new.base == existing.base
        && new.custom.is_some() == existing.custom.is_some()
        && template == existing.template)
}

/// Returns the strategy with this id, or the AgentCore error for an unknown strategy.
pub(crate) fn find<'a>(strategies: &'a mut [Strategy], id: &StrategyId) -> Result<&'a mut Strategy> {
    strategies
        .iter_mut()
        .find(|strategy| strategy.id == *id)
        .ok_or_else(|| Error::not_found(format!("the memory has no strategy {id}")))
}

/// Returns the self-managed configuration of a strategy, so that it can be changed.
pub(crate) fn self_managed(strategy: &mut Strategy) -> Result<&mut SelfManaged> {
    strategy
        .custom
        .as_mut()
        .and_then(|custom| custom.self_managed.as_mut())
        .ok_or_else(|| Error::invalid(FieldName::SelfManaged, "the strategy is not self-managed"))
}
