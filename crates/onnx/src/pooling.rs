//! Reduces a model's rows to one vector, and several vectors to one. Pure.

/// The method of reducing rows of tokens to the vector of a text. The description of a model states
/// its method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pooling {
    /// The mean of all rows.
    #[default]
    Mean,
    /// The first row.
    Cls,
}

impl Pooling {
    /// Returns the name in the configuration.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::Cls => "cls",
        }
    }

    /// Returns the unit vector of rows of this width. `None` if it has no direction.
    pub(crate) fn pool(self, rows: &[f32], width: usize) -> Option<Vec<f32>> {
        let mut rows = rows.chunks_exact(width.max(1));
        let pooled = match self {
            Self::Cls => rows.next()?.to_vec(),
            Self::Mean => sum(rows),
        };
        unit(pooled)
    }
}

/// Returns the common direction of several vectors. `None` if they have none.
pub(crate) fn joined(mut vectors: Vec<Vec<f32>>) -> Option<Vec<f32>> {
    if vectors.len() == 1 {
        return vectors.pop();
    }
    unit(sum(vectors.iter().map(Vec::as_slice)))
}

fn sum<'a>(rows: impl Iterator<Item = &'a [f32]>) -> Vec<f32> {
    let mut sum = Vec::new();
    for row in rows {
        sum.resize(row.len(), 0.0);
        sum.iter_mut().zip(row).for_each(|(sum, number)| *sum += number);
    }
    sum
}

/// Scales the vector to length one.
pub(crate) fn unit(mut vector: Vec<f32>) -> Option<Vec<f32>> {
    let length = vector.iter().map(|number| f64::from(*number).powi(2)).sum::<f64>().sqrt();
    if !length.is_finite() || length <= f64::from(f32::MIN_POSITIVE) {
        return None;
    }
    vector.iter_mut().for_each(|number| *number = (f64::from(*number) / length) as f32);
    Some(vector)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_unit_vectors() {
        let check = |pooling: Pooling, rows: &[f32], expect: Option<&[f32]>| {
            assert_eq!(pooling.pool(rows, 2).as_deref(), expect, "{pooling:?} {rows:?}");
        };
        check(Pooling::Mean, &[1.0, 6.0, 5.0, 2.0], Some(&[0.6, 0.8]));
        check(Pooling::Cls, &[3.0, 4.0, 5.0, 2.0], Some(&[0.6, 0.8]));
        check(Pooling::Mean, &[1.0, 1.0, -1.0, -1.0], None);
        check(Pooling::Mean, &[1.0, f32::NAN], None);
        check(Pooling::Cls, &[], None);
        assert_eq!(joined(vec![vec![0.5, 0.0], vec![0.0, 0.5]]), unit(vec![1.0, 1.0]));
        assert_eq!(joined(vec![vec![0.5, 0.0]]), Some(vec![0.5, 0.0]));
    }
}
