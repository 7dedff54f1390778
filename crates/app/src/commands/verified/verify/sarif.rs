//! A report as SARIF 2.1.0, for code scanning. It contains one result per citation that explains a
//! verdict. An unchecked fact is a notification of the run, never a result. Fingerprints consist of
//! fact and citation, so an alert keeps its identity from run to run when its lines move.

use loci_engine::safety::sanitise;
use loci_model::facts::support::OtherValue;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::report::{CitationReport, Finding, Side, VerifyReport, at};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
/// Characters that a path may contain unescaped.
const PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'.').remove(b'-').remove(b'_').remove(b'~');

/// A rule: its id, its level, and its text.
struct Rule {
    id: &'static str,
    level: &'static str,
    short: &'static str,
    help: &'static str,
}

const GONE: usize = 0;
const CONTRADICTED: usize = 1;
const DRIFTED: usize = 2;
const RELOCATED: usize = 3;
const RULES: [Rule; 4] = [
    Rule {
        id: "loci/fact-gone",
        level: "error",
        short: "Code that a stored fact cites is gone",
        help: "Replace the fact with one that cites the code as it is now, declare it wrong, or keep the code.",
    },
    Rule {
        id: "loci/fact-contradicted",
        level: "error",
        short: "The code contradicts a stored fact",
        help: "The code contradicts the fact: correct the code or the fact.",
    },
    Rule {
        id: "loci/fact-drifted",
        level: "warning",
        short: "Code that a stored fact cites has changed",
        help: "Something like the cited lines is there: read the difference, then confirm the fact by new citations or replace it.",
    },
    Rule {
        id: "loci/fact-relocated",
        level: "note",
        short: "Code that a stored fact cites has moved",
        help: "Nothing is to be done: the fact is served with the new place.",
    },
];

/// Returns the report.
pub(super) fn render(report: &VerifyReport) -> Value {
    let mut results = Vec::new();
    for finding in report.invalidated.iter().chain(&report.drifted) {
        results.extend(
            finding.citations.iter().map(|cited| result(report, finding, cited, rule_of(finding, cited))),
        );
    }
    for finding in &report.relocated {
        results.extend(finding.citations.iter().map(|cited| result(report, finding, cited, RELOCATED)));
    }
    let mut run = json!({
        "tool": { "driver": {
            "name": "Loci",
            "version": env!("CARGO_PKG_VERSION"),
            "semanticVersion": env!("CARGO_PKG_VERSION"),
            "rules": RULES.iter().map(rule).collect::<Vec<_>>(),
        } },
        "automationDetails": { "id": "loci-verify/" },
        "originalUriBaseIds": { "%SRCROOT%": { "description": { "text": "The root of the repository." } } },
        "columnKind": "unicodeCodePoints",
        "invocations": [{
            "executionSuccessful": true,
            "toolExecutionNotifications": report.unchecked.iter().map(notification).collect::<Vec<_>>(),
        }],
        "results": results,
    });
    if let (Some(uri), Some(commit), Some(members)) =
        (&report.repository_uri, &report.rev.commit, run.as_object_mut())
    {
        // The commit of a working tree does not identify its files.
        let provenance = match report.rev.dirty {
            true => {
                json!([{ "repositoryUri": uri, "revisionId": commit, "properties": { "workingTree": true } }])
            }
            false => json!([{ "repositoryUri": uri, "revisionId": commit }]),
        };
        members.insert("versionControlProvenance".to_owned(), provenance);
    }
    json!({ "$schema": SCHEMA, "version": "2.1.0", "runs": [run] })
}

fn rule(rule: &Rule) -> Value {
    json!({
        "id": rule.id,
        "shortDescription": { "text": rule.short },
        "fullDescription": { "text": format!("{}.", rule.short) },
        "help": { "text": rule.help },
        "defaultConfiguration": { "level": rule.level },
    })
}

fn rule_of(finding: &Finding, cited: &CitationReport) -> usize {
    use loci_model::facts::verdict::Verdict::{Contradicted, Drifted, Gone, Unverifiable, Valid};
    match cited.verdict {
        Gone => GONE,
        Contradicted => CONTRADICTED,
        Drifted => DRIFTED,
        // A claim about other lines is false, or these lines contradict the fact.
        Valid | Unverifiable if finding.verdict == Contradicted => CONTRADICTED,
        Valid | Unverifiable => DRIFTED,
    }
}

fn result(report: &VerifyReport, finding: &Finding, cited: &CitationReport, index: usize) -> Value {
    let rule = RULES.get(index).unwrap_or(&RULES[GONE]);
    json!({
        "ruleId": rule.id,
        "ruleIndex": index,
        "level": rule.level,
        "message": { "text": message(finding, cited, rule) },
        "locations": [location(cited)],
        "partialFingerprints": { "lociCitation/v1": fingerprint(report, finding, cited) },
        "properties": {
            "memoryId": finding.memory_id,
            "verdict": finding.verdict.as_str(),
            "revision": if cited.side == Side::Rev { "rev" } else { "since" },
        },
    })
}

