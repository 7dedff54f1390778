//! The named strings of the API: ids, names, ARNs, keys, namespaces.

use super::shape::{Pattern, Shape, content, pattern, text};

/// No upper limit; the size of the request bounds it.
pub(super) const ANY: usize = usize::MAX;

const ALPHABET: &str = r"[a-zA-Z0-9 \t\n\x0B\f\r._:/=+@-]*";
const ALPHABET_SHOWN: &str = r"[a-zA-Z0-9\s._:/=+@-]*";

const ARN_SHOWN: &str =
    r"arn:[a-z0-9-\.]{1,63}:[a-z0-9-\.]{0,63}:[a-z0-9-\.]{0,63}:[a-z0-9-\.]{0,63}:[^/].{0,1023}";
const BUCKET_SHOWN: &str = "[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]";

static NAME_PATTERN: Pattern = Pattern::new("[a-zA-Z][a-zA-Z0-9_]{0,47}");
static ARN_PATTERN: Pattern = Pattern::new(
    r"arn:[a-z0-9\-.]{1,63}:[a-z0-9\-.]{0,63}:[a-z0-9\-.]{0,63}:[a-z0-9\-.]{0,63}:[^/].{0,1023}",
)
.shown(ARN_SHOWN);
static MEMORY_ID_PATTERN: Pattern = Pattern::new("[a-zA-Z][a-zA-Z0-9_-]{0,99}-[a-zA-Z0-9]{10}");
static MEMORY_ID_OR_ARN_PATTERN: Pattern = Pattern::new(
    "(arn:(aws|aws-cn|aws-us-gov):bedrock-agentcore:[a-z0-9-]+:[0-9]{12}:memory/)?[a-zA-Z][a-zA-Z0-9_-]{0,99}-[a-zA-Z0-9]{10}",
);
static RESOURCE_ARN_PATTERN: Pattern =
    Pattern::new("arn:(?:[^:]+)?:bedrock-agentcore:[a-z0-9-]+:[0-9]{12}:([a-z-]+/[^/]+)(?:/[a-z-]+/[^/]+)*");
static ACTOR_PATTERN: Pattern =
    Pattern::new("[a-zA-Z0-9][a-zA-Z0-9._/-]*(?::[a-zA-Z0-9._/-]+)*[a-zA-Z0-9._/-]*").also(no_dot_segment);
static WORD_PATTERN: Pattern = Pattern::new("[a-zA-Z0-9][a-zA-Z0-9_-]*");
static EVENT_PATTERN: Pattern = Pattern::new("[0-9]+#[a-fA-F0-9]+");
static RECORD_PATTERN: Pattern = Pattern::new("mem-[a-zA-Z0-9_-]*");
static REQUEST_PATTERN: Pattern = Pattern::new("[a-zA-Z0-9_-]+");
static NAMESPACE_PATTERN: Pattern =
    Pattern::new("[a-zA-Z0-9/*.][a-zA-Z0-9._/*-]*(?::[a-zA-Z0-9._/*-]+)*[a-zA-Z0-9._/*-]*")
        .also(concrete_namespace);
static TEMPLATE_PATTERN: Pattern =
    Pattern::new(r"[a-zA-Z0-9._/-]*(\{[a-zA-Z][a-zA-Z0-9]*\}[a-zA-Z0-9._/-]*)*").also(no_dot_segment);
static ALPHABET_PATTERN: Pattern = Pattern::new(ALPHABET).shown(ALPHABET_SHOWN);
static VARIABLE_NAME_PATTERN: Pattern = Pattern::new("[a-z][a-z0-9]*")
    .shown("(?!memoryStrategyId$|actorId$|sessionId$)[a-z][a-z0-9]*")
    .also(not_a_builtin_variable);
static VARIABLE_VALUE_PATTERN: Pattern = Pattern::new("[a-z0-9][a-z0-9_-]*");
/// The pattern also admits a URL. A setting decides if a client may choose its own target; it is
/// checked elsewhere.
static BUCKET_PATTERN: Pattern =
    Pattern::new(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]|(?:file|s3)://\S{1,1024}").shown(BUCKET_SHOWN);
static TOPIC_PATTERN: Pattern = Pattern::new(
    r"arn:[a-z0-9\-.]{1,63}:[a-z0-9\-.]{0,63}:[a-z0-9\-.]{0,63}:[a-z0-9\-.]{0,63}:[^/].{0,1023}|(?:https?|file)://\S{1,1024}",
).shown(ARN_SHOWN);

