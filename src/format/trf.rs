//! TRF, the tournament report file: so far its field 222, the encoded time control.

use crate::clock::{ParseControlError, TimeControl};

/// Number of the field.
const FIELD: &str = "222";

/// Why a line is no field 222.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TrfError {
    /// Another field, or none.
    #[error("a time control stands in field {FIELD}: write '{FIELD} 40/5400+30:1800+30'")]
    OtherField,
    /// What stands in it is no control.
    #[error("field {FIELD}: {0}")]
    Control(#[from] ParseControlError),
    /// The field has one control for both sides.
    #[error("field {FIELD} has one control for both sides")]
    TwoControls,
}

/// Reads the line of field 222.
///
/// # Errors
/// Another field, or no control in it.
pub fn control(line: &str) -> Result<TimeControl, TrfError> {
    let text = line.trim_end().strip_prefix(FIELD).and_then(|rest| rest.strip_prefix(' ')).ok_or(TrfError::OtherField)?;
    let control: TimeControl = text.trim().parse()?;
    if control.is_equal() { Ok(control) } else { Err(TrfError::TwoControls) }
}

/// The line of field 222.
///
/// # Errors
/// Where the two sides have different controls.
pub fn line(control: &TimeControl) -> Result<String, TrfError> {
    if control.is_equal() { Ok(format!("{FIELD} {control}")) } else { Err(TrfError::TwoControls) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_field_is_read_and_written() {
        for text in ["222 40/5400+30:1800+30", "222 300", "222 900+10"] {
            assert_eq!(control(text).and_then(|control| line(&control)).as_deref(), Ok(text));
        }
        assert_eq!(control("222  5400+30\r\n").and_then(|control| line(&control)).as_deref(), Ok("222 5400+30"));
        assert_eq!(control("122 90 minutes"), Err(TrfError::OtherField));
        assert_eq!(control("222 300|180"), Err(TrfError::TwoControls));
        assert!(matches!(control("222 90 minutes"), Err(TrfError::Control(_))));
        assert_eq!(line(&"300|180".parse().unwrap()), Err(TrfError::TwoControls));
    }
}
