//! The cost of parsers of foreign text on worst-case texts, at one size, ten and a hundred times
//! that. `cargo xtask scanners` counts their instructions and checks the growth. `--explore` times
//! every parser on every such text, to find new cases.
//!
//! A new parser needs a line in the list of its crate, or below. It is counted on [`PLAIN`] and on
//! all texts of [`ATTACKS`] that name it. A new text needs a line in [`ATTACKS`].

use std::hint::black_box;
use std::time::Instant;

use anyhow::{Context, Result};
use loci_client::formats::{READERS, SourceFile};
use loci_client::transcript::{self, TranscriptFormat, TranscriptOptions};
use loci_engine::scanners::Scanner;
use loci_server::agentcore::fuzz;
use loci_server::auth::sigv4_chunks::ChunkDecoder;

/// Options of a run.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Run every n-th case of a number of lanes, each at three sizes, and print their names: `0/2`.
    /// Without it the cases are listed.
    #[arg(long)]
    lane: Option<String>,
    /// Time every parser on every text and print those that grow faster than their text.
    #[arg(long, conflicts_with = "lane")]
    explore: bool,
    /// Run only parsers whose names contain this.
    #[arg(long)]
    only: Option<String>,
}

/// The size of the smallest text, in bytes.
const BYTES: usize = 40;
/// Sizes of the texts of a case in bytes, each ten times the previous one.
const SIZES: [usize; 3] = [BYTES, 10 * BYTES, 100 * BYTES];
/// Sizes of timed texts in bytes, each four times the previous one.
const EXPLORED: [usize; 3] = [8_000, 32_000, 128_000];
/// The factor of time, for a text four times as long, above which a case is printed.
const EXPLORED_GROWTH_MAX: f64 = 7.0;

/// A text: its beginning, and the unit that is repeated to its end.
#[derive(Debug, Clone, Copy)]
struct Attack {
    /// Parts of the names of the parsers for which it is meant.
    readers: &'static [&'static str],
    before: &'static str,
    unit: &'static str,
}

const fn attack(readers: &'static [&'static str], before: &'static str, unit: &'static str) -> Attack {
    Attack { readers, before, unit }
}

/// A text for every parser.
const PLAIN: Attack =
    attack(&[""], "", "We moved the `parser` to Leipzig, and I like it more than \"before\". ");

