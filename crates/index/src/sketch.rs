//! One bit per dimension: on which side of zero a vector lies. Alike vectors have sketches of small Hamming distance,
//! so that a scan of sketches finds those worth a true cosine.
//!
//! A rotation of the vectors before the sign belongs here and nowhere else: both functions must apply the same.

/// Raised with every change of what a sketch says: snapshots hold sketches.
pub(crate) const VERSION: u32 = 1;

/// Words of the sketch of a vector with so many dimensions.
pub(crate) fn words(dimensions: usize) -> usize {
    dimensions.div_ceil(64)
}

/// Appends the sketch of a stored row.
pub(crate) fn of_row(values: &[i8], sketches: &mut Vec<u64>) {
    let word = |chunk: &[i8]| {
        chunk.iter().enumerate().fold(0, |word, (at, value)| word | u64::from(*value > 0) << at)
    };
    sketches.extend(values.chunks(64).map(word));
}

/// The sketch of a question.
pub(crate) fn of_question(vector: &[f32]) -> Vec<u64> {
    let word = |chunk: &[f32]| {
        chunk.iter().enumerate().fold(0, |word, (at, value)| word | u64::from(*value > 0.0) << at)
    };
    vector.chunks(64).map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_questions_have_the_same_sketch() {
        let row: Vec<i8> = (0..130).map(|at| (at * 73 % 255 - 127) as i8).collect();
        let question: Vec<f32> = row.iter().map(|value| f32::from(*value) / 300.0).collect();
        let mut sketches = vec![9];
        of_row(&row, &mut sketches);
        assert_eq!(sketches[1..], of_question(&question));
        assert_eq!(sketches.len() - 1, words(row.len()));
        assert_eq!(of_question(&[1.0, 0.0, -1.0, 2.0]), [0b1001]);
    }
}
