//! Failures to get an answer from a language model: an AgentCore error code, an explanation, and
//! whether a retry can help.

use loci_model::ports::language_model::{ModelError, ModelErrorKind};

use super::{Unanswered, Why};
use crate::strategies::model_questions::question::{BadReply, Question};

/// The maximum number of defects of an answer that a failure names.
const NAMED_MAX: usize = 3;
/// The number of refusals by the model after which a question is given up.
const REFUSALS_MAX: u32 = 2;

/// The AgentCore error codes of one failure: first for built-in strategies, then for strategies
/// that name their own model.
struct Codes(&'static str, &'static str);

impl Codes {
    fn of(self, question: &Question) -> &'static str {
        if question.model_id.is_some() { self.1 } else { self.0 }
    }
}

/// Returns the failure for a question when no model is configured.
pub(super) fn not_configured(question: &Question) -> Unanswered {
    Unanswered {
        code: Codes("MODEL_NOT_CONFIGURED", "CUSTOM_MODEL_BEDROCK_ACCESS_DENIED").of(question),
        explanation: "no language model is configured: name one under [[model]] and [llm]".to_owned(),
        permanent: true,
        retry_after_ms: None,
        why: Why::Service,
    }
}

/// Returns the failure for a question that exceeds the maximum size.
pub(super) fn too_long(bytes: usize) -> Unanswered {
    Unanswered {
        code: "MODEL_REQUEST_REJECTED",
        explanation: format!("the question has {bytes} bytes: shorten the instructions of the strategy"),
        permanent: true,
        retry_after_ms: None,
        why: Why::Form,
    }
}

/// Returns the failure for a call that the model answered with an error.
pub(super) fn failed(question: &Question, error: &ModelError) -> Unanswered {
    let codes = match error.kind {
        ModelErrorKind::Denied => Codes("MODEL_ACCESS_DENIED", "CUSTOM_MODEL_BEDROCK_ACCESS_DENIED"),
        ModelErrorKind::Throttled => Codes("LTM_RATE_EXCEEDED", "CUSTOM_MODEL_BEDROCK_THROTTLING"),
        ModelErrorKind::QuotaUsedUp => Codes("MODEL_QUOTA_EXCEEDED", "CUSTOM_MODEL_BEDROCK_QUOTA_EXCEEDED"),
        ModelErrorKind::Timeout => Codes("MODEL_TIMEOUT", "CUSTOM_MODEL_BEDROCK_TIMEOUT"),
        ModelErrorKind::Unavailable => Codes("MODEL_UNAVAILABLE", "CUSTOM_MODEL_BEDROCK_INTERNAL_ERROR"),
        ModelErrorKind::Rejected => Codes("MODEL_REQUEST_REJECTED", "CUSTOM_MODEL_BEDROCK_REQUEST_REJECTED"),
        ModelErrorKind::Garbled => Codes("MODEL_INVALID_RESPONSE", "CUSTOM_MODEL_BEDROCK_INVALID_RESPONSE"),
    };
    Unanswered {
        code: codes.of(question),
        explanation: error.message.clone(),
        permanent: error.kind.is_permanent(),
        retry_after_ms: error.retry_after_ms,
        why: Why::Service,
    }
}

/// Returns the failure for a call in which the model's adapter panicked.
pub(super) fn broke_down(question: &Question) -> Unanswered {
    Unanswered {
        code: Codes("MODEL_INTERNAL_ERROR", "CUSTOM_MODEL_BEDROCK_INTERNAL_ERROR").of(question),
        explanation: "the model broke down: see the server's log".to_owned(),
        permanent: false,
        retry_after_ms: None,
        why: Why::Service,
    }
}

/// Returns the failure for a question that the model refused to answer.
pub(super) fn refused(question: &Question, word: &str, attempts: u32) -> Unanswered {
    Unanswered {
        code: Codes("MODEL_REFUSED", "CUSTOM_MODEL_BEDROCK_REFUSED").of(question),
        explanation: format!("the model refused to answer ({word})"),
        permanent: attempts >= REFUSALS_MAX,
        retry_after_ms: None,
        why: Why::Refused,
    }
}

/// Returns the failure for an answer that was truncated again after a retry with twice the
/// length.
pub(super) fn cut_off(question: &Question) -> Unanswered {
    Unanswered {
        code: Codes("MODEL_CUT_OFF", "CUSTOM_MODEL_BEDROCK_CUT_OFF").of(question),
        explanation: "the answer broke off at the model's limit of length".to_owned(),
        permanent: false,
        retry_after_ms: None,
        why: Why::CutOff,
    }
}

/// Returns the failure for an answer that still has defects after the model revised it.
pub(super) fn bad_reply(question: &Question, bad: &BadReply) -> Unanswered {
    let named: Vec<&str> = bad.violations.iter().take(NAMED_MAX).map(String::as_str).collect();
    Unanswered {
        code: Codes("MODEL_INVALID_RESPONSE", "CUSTOM_MODEL_BEDROCK_INVALID_RESPONSE").of(question),
        explanation: format!("the answer does not have the form that was asked for: {}", named.join("; ")),
        permanent: false,
        retry_after_ms: None,
        why: Why::Form,
    }
}

/// Returns the failure for a question that clients gave up too often. `said` is the explanation
/// of the last client.
pub(super) fn given_up(question: &Question, attempts: u32, said: Option<&str>) -> Unanswered {
    let said = said.map(|said| format!("; the last one said: {said}")).unwrap_or_default();
    Unanswered {
        code: Codes("MODEL_GAVE_NO_ANSWER", "CUSTOM_MODEL_BEDROCK_INVALID_RESPONSE").of(question),
        explanation: format!(
            "the caller's model gave no answer of the form asked for in {attempts} attempts{said}"
        ),
        permanent: true,
        retry_after_ms: None,
        why: Why::Form,
    }
}
