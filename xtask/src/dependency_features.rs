//! Finds features of foreign crates that the tests have and the product alone lacks. One build of
//! the whole workspace gives each crate every feature that any member requests, including the test
//! tools. Code that needs a missing feature then fails only where the product is installed. A
//! regular expression once failed this way.

use crate::checkout::{Checkout, FEATURES};
use crate::process;
use anyhow::{Result, ensure};
use std::collections::{BTreeMap, BTreeSet};

/// Features that do not change the product: crate, feature, and the effect of the feature.
const HARMLESS: &[(&str, &str, &str)] = &[
    ("loci", "onnx", "an encoder that a configuration must name"),
    ("loci-client", "agentcore", "one more store of agents"),
    ("rand", "default", "no function of the product"),
    ("rand", "small_rng", "a generator that the product does not name"),
    ("regex", "default", "the features that are named one by one"),
    ("regex-automata", "dfa", "automata that the product does not build"),
    ("regex-automata", "nfa", "automata that the product does not build"),
    ("regex-automata", "perf", "the features that are named one by one"),
    ("regex-automata", "unicode", "the features that are named one by one"),
    ("regex-syntax", "default", "the features that are named one by one"),
    ("serde", "alloc", "a part of std"),
    ("serde_json", "unbounded_depth", "a method that the product does not call"),
    ("smallvec", "union", "a layout"),
];

type Features = BTreeMap<String, BTreeSet<String>>;

/// Compares the features of the product alone with those of the workspace and its tests.
///
/// # Errors
/// Errors with the crate and the feature of each difference that is not known to be harmless.
pub(crate) fn check(checkout: &Checkout) -> Result<()> {
    let product = features(checkout, &["--package", "loci", "--edges", "normal,build"])?;
    let tested = features(checkout, &["--workspace", "--features", FEATURES, "--edges", "normal,build,dev"])?;
    let lacking = lacking(&product, &tested);
    ensure!(
        lacking.is_empty(),
        "the tests have features of crates that the product alone lacks: {}; name them in the workspace's \
         dependencies, or among those that are harmless",
        lacking.join(", ")
    );
    Ok(())
}

fn features(checkout: &Checkout, of: &[&str]) -> Result<Features> {
    let form = ["--prefix", "none", "--format", "{p}|{f}"];
    let arguments = [&["tree", "--locked"], of, &form].concat();
    Ok(read(&process::output(&mut checkout.cargo(&arguments))?))
}

/// Reads lines such as `regex v1.13.1|perf,std`.
fn read(lines: &str) -> Features {
    let mut all = Features::new();
    for line in lines.lines() {
        let Some((package, features)) = line.split_once('|') else { continue };
        let package = package.split(' ').take(2).collect::<Vec<_>>().join(" ");
        let features = features.split(' ').next().unwrap_or_default().split(',');
        all.entry(package).or_default().extend(features.filter(|f| !f.is_empty()).map(str::to_owned));
    }
    all
}

fn lacking(product: &Features, tested: &Features) -> Vec<String> {
    let is_harmless = |package: &str, feature: &str| {
        let name = package.split(' ').next().unwrap_or_default();
        HARMLESS.iter().any(|(of, known, _)| (*of, *known) == (name, feature))
    };
    let mut lacking = Vec::new();
    for (package, has) in product {
        for feature in tested.get(package).into_iter().flatten() {
            if !has.contains(feature) && !is_harmless(package, feature) {
                lacking.push(format!("{feature} of {package}"));
            }
        }
    }
    lacking
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_feature_of_the_tests_alone_is_named() {
        let product = read("loci v0.1.0 (app)|default\nregex v1.13.1|perf,std\nserde v1.0.2|std (*)\n");
        let tested = read("regex v1.13.1|perf,std\nregex v1.13.1|unicode-bool\nserde v1.0.2|alloc,std\n");
        assert_eq!(lacking(&product, &tested), ["unicode-bool of regex v1.13.1"]);
        assert_eq!(lacking(&product, &product), [""; 0]);
    }
}