const ATTACKS: &[Attack] = &[
    attack(&["secrets", "for a model"], "", "-----BEGIN PRIVATE KEY-----"),
    attack(&["secrets"], "", "-----BEGIN PRIVATE KEY-----Version: 1\n"),
    attack(&["secrets"], "", "a://b:/a://b:xxx@/"),
    attack(&["secrets"], "", "a://b:/server=x;pwd=xxx;"),
    attack(&["secrets"], "", "password=\"token="),
    attack(&["injection"], "", "<!--ignore system you "),
    attack(&["injection"], "", "ignore your "),
    attack(&["sanitise", "shown code"], "", "\u{1b}]"),
    attack(&["sanitise"], "", "<script "),
    attack(&["sanitise"], "", "<!--"),
    attack(&["sanitise"], "", "<a b=\"<a c='"),
    attack(&["sanitise"], "", "`<b>``<i>```"),
    attack(&["rules of a review"], "", "nice, we always "),
    attack(&["rules of a review"], "", "never skip the tests "),
    attack(&["preference statements"], "", "I like tea now, and "),
    attack(&["own words", "contacts", "particulars"], "", "«\"a b c\" "),
    attack(&["own words", "contacts", "particulars"], "", "“ `a b c` "),
    attack(&["particulars"], "", "a1+"),
    attack(&["particulars"], "", "a1.."),
    attack(&["places of a text"], "", "a"),
    attack(&["tasks in a message"], "\nTask-Id: ", "#,"),
    attack(&["contacts"], "Escalate to ", "#@example.com, "),
    attack(&["keys to delete"], "<Delete", " a#='b'"),
    attack(&["keys to delete"], "<Delete", " xmlns:a#='b'"),
    attack(&["keys to delete"], "<Delete>", "<Object xmlns:a#='b'>"),
    attack(&["keys to delete"], "<Delete>", "<Object><Key>a&amp;b</Key></Object>"),
    attack(&["a bucket's query"], "", "x-amz-#=1&"),
    attack(&["frontmatter"], "---\n", "a#: b\n"),
    attack(&["a searched frontmatter"], "a: &a [x]\n", "b: &a [*a, *a]\n"),
    attack(&["frontmatter", "a reply's JSON", "a literal", "an answer's JSON"], "", "["),
    attack(&["an answer's JSON", "a request's shape"], "{", "\"a#\":1,"),
    attack(&["mentions", "learnings"], "", "`a#` src/a#.rs "),
    attack(&["terms", "sections"], "", "# a\n"),
    attack(&["sanitise", "a fence around"], "", "[//]: # (x)\n`a`\n"),
    attack(&["a fence around"], "", "a loci-data-"),
    attack(&["a fence around"], "", "loci-<"),
    attack(&["a prompt's sources"], "", "a\n"),
    attack(&["config values in YAML"], "b: &b {x: 1}\n", "a: &a {<<: [*b, *b]}\nb: &b {<<: [*a, *a]}\n"),
    attack(&["config values", "a forge's", "an alert", "a cursor", "declared users"], "", "["),
    attack(&["config values in TOML"], "", "a."),
    attack(&["config values in TOML"], "", "[a#]\nb.c = 1\n"),
    attack(&["config values in JSON"], "{", "\"a#\":{},"),
    attack(&["lines of a file", "lines compared", "a diff of documents", "likeness"], "", "a#\n"),
    attack(&["lines of a file", "lines compared", "a diff of documents"], "", "a\nb\na\n"),
    attack(&["a statement"], "", "`a` "),
    attack(&["a task's report"], "Task t-1 completed with status: FAILED.", "\nNotes: a"),
    attack(&["a task's report"], "Task t-1 completed with status: FAILED.", "\nBlockers: a#"),
    attack(&["a task's report"], "", ". notes \n"),
    attack(&["quantities"], "The latency is 5 ms, ", "pod-"),
    attack(&["quantities"], "", "pod-pod latency is 5 ms and "),
    attack(&["values of a statement"], "", "MODE = a "),
    attack(&["values of a statement"], "", "a# is 1.0.# and B# = 5, "),
    attack(&["values of a statement"], "", "a is set to "),
    attack(&["lines with values"], "", "serde={ serde=1.0.1 "),
    attack(&["lines with values"], "", "serde[ serde=1.0.1 "),
    attack(&["lines with values"], "", "MAX:: a MAX=1;"),
    attack(&["lines with values"], "", "MAX=\"' MAX=#;"),
    attack(&["lines with values"], "", "MAX = # \n"),
    attack(&["a gist", "a relation"], "The parser uses 9 when ", "a#en "),
    attack(&["a gist", "a relation"], "The parser uses 9 when ", "a#en: "),
    attack(&["a gist", "a relation"], "The parser ", "and a#en "),
    attack(&["a gist", "a relation"], "The parser dropped ", "in the "),
    attack(&["a gist", "a relation"], "The parser moved ", "back to "),
    attack(&["a gist", "a relation"], "", "really "),
    attack(&["a gist", "a relation"], "from ", "monday "),
    attack(&["a gist", "a relation"], "", "“a "),
    attack(&["patterns of claims"], "", "(a|a)*"),
    attack(&["patterns of claims"], "", "a"),
    attack(&["owners of files"], "", "/**/a/**/a/**/a/**/c @bob\n"),
    attack(&["owners of files"], "", "/*a*a*a*b @bob\n"),
    attack(&["owners of files"], "", "a/"),
    attack(&["ignored paths"], "", "**/a/**/a/**/b\n"),
    attack(&["ignored paths"], "", "*a*a*[a-z]b\n"),
    attack(&["git configuration"], "[a]\nb = ", "c \\\n"),
    attack(&["git configuration"], "", "[remote \"a#\"]\nurl = https://b@c/d\n"),
    attack(&["packed refs"], "", "1111111111111111111111111111111111111111 refs/heads/a#\n"),
    attack(&["a commit"], "", "parent 1111111111111111111111111111111111111111\n"),
    attack(
        &["a forge's tree"],
        "{\"tree\":[",
        "{\"path\":\"a#\",\"mode\":\"100644\",\"sha\":\"1111111111111111111111111111111111111111\"},",
    ),
    attack(
        &["a forge's comparison"],
        "{\"status\":\"ahead\",\"files\":[",
        "{\"filename\":\"a#\",\"status\":\"renamed\"},",
    ),
    attack(&["a forge's event"], "{\"commits\":[", "{\"id\":\"a#\"},"),
    attack(&["a forge's next page"], "", "<https://api.github.com/a#>; rel=\"prev\", "),
    attack(&["an alert"], "{\"alerts\":[", "{\"labels\":{\"a#\":\"b\"}},"),
    attack(&["a cursor", "a page token"], "", "0a"),
];

