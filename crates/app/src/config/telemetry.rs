//! `[telemetry]`: traces for a collector.

use anyhow::{Result, bail};
use loci_outbound::guard::{Rules, address};
use loci_outbound::request::AddressOrigin;
use serde::{Deserialize, Serialize};

/// `[telemetry]`
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TelemetrySection {
    /// The address of an OTLP collector over HTTP. Absent means none.
    pub otlp_endpoint: Option<String>,
    /// True if traces may contain questions and records.
    pub capture_content: bool,
    /// The variable with headers for the collector, as `name=value,…`.
    pub headers_env: Option<String>,
}

impl TelemetrySection {
    /// Returns the address of the collector, if configured.
    pub fn endpoint(&self) -> Option<&str> {
        self.otlp_endpoint.as_deref().filter(|endpoint| !endpoint.is_empty())
    }

    /// Checks the section.
    pub(super) fn check(&self) -> Result<()> {
        let Some(endpoint) = self.endpoint() else {
            if self.capture_content || self.headers_env.is_some() {
                bail!(
                    "telemetry.capture_content and telemetry.headers_env are for traces: name a collector in telemetry.otlp_endpoint"
                );
            }
            return Ok(());
        };
        // [outbound] decides about metadata addresses when they are called.
        let rules = Rules { reach: AddressOrigin::Configured, allow_metadata: true };
        if let Err(why) = address(endpoint, rules) {
            bail!(
                "telemetry.otlp_endpoint must be a URL like http://127.0.0.1:4318, without user and password ({})",
                why.as_str()
            );
        }
        if endpoint.contains(['?', '#']) {
            bail!("telemetry.otlp_endpoint must have no query: /v1/traces is put behind it");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(section: TelemetrySection, expect: &str) {
        let said = section.check().map_or_else(|error| error.to_string(), |()| String::new());
        assert!(if expect.is_empty() { said.is_empty() } else { said.contains(expect) }, "{said}");
    }

    fn to(endpoint: &str) -> TelemetrySection {
        TelemetrySection { otlp_endpoint: Some(endpoint.to_owned()), ..TelemetrySection::default() }
    }

    #[test]
    fn what_it_must_be() {
        check(TelemetrySection::default(), "");
        check(TelemetrySection { capture_content: true, ..to("") }, "telemetry.otlp_endpoint");
        let headers_env = Some("HEADERS".to_owned());
        check(TelemetrySection { headers_env, ..TelemetrySection::default() }, "telemetry.otlp_endpoint");
    }

    #[test]
    fn what_an_endpoint_must_be() {
        check(TelemetrySection { capture_content: true, ..to("http://127.0.0.1:4318") }, "");
        check(to("https://collector.example.org/otlp/v1/traces"), "");
        check(to("collector:4318"), "must be a URL");
        check(to("grpc://collector:4317"), "(scheme)");
        check(to("http://user:secret@collector:4318"), "(credentials)");
        check(to("http://collector:4318/?key=1"), "no query");
    }
}
