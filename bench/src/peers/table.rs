//! Formats the figures as Markdown and inserts them into a page. Figures where Loci is slower are
//! printed too.

use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::engine_figures::{EngineFigures, Ingest, Quality, ScaleFigures, Serve};
use crate::recall::Figure;

const BEGIN: &str = "<!-- peers:begin -->";
const END: &str = "<!-- peers:end -->";
const OWN: &str = "loci";
/// Bytes per MiB.
const MIB: f64 = 1_048_576.0;

/// Returns all tables.
pub(super) fn markdown(engines: &[EngineFigures]) -> String {
    let mut text = quality(engines);
    let scales: std::collections::BTreeSet<usize> =
        engines.iter().flat_map(|engine| engine.scales.iter().map(|scale| scale.asked)).collect();
    for asked in scales {
        let rows: Vec<_> = engines.iter().filter_map(|engine| at(engine, asked)).collect();
        text.push_str(&speed(asked, &rows));
        text.push_str(&footprint(asked, &rows));
        text.push_str(&ratios(asked, &rows));
    }
    for engine in engines {
        for failure in &engine.failures {
            text.push_str(&format!("\n{}: failed: {failure}\n", engine.name));
        }
    }
    text
}

/// Writes the text between the two marks of a page.
pub(super) fn write(page: &Path, text: &str) -> Result<()> {
    let old = std::fs::read_to_string(page).with_context(|| format!("reading {}", page.display()))?;
    let (before, rest) =
        old.split_once(BEGIN).with_context(|| format!("{} has no {BEGIN}", page.display()))?;
    let (_, after) = rest.split_once(END).with_context(|| format!("{} has no {END}", page.display()))?;
    ensure!(!after.contains(BEGIN), "{} has {BEGIN} twice", page.display());
    std::fs::write(page, format!("{before}{BEGIN}\n{}\n{END}{after}", text.trim_end()))?;
    Ok(())
}

type Measured<'a> = (&'a EngineFigures, &'a ScaleFigures);

fn at(engine: &EngineFigures, asked: usize) -> Option<Measured<'_>> {
    engine.scales.iter().find(|scale| scale.asked == asked).map(|scale| (engine, scale))
}

fn quality(engines: &[EngineFigures]) -> String {
    let sets: Vec<&str> = engines
        .iter()
        .find(|engine| !engine.quality.is_empty())
        .map(|engine| engine.quality.iter().map(|quality| quality.set.as_str()).collect())
        .unwrap_or_default();
    let mut sets = sets;
    sets.dedup();
    let mut text = String::new();
    for set in sets {
        text.push_str(&format!(
            "\n| {set} | searches by | turn R@5 | turn R@10 | session R@10 |\n|---|---|---|---|---|\n"
        ));
        for engine in engines {
            for quality in engine.quality.iter().filter(|quality| quality.set == set) {
                text.push_str(&quality_row(engine, quality));
            }
        }
    }
    text
}

fn quality_row(engine: &EngineFigures, quality: &Quality) -> String {
    let note = if quality.note.is_empty() { String::new() } else { format!(" ({})", quality.note) };
    let [turns_5, turns_10, sessions_10] = [
        quality.all.turns.get("r_at_5"),
        quality.all.turns.get("r_at_10"),
        quality.all.sessions.get("r_at_10"),
    ]
    .map(|figure| figure.map(percent).unwrap_or_default());
    let (name, version, search) = (&engine.name, &engine.version, engine.search);
    format!("| {name} {version}{note} | {search} | {turns_5} | {turns_10} | {sessions_10} |\n")
}

fn percent(figure: &Figure) -> String {
    let [low, high] = figure.conversations.map(|value| value * 100.0);
    format!("{:.1} [{low:.1}–{high:.1}]", figure.mean * 100.0)
}