/// Texts for `--explore` only, with anything that might slow a parser down.
const MORE: &[&str] = &[
    "`",
    "``a ",
    "```\n",
    "~~~\n",
    "\"",
    "'",
    "«",
    "“",
    "(",
    ")",
    "[",
    "[a](",
    "](",
    "{",
    "}",
    "<",
    "<a",
    "</",
    "&amp;",
    "&",
    "\\",
    "\\n",
    "\\\\\"",
    "\n",
    "\r",
    "\t",
    " ",
    "  \n",
    "-",
    "- ",
    "--",
    "---\n",
    "*",
    "**a",
    "_",
    "#",
    "# a\n",
    "> ",
    "|",
    "|a",
    ":",
    ": ",
    "a: ",
    "a: b\n",
    "=",
    "a=",
    "/",
    "/a",
    "a/",
    "../",
    ".",
    "a.",
    "..",
    "@",
    "x@",
    "x@y.z ",
    "://",
    "a1",
    "1",
    "1.",
    "12:",
    "aA",
    "a_",
    "A",
    "é",
    "a\u{301}",
    "\u{301}",
    "\u{200b}",
    "\u{200d}",
    "\u{1b}[",
    "\u{9b}",
    "\u{e0041}",
    "한",
    "日本",
    "ß",
    ", ",
    "; ",
    "! ",
    "? ",
    "a ",
    "the ",
    "I ",
    "I like ",
    "my ",
    "not ",
    "never ",
    "always ",
    "please ",
    "and ",
    "in 3 days ",
    "last week ",
    "Mr. ",
    "e.g. ",
    "{\"a\":",
    "[1,",
    "\"a\",",
    "<topic name=\"",
    "<topic name=\"a\">b</topic>",
    "src/a.rs:1 ",
    "fn a() ",
    "a::",
    "->",
    "error: ",
    "fixed ",
    "says: ",
    "Merge ",
    "Reverts a#1\n",
    "every day at 3 ",
    "10 GB ",
    "+1 555 ",
    "%20",
    "%",
    "a\n\n",
];

/// Parsers of other crates than the engine and the buckets.
const OTHERS: &[Scanner] = &[
    Scanner::new("terms", |text| drop(black_box(loci_text::analyse_turn(text)))),
    Scanner::new("sentences", |text| {
        black_box(loci_text::split::sentences(text).len());
    }),
    Scanner::new("sections", |text| drop(black_box(loci_text::sections::sections(text, 200)))),
    Scanner::new("a question", |text| drop(black_box(loci_text::question::parse(text, &[], None)))),
    Scanner::new("marks", |text| {
        black_box(loci_text::marks::marks(text));
    }),
    Scanner::new("a request's shape", |text| fuzz::fuzz_shapes(format!("\u{0}{text}").as_bytes())),
    Scanner::new("a request's route", |text| fuzz::fuzz_route(format!("GET\n/memories\n{text}").as_bytes())),
    Scanner::new("a page token", |text| {
        fuzz::fuzz_page_token(format!("0123456789abcdef{text}").as_bytes());
    }),
    Scanner::new("a signature", |text| fuzz::fuzz_signature(text.as_bytes())),
    Scanner::new("a body in chunks", |text| {
        black_box(ChunkDecoder::unsigned(1 << 24).decoded(text.as_bytes()).is_ok());
    }),
    Scanner::new("a transcript", transcripts),
    Scanner::new("foreign formats", formats),
];

fn transcripts(text: &str) {
    for info in TranscriptFormat::all() {
        let input = Box::new(text.as_bytes());
        black_box(transcript::read(info.format, input, &TranscriptOptions::default()).count());
    }
}