fn location(cited: &CitationReport) -> Value {
    json!({ "physicalLocation": {
        "artifactLocation": {
            "uri": utf8_percent_encode(&cited.place.path, PATH).to_string(),
            "uriBaseId": "%SRCROOT%",
        },
        "region": { "startLine": cited.place.line_start.max(1), "endLine": cited.place.line_end.max(1) },
    } })
}

fn message(finding: &Finding, cited: &CitationReport, rule: &Rule) -> String {
    let why = cited.reason.as_deref().map(|reason| format!(" ({reason})")).unwrap_or_default();
    let from = match (&cited.before, cited.side) {
        (Some(before), Side::Rev) if *before != cited.place => format!(", before at {}", at(before)),
        _ => String::new(),
    };
    let others: Vec<String> = finding.other_values.iter().map(OtherValue::shown).collect();
    let others = if others.is_empty() { String::new() } else { format!(" ({})", others.join(", ")) };
    plain(&format!("{}{why}{others}{from}. {}: {}", rule.short, finding.subject, finding.fact))
}

fn notification(finding: &Finding) -> Value {
    let reason = finding.citations.iter().find_map(|cited| cited.reason.clone());
    let reason = reason.unwrap_or_else(|| "a claim could not be evaluated".to_owned());
    let text = format!(
        "Not checked ({reason}), which is evidence of nothing. {}: {}",
        finding.subject, finding.fact
    );
    json!({
        "level": "warning",
        "message": { "text": plain(&text) },
        "descriptor": { "id": "loci/not-checked" },
        "locations": finding.citations.iter().map(location).collect::<Vec<_>>(),
    })
}

