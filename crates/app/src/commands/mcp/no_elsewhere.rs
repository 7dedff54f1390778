//! A program without verified memory: no code of this machine is checked, every call is the server's.

use std::path::Path;

use loci_api::verified::verdict::Verdicts;
use loci_client::{Client, ClientError};
use loci_server::tools::tool::Arguments;
use serde_json::Value;

use crate::config::Config;

/// The name of no tool.
pub(super) const VERIFY: &str = "";

/// Code around the working directory: there is none.
pub(super) enum Elsewhere {}

/// The way of a call.
pub(super) enum Way {
    /// It is the server's.
    Theirs,
    /// It is the server's, at a commit.
    TheirsAt(String),
    /// By verdicts of this machine.
    Ours(Verdicts),
}

impl Elsewhere {
    /// Returns none.
    pub(super) async fn around(_: &Config, _: &Path) -> Option<Self> {
        None
    }

    pub(super) fn name(&self) -> String {
        match *self {}
    }

    pub(super) fn meant(&self, _: &str, _: &Arguments) -> Arguments {
        match *self {}
    }

    pub(super) async fn way(&self, _: &Client, _: &str, _: &Arguments) -> Result<Way, ClientError> {
        match *self {}
    }
}

/// Returns none: no use of a fact is looked at.
pub(super) fn look_before_use(_: &str, _: &Arguments) -> Option<Arguments> {
    None
}

/// Returns the arguments as they are.
pub(super) fn at_commit(arguments: Arguments, _: &str) -> Arguments {
    arguments
}

/// Returns the result as it is.
pub(super) fn as_asked(result: Value, _: &Arguments) -> Value {
    result
}
