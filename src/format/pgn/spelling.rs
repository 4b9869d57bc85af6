//! PGN as pgn-reader knows it: what people write otherwise is put right before it looks.
//!
//! It passes over what is no SAN as if nobody had moved, and so over `e8Q`, `e7e8q`, `gxf6ep`
//! and `Qxf7++`; a quotation mark inside a tag ends the tags for it.

use std::borrow::Cow;

/// The file with single characters put in where they are missing.
pub(super) fn spelt(bytes: &[u8]) -> Cow<'_, [u8]> {
    let mut written = Vec::new();
    let mut taken = 0;
    let mut at = 0;
    while at < bytes.len() {
        let end = bytes[at..].iter().position(|b| *b == b'\n').map_or(bytes.len(), |n| at + n);
        let line = &bytes[at..end];
        let is_tag = matches!(line.trim_ascii_start(), [b'[', name, ..] if name.is_ascii_alphabetic());
        let value = if is_tag { only_value(line) } else { None };
        for i in at..end {
            let missing = if is_tag { value.and_then(|value| mark_before(line, value, i - at)) } else { missing_before(bytes, i) };
            if let Some(missing) = missing {
                written.extend_from_slice(&bytes[taken..i]);
                written.push(missing);
                taken = i;
            }
        }
        at = end + 1;
    }
    if taken == 0 {
        return Cow::Borrowed(bytes);
    }
    written.extend_from_slice(&bytes[taken..]);
    Cow::Owned(written)
}

/// Where the value of a line's only tag begins and ends.
fn only_value(line: &[u8]) -> Option<(usize, usize)> {
    let first = line.iter().position(|b| *b == b'"')? + 1;
    let last = line.iter().rposition(|b| *b == b'"')?;
    let alone = line[last + 1..].trim_ascii() == b"]" && first < last && !line[first..last].windows(2).any(|two| two == b"\"]");
    alone.then_some((first, last))
}

/// The `\` that a quotation mark inside a value lacks.
fn mark_before(line: &[u8], (first, last): (usize, usize), i: usize) -> Option<u8> {
    (i >= first && i < last && line[i] == b'"' && line[i - 1] != b'\\').then_some(b'\\')
}

/// What is missing between a square and the byte at `i`: `=` before the piece promoted to, a blank before what is no part of SAN.
fn missing_before(bytes: &[u8], i: usize) -> Option<u8> {
    let [b'a'..=b'h', rank] = *bytes.get(i.checked_sub(2)?..i)? else { return None };
    let after = bytes.get(i + 1).copied().unwrap_or(b' ');
    match (rank, bytes[i], after) {
        (b'1' | b'8', b'Q' | b'R' | b'B' | b'N' | b'q' | b'r' | b'b' | b'n', after) if !after.is_ascii_alphanumeric() => Some(b'='),
        (b'3' | b'6', b'e', b'p' | b'.') | (b'1'..=b'8', b'+', b'+') => Some(b' '),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_right() {
        for (written, meant) in [
            ("1. e8Q Kf7", "1. e8=Q Kf7"),
            ("cxd8Q\r\n{x}", "cxd8=Q\r\n{x}"),
            ("b7b8n+", "b7b8=n+"),
            ("a1R", "a1=R"),
            ("gxf6ep Ke7 exd3 e.p.", "gxf6 ep Ke7 exd3 e.p."),
            ("Qxf7++", "Qxf7 ++"),
            ("[Event \"The \"King\" wins\"]", "[Event \"The \\\"King\\\" wins\"]"),
        ] {
            assert_eq!(str::from_utf8(&spelt(written.as_bytes())), Ok(meant));
        }
        for fine in ["e8=Q", "Rb1 Bc8", "b1n1", "[Site \"h8Q\"]", "[A \"b\\\"\"] [B \"b\\\"\"]", "[A \"\\\"x\\\"\"]", "{[%clk\n0:00:01]}", "", "a1"] {
            assert!(matches!(spelt(fine.as_bytes()), Cow::Borrowed(_)), "{fine}");
        }
    }
}
