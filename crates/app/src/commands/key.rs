//! `loci key`: access keys. `create` and `rotate` print secrets once.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use clap::Subcommand;
use loci_api::key::{Capability, Grant, KeyCreate, KeyIssued};
use serde_json::Value;

use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::confirmation::DryRun;
use crate::exit::{NotFound, Usage};
use crate::session::Session;
use crate::{confirmation, output};

/// Access keys.
#[derive(Debug, Subcommand)]
pub(crate) enum Key {
    /// Create a key: an AWS pair and a bearer token of one principal
    Create {
        /// A name for logs
        name: String,
        /// A grant, as JSON: {"memory":"…","actor":"…","session":"…",
        /// "namespace":"…","strategy":"…", "metadata":{"tenant":["acme"]},"max_age_days":30,
        /// "capabilities":["read","write","admin"]}; absent members mean any, so a grant without
        /// capabilities includes admin. Without a grant the key permits everything
        #[arg(long = "grant", value_name = "JSON")]
        grants: Vec<String>,
        /// A metadata value that limits all reads and is added to all writes of the key;
        /// repeatable, also with the same name: then the key may write any of these values, and
        /// each write must name one. It narrows each --grant, whose metadata must not contain the
        /// name already, or, without a grant, reads and writes of everything
        #[arg(long = "filter", value_name = "NAME=VALUE")]
        filters: Vec<String>,
        /// The maximum age in days of data that the key reads. It narrows grants like --filter: the
        /// smaller of two ages applies
        #[arg(long, value_name = "DAYS")]
        max_age_days: Option<u32>,
    },
    /// List keys
    List,
    /// Replace the secrets of a key
    Rotate {
        /// The access key id
        key: String,
    },
    /// Revoke a key
    Revoke {
        /// The access key id
        key: String,
        #[command(flatten)]
        dry: DryRun,
    },
}

impl Key {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let session = Session::begin(globals, environment)?;
        match self {
            Self::Create { name, grants, filters, max_age_days } => {
                grants.iter().filter(|text| includes_admin_unnamed(text)).for_each(|text| {
                    output::note(format!("{UNNAMED}: {text}"));
                });
                let mut grants = grants.iter().map(|text| grant(text)).collect::<Result<Vec<_>>>()?;
                narrow(&mut grants, &filters, max_age_days)?;
                let new = KeyCreate { name, grants: (!grants.is_empty()).then_some(grants) };
                output::result(session.json, &session.client.key_create(&new).await?, shown)?;
            }
            Self::List => {
                let keys = session.client.key_list().await?;
                output::result(session.json, &keys, |keys| {
                    let mut rows = Vec::new();
                    for key in &keys.keys {
                        let state =
                            key.revoked_at.as_ref().map_or("active".to_owned(), |at| format!("revoked {at}"));
                        rows.push(vec![
                            key.access_key_id.clone(),
                            key.name.clone(),
                            key.created_at.clone(),
                            state,
                            key.grants.iter().map(allowed).collect::<Vec<_>>().join("; "),
                        ]);
                    }
                    let heads = ["KEY", "NAME", "CREATED", "STATE", "ALLOWS"];
                    output::list(&heads, rows, "No keys: `loci key create NAME` creates one.");
                })?;
            }
            Self::Rotate { key } => {
                output::result(session.json, &session.client.key_rotate(&key).await?, shown)?;
            }
            Self::Revoke { key, dry } if dry.dry_run => {
                let keys = session.client.key_list().await?.keys;
                let none = || NotFound(format!("there is no key {key}: see `loci key list`"));
                let found = keys.iter().find(|one| one.access_key_id == key).ok_or_else(none)?;
                confirmation::would(session.json, &format!("revoke the key {key} of {}", found.name))?;
            }
            Self::Revoke { key, .. } => {
                let nothing = session.client.key_revoke(&key).await?;
                output::result(session.json, &nothing, |_| output::line(format!("revoked {key}")))?;
            }
        }
        session.end().await
    }
}

fn grant(text: &str) -> Result<Grant> {
    let bad = |error| Usage(format!("--grant must be a JSON object like {{\"memory\":\"ID\"}}: {error}"));
    Ok(loci_json::from_str(text).map_err(bad)?)
}

/// The note about a grant that names no capabilities and therefore includes `admin`.
const UNNAMED: &str = "the grant names no capabilities, so it includes admin: add \
                       \"capabilities\":[\"read\",\"write\"] to leave admin out";

/// Returns true for the JSON of a grant without a list of capabilities, to which the default list
/// applies.
fn includes_admin_unnamed(text: &str) -> bool {
    loci_json::from_str::<Value>(text).is_ok_and(|grant| grant.get("capabilities").is_none())
}

