//! The readers of alert bodies by name, for the program that measures their cost on texts that are
//! made to be expensive. The product does not use this module.

use std::hint::black_box;

use loci_model::ports::alerts::LabelMap;
use loci_model::services::alert_notice::AlertSource;

use crate::{Places, reader};

/// A reader with its name.
type Named = (&'static str, fn(&str));

/// The readers, by name.
pub const SCANNERS: &[Named] = &[
    ("an alert of Alertmanager", |text| read(AlertSource::Alertmanager, text)),
    ("an alert of PagerDuty", |text| read(AlertSource::Pagerduty, text)),
    ("an alert of Opsgenie", |text| read(AlertSource::Opsgenie, text)),
    ("an alert of another system", |text| read(AlertSource::Generic, text)),
];

fn read(source: AlertSource, text: &str) {
    let places = Places {
        fingerprint: "/alerts/0/a".to_owned(),
        title: "/b".to_owned(),
        status: "/c".to_owned(),
        open_values: vec!["open".to_owned()],
        ..Places::default()
    };
    if let Ok(reader) = reader(source, LabelMap::default(), places) {
        drop(black_box(reader.read(text.as_bytes())));
    }
}
