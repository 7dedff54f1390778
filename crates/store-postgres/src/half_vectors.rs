//! Vectors as pgvector's `halfvec`, with two bytes per value. They convert back exactly to the
//! one-byte values of indexes: the greatest value represents 127, and rounding to half precision
//! moves the others by less than half a step.

use std::error::Error as StdError;

use half::f16;
use loci_index::StoredVector;
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

/// A vector with values of half precision (16-bit floats).
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Halves(pub(crate) Vec<f16>);

impl Halves {
    /// Returns a vector in the form for comparison.
    pub(crate) fn of(stored: &StoredVector) -> Self {
        Self(stored.values.iter().map(|value| f16::from_f32(f32::from(*value) * stored.scale)).collect())
    }

    /// Returns the original one-byte values.
    pub(crate) fn stored(&self, model: std::sync::Arc<str>) -> StoredVector {
        let values: Vec<f32> = self.0.iter().map(|value| value.to_f32()).collect();
        StoredVector::quantise(&values, model)
    }
}

impl ToSql for Halves {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn StdError + Sync + Send>> {
        let length = u16::try_from(self.0.len())?;
        out.extend_from_slice(&length.to_be_bytes());
        out.extend_from_slice(&0_u16.to_be_bytes());
        for value in &self.0 {
            out.extend_from_slice(&value.to_be_bytes());
        }
        Ok(IsNull::No)
    }

    fn accepts(kind: &Type) -> bool {
        kind.name() == "halfvec"
    }

    to_sql_checked!();
}

impl FromSql<'_> for Halves {
    fn from_sql(_: &Type, raw: &[u8]) -> Result<Self, Box<dyn StdError + Sync + Send>> {
        let values = raw.get(4..).unwrap_or_default();
        Ok(Self(values.chunks_exact(2).map(|pair| f16::from_be_bytes([pair[0], pair[1]])).collect()))
    }

    fn accepts(kind: &Type) -> bool {
        kind.name() == "halfvec"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_byte_values_come_back() {
        for seed in 0..50_u32 {
            let vector: Vec<f32> =
                (0..384).map(|at| ((at * 37 + seed * 101) % 251) as f32 / 251.0 - 0.5).collect();
            let stored = StoredVector::quantise(&vector, "m");
            assert_eq!(Halves::of(&stored).stored("m".into()), stored, "{seed}");
        }
        let nothing = StoredVector::quantise(&[0.0, 0.0], "m");
        assert_eq!(Halves::of(&nothing).stored("m".into()), nothing);
    }
}
