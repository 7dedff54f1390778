//! The output: a table of filters for each size, a table of growth at the end, or JSON.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::figures::{Figures, Filtered, KINDS, Latencies};

/// Formats the filters at one size: medians in milliseconds, and in brackets their ratio to those
/// without a filter.
pub(crate) fn one_size(figures: &Figures) -> String {
    let mut table = format!("## {} passages\n\n| filter | passages |", figures.size);
    KINDS.iter().for_each(|kind| table.push_str(&format!(" {kind} |")));
    table.push_str(" recall@10 |\n|---|---|---|---|---|---|---|\n");
    for filtered in &figures.filtered {
        let _ = write!(table, "| {} | {} |", filtered.name, filtered.passages);
        for (latencies, ratio) in filtered.latencies.iter().zip(ratios(filtered, figures)) {
            let _ = write!(table, " {:.3} ({ratio:.2}) |", latencies.quantile(0.5));
        }
        let _ =
            writeln!(table, " {} |", filtered.recall.map_or("–".to_owned(), |recall| format!("{recall:.3}")));
    }
    for wrong in figures.wrong.iter().take(20) {
        let _ = writeln!(table, "\nWRONG: {wrong}");
    }
    table
}

/// Formats a row per figure and a column per size. Latencies are `p50 / p95` in milliseconds.
pub(crate) fn growth(all: &[Figures]) -> String {
    let mut table = String::from("## Growth\n\n| |");
    all.iter().for_each(|figures| table.push_str(&format!(" {} |", figures.size)));
    table.push_str("\n|---|");
    all.iter().for_each(|_| table.push_str("---|"));
    table.push('\n');
    let mut line = |name: &str, value: &dyn Fn(&Figures) -> String| {
        let _ = write!(table, "| {name} |");
        all.iter().for_each(|figures| table.push_str(&format!(" {} |", value(figures))));
        table.push('\n');
    };
    let plain = |figures: &Figures, kind: usize| {
        figures.filtered.first().map_or(String::new(), |none| middle(&none.latencies[kind]))
    };
    line("vector, top 200, ms", &|figures| plain(figures, 0));
    line("recall@10 of it", &|figures| format!("{:.4}", figures.recall_200.at_10));
    line("the ten nearest within it", &|figures| format!("{:.4}", figures.recall_200.within));
    line("vector, top 400, ms", &|figures| middle(&figures.vector_400));
    line("recall@10 of it", &|figures| format!("{:.4}", figures.recall_400.at_10));
    line("the ten nearest within it", &|figures| format!("{:.4}", figures.recall_400.within));
    for (kind, name) in KINDS.iter().enumerate().skip(1) {
        line(&format!("{name}, ms"), &|figures| plain(figures, kind));
    }
    for (kind, name) in KINDS.iter().enumerate() {
        line(&format!("{name}, asked the first time, ms"), &|figures| middle(&figures.first[kind]));
    }
    line("filtered to unfiltered, greatest of the medians", &|figures| greatest(figures, |_| true));
    line("the same below 10 % of the passages", &|figures| {
        greatest(figures, |filtered| filtered.passages * 10 < figures.size)
    });
    line("one new record, p50 / p99, ms", &|figures| {
        format!("{:.3} / {:.3}", figures.changes.quantile(0.5), figures.changes.quantile(0.99))
    });
    line("bytes per passage, counted", &|figures| format!("{:.0}", figures.bytes_counted));
    line("bytes per passage, resident", &|figures| format!("{:.0}", figures.bytes_resident));
    line("all changes, s", &|figures| format!("{:.1}", figures.build_seconds));
    line("snapshot, bytes per passage", &|figures| {
        format!("{:.0}", figures.snapshot.bytes as f64 / figures.size as f64)
    });
    line("snapshot written, s", &|figures| format!("{:.2}", figures.snapshot.save_seconds));
    line("longest hold of the index meanwhile, ms", &|figures| format!("{:.1}", figures.snapshot.hold_ms));
    line("snapshot loaded, s", &|figures| format!("{:.2}", figures.snapshot.load_seconds));
    line("answers that differ from brute force", &|figures| figures.wrong.len().to_string());
    table
}

fn middle(latencies: &Latencies) -> String {
    format!("{:.3} / {:.3}", latencies.quantile(0.5), latencies.quantile(0.95))
}

fn ratios(filtered: &Filtered, figures: &Figures) -> [f64; 4] {
    let plain = |kind: usize| figures.filtered.first().map_or(0.0, |none| none.latencies[kind].quantile(0.5));
    std::array::from_fn(|kind| filtered.latencies[kind].quantile(0.5) / plain(kind))
}

fn greatest(figures: &Figures, of: impl Fn(&Filtered) -> bool) -> String {
    let rows = figures.filtered.iter().skip(1).filter(|filtered| of(filtered));
    let most = rows.fold([0.0f64; 4], |most, filtered| {
        let ratios = ratios(filtered, figures);
        std::array::from_fn(|kind| most[kind].max(ratios[kind]))
    });
    most.map(|ratio| format!("{ratio:.2}")).join(", ")
}

/// Returns all figures as JSON.
pub(crate) fn json(all: &[Figures]) -> String {
    let latencies = |of: &Latencies| json!({"p50_ms": of.quantile(0.5), "p95_ms": of.quantile(0.95), "p99_ms": of.quantile(0.99)});
    let by_kind = |of: &[Latencies; 4]| -> Value {
        let kinds = KINDS.iter().zip(of).map(|(kind, of)| ((*kind).to_owned(), latencies(of)));
        kinds.collect::<serde_json::Map<_, _>>().into()
    };
    let filtered = |filtered: &Filtered| json!({"filter": filtered.name, "passages": filtered.passages, "recall_at_10": filtered.recall, "latencies": by_kind(&filtered.latencies)});
    let size = |figures: &Figures| {
        json!({
            "passages": figures.size,
            "build_seconds": figures.build_seconds,
            "bytes_per_passage_counted": figures.bytes_counted,
            "bytes_per_passage_resident": figures.bytes_resident,
            "change": latencies(&figures.changes),
            "first_time": by_kind(&figures.first),
            "vector_400": latencies(&figures.vector_400),
            "recall_at_10_of_200": figures.recall_200.at_10,
            "recall_at_10_of_400": figures.recall_400.at_10,
            "nearest_10_within_200": figures.recall_200.within,
            "nearest_10_within_400": figures.recall_400.within,
            "filters": figures.filtered.iter().map(filtered).collect::<Vec<_>>(),
            "snapshot": {
                "bytes": figures.snapshot.bytes,
                "save_seconds": figures.snapshot.save_seconds,
                "hold_ms": figures.snapshot.hold_ms,
                "load_seconds": figures.snapshot.load_seconds,
            },
            "wrong": figures.wrong,
        })
    };
    Value::from(all.iter().map(size).collect::<Vec<_>>()).to_string()
}
