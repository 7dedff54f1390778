//! Tests of phrases of time and their ranges: 00:30 in three time zones, and days of 23 and 25
//! hours.

use super::super::time_zone::zone;
use super::*;

/// Returns the phrase found at `now` in a zone: its words, from, to and the rest of the question.
fn found(question: &str, now: &str, name: &str) -> Option<(String, String, String, String)> {
    let now = Timestamp::parse(now).unwrap();
    let shown = |time: Option<Timestamp>| time.map_or("-".to_owned(), Timestamp::to_rfc3339);
    find(question, now, &zone(name, "tz").unwrap())
        .map(|phrase| (phrase.words, shown(phrase.from), shown(phrase.to), phrase.rest))
}

fn check(question: &str, now: &str, zone: &str, (words, from, to, rest): (&str, &str, &str, &str)) {
    let expect = (words.to_owned(), from.to_owned(), to.to_owned(), rest.to_owned());
    assert_eq!(found(question, now, zone), Some(expect), "{question} at {now} in {zone}");
}

/// A Saturday.
const NOON: &str = "2026-11-21T12:00:00Z";

#[test]
fn days_are_those_of_the_zone() {
    let question = "What did we find about the API server yesterday?";
    let rest = "What did we find about the API server?";
    let yesterday = |now: &str, zone: &str, from: &str, to: &str| {
        check(question, now, zone, ("yesterday", from, to, rest));
    };
    // 00:30 local time.
    yesterday("2026-11-20T15:30:00Z", "Asia/Tokyo", "2026-11-19T15:00:00Z", "2026-11-20T15:00:00Z");
    yesterday("2026-11-20T23:30:00Z", "Europe/Berlin", "2026-11-19T23:00:00Z", "2026-11-20T23:00:00Z");
    yesterday("2026-11-21T08:30:00Z", "America/Los_Angeles", "2026-11-20T08:00:00Z", "2026-11-21T08:00:00Z");
    yesterday("2026-11-21T00:30:00Z", "UTC", "2026-11-20T00:00:00Z", "2026-11-21T00:00:00Z");
    // Days with a clock change have 23 or 25 hours.
    yesterday("2026-03-30T10:00:00Z", "Europe/Berlin", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z");
    yesterday("2026-10-26T10:00:00Z", "Europe/Berlin", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z");
    yesterday("2026-11-02T10:00:00Z", "America/New_York", "2026-11-01T04:00:00Z", "2026-11-02T05:00:00Z");
}

#[test]
fn what_phrases_mean() {
    let check = |question: &str, words: &str, from: &str, to: &str, rest: &str| {
        check(question, NOON, "UTC", (words, from, to, rest));
    };
    check("errors today", "today", "2026-11-21T00:00:00Z", "2026-11-22T00:00:00Z", "errors");
    check(
        "the day before yesterday",
        "the day before yesterday",
        "2026-11-19T00:00:00Z",
        "2026-11-20T00:00:00Z",
        "",
    );
    check(
        "who was paged last night",
        "last night",
        "2026-11-20T18:00:00Z",
        "2026-11-21T06:00:00Z",
        "who was paged",
    );
    check("errors this morning?", "this morning", "2026-11-21T00:00:00Z", "2026-11-21T12:00:00Z", "errors?");
    check("errors this week", "this week", "2026-11-16T00:00:00Z", "2026-11-23T00:00:00Z", "errors");
    check("errors last week", "last week", "2026-11-09T00:00:00Z", "2026-11-16T00:00:00Z", "errors");
    check("errors in this month", "in this month", "2026-11-01T00:00:00Z", "2026-12-01T00:00:00Z", "errors");
    check("errors of last month", "of last month", "2026-10-01T00:00:00Z", "2026-11-01T00:00:00Z", "errors");
    check(
        "in the last 15 minutes, errors",
        "in the last 15 minutes",
        "2026-11-21T11:45:00Z",
        "2026-11-21T12:00:00.001Z",
        "errors",
    );
    check(
        "errors in the past hour",
        "in the past hour",
        "2026-11-21T11:00:00Z",
        "2026-11-21T12:00:00.001Z",
        "errors",
    );
    check(
        "errors over the last three days",
        "over the last three days",
        "2026-11-18T12:00:00Z",
        "2026-11-21T12:00:00.001Z",
        "errors",
    );
    check(
        "errors within the last couple of weeks",
        "within the last couple of weeks",
        "2026-11-07T12:00:00Z",
        "2026-11-21T12:00:00.001Z",
        "errors",
    );
    check(
        "deploy 3 days ago broke",
        "3 days ago",
        "2026-11-18T00:00:00Z",
        "2026-11-19T00:00:00Z",
        "deploy broke",
    );
    check("deploy two weeks ago", "two weeks ago", "2026-11-02T00:00:00Z", "2026-11-09T00:00:00Z", "deploy");
    check("an hour ago", "an hour ago", "2026-11-21T10:30:00Z", "2026-11-21T11:30:00Z", "");
    check("20 minutes ago", "20 minutes ago", "2026-11-21T11:35:00Z", "2026-11-21T11:45:00Z", "");
    check("errors on Saturday", "on Saturday", "2026-11-21T00:00:00Z", "2026-11-22T00:00:00Z", "errors");
    check("errors last saturday", "last saturday", "2026-11-14T00:00:00Z", "2026-11-15T00:00:00Z", "errors");
    check("errors on Monday", "on Monday", "2026-11-16T00:00:00Z", "2026-11-17T00:00:00Z", "errors");
    check("errors on 2026-11-20", "on 2026-11-20", "2026-11-20T00:00:00Z", "2026-11-21T00:00:00Z", "errors");
    check("errors since yesterday", "since yesterday", "2026-11-20T00:00:00Z", "-", "errors");
    check("errors since 2026-11-01", "since 2026-11-01", "2026-11-01T00:00:00Z", "-", "errors");
    check("errors since Tuesday", "since Tuesday", "2026-11-17T00:00:00Z", "-", "errors");
    check("errors since last week", "since last week", "2026-11-09T00:00:00Z", "-", "errors");
    check(
        "errors between 2026-11-03 and 2026-11-05?",
        "between 2026-11-03 and 2026-11-05",
        "2026-11-03T00:00:00Z",
        "2026-11-06T00:00:00Z",
        "errors?",
    );
    check(
        "from Friday to Monday",
        "from Friday to Monday",
        "2026-11-16T00:00:00Z",
        "2026-11-21T00:00:00Z",
        "",
    );
}

#[test]
fn what_says_nothing_of_a_time() {
    for question in [
        "",
        "Why is my pod crashing?",
        "the last deploy of todays-menu",
        "monday-service latency",
        "since the upgrade",
        "between api and database",
        "version 2026.11",
        "errors on 2026-13-45",
        "past due invoices",
    ] {
        assert_eq!(found(question, NOON, "UTC"), None, "{question}");
    }
}
