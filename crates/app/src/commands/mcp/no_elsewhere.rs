//! Stub for a program without verified memory: it checks no local code, and forwards all calls to
//! the server.

use std::path::Path;

use loci_api::verified::verdict::Verdicts;
use loci_client::{Client, ClientError};
use loci_server::tools::tool::ReceivedArguments;
use serde_json::Value;

use crate::config::Config;

/// A name that no tool has.
pub(super) const VERIFY: &str = "";

/// Code around the working directory. It never exists.
pub(super) enum Elsewhere {}

/// The place where a tool call is answered.
pub(super) enum Way {
    /// To the server.
    Theirs,
    /// To the server, at a commit.
    TheirsAt(String),
    /// By verdicts of this machine.
    Ours(Verdicts),
}

impl Elsewhere {
    /// Returns `None`.
    pub(super) async fn around(_: &Config, _: &Path) -> Option<Self> {
        None
    }

    pub(super) fn name(&self) -> String {
        match *self {}
    }

    pub(super) fn meant(&self, _: &str, _: &ReceivedArguments) -> ReceivedArguments {
        match *self {}
    }

    pub(super) async fn way(&self, _: &Client, _: &str, _: &ReceivedArguments) -> Result<Way, ClientError> {
        match *self {}
    }
}

/// Returns `None`: no use of a fact requires a check.
pub(super) fn look_before_use(_: &str, _: &ReceivedArguments) -> Option<ReceivedArguments> {
    None
}

/// Returns the arguments unchanged.
pub(super) fn at_commit(arguments: ReceivedArguments, _: &str) -> ReceivedArguments {
    arguments
}

/// Returns the result unchanged.
pub(super) fn as_asked(result: Value, _: &ReceivedArguments) -> Value {
    result
}