/// Adds the filters and the age to all grants. If there are none, it adds a grant to read and write
/// everything within them.
fn narrow(grants: &mut Vec<Grant>, filters: &[String], max_age_days: Option<u32>) -> Result<()> {
    if filters.is_empty() && max_age_days.is_none() {
        return Ok(());
    }
    if grants.is_empty() {
        grants.push(grant(r#"{"capabilities":["read","write"]}"#)?);
    }
    let filters = values_by_name(filters)?;
    for grant in grants {
        for (name, values) in &filters {
            // Adding values to those of a grant would widen it.
            if grant.metadata.insert(name.clone(), values.clone()).is_some() {
                let rule = format!(
                    "--filter {name}=… and a --grant with metadata.{name}: name the values in one of the two"
                );
                return Err(Usage(rule).into());
            }
        }
        grant.max_age_days = grant.max_age_days.into_iter().chain(max_age_days).min();
    }
    Ok(())
}

/// Parses filters of the form `NAME=VALUE`, and groups the values by name.
fn values_by_name(filters: &[String]) -> Result<BTreeMap<String, BTreeSet<String>>> {
    let mut by_name = BTreeMap::<String, BTreeSet<String>>::new();
    for filter in filters {
        let bad = || Usage(format!("--filter must be NAME=VALUE, like --filter tenant=acme: {filter}"));
        let (name, value) = filter.split_once('=').ok_or_else(bad)?;
        by_name.entry(name.to_owned()).or_default().insert(value.to_owned());
    }
    Ok(by_name)
}

/// Formats a grant as a line for people: its capabilities and its scope.
fn allowed(grant: &Grant) -> String {
    let capability = |capability: &Capability| match capability {
        Capability::Read => "read",
        Capability::Write => "write",
        Capability::Admin => "admin",
        Capability::Agent => "agent",
        Capability::Outcome => "outcome",
        Capability::Worker => "worker",
        Capability::Impersonate => "impersonate",
        Capability::Unverified => "unverified",
    };
    let mut words = vec![grant.capabilities.iter().map(capability).collect::<Vec<_>>().join(",")];
    let places = [
        ("memory", &grant.memory),
        ("actor", &grant.actor),
        ("session", &grant.session),
        ("namespace", &grant.namespace),
        ("strategy", &grant.strategy),
    ];
    words.extend(places.iter().filter_map(|(name, place)| Some(format!("{name}={}", place.as_ref()?))));
    let joined = |values: &BTreeSet<String>| values.iter().map(String::as_str).collect::<Vec<_>>().join("|");
    words.extend(grant.metadata.iter().map(|(name, values)| format!("metadata.{name}={}", joined(values))));
    words.extend(grant.max_age_days.map(|days| format!("max_age_days={days}")));
    words.join(" ")
}

fn shown(key: &KeyIssued) {
    output::line(format!("export AWS_ACCESS_KEY_ID={}", key.access_key_id));
    output::line(format!("export AWS_SECRET_ACCESS_KEY={}", key.secret_access_key));
    output::line(format!("export LOCI_TOKEN={}", key.token));
    output::note("the secrets are shown this once: keep them now");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grant_that_includes_admin_unnamed_is_noted() {
        for (text, expect) in [
            (r#"{"memory":"notes"}"#, true),
            (r#"{"memory":"notes","capabilities":["read"]}"#, false),
            (r#"{"capabilities":["read","write","admin"]}"#, false),
            ("no JSON", false),
        ] {
            assert_eq!(includes_admin_unnamed(text), expect, "{text}");
        }
    }

    #[test]
    fn flags_only_narrow_grants() {
        let check = |grants: &[&str], filters: &[&str], days: Option<u32>, expect: Option<&[&str]>| {
            let mut grants: Vec<Grant> = grants.iter().map(|text| grant(text).unwrap()).collect();
            let filters: Vec<String> = filters.iter().map(|filter| (*filter).to_owned()).collect();
            let done = narrow(&mut grants, &filters, days);
            match expect {
                Some(expect) => {
                    done.unwrap();
                    let lines: Vec<String> = grants.iter().map(allowed).collect();
                    assert_eq!(lines, expect, "{filters:?} {days:?}");
                }
                None => assert!(done.unwrap_err().is::<Usage>(), "{filters:?} {days:?}"),
            }
        };
        let red = r#"{"metadata":{"team":["red"]},"max_age_days":30,"capabilities":["read"]}"#;
        let plain = r#"{"actor":"ann","capabilities":["read"]}"#;
        check(&[], &[], None, Some(&[]));
        check(&[], &["team=red"], None, Some(&["read,write metadata.team=red"]));
        check(
            &[plain],
            &["team=red", "team=blue"],
            Some(9),
            Some(&["read actor=ann metadata.team=blue|red max_age_days=9"]),
        );
        check(
            &[red],
            &["place=x=y"],
            Some(9),
            Some(&["read metadata.place=x=y metadata.team=red max_age_days=9"]),
        );
        // The smaller age applies, and no value is added to those of a grant.
        check(&[red], &[], Some(99), Some(&["read metadata.team=red max_age_days=30"]));
        check(&[red], &["team=blue"], None, None);
        check(&[plain, red], &["team=red"], None, None);
        check(&[], &["team"], None, None);
    }
}
