//! Splits long texts into pieces that every embedder accepts, and combines the vectors of the
//! pieces. Pure.

use loci_model::ports::embedder::Vector;

/// The maximum length of a piece, in characters. In any language it fits the limit of the smallest
/// common models.
pub(super) const PIECE_CHARS: usize = 4_000;
/// The replacement for an empty text, because some providers reject those.
const NOTHING: &str = "-";

/// Splits a text into pieces of at most `chars` (at least one) characters, at spaces if there are
/// any. Returns at least one piece.
pub(super) fn of(text: &str, chars: usize) -> Vec<&str> {
    let mut rest = text.trim();
    let mut pieces = Vec::new();
    while let Some((end, _)) = rest.char_indices().nth(chars.max(1)) {
        let (head, _) = rest.split_at(end);
        // A piece without spaces is cut at the limit.
        let cut = head.rfind(char::is_whitespace).filter(|cut| *cut > 0).unwrap_or(end);
        let (piece, tail) = rest.split_at(cut);
        pieces.push(piece.trim_end());
        rest = tail.trim_start();
    }
    if !rest.is_empty() {
        pieces.push(rest);
    }
    if pieces.is_empty() {
        pieces.push(NOTHING);
    }
    pieces
}

/// Returns the sum of the pieces' vectors, weighted by their lengths and normalised.
pub(super) fn joined(mut pieces: Vec<(usize, Vector)>) -> Vector {
    if pieces.len() <= 1 {
        return pieces.pop().map(|(_, vector)| vector).unwrap_or_default();
    }
    let mut sum = vec![0.0_f32; pieces.first().map_or(0, |(_, vector)| vector.len())];
    for (length, vector) in &pieces {
        for (sum, number) in sum.iter_mut().zip(vector) {
            *sum += number * *length as f32;
        }
    }
    if !to_unit(&mut sum) {
        // The pieces cancel each other out, so the first one represents all.
        return pieces.swap_remove(0).1;
    }
    sum
}

/// Normalises a vector to unit length; returns false if it has no direction.
pub(super) fn to_unit(vector: &mut [f32]) -> bool {
    let length = vector.iter().map(|number| f64::from(*number) * f64::from(*number)).sum::<f64>().sqrt();
    if !length.is_finite() || length <= f64::from(f32::MIN_POSITIVE) {
        return false;
    }
    vector.iter_mut().for_each(|number| *number = (f64::from(*number) / length) as f32);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost_but_spaces() {
        let check = |text: &str, lengths: &[usize]| {
            let pieces = of(text, PIECE_CHARS);
            let found: Vec<usize> = pieces.iter().map(|piece| piece.chars().count()).collect();
            assert_eq!(found, lengths);
        };
        check("", &[1]);
        check("  \n ", &[1]);
        check("a short text", &[12]);
        check(&"x".repeat(4_000), &[4_000]);
        check(&"é".repeat(4_001), &[4_000, 1]);
        let words = "word ".repeat(2_000);
        check(&words, &[3_999, 3_999, 1_999]);
        assert_eq!(of(&words, PIECE_CHARS).join(" "), words.trim());
        check(&format!(" {}", "x".repeat(9_000)), &[4_000, 4_000, 1_000]);
        assert_eq!(of("one two three", 8), ["one two", "three"]);
        assert_eq!(of("ab", 0), ["a", "b"]);
    }

    #[test]
    fn pieces_together() {
        let check = |pieces: &[(usize, [f32; 2])], expect: [f32; 2]| {
            let joined = joined(pieces.iter().map(|(length, vector)| (*length, vector.to_vec())).collect());
            assert!(joined.iter().zip(expect).all(|(a, b)| (a - b).abs() < 1e-6), "{joined:?}");
        };
        check(&[(5, [0.6, 0.8])], [0.6, 0.8]);
        check(&[(1, [1.0, 0.0]), (1, [0.0, 1.0])], [0.707_106_77, 0.707_106_77]);
        check(&[(3, [1.0, 0.0]), (4, [0.0, 1.0])], [0.6, 0.8]);
        check(&[(1, [1.0, 0.0]), (1, [-1.0, 0.0])], [1.0, 0.0]);
        assert!(!to_unit(&mut [0.0, 0.0]) && !to_unit(&mut [f32::NAN, 1.0]) && !to_unit(&mut []));
    }
}
