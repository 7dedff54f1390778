//! Groups of values that exclude each other in one slot: opposites, days, colours, programs of the
//! same purpose. Two members are never equal. Their position (`slot`) decides if one replaces the
//! other.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::synonyms::one_form;

/// Opposite states, of which one holds at a time after "is" and "has".
const STATES: &[&str] = &[
    "open close shut",
    "on off",
    "up down",
    "enable disable",
    "on disable",
    "off enable",
    "active inactive suspended",
    "public private",
    "manual automatic",
    "sync async",
    "synchronous asynchronous",
    "single married divorced engaged widowed",
    "employed unemployed retired",
    "strict lenient loose",
    "optional mandatory required",
    "allow forbid",
    "remote onsite hybrid",
    "internal external",
    "formal informal casual",
    "online offline",
    "free paid",
    "encrypted unencrypted",
    "static dynamic",
    "healthy sick ill",
    "present absent",
    "locked unlocked",
    "approved rejected declined",
    "vacant occupied",
    "read-only writable",
    "full-time part-time",
    "alive dead",
    "working broken",
    "junior senior principal",
    "paid unpaid overdue",
    "full empty",
    "married single",
    "fixed unfixed",
    "green red",
    "stable unstable",
    "safe unsafe dangerous",
];

/// Other sets of which one member holds at a time in one slot of a statement.
const OPPOSITES: &[&str] = &[
    "light dark",
    "concise detailed",
    "morning afternoon evening night noon",
    "hot cold warm",
    "early late",
    "tab space",
    "left right",
    "metric imperial",
    "window aisle",
    "upper lower",
    "local remote",
    "british american",
    "true false",
    "yes no",
    "ascending descending",
    "oldest newest",
    "horizontal vertical",
    "cheap expensive",
    "sweet savoury",
    "vegetarian vegan omnivore pescatarian",
    "monolith microservice",
    "monorepo polyrepo",
    "weekly monthly daily hourly yearly quarterly fortnightly",
    "camelcase snake_case kebab-case pascalcase",
    "single double",
    "still sparkling",
    "rare medium",
    "black white",
    "buy rent lease",
    "celsius fahrenheit",
    "before after",
    "with without",
    "above below",
    "over under",
    "increase decrease",
    "high low",
    "strong weak",
    "wet dry",
    "soft hard",
    "mild spicy",
    "serif sans",
    "minimum maximum",
    "first last",
    "inside outside",
    "client server",
    "frontend backend",
    "input output",
    "upload download",
    "import export",
    "request response",
    "arrive depart",
    "sell buy",
    "win lose",
    "mother father sister brother son daughter husband wife aunt uncle cousin",
    "cat dog hamster rabbit horse parrot",
    "monday tuesday wednesday thursday friday saturday sunday",
    "january february march april june july august september october november december",
    "red blue green yellow orange purple pink brown gray turquoise violet beige",
    "spring summer autumn winter",
    "breakfast lunch dinner",
    "tea coffee",
    "integer string boolean float text varchar decimal array object enum timestamp bigint uuid",
    "beer wine",
    "json xml yaml toml csv plaintext protobuf html markdown",
    "kilometer mile",
    "pdf docx excel xml csv",
    "train plane bus car bicycle tram subway metro ferry",
    "second minute hour day week month year",
    "kilobyte megabyte gigabyte terabyte",
    "dollar euro pound franc yen",
];

/// Programs, services and languages by their purpose.
const TOOLS: &[&str] = &[
    "npm yarn pnpm bun",
    "pip poetry uv pipenv conda",
    "jest vitest mocha jasmine ava",
    "pytest unittest nose",
    "junit testng spock",
    "cypress playwright selenium puppeteer",
    "eslint biome tslint standard oxlint",
    "prettier black ruff yapf autopep8 dprint",
    "flake8 pylint",
    "redux mobx zustand recoil context jotai pinia vuex",
    "react vue angular svelte solid preact ember",
    "webpack vite rollup parcel esbuild turbopack",
    "express fastify koa hapi nest",
    "django flask fastapi rails laravel",
    "postgresql mysql mariadb sqlite oracle mssql cockroachdb",
    "mongodb couchdb dynamodb cassandra firestore",
    "redis memcached valkey",
    "rabbitmq kafka nats sqs pulsar activemq",
    "jenkins circleci travis buildkite teamcity drone",
    "aws gcp azure",
    "heroku vercel netlify render railway",
    "kubernetes nomad swarm ecs",
    "terraform pulumi cloudformation opentofu bicep",
    "ansible puppet chef saltstack",
    "docker podman",
    "squash rebase",
    "nginx apache caddy traefik haproxy envoy",
    "maven gradle bazel ant sbt",
    "make just ninja",
    "lerna nx turborepo",
    "sphinx mkdocs docusaurus jekyll hugo",
    "datadog grafana newrelic splunk prometheus",
    "sentry bugsnag rollbar",
    "jira linear asana trello",
    "slack discord mattermost",
    "zoom webex",
    "github gitlab bitbucket gitea",
    "git mercurial svn",
    "vim emacs neovim helix nano vscode sublime",
    "bash zsh fish",
    "log4j slf4j logback",
    "axios fetch got",
    "rest graphql grpc",
    "oauth saml",
    "jwt session",
    "sass less tailwind bootstrap",
    "spotify tidal deezer",
    "android ios",
    "windows macos linux",
    "chrome firefox safari edge",
    "toml yaml",
    "english german french spanish italian portuguese dutch polish japanese chinese",
    "javascript typescript",
];

/// Places where something runs: another place is another case, never another value.
const PLACES: &str = "\
    production staging development qa sandbox preview ci testing integration canary";

static MEMBERS: LazyLock<HashMap<String, Vec<usize>>> = LazyLock::new(|| {
    let mut members: HashMap<String, Vec<usize>> = HashMap::new();
    for (group, words) in STATES.iter().chain(OPPOSITES).chain(TOOLS).enumerate() {
        for word in words.split(' ') {
            // Code keeps its letters; words are stemmed.
            for form in [word.to_owned(), one_form(word)] {
                let groups = members.entry(form).or_default();
                if groups.last() != Some(&group) {
                    groups.push(group);
                }
            }
        }
    }
    members
});

static PLACE_FORMS: LazyLock<HashSet<String>> =
    LazyLock::new(|| PLACES.split_ascii_whitespace().map(one_form).collect());

/// Returns true if two forms are different members of one group, or one is the other with a
/// negating prefix.
pub(in super::super) fn excludes(left: &str, right: &str) -> bool {
    left != right && (share_group(left, right) || denies(left, right) || denies(right, left))
}

fn share_group(left: &str, right: &str) -> bool {
    let Some(left) = MEMBERS.get(left) else { return false };
    MEMBERS.get(right).is_some_and(|right| left.iter().any(|group| right.contains(group)))
}

/// Returns true if one form is the other with a negating prefix: `unsupported` and `supported`.
fn denies(denied: &str, plain: &str) -> bool {
    plain.len() > 3
        && ["un", "in", "im", "dis", "non", "de", "mis"]
            .iter()
            .any(|prefix| denied.strip_prefix(prefix) == Some(plain))
}

/// Returns true for a word with an opposite state: after "is" it names a state, in any form.
pub(in super::super) fn is_state(form: &str) -> bool {
    MEMBERS.get(form).is_some_and(|groups| groups.iter().any(|group| *group < STATES.len()))
}

/// Returns true for a word that names the place where something runs.
pub(in super::super) fn is_place_of_running(form: &str) -> bool {
    PLACE_FORMS.contains(form)
}