fn formats(text: &str) {
    let file = SourceFile { path: "a.md".to_owned(), text: text.to_owned() };
    for reader in READERS {
        black_box((reader.read)(std::slice::from_ref(&file), "/a/", 0).is_ok());
    }
}

/// Runs cases, or lists them.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    if arguments.explore {
        explore(arguments.only.as_deref().unwrap_or_default());
        return Ok(());
    }
    let cases = cases(arguments.only.as_deref().unwrap_or_default());
    let Some(lane) = &arguments.lane else {
        cases.iter().for_each(|(scanner, attack)| println!("{}", name(scanner, attack)));
        return Ok(());
    };
    let (number, of) = lane.split_once('/').context("--lane must be like 0/2")?;
    let (number, of): (usize, usize) = (number.parse()?, of.parse()?);
    for (scanner, attack) in cases.iter().skip(number).step_by(of.max(1)) {
        let texts = SIZES.map(|bytes| text(attack, bytes));
        // Work that is done only once, such as compiling an expression, happens here.
        (scanner.read)(&texts[0]);
        for text in &texts {
            measured(scanner.read, text);
        }
        println!("{}", name(scanner, attack));
    }
    Ok(())
}

/// The counted function. Callgrind finds it by its name.
#[inline(never)]
fn measured(read: fn(&str), text: &str) {
    read(text);
}

fn scanners() -> Vec<Scanner> {
    let named = [loci_git::SCANNERS, loci_forges::SCANNERS, loci_alerts::SCANNERS].concat();
    let named: Vec<_> = named.into_iter().map(|(name, read)| Scanner::new(name, read)).collect();
    let engine = [
        loci_engine::scanners::all(),
        loci_verified::scanners(),
        loci_coding::scanners(),
        loci_documents::scanners(),
        loci_operations::scanners(),
    ]
    .concat();
    [engine.as_slice(), loci_server::s3::SCANNERS, loci_server::v1::SCANNERS, OTHERS, named.as_slice()]
        .concat()
}

/// Returns every parser with the plain text and with the texts that name it.
fn cases(only: &str) -> Vec<(Scanner, Attack)> {
    let mut found = Vec::new();
    for scanner in scanners().into_iter().filter(|scanner| scanner.name.contains(only)) {
        let is_for = |attack: &&Attack| attack.readers.iter().any(|part| scanner.name.contains(part));
        found.extend(std::iter::once(&PLAIN).chain(ATTACKS).filter(is_for).map(|attack| (scanner, *attack)));
    }
    found
}

fn name(scanner: &Scanner, attack: &Attack) -> String {
    let unit: String = attack.unit.chars().take(24).collect();
    format!("{} on {:?}", scanner.name, format!("{}{unit}", attack.before))
}

/// Returns a text of about `bytes` bytes. An increasing number replaces `#`.
fn text(attack: &Attack, bytes: usize) -> String {
    let mut text = attack.before.to_owned();
    let is_counted = attack.unit.contains('#') && attack.unit.trim_start_matches('#').len() > 2;
    for number in 0_usize.. {
        if text.len() >= bytes {
            break;
        }
        match is_counted {
            true => text.push_str(&attack.unit.replace('#', &number.to_string())),
            false => text.push_str(attack.unit),
        }
    }
    text
}

fn explore(only: &str) {
    let more = MORE.iter().map(|unit| attack(&[""], "", unit));
    let attacks: Vec<Attack> = ATTACKS.iter().copied().chain([PLAIN]).chain(more).collect();
    for scanner in scanners().into_iter().filter(|scanner| scanner.name.contains(only)) {
        for attack in &attacks {
            let times = EXPLORED.map(|bytes| {
                let text = text(attack, bytes);
                let began = Instant::now();
                (scanner.read)(&text);
                began.elapsed().as_secs_f64()
            });
            let growth = times[2] / times[1].max(1e-9);
            if (growth > EXPLORED_GROWTH_MAX && times[2] > 0.01) || times[2] > 1.0 {
                let millis = times.map(|time| time * 1e3);
                println!(
                    "{:>9.1} {:>9.1} {:>9.1} ms  {growth:>5.1}x  {}",
                    millis[0],
                    millis[1],
                    millis[2],
                    name(&scanner, attack)
                );
            }
        }
    }
}
