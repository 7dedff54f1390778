//! Prints the results of a run, and converts them to JSON with every wrong item.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Serialize;

use super::gates::{Gate, NamedWindow, gates};
use super::item::{Class, Stratum};
use super::rate::percent;
use super::score::{ClassRates, Counts};
use super::window::Report;

/// The results of a whole run.
#[derive(Debug, Serialize)]
pub(super) struct Whole {
    pub(super) windows: Vec<Report>,
    pub(super) pooled: Counts,
    pub(super) youden: Option<f64>,
    pub(super) gates: Vec<Gate>,
}

impl Whole {
    pub(super) fn new(windows: Vec<Report>) -> Self {
        let pooled = Counts::pooled(windows.iter().map(|window| &window.counts));
        let named: Vec<NamedWindow<'_>> = windows
            .iter()
            .map(|report| NamedWindow {
                repository: &report.repository,
                window: &report.name,
                counts: &report.counts,
            })
            .collect();
        let gates = gates(&named, &pooled);
        let youden = pooled.youden();
        Self { windows, pooled, youden, gates }
    }

    pub(super) fn write(&self, file: &Path) -> Result<()> {
        std::fs::write(file, serde_json::to_string_pretty(self)?)
            .with_context(|| format!("writing {}", file.display()))
    }
}

/// Prints one window.
pub(super) fn print_window(report: &Report) {
    println!(
        "\n{} {}: {} ({}) .. {} ({}), {} commits, n {}, rng {}",
        report.repository,
        report.name,
        report.from.get(..10).unwrap_or_default(),
        report.from_day,
        report.to.get(..10).unwrap_or_default(),
        report.to_day,
        report.steps,
        report.counts.items,
        report.rng
    );
    print_counts(&report.counts);
    println!("  per citation: {}; tracing took {:.1} s", report.per_citation, report.tracing_seconds);
    println!("  labels {}", report.labels);
    if !report.left_out.is_empty() {
        let paths = report.left_out.join(", ");
        println!("  {} paths left out, the clone lacks contents of theirs: {paths}", report.left_out.len());
    }
    for variant in &report.variants {
        print_row(variant.name, &variant.row);
    }
}

/// Prints all windows together, and the gates.
pub(super) fn print_whole(whole: &Whole) {
    println!(
        "\n{:<46} {:>9} {:>9} {:>11} {:>13}",
        "window", "absent", "present", "detection %", "false alarm %"
    );
    for report in &whole.windows {
        print_line(&format!("{} {}", report.repository, report.name), &report.counts);
    }
    print_line("pooled", &whole.pooled);
    println!("\npooled");
    print_counts(&whole.pooled);
    if let Some(youden) = whole.youden {
        println!("  Youden J {youden:.4}");
    }
    print_pooled_variants(&whole.windows);
    println!();
    for gate in &whole.gates {
        let verdict = if gate.passed { "PASS" } else { "FAIL" };
        let value = gate.value.map_or_else(|| "nothing to judge".to_owned(), |value| format!("{value:.4}"));
        println!("{verdict}  {}: {value} (limit {})", gate.name, gate.limit);
    }
}

fn print_line(name: &str, counts: &Counts) {
    let ClassRates { detection, false_alarms } = counts.all;
    println!(
        "{name:<46} {:>9} {:>9} {:>11} {:>13}",
        detection.of,
        false_alarms.of,
        percent(detection),
        percent(false_alarms)
    );
}

fn print_counts(counts: &Counts) {
    let (absent, present) = (counts.all.detection.of, counts.all.false_alarms.of);
    let rot = 100.0 * absent as f64 / (absent + present).max(1) as f64;
    println!("  present {present}, absent {absent}, rot {rot:.1} %");
    println!("  detection     {}", counts.all.detection);
    println!("  false alarms  {}", counts.all.false_alarms);
    for class in Class::ALL {
        let Some(count) = counts.classes.get(&class) else { continue };
        match (counts.by_class.get(&class), class.present()) {
            (Some(row), Some(true)) => {
                println!("    {:<14} {count:>6}  false alarms {:>4}", class.name(), row.false_alarms.hits);
            }
            (Some(row), Some(false)) => {
                let missed = row.detection.of - row.detection.hits;
                println!("    {:<14} {count:>6}  missed       {missed:>4}", class.name());
            }
            _ => println!("    {:<14} {count:>6}  {}", class.name(), words(class, counts)),
        }
    }
    for stratum in Stratum::ALL {
        if let Some(row) = counts.by_stratum.get(&stratum) {
            print_row(stratum.name(), row);
        }
    }
    print_row("in renamed files", &counts.in_renamed_files);
    print_row("memories of three", &counts.memories);
    print_row("both opinions agree", &counts.gold);
    println!("  reported gone or contradicted, of absent  {}", counts.hard);
    println!("  second opinion differs  {}", counts.disagreement);
    println!("  found at other lines than traced  {}", counts.elsewhere);
    println!(
        "  TRACKERR {}, objects missing {}, blocks that cannot be cited {}",
        counts.trackerr(),
        counts.missing,
        counts.refused
    );
}

fn words(class: Class, counts: &Counts) -> String {
    let verdicts = counts.apart.get(&class).into_iter().flatten();
    let one = |(verdict, count): (&loci_model::facts::verdict::Verdict, &usize)| {
        format!("{} {count}", verdict.as_str())
    };
    format!("scored apart: {}", verdicts.map(one).collect::<Vec<_>>().join(", "))
}

fn print_row(name: &str, row: &ClassRates) {
    println!("  {name:<38} detection {:<36} false alarms {}", row.detection, row.false_alarms);
}

fn print_pooled_variants(windows: &[Report]) {
    let mut pool: BTreeMap<usize, (&str, ClassRates)> = BTreeMap::new();
    for report in windows {
        for (place, variant) in report.variants.iter().enumerate() {
            let (_, row) = pool.entry(place).or_insert((variant.name, ClassRates::default()));
            *row = row.and(variant.row);
        }
    }
    for (name, row) in pool.values() {
        print_row(name, row);
    }
}
