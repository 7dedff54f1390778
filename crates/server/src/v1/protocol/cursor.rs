//! Cursors of lists: the position of the last item, as opaque text. Grants are checked for every
//! page, so a cursor is not secret. A changed one is rejected, or points to another position in the
//! caller's own list.

use loci_model::{Error, Result, limits};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Returns a position as text.
pub(in crate::v1) fn write(place: &impl Serialize) -> Result<String> {
    let text = serde_json::to_vec(place)
        .map_err(|error| Error::bug("a place in a list that cannot be written").caused_by(error))?;
    Ok(hex::encode(text))
}

/// Parses the position from an earlier response.
pub(in crate::v1) fn read<P: DeserializeOwned>(cursor: Option<&str>) -> Result<Option<P>> {
    let Some(text) = cursor else { return Ok(None) };
    let bad = || Error::invalid("cursor", "cursor must be the next_cursor of an earlier answer of this list");
    let bytes = hex::decode(text).map_err(|_| bad())?;
    loci_json::from_slice(&bytes).map(Some).map_err(|_| bad())
}

/// Returns the page size: the requested one, else the maximum.
pub(in crate::v1) fn limit(asked: Option<u32>) -> Result<u32> {
    match asked {
        None => Ok(limits::PAGE_ITEMS_MAX),
        Some(limit) if (1..=limits::PAGE_ITEMS_MAX).contains(&limit) => Ok(limit),
        Some(_) => Err(Error::invalid("limit", "limit must be 1 to 100")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_survive_and_others_are_refused() {
        let text = write(&(5_u64, "a")).unwrap();
        assert_eq!(read::<(u64, String)>(Some(&text)).unwrap(), Some((5, "a".to_owned())));
        assert!(read::<(u64, String)>(Some("zz")).is_err());
        assert!(read::<u64>(Some(&text)).is_err());
        assert!(limit(Some(0)).is_err() && limit(Some(101)).is_err() && limit(Some(100)).is_ok());
    }
}
