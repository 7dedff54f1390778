//! `fuzz`: sends seeded mutations of valid and unusual requests through the code that reads a
//! request before the engine: router, shapes, signatures. A panic ends the program, after it has
//! printed the input that caused it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use loci_server::agentcore::fuzz::{fuzz_route, fuzz_shapes, fuzz_signature};

use crate::seeded_random::Seeded;

/// Options of a fuzz run.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Total time in seconds.
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Seed of the mutations.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// A function that parses bytes, with its seeds.
struct Target {
    name: &'static str,
    read: fn(&[u8]),
    seeds: &'static [&'static str],
}

const TARGETS: &[Target] = &[
    Target { name: "router", read: fuzz_route, seeds: ROUTES },
    Target { name: "shapes", read: fuzz_shapes, seeds: BODIES },
    Target { name: "signatures", read: fuzz_signature, seeds: SIGNATURES },
];

/// Fragments that break careless parsers.
const PIECES: &[&str] = &[
    "%",
    "%2F",
    "%00",
    "%ff",
    "..",
    "//",
    "{",
    "}",
    "\"",
    "\\ud800",
    "\\u0000",
    "null",
    "1e999",
    "-1",
    "[[[[",
    "]",
    ":",
    "é",
    "\u{1f600}",
    "\r\n",
    "\n\n",
    ";chunk-signature=",
    "99999999999999999999",
    "0.1",
    "true",
    ",",
    "#",
    "?",
    "&a=b",
];

const ROUTES: &[&str] = &[
    "POST\n/memories/create\n",
    "GET\n/memories/m-abcdefghij/details\nview=full",
    "POST\n/memories/\n",
    "GET\n/memories/m-abcdefghij/actor/org%2Fuser%3A1/sessions/s/events/0000001752235548000%2397f30a6b\n",
    "POST\n/memories/arn%3Aaws%3Abedrock-agentcore%3Aus-west-2%3A123456789012%3Amemory%2Fm-abcdefghij/retrieve\n",
    "DELETE\n/tags/arn%3Aaws%3Abedrock-agentcore%3Aus-west-2%3A000000000000%3Amemory%2Fm-abcdefghij\ntagKeys=a&tagKeys=b",
];

const BODIES: &[&str] = &[
    r#"{"actorId":"a","sessionId":"s","eventTimestamp":1795291920.45,"payload":[{"conversational":{"role":"USER","content":{"text":"x"}}},{"blob":{"x":[1,null]}},{"json":{"content":[1.50]}}],"branch":{"name":"b","rootEventId":"1#a"},"metadata":{"k":{"stringValue":"v"}}}"#,
    r#"{"name":"n","eventExpiryDuration":90,"memoryStrategies":[{"semanticMemoryStrategy":{"name":"f","namespaceTemplates":["/f/{actorId}/"],"memoryRecordSchema":{"metadataSchema":[{"key":"k","type":"STRING"}]}}}],"indexedKeys":[{"key":"k","type":"STRING"}],"tags":{"a":"b"}}"#,
    r#"{"searchCriteria":{"searchQuery":"q","topK":5,"metadataFilters":[{"left":{"metadataKey":"k"},"operator":"EQUALS_TO","right":{"metadataValue":{"stringValue":"v"}}}]},"namespace":"/users/alice/facts"}"#,
    r#"{"records":[{"requestIdentifier":"r","namespaces":["/a/"],"content":{"text":"t"},"timestamp":1,"metadata":{"k":{"numberValue":1.5}}}]}"#,
    r#"{"memoryStrategies":{"addMemoryStrategies":[],"modifyMemoryStrategies":[{"memoryStrategyId":"f-abcdefghij","configuration":{"extraction":{"customExtractionConfiguration":{"semanticExtractionOverride":{"appendToPrompt":"p","modelId":"m"}}}}}],"deleteMemoryStrategies":[{"memoryStrategyId":"x"}]}}"#,
];

const SIGNATURES: &[&str] = &[
    "authorization: AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260314/us-west-2/bedrock-agentcore/aws4_request, SignedHeaders=content-type;host;x-amz-date, Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7\nhost: h\nx-amz-date: 20260314T092653Z\ncontent-type: application/json\n\n{}",
    "authorization: AWS4-HMAC-SHA256 Credential=A/20260314/r/bedrock-agentcore/aws4_request, SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=00\nhost: h\nx-amz-date: 20260314T092653Z\nx-amz-content-sha256: STREAMING-AWS4-HMAC-SHA256-PAYLOAD\n\n4;chunk-signature=00\r\nabcd\r\n0;chunk-signature=00\r\n\r\n",
];

/// Fuzzes every target for its share of the time.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let share = Duration::from_secs(arguments.seconds) / u32::try_from(TARGETS.len()).unwrap_or(1);
    for target in TARGETS {
        let count = fuzz(target, arguments.seed, share)?;
        println!(
            "fuzz: {} read {count} mutated inputs in {} s without a panic",
            target.name,
            share.as_secs()
        );
    }
    Ok(())
}

fn fuzz(target: &Target, seed: u64, share: Duration) -> Result<u64> {
    let mut random = Seeded::new(seed);
    let until = Instant::now() + share;
    let mut count = 0;
    while Instant::now() < until {
        count += 1;
        let input = mutated(target.seeds, &mut random);
        if catch_unwind(AssertUnwindSafe(|| (target.read)(&input))).is_err() {
            bail!(
                "{} panicked (seed {seed}, input {count}): {:?}",
                target.name,
                String::from_utf8_lossy(&input)
            );
        }
    }
    Ok(count)
}

/// Returns a seed with up to eight changes. The first byte, which selects the operation of the
/// shapes, is always random.
fn mutated(seeds: &[&str], random: &mut Seeded) -> Vec<u8> {
    let mut bytes = vec![byte(random)];
    bytes.extend_from_slice(random.pick(seeds).copied().unwrap_or_default().as_bytes());
    if random.below(2) == 0 {
        bytes.remove(0);
    }
    for _ in 0..random.below(9) {
        let at = usize::try_from(random.below(bytes.len() as u64 + 1)).unwrap_or(0).min(bytes.len());
        match random.below(5) {
            0 if at < bytes.len() => bytes[at] = byte(random),
            1 if at < bytes.len() => drop(bytes.remove(at)),
            2 => {
                let piece = random.pick(PIECES).copied().unwrap_or_default().as_bytes();
                bytes.splice(at..at, piece.iter().copied());
            }
            3 => bytes.truncate(at),
            _ => {
                let copy: Vec<u8> = bytes[at..].iter().copied().take(40).collect();
                bytes.extend(copy);
            }
        }
    }
    bytes
}

fn byte(random: &mut Seeded) -> u8 {
    random.next().to_be_bytes()[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mutations_vary_and_repeat_by_seed() {
        let draw = |seed| {
            let mut random = Seeded::new(seed);
            (0..50).map(|_| mutated(BODIES, &mut random)).collect::<Vec<_>>()
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
        let distinct: std::collections::BTreeSet<_> = draw(7).into_iter().collect();
        assert!(distinct.len() > 45);
    }

    #[test]
    fn a_panic_is_an_error_with_the_input() {
        let target = Target { name: "t", read: |data| assert!(data.len() < 3), seeds: &["abcdef"] };
        let failed = fuzz(&target, 1, Duration::from_secs(5)).unwrap_err();
        assert!(failed.to_string().contains("panicked"), "{failed}");
    }
}