pub(super) static NAME: Shape = pattern(1, 48, &NAME_PATTERN);
pub(super) static ARN: Shape = pattern(0, ANY, &ARN_PATTERN);
/// The memory on the control plane: the bare id.
pub(super) static MEMORY_ID: Shape = pattern(12, ANY, &MEMORY_ID_PATTERN);
/// The memory on the data plane: the id or the ARN.
pub(super) static MEMORY_ID_OR_ARN: Shape = pattern(12, ANY, &MEMORY_ID_OR_ARN_PATTERN);
pub(super) static RESOURCE_ARN: Shape = pattern(20, 1011, &RESOURCE_ARN_PATTERN);
pub(super) static ACTOR_ID: Shape = pattern(1, 255, &ACTOR_PATTERN);
pub(super) static SESSION_ID: Shape = pattern(1, 100, &WORD_PATTERN);
pub(super) static EVENT_ID: Shape = pattern(1, 128, &EVENT_PATTERN);
pub(super) static BRANCH_NAME: Shape = pattern(1, 100, &WORD_PATTERN);
pub(super) static RECORD_ID: Shape = pattern(40, 50, &RECORD_PATTERN);
/// The strategy id on records and in filters, where `none` is a value too.
pub(super) static STRATEGY_ID: Shape = pattern(1, 100, &WORD_PATTERN);
pub(super) static REQUEST_IDENTIFIER: Shape = pattern(1, 80, &REQUEST_PATTERN);
pub(super) static NAMESPACE: Shape = pattern(1, 1024, &NAMESPACE_PATTERN);
pub(super) static NAMESPACE_TEMPLATE: Shape = pattern(1, 512, &TEMPLATE_PATTERN);
pub(super) static METADATA_KEY: Shape = pattern(1, 128, &ALPHABET_PATTERN);
/// Keys of event metadata, unrestricted in lenient mode.
pub(super) static EVENT_METADATA_KEY: Shape = content(1, 128, Some(&ALPHABET_PATTERN), 1);
pub(super) static EVENT_METADATA_TEXT: Shape = content(0, 256, Some(&ALPHABET_PATTERN), 0);
pub(super) static RECORD_METADATA_TEXT: Shape = pattern(1, 256, &ALPHABET_PATTERN);
pub(super) static RECORD_METADATA_ITEM: Shape = pattern(1, 64, &ALPHABET_PATTERN);
pub(super) static TAG_VALUE: Shape = pattern(0, 256, &ALPHABET_PATTERN);
pub(super) static VARIABLE_NAME: Shape = pattern(1, 32, &VARIABLE_NAME_PATTERN);
pub(super) static VARIABLE_VALUE: Shape = pattern(1, 64, &VARIABLE_VALUE_PATTERN);
pub(super) static BUCKET_NAME: Shape = pattern(0, ANY, &BUCKET_PATTERN);
pub(super) static TOPIC_ARN: Shape = pattern(0, ANY, &TOPIC_PATTERN);
/// Free text of the caller: tokens, job ids, model ids.
pub(super) static FREE_TEXT: Shape = text(0, ANY);
pub(super) static CONTROL_TOKEN: Shape = text(0, 500);
pub(super) static DATA_TOKEN: Shape = text(0, 1024);
pub(super) static DESCRIPTION: Shape = text(1, 4096);
pub(super) static METADATA_TYPE: Shape = Shape::Choice(&["STRING", "STRINGLIST", "NUMBER"]);
pub(super) static PAGE_SIZE: Shape = Shape::Int { min: 1, max: 100 };

/// The patterns of the tables, for the test that compiles each.
#[cfg(test)]
pub(super) static PATTERNS: [&Pattern; 17] = [
    &NAME_PATTERN,
    &ARN_PATTERN,
    &MEMORY_ID_PATTERN,
    &MEMORY_ID_OR_ARN_PATTERN,
    &RESOURCE_ARN_PATTERN,
    &ACTOR_PATTERN,
    &WORD_PATTERN,
    &EVENT_PATTERN,
    &RECORD_PATTERN,
    &REQUEST_PATTERN,
    &NAMESPACE_PATTERN,
    &TEMPLATE_PATTERN,
    &ALPHABET_PATTERN,
    &VARIABLE_NAME_PATTERN,
    &VARIABLE_VALUE_PATTERN,
    &BUCKET_PATTERN,
    &TOPIC_PATTERN,
];

/// Rejects a segment that consists of dots only, such as `.` and `..`. Other dots are accepted
/// beyond AWS's pattern, because `vercel/next.js` is an actor.
fn no_dot_segment(value: &str) -> Result<(), String> {
    let dots = |segment: &str| !segment.is_empty() && segment.bytes().all(|byte| byte == b'.');
    if value.split('/').any(dots) {
        return Err("Member must not have a segment that consists of dots only".to_owned());
    }
    Ok(())
}

/// Rejects variables in a namespace that is read or written. An unresolved variable would match
/// nothing without an error.
fn concrete_namespace(value: &str) -> Result<(), String> {
    no_dot_segment(value)?;
    let placeholder = value.split_once('{').and_then(|(_, rest)| rest.split_once('}')).map(|(name, _)| name);
    match placeholder {
        Some(name) if name.len() <= 64 && name.bytes().all(|byte| byte.is_ascii_alphanumeric()) => {
            Err(format!(
                "Member must be a namespace without placeholders: {{{name}}} is not resolved, put its value there"
            ))
        }
        Some(_) | None => Ok(()),
    }
}

fn not_a_builtin_variable(value: &str) -> Result<(), String> {
    if ["memoryStrategyId", "actorId", "sessionId"].contains(&value) {
        return Err(format!(
            "Member must satisfy regular expression pattern: {}",
            VARIABLE_NAME_PATTERN.shown
        ));
    }
    Ok(())
}