fn speed(asked: usize, rows: &[Measured<'_>]) -> String {
    let mut text = format!(
        "\n| {asked} records asked for | reached | search p50 / p95, ms | without the embedding p50 / p95, ms | \
         embedding of a question p50, ms | records/s with the model | records/s without it |\n\
         |---|---|---|---|---|---|---|\n"
    );
    for (engine, scale) in rows {
        let whole = scale.serve.as_ref().map(|serve| pair(serve, |serve| &serve.whole));
        let without = scale.serve.as_ref().map(|serve| pair(serve, |serve| &serve.without_embedding));
        let embedding = scale.serve.as_ref().map(|serve| format!("{:.2}", serve.embedding.p50_ms));
        text.push_str(&format!(
            "| {} | {} | {} | {} | {} | {} | {} |\n",
            engine.name,
            reached(scale),
            whole.unwrap_or_default(),
            without.unwrap_or_default(),
            embedding.unwrap_or_default(),
            rate(scale.with_model.as_ref(), asked),
            rate(scale.without_model.as_ref(), asked),
        ));
    }
    text
}

fn pair(serve: &Serve, of: fn(&Serve) -> &crate::figures::Quantiles) -> String {
    let quantiles = of(serve);
    format!("{:.2} / {:.2}", quantiles.p50_ms, quantiles.p95_ms)
}

fn reached(scale: &ScaleFigures) -> usize {
    scale.without_model.as_ref().map_or(0, |ingest| ingest.records)
}

/// Returns a rate, with the size at which it was measured if that is smaller than requested.
fn rate(ingest: Option<&Ingest>, asked: usize) -> String {
    match ingest {
        None => "–".to_owned(),
        Some(ingest) if ingest.records < asked => {
            format!("{:.0} (stopped at {})", ingest.per_second(), ingest.records)
        }
        Some(ingest) => format!("{:.0}", ingest.per_second()),
    }
}

fn footprint(asked: usize, rows: &[Measured<'_>]) -> String {
    let mut text = format!(
        "\n| {asked} records asked for | resident after the load, MiB | resident after the questions, MiB | on disk, \
         MiB | start to first answer, ms | installed, MiB (packages) |\n|---|---|---|---|---|---|\n"
    );
    for (engine, scale) in rows {
        let loaded = scale.without_model.as_ref().map_or(0, |ingest| ingest.resident_bytes);
        let (serving, first) =
            scale.serve.as_ref().map_or((0, 0.0), |serve| (serve.resident_bytes, serve.first_answer_ms));
        text.push_str(&format!(
            "| {} | {} | {} | {} | {first:.0} | {} ({}) |\n",
            engine.name,
            mib(loaded),
            mib(serving),
            mib(scale.disk_bytes),
            mib(engine.installed_bytes),
            engine.packages,
        ));
    }
    text
}

fn mib(bytes: u64) -> String {
    let value = bytes as f64 / MIB;
    if value < 10.0 { format!("{value:.1}") } else { format!("{value:.0}") }
}

/// Returns the factors by which Loci is better than each peer. A factor below 1 means worse.
fn ratios(asked: usize, rows: &[Measured<'_>]) -> String {
    let Some((own_engine, own)) = rows.iter().find(|(engine, _)| engine.name == OWN) else {
        return String::new();
    };
    let mut text = format!(
        "\n| {asked} records asked for: times better than | search p50 | search p95 | search p50 without the \
         embedding | ingest with the model | ingest without it | resident | disk | first answer | turn R@5, points \
         |\n|---|---|---|---|---|---|---|---|---|---|\n"
    );
    for (engine, scale) in rows.iter().filter(|(engine, _)| engine.name != OWN) {
        let serve = |of: fn(&Serve) -> f64| match (&scale.serve, &own.serve) {
            (Some(theirs), Some(ours)) => times(of(theirs) / of(ours)),
            _ => "–".to_owned(),
        };
        let ingest = |of: fn(&ScaleFigures) -> Option<&Ingest>| match (of(scale), of(own)) {
            (Some(theirs), Some(ours)) => times(ours.per_second() / theirs.per_second()),
            _ => "–".to_owned(),
        };
        text.push_str(&format!(
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
            engine.name,
            serve(|serve| serve.whole.p50_ms),
            serve(|serve| serve.whole.p95_ms),
            serve(|serve| serve.without_embedding.p50_ms),
            ingest(|scale| scale.with_model.as_ref()),
            ingest(|scale| scale.without_model.as_ref()),
            serve(|serve| serve.resident_bytes as f64),
            times(per_record(scale) / per_record(own)),
            serve(|serve| serve.first_answer_ms),
            points(own_engine, engine),
        ));
    }
    text
}

fn per_record(scale: &ScaleFigures) -> f64 {
    scale.disk_bytes as f64 / reached(scale).max(1) as f64
}

fn times(ratio: f64) -> String {
    match ratio {
        ratio if !ratio.is_finite() => "–".to_owned(),
        ratio if ratio < 10.0 => format!("{ratio:.1}"),
        ratio => format!("**{ratio:.0}**"),
    }
}

/// Returns the recall of Loci minus that of the peer, set by set.
fn points(own: &EngineFigures, peer: &EngineFigures) -> String {
    let mean = |quality: &Quality| quality.all.turns.get("r_at_5").map_or(0.0, |figure| figure.mean * 100.0);
    let difference = |theirs: &Quality| {
        // The last figure of a set is that of held-out weights, if there are any.
        let ours = own.quality.iter().rfind(|quality| quality.set == theirs.set)?;
        Some(format!("{:+.1}", mean(ours) - mean(theirs)))
    };
    peer.quality.iter().filter_map(difference).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::recall::{self, GoldRecall, Outcome};

    fn engine(name: &str, share: f64, millis: u64, per_second: usize) -> EngineFigures {
        let outcome = Outcome {
            conversation: 0,
            category: "single".to_owned(),
            found: GoldRecall { turns: [share; 3], sessions: [share; 3] },
        };
        let ingest = || Some(Ingest { records: per_second, seconds: 1.0, resident_bytes: 1 << 20 });
        let calls = [(Duration::from_millis(millis), Duration::from_millis(1))];
        EngineFigures {
            name: name.to_owned(),
            version: "1".to_owned(),
            search: "words",
            quality: vec![Quality { set: "a".to_owned(), note: "", all: recall::all(&[outcome]) }],
            scales: vec![ScaleFigures {
                asked: 1_000,
                with_model: ingest(),
                without_model: ingest(),
                serve: Some(Serve::new(Duration::from_millis(5), &calls, 3 << 20)),
                disk_bytes: 1 << 20,
            }],
            installed_bytes: 1 << 20,
            packages: 1,
            failures: Vec::new(),
        }
    }

    #[test]
    fn ratios_say_where_loci_loses_too() {
        let text = markdown(&[engine(OWN, 0.9, 2, 1_000), engine("peer", 0.5, 21, 2_000)]);
        let last = text.lines().last().unwrap_or_default();
        assert_eq!(last, "| peer | **10** | **10** | **20** | 0.5 | 0.5 | 1.0 | 0.5 | 1.0 | +40.0 |");
        assert!(
            text.contains("| peer | 2000 | 21.00 / 21.00 | 20.00 / 20.00 | 1.00 | 2000 | 2000 |"),
            "{text}"
        );
        assert!(text.contains("| loci 1 | words | 90.0 [90.0–90.0] |"), "{text}");
    }

    #[test]
    fn a_load_cut_short_says_so() {
        let ingest = Ingest { records: 50, seconds: 2.0, resident_bytes: 0 };
        assert_eq!(rate(Some(&ingest), 100), "25 (stopped at 50)");
        assert_eq!((rate(Some(&ingest), 50), rate(None, 50)), ("25".to_owned(), "–".to_owned()));
    }

    #[test]
    fn the_page_keeps_what_is_around_the_marks() {
        let folder = tempfile::tempdir().unwrap();
        let page = folder.path().join("page.md");
        std::fs::write(&page, format!("a\n{BEGIN}\nold\n{END}\nb\n")).unwrap();
        write(&page, "\nnew\n").unwrap();
        assert_eq!(std::fs::read_to_string(&page).unwrap(), format!("a\n{BEGIN}\n\nnew\n{END}\nb\n"));
        std::fs::write(&page, "nothing").unwrap();
        assert!(write(&page, "new").is_err());
    }
}
