//! The BM25 formula and its views.
//!
//! The module counts nothing. The caller supplies term frequencies, lengths and document
//! frequencies, and the idf is always that of turns, in every view.

/// The saturation and the length normalisation of one grouping of turns into documents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// The saturation of repeated terms: the larger, the slower.
    pub k1: f32,
    /// The share of the length that is normalised away, 0 to 1.
    pub b: f32,
}

/// The turn itself, called T in decision pages.
pub const TURN: View = View { k1: 0.9, b: 0.4 };
/// The pair: the turn and the one before it (P).
pub const PAIR: View = View { k1: 0.9, b: 0.4 };
/// The window: two turns before, the turn, and one after (W).
pub const WINDOW: View = View { k1: 0.9, b: 0.4 };
/// The session: all of its turns (S).
pub const SESSION: View = View { k1: 1.2, b: 0.75 };
/// The path of a file: its terms, one document per file.
pub const PATH: View = View { k1: 0.9, b: 0.4 };

/// Returns `ln(1 + (N − df + 0.5)/(df + 0.5))` for a term that `df` of `n` documents contain. A
/// term that no document contains scores 0. A `df` above `n` counts as `n`.
#[must_use]
pub fn idf(n: u32, df: u32) -> f32 {
    if df == 0 {
        return 0.0;
    }
    let (n, df) = (f64::from(n.max(df)), f64::from(df));
    ((n - df + 0.5) / (df + 0.5)).ln_1p() as f32
}

/// Returns idf₁, the idf of a term that one turn of `n` contains; 1 if there is at most one turn.
#[must_use]
pub fn idf_once(n: u32) -> f32 {
    if n <= 1 { 1.0 } else { idf(n, 1) }
}

/// Returns one term's share of a document's score. `tf` and `length` are sums over the group,
/// `average_length` is the mean over all documents of the view. If that mean is not positive, every
/// length counts as average. A `tf` of 0 yields 0.
#[must_use]
pub fn term_score(view: View, idf: f32, tf: f32, length: f32, average_length: f32) -> f32 {
    if tf <= 0.0 {
        return 0.0;
    }
    let relative = if average_length > 0.0 { length / average_length } else { 1.0 };
    idf * tf * (view.k1 + 1.0) / (tf + view.k1 * (1.0 - view.b + view.b * relative))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(value: f32, expect: f32) {
        assert!((value - expect).abs() < 1e-5, "{value} is not {expect}");
    }

    #[test]
    fn idf_by_hand() {
        near(idf(100, 1), (1.0f32 + 99.5 / 1.5).ln());
        near(idf(100, 100), (1.0f32 + 0.5 / 100.5).ln());
        near(idf(100, 0), 0.0);
        near(idf(3, 9), idf(9, 9));
        near(idf_once(100), idf(100, 1));
        near(idf_once(1), 1.0);
        near(idf_once(0), 1.0);
        near(idf_once(2), 2.0f32.ln());
    }

    #[test]
    fn score_by_hand() {
        near(term_score(TURN, 2.0, 1.0, 10.0, 10.0), 2.0);
        near(term_score(TURN, 2.0, 3.0, 20.0, 10.0), 2.0 * 3.0 * 1.9 / (3.0 + 0.9 * (0.6 + 0.8)));
        near(term_score(SESSION, 1.0, 2.0, 5.0, 10.0), 2.0 * 2.2 / (2.0 + 1.2 * (0.25 + 0.375)));
        near(term_score(TURN, 2.0, 0.0, 10.0, 10.0), 0.0);
        near(term_score(TURN, 2.0, 1.0, 10.0, 0.0), 2.0);
    }

    #[test]
    fn repetitions_saturate_and_length_costs() {
        let score = |tf, length| term_score(TURN, 1.0, tf, length, 10.0);
        assert!(score(2.0, 10.0) > score(1.0, 10.0));
        assert!(score(1e6, 10.0) < 1.9 + 1e-4);
        assert!(score(1.0, 30.0) < score(1.0, 10.0));
    }
}
