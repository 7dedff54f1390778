//! A unit vector as one byte per dimension and a scale.

/// Scale and values: `scale · value` is the vector again, of unit length whatever the length of `vector`.
pub(crate) fn quantise(vector: &[f32]) -> (f32, Vec<u8>) {
    let greatest = vector.iter().fold(0.0_f32, |most, value| most.max(value.abs()));
    let step = if greatest.is_finite() && greatest > 0.0 { 127.0 / greatest } else { 0.0 };
    let values: Vec<i8> =
        vector.iter().map(|value| (value * step).round().clamp(-127.0, 127.0) as i8).collect();
    let square: i64 = values.iter().map(|value| i64::from(*value) * i64::from(*value)).sum();
    let scale = if square > 0 { (1.0 / (square as f64).sqrt()) as f32 } else { 0.0 };
    (scale, values.into_iter().map(i8::cast_unsigned).collect())
}