/// Escapes a text for SARIF, in which square brackets are links.
fn plain(text: &str) -> String {
    let clean = sanitise(text);
    let mut out = String::with_capacity(clean.len());
    for c in clean.chars() {
        if matches!(c, '[' | ']' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Returns the fingerprint of a fact's citation, which is stable across runs.
fn fingerprint(report: &VerifyReport, finding: &Finding, cited: &CitationReport) -> String {
    let about = format!("{}\0{}\0{}", report.repo, finding.memory_id, cited.index);
    hex::encode(Sha256::digest(about.as_bytes()).get(..16).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::verified::verify::samples;
    use loci_model::facts::verdict::Verdict;

    /// Checks the log against the used parts of the SARIF 2.1.0 schema, property by property.
    #[track_caller]
    fn assert_valid(log: &Value) {
        let text = |value: &Value, what: &str| {
            assert!(value.as_str().is_some_and(|text| !text.is_empty()), "{what}: {value}");
        };
        let only = |value: &Value, known: &[&str]| {
            let members = value.as_object().unwrap_or_else(|| panic!("an object: {value}"));
            let other = members.keys().find(|name| !known.contains(&name.as_str()));
            assert_eq!(other, None, "a member that the schema does not know: {value}");
        };
        only(log, &["$schema", "version", "runs"]);
        assert_eq!(log["version"], "2.1.0");
        let run = &log["runs"][0];
        only(
            run,
            &[
                "tool",
                "automationDetails",
                "originalUriBaseIds",
                "columnKind",
                "invocations",
                "results",
                "versionControlProvenance",
            ],
        );
        assert!(["utf16CodeUnits", "unicodeCodePoints"].contains(&run["columnKind"].as_str().unwrap()));
        let driver = &run["tool"]["driver"];
        only(driver, &["name", "version", "semanticVersion", "rules"]);
        text(&driver["name"], "driver.name");
        let levels = ["none", "note", "warning", "error"];
        let rules = driver["rules"].as_array().unwrap();
        let mut ids: Vec<_> = rules.iter().map(|rule| rule["id"].as_str().unwrap()).collect();
        for rule in rules {
            only(rule, &["id", "shortDescription", "fullDescription", "help", "defaultConfiguration"]);
            for name in ["shortDescription", "fullDescription", "help"] {
                text(&rule[name]["text"], name);
            }
            assert!(levels.contains(&rule["defaultConfiguration"]["level"].as_str().unwrap()));
        }
        ids.dedup();
        assert_eq!(ids.len(), rules.len(), "rules are unique");
        for base in run["originalUriBaseIds"].as_object().unwrap().keys() {
            assert!(base.starts_with('%') && base.ends_with('%'));
        }
        let location = |location: &Value| {
            only(location, &["physicalLocation"]);
            let place = &location["physicalLocation"];
            only(place, &["artifactLocation", "region"]);
            only(&place["artifactLocation"], &["uri", "uriBaseId"]);
            let uri = place["artifactLocation"]["uri"].as_str().unwrap();
            let is_uri =
                uri.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"<>\\^`{|} #?:".contains(&byte));
            assert!(is_uri && !uri.starts_with('/'), "a relative reference: {uri}");
            let region = &place["region"];
            only(region, &["startLine", "endLine"]);
            let (start, end) = (region["startLine"].as_u64().unwrap(), region["endLine"].as_u64().unwrap());
            assert!(start >= 1 && end >= start, "{region}");
        };
        for invocation in run["invocations"].as_array().unwrap() {
            only(invocation, &["executionSuccessful", "toolExecutionNotifications"]);
            assert!(invocation["executionSuccessful"].is_boolean());
            for one in invocation["toolExecutionNotifications"].as_array().unwrap() {
                only(one, &["level", "message", "descriptor", "locations"]);
                assert!(levels.contains(&one["level"].as_str().unwrap()));
                text(&one["message"]["text"], "message.text");
                text(&one["descriptor"]["id"], "descriptor.id");
                one["locations"].as_array().unwrap().iter().for_each(location);
            }
        }
        for result in run["results"].as_array().unwrap() {
            only(
                result,
                &[
                    "ruleId",
                    "ruleIndex",
                    "level",
                    "message",
                    "locations",
                    "partialFingerprints",
                    "properties",
                ],
            );
            let index = result["ruleIndex"].as_u64().unwrap() as usize;
            assert_eq!(rules[index]["id"], result["ruleId"]);
            assert!(levels.contains(&result["level"].as_str().unwrap()));
            text(&result["message"]["text"], "message.text");
            result["locations"].as_array().unwrap().iter().for_each(location);
            for print in result["partialFingerprints"].as_object().unwrap().values() {
                text(print, "partialFingerprints");
            }
        }
        for one in run["versionControlProvenance"].as_array().into_iter().flatten() {
            only(one, &["repositoryUri", "revisionId", "properties"]);
            text(&one["repositoryUri"], "repositoryUri");
        }
    }

    #[test]
    fn what_is_written_is_what_the_schema_wants() {
        assert_valid(&render(&VerifyReport::default()));
        let mut report = samples::report(&["A [link](http://x.example) and \u{202e}more", "second"]);
        report.rev.commit = Some("0".repeat(40));
        report.repository_uri = Some("https://git.example/acme/shop".to_owned());
        report.invalidated[0].citations[0].place.path = "src/a b#c?d\"[é].rs".to_owned();
        report.invalidated[1].citations[0].verdict = Verdict::Drifted;
        report.relocated = samples::report(&["moved"]).invalidated;
        report.unchecked = samples::report(&["not read"]).invalidated;
        let log = render(&report);
        assert_valid(&log);
        let results = log["runs"][0]["results"].as_array().unwrap();
        let told: Vec<_> = results
            .iter()
            .map(|one| (one["ruleId"].as_str().unwrap(), one["level"].as_str().unwrap()))
            .collect();
        assert_eq!(
            told,
            [("loci/fact-gone", "error"), ("loci/fact-drifted", "warning"), ("loci/fact-relocated", "note")],
            "what could not be checked is no result"
        );
        let message = results[0]["message"]["text"].as_str().unwrap();
        assert!(message.contains("A \\[link\\](http") && !message.contains('\u{202e}'), "{message}");
        assert_eq!(
            log["runs"][0]["invocations"][0]["toolExecutionNotifications"].as_array().unwrap().len(),
            1
        );
    }

    #[test]
    fn a_working_tree_is_told_from_its_commit() {
        let mut report = samples::report(&["first"]);
        report.rev.commit = Some("0".repeat(40));
        report.repository_uri = Some("https://git.example/acme/shop".to_owned());
        for dirty in [false, true] {
            report.rev.dirty = dirty;
            let log = render(&report);
            assert_valid(&log);
            let details = &log["runs"][0]["versionControlProvenance"][0];
            assert_eq!(details["revisionId"], "0".repeat(40));
            assert_eq!(details["properties"]["workingTree"] == true, dirty, "{details}");
        }
    }

    #[test]
    fn an_alert_stays_the_same_while_its_lines_move_and_its_verdict_changes() {
        let print = |change: &dyn Fn(&mut VerifyReport)| {
            let mut report = samples::report(&["first", "second"]);
            change(&mut report);
            render(&report)["runs"][0]["results"][0]["partialFingerprints"]["lociCitation/v1"].clone()
        };
        let first = print(&|_| {});
        assert_eq!(first, print(&|report| report.invalidated[0].citations[0].place.line_start = 99));
        assert_eq!(first, print(&|report| report.invalidated[0].citations[0].verdict = Verdict::Drifted));
        assert_ne!(first, print(&|report| report.invalidated[0].citations[0].index = 1));
        assert_ne!(first, print(&|report| report.invalidated[0].memory_id = "other".to_owned()));
        assert_ne!(first, print(&|report| report.repo = "acme/other".to_owned()));
    }
}
